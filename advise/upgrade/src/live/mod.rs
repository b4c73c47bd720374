//! Compares two running servers, such as after a move: defaults, definitions, and results of
//! queries. Writes to neither server.

mod definitions;
mod query;

use std::collections::BTreeSet;
use std::time::Duration;

use facts::{Facts, Limits, Scope};
use server::{Progress, Server, is_same_collation};

use crate::Error;
use crate::difference;
use crate::material::{Given, describe_unseen};
use crate::model::{Area, Finding, Kind, Report, Tried};
use crate::run::{Phases, empty_report};
use crate::settings::Defaults;

/// Schemas and queries to compare.
pub struct LiveRequest {
    pub schemas: Vec<String>,
    /// Queries, the first schema being in use. Of other statements only USE and
    /// [settings](sql::read_settings) are applied.
    pub scripts: Vec<Vec<Given>>,
    /// Statements that the application's connection begins with.
    pub first: Vec<String>,
    /// Longest time for a query.
    pub limit: Duration,
}

/// Settings that are compared.
const SETTINGS: [&str; 4] =
    ["character_set_server", "collation_server", "default_collation_for_utf8mb4", "character_set_collations"];

const UNCHECKED: &str = "accounts and privileges, settings but those of character sets and sql_mode, plugins, rows, \
                         and of definitions: defaults and expressions of columns, CHECKs, partitions, engines and options of \
                         tables, queries of views";

/// Compares two running servers. The first is the old one.
pub fn compare_live(
    source: &Server,
    target: &Server,
    request: &LiveRequest,
    progress: &dyn Progress,
) -> Result<Report, Error> {
    let mut phases = Phases::new(progress);
    let defaults = Defaults::read(source, target)?;
    let scope = Scope { schemas: request.schemas.clone(), programs: true, activity: false };
    let read = |server: &Server| facts::read(server, &scope, &Limits::default(), progress);
    let before = phases.time("definitions of the old server", || Ok(read(source)?))?;
    let after = phases.time("definitions of the new server", || Ok(read(target)?))?;
    let mut notes = Vec::new();
    let unchecked = unseen(&before, "old").chain(unseen(&after, "new"));
    let hidden = before.unseen.iter().chain(&after.unseen).map(|one| one.what.clone()).collect::<BTreeSet<_>>();
    let mut findings = compare_defaults(&defaults);
    notes_on_modes(&defaults, &mut notes);
    findings.extend(definitions::compare(&before, &after));
    let queries = phases.time("queries", || query::compare(source, target, request, [&before, &after], &mut notes))?;
    findings.extend(queries.findings);
    findings.sort_by_key(|finding| finding.kind);
    Ok(Report {
        schema: request.schemas.first().cloned().unwrap_or_default(),
        tried: count_objects(&before, queries.queries),
        findings,
        notes,
        unchecked: std::iter::once(UNCHECKED.to_owned())
            .chain(difference::describe_about_server(&request.scripts))
            .chain(unchecked)
            .collect(),
        unseen: hidden.into_iter().collect(),
        live: true,
        phases: phases.all,
        ..empty_report(source, target, &defaults)
    })
}

/// Counts the objects of the old server.
fn count_objects(facts: &Facts, statements: u64) -> Tried {
    let count = |number: &dyn Fn(&facts::Schema) -> usize| facts.schemas.iter().map(number).sum::<usize>() as u64;
    Tried {
        tables: count(&|schema| schema.tables.len()),
        other_objects: count(&|schema| {
            schema.views.len() + schema.routines.len() + schema.triggers.len() + schema.events.len()
        }),
        statements,
        ..Tried::default()
    }
}

fn unseen(facts: &Facts, which: &'static str) -> impl Iterator<Item = String> {
    let server = format!(" of the {which} server");
    facts.unseen.iter().map(move |one| describe_unseen(one, &server))
}

fn compare_defaults(defaults: &Defaults) -> Vec<Finding> {
    let setting = |name: &str, what: String| Finding {
        kind: Kind::Differs,
        area: Area::Default,
        place: name.to_owned(),
        what,
        statement: String::new(),
        error: None,
        reasons: Vec::new(),
        also: Vec::new(),
        mends: Vec::new(),
    };
    let mut findings = Vec::new();
    for name in SETTINGS {
        if let (Some(old), Some(new)) = (defaults.source.get(name), defaults.target.get(name))
            && !is_same_collation(old, new)
        {
            findings.push(setting(name, format!("is {new} on the new server, and {old} on the old one")));
        }
    }
    for (charset, old) in &defaults.source_charsets {
        if let Some(new) = defaults.target_charsets.get(charset).filter(|new| !is_same_collation(old, new)) {
            findings.push(setting(
                &format!("CHARACTER SET {charset} without COLLATE"),
                format!("means {new} on the new server, and {old} on the old one"),
            ));
        }
    }
    findings
}

fn notes_on_modes(defaults: &Defaults, notes: &mut Vec<String>) {
    let modes = |settings: &std::collections::BTreeMap<String, String>| -> BTreeSet<String> {
        let mode = settings.get("sql_mode").map(String::as_str).unwrap_or_default();
        mode.split(',').filter(|mode| !mode.is_empty()).map(str::to_owned).collect()
    };
    let (old, new) = (modes(&defaults.source), modes(&defaults.target));
    let list = |modes: Vec<&String>| modes.into_iter().cloned().collect::<Vec<_>>().join(", ");
    for (own, other, which) in [(&old, &new, "old"), (&new, &old, "new")] {
        let only: Vec<&String> = own.difference(other).collect();
        if !only.is_empty() {
            notes.push(format!("sql_mode of the {which} server alone: {}", list(only)));
        }
    }
}
