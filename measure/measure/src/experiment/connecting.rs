//! Connects the loads of a condition to the schemas of its variants.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use load::{Binding, ConnectionCharset, Load, NegotiatedFeatures, Settings, StatementPlan, Target};
use server::Server;

use super::Error;
use super::executor::Loads;
use super::instances::Instances;
use super::rows::SchemaLocation;
use crate::model::{Condition, Driver, PlanStep, QueryPlan, Run, Variant};
use crate::plan::ServerCollations;
use crate::request::{MeasuredFolder, Pin, Request, WorkloadSource};
use crate::schedule::rotation;

/// Collation id for the handshake if no collation of the charset has an id below 256.
const UTF8MB4_GENERAL_CI: u8 = 45;

/// Advised number of connections per variant whose threads are not bound to cores: one per two
/// cores, so that client and server thread each have a core. With more, the result depends on which
/// threads share a core, and that lasts for much of a block. MariaDB 10.11 on two cores: A/A
/// intervals over ten seconds are ± 7.4 % with eight connections and ± 1.4 % with one (medians,
/// docs/results/2026-11-measurement.md).
const fn advised_unbound_connections(cores: u32) -> u32 {
    if cores < 2 { 1 } else { cores / 2 }
}

/// Upper limit of the default number of connections.
const MAX_DEFAULT_CONNECTIONS: u32 = 16;

/// Returns the default number of connections per variant: one per core, up to 16. With `unbound`
/// (servers that are already running) one per two cores.
pub fn default_connections(unbound: bool) -> u32 {
    let cores = available_cores();
    let wanted = if unbound { advised_unbound_connections(cores) } else { cores };
    wanted.min(MAX_DEFAULT_CONNECTIONS)
}

fn available_cores() -> u32 {
    thread::available_parallelism().map_or(1, usize::from) as u32
}

/// Connects the loads of a condition in one replicate.
pub(crate) struct LoadConnector<'a> {
    pub(crate) request: &'a Request,
    pub(crate) source: &'a WorkloadSource,
    pub(crate) condition: &'a Condition,
    pub(crate) instances: &'a Instances<'a>,
    pub(crate) facts: &'a [ServerCollations],
    /// Schema of each variant.
    pub(crate) locations: &'a BTreeMap<usize, SchemaLocation>,
    /// Number of the replicate, from 0. Determines the order of connecting.
    pub(crate) replicate: u32,
}

impl LoadConnector<'_> {
    /// Connects the loads. If the threads of one side cannot be bound to cores, connects again with
    /// all sides unbound and notes that in the run.
    pub(crate) fn connect_bound_or_unbound(&self, run: &mut Run) -> Result<Loads, Error> {
        let loads = self.connect(run)?;
        let Loads::Native(connected) = &loads else { return Ok(loads) };
        let failed = connected.values().find_map(|load| match load.binding() {
            Binding::Failed(reason) => {
                Some(format!("connections are not bound to cores: {}: {reason}", load.target().server))
            }
            _ => None,
        });
        let Some(note) = failed else { return Ok(loads) };
        drop(loads);
        run.notes.push(note);
        run.options.pinned = false;
        self.connect(run)
    }

    /// Connects a load to each variant's schema and records the character sets in force. With
    /// sysbench, only collects its arguments.
    fn connect(&self, run: &mut Run) -> Result<Loads, Error> {
        // Rows of a workload folder or a script have no generated text; `text` is unused then.
        let text = self.condition.text.parse().unwrap_or(self.request.rows.text);
        let rows = workload::Options { text, ..self.request.rows };
        let targets: BTreeMap<usize, (Target, Settings)> = self
            .locations
            .iter()
            .map(|(&index, home)| {
                let target = Target::new(self.instances.get(home.instance), &home.schema);
                (index, (target, self.settings(run, index)))
            })
            .collect();
        if let (Driver::Sysbench, Some(work)) = (self.request.driver, self.source.for_sysbench()) {
            return Ok(Loads::Sysbench { work, rows, targets });
        }
        let script = Arc::new(self.source.script(&rows));
        let mut loads = BTreeMap::new();
        for (index, (target, settings)) in self.order_for_replicate(targets) {
            let load = Load::start(target, &settings, &script)?;
            if let Some(layers) = run.variants[index].layers.as_mut() {
                layers.connection = Some(load.in_force().clone());
                layers.handshake_collation_id = Some(settings.connection.handshake_collation.into());
            }
            run.servers[run.variants[index].server].agreed = negotiated_features(&load);
            loads.insert(index, load);
        }
        note_cpu_source(run, loads.values());
        Ok(Loads::Native(loads))
    }

    /// Rotates the order of connecting with the replicate. The memory address of a connection's
    /// state in the server depends on the number of earlier connections. A restarted connection
    /// often reuses the address of its predecessor, so the order of connecting may affect the whole
    /// replicate.
    fn order_for_replicate<T>(&self, targets: BTreeMap<usize, T>) -> Vec<(usize, T)> {
        let mut targets: Vec<(usize, T)> = targets.into_iter().collect();
        rotation::rotate_for_replicate(&mut targets, self.replicate);
        targets
    }

    fn settings(&self, run: &Run, variant: usize) -> Settings {
        let variant = &run.variants[variant];
        let connection = connection_charset(variant, &self.facts[variant.server]);
        let folder = self.request.workload_folder.as_ref();
        Settings {
            threads: self.condition.threads,
            protocol: self.request.protocol,
            // With a workload folder, connections keep the charset's default collation: an
            // application does not change its connections when its tables are converted.
            connection: ConnectionCharset {
                collation: connection.collation.filter(|_| folder.is_none()),
                ..connection
            },
            session: folder.map(MeasuredFolder::session_statements).unwrap_or_default(),
            pinned: run.options.pinned,
            extra_work: variant.extra_work.unwrap_or(0.0),
            rate: self.request.rate,
            common_features_only: self.request.common_features_only,
            ignored_errors: self.request.ignored_errors.clone(),
            counts_pages_read: self.request.buffer_pool.is_some(),
        }
    }
}

