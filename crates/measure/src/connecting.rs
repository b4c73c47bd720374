//! The loads of a condition, connected to the schemas of its variants.

use std::collections::BTreeMap;
use std::sync::Arc;

use drive::{ConnectionCharset, Load, Settings, Target};
use server::Server;
use workload::Workload;

use crate::error::Error;
use crate::executor::Loads;
use crate::model::{Condition, Driver, Run, Variant};
use crate::plan::Facts;
use crate::request::Request;

/// Presented in the handshake where a charset has no collation id of one byte.
const UTF8MB4_GENERAL_CI: u8 = 45;

/// Connects a load to the schema of each variant, and writes down in the run what its connections have in force.
pub(crate) fn connect(
    request: &Request,
    run: &mut Run,
    workload: Workload,
    condition: &Condition,
    servers: &[Server],
    facts: &[Facts],
    schemas: &BTreeMap<usize, String>,
) -> Result<Loads, Error> {
    let options = workload::Options { text: condition.text.parse().expect("a text's own name"), ..request.rows };
    let mut targets = BTreeMap::new();
    for (&index, schema) in schemas {
        let variant = &run.variants[index];
        let server = &servers[variant.server];
        let target = Target {
            server: server.label().into(),
            endpoint: server.endpoint().clone(),
            pid: server.pid(),
            schema: schema.clone(),
        };
        let settings = Settings {
            threads: condition.threads,
            protocol: request.protocol,
            connection: connection_charset(variant, &facts[variant.server]),
            pinned: run.options.pinned,
            handicap: variant.extra_work.unwrap_or(0.0),
        };
        targets.insert(index, (target, settings));
    }
    if request.driver == Driver::Sysbench {
        return Ok(Loads::Sysbench { workload, rows: options, targets });
    }
    let script = Arc::new(workload.script(&options));
    let mut loads = BTreeMap::new();
    for (index, (target, settings)) in targets {
        let load = Load::start(target, &settings, &script)?;
        if let Some(layers) = run.variants[index].layers.as_mut() {
            layers.connection = Some(load.in_force().clone());
            layers.handshake_collation_id = Some(settings.connection.handshake_collation.into());
        }
        loads.insert(index, load);
    }
    if loads.values().any(|load| !load.has_server_cpu()) {
        let note = "server CPU is not told where the server runs elsewhere or its threads cannot be told apart";
        if !run.notes.iter().any(|known| known == note) {
            run.notes.push(note.into());
        }
    }
    Ok(Loads::Native(loads))
}

/// What the load's connections of a variant speak: its own collation where the charset is its own, else the charset's default.
fn connection_charset(variant: &Variant, facts: &Facts) -> ConnectionCharset {
    let own = variant.connection_charset == variant.charset;
    let default = facts
        .collations
        .iter()
        .find(|collation| collation.charset == variant.connection_charset && collation.is_default);
    // The handshake has one byte for the collation; SET NAMES follows, so any collation of the charset would do.
    let one_byte = |id: u16| u8::try_from(id).ok();
    let of_charset = || {
        let mut ids = facts.collations.iter().filter(|c| c.charset == variant.connection_charset).map(|c| c.id);
        ids.find_map(one_byte)
    };
    ConnectionCharset {
        charset: variant.connection_charset.clone(),
        collation: own.then(|| variant.collation.clone()),
        handshake_collation: default.and_then(|c| one_byte(c.id)).or_else(of_charset).unwrap_or(UTF8MB4_GENERAL_CI),
    }
}