/// Records the query plans when a variant is connected in a condition for the first time. A failure
/// is only noted.
pub(crate) fn read_plans(
    run: &mut Run,
    instances: &Instances<'_>,
    locations: &BTreeMap<usize, SchemaLocation>,
    condition: usize,
    loads: &Loads,
) {
    let Loads::Native(loads) = loads else { return };
    for (&variant, load) in loads {
        if run.plans.iter().any(|plan| plan.condition == condition && plan.variant == variant) {
            continue;
        }
        match load::explain_statements(instances.get(locations[&variant].instance), load) {
            Ok(plans) => run.plans.extend(plans.into_iter().map(|plan| to_query_plan(condition, variant, plan))),
            Err(error) => {
                let note = format!("plans are not known: {error}");
                if !run.notes.contains(&note) {
                    run.notes.push(note);
                }
            }
        }
    }
}

fn to_query_plan(condition: usize, variant: usize, plan: StatementPlan) -> QueryPlan {
    let step =
        |step: load::PlanStep| PlanStep { table: step.table, access: step.access, key: step.key, extra: step.extra };
    let StatementPlan { statement, steps, json } = plan;
    QueryPlan { condition, variant, statement, steps: steps.into_iter().map(step).collect(), json }
}

/// Adds a note to the run on what limits the precision of a duet on attached servers or with
/// unbound threads, and on the remedy.
pub(crate) fn note_placement(request: &Request, run: &mut Run, servers: &[Server], condition: &Condition) {
    let options = &run.options;
    if !options.took_turns() {
        return;
    }
    let running = servers.iter().filter(|server| !server.is_private());
    let mut notes: Vec<String> = running
        .map(|server| {
            format!(
                "{} was not started for this run: the intervals cover this one start of the server, and another start may differ by more",
                server.label()
            )
        })
        .collect();
    let advised = advised_unbound_connections(available_cores());
    if !options.pinned && condition.threads > advised {
        let bind = match request.pin {
            Pin::Private if servers.iter().all(|server| server.pid().is_some()) => {
                ", or --pin-server binds the threads behind weigh's own connections"
            }
            _ => "",
        };
        notes.push(format!(
            "{condition}: with more connections than one for two cores it matters which threads the operating system lets share a core, \
             which widens intervals: --threads {advised} avoids that{bind}"
        ));
    }
    notes.retain(|note| !run.notes.contains(note));
    run.notes.extend(notes);
}

fn negotiated_features(load: &Load) -> BTreeMap<String, String> {
    let NegotiatedFeatures { deprecate_eof, cache_metadata, tls } = load.negotiated_features();
    let named =
        [("CLIENT_DEPRECATE_EOF", deprecate_eof), ("MARIADB_CLIENT_CACHE_METADATA", cache_metadata), ("TLS", tls)];
    named.map(|(name, on)| (name.into(), if on { "on" } else { "off" }.into())).into()
}

/// Notes the source of server CPU time for servers whose threads are unknown.
fn note_cpu_source<'a>(run: &mut Run, loads: impl Iterator<Item = &'a Load>) {
    for load in loads.filter(|load| !load.has_server_cpu()) {
        let server = &load.target().server;
        let note = match load.cpu_accounting() {
            Ok(accounting) => format!(
                "server CPU of {server} is by its own accounting ({accounting}), which leaves out what a connection does between statements"
            ),
            Err(reason) => format!(
                "server CPU is unknown for {server}: the server runs on another machine, or its threads cannot be identified, and its own CPU accounting \
                 {reason} (docs/explanation/measurement.md)"
            ),
        };
        if !run.notes.contains(&note) {
            run.notes.push(note);
        }
    }
}

/// Returns charset and collation of a variant's connections. If the connection charset is the
/// charset of the variant's collation, the connections have that collation, otherwise the charset's
/// default collation.
fn connection_charset(variant: &Variant, facts: &ServerCollations) -> ConnectionCharset {
    let own = variant.connection_charset == variant.charset;
    let default = facts
        .collations
        .iter()
        .find(|collation| collation.charset == variant.connection_charset && collation.is_default);
    // The handshake has one byte for the collation id. SET NAMES follows, so any collation of the
    // charset works.
    let one_byte = |id: u16| u8::try_from(id).ok();
    let any_id_of_charset = || {
        let mut ids = facts.collations.iter().filter(|c| c.charset == variant.connection_charset).map(|c| c.id);
        ids.find_map(one_byte)
    };
    ConnectionCharset {
        charset: variant.connection_charset.clone(),
        collation: own.then(|| variant.collation.clone()),
        handshake_collation: default
            .and_then(|c| one_byte(c.id))
            .or_else(any_id_of_charset)
            .unwrap_or(UTF8MB4_GENERAL_CI),
    }
}
