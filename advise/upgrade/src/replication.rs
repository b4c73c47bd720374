//! Replication between the two servers while both run, in both directions.
//!
//! A binary log names collations twice: by id in the session of each statement that it carries, and
//! by name in the text of definitions. Rows carry neither. The rules were seen to hold by replicating
//! (tests/replication.rs).

use std::collections::{BTreeMap, BTreeSet};

use rehearsal::{Definitions, Kind};
use server::{CollationInfo, Flavour, Server, collation_charset, is_same_collation};

use crate::Error;
use crate::material::Given;
use crate::model::{Direction, ReplicationFault};
use crate::script::Done;
use crate::settings::Defaults;
use crate::side::{Columns, first_word};

/// Maximum number of columns of a collation that are named.
const MAX_COLUMNS: usize = 3;

/// Schemas and columns, by their collation.
pub type Uses = BTreeMap<String, Users>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    schemas: Vec<String>,
    columns: Vec<String>,
}

/// Lists the schemas and columns of a server by their collation.
pub fn uses(columns: &Columns, definitions: &Definitions) -> Uses {
    let mut all = Uses::new();
    for schema in definitions.of_kind(Kind::Schema) {
        if let Some(collation) = schema.parts.get("collation") {
            all.entry(collation.clone()).or_default().schemas.push(schema.name.schema.clone());
        }
    }
    for ((_, table, name), column) in columns {
        all.entry(column.collation.clone()).or_default().columns.push(format!("{table}.{name}"));
    }
    all
}

/// A server as the source or the replica.
struct Side<'s> {
    label: &'s str,
    flavour: Flavour,
    collations: Vec<CollationInfo>,
    settings: &'s BTreeMap<String, String>,
    /// Collations of character sets without COLLATE.
    charsets: &'s BTreeMap<String, String>,
    uses: &'s Uses,
}

/// Reports what stops replication or makes the servers differ, in both directions. `uses` are those
/// of the old server and of the new one.
pub fn judge(
    source: &Server,
    target: &Server,
    defaults: &Defaults,
    uses: (&Uses, &Uses),
) -> Result<Vec<ReplicationFault>, Error> {
    let old = Side {
        label: source.label(),
        flavour: source.flavour(),
        collations: source.read_collations()?,
        settings: &defaults.source,
        charsets: &defaults.source_charsets,
        uses: uses.0,
    };
    let new = Side {
        label: target.label(),
        flavour: target.flavour(),
        collations: target.read_collations()?,
        settings: &defaults.target,
        charsets: &defaults.target_charsets,
        uses: uses.1,
    };
    let mut faults = Vec::new();
    for (direction, from, to) in [(Direction::ToNew, &old, &new), (Direction::ToOld, &new, &old)] {
        faults.extend(unknown_collations(direction, from, to));
        faults.extend(different_defaults(direction, from, to));
    }
    Ok(faults)
}

/// Reports collations that the source uses, and whose id the replica lacks.
fn unknown_collations(direction: Direction, from: &Side<'_>, to: &Side<'_>) -> Vec<ReplicationFault> {
    let connection = from.charsets.get("utf8mb4");
    let server = from.settings.get("collation_server");
    let names: BTreeSet<&String> = from.uses.keys().chain(connection).chain(server).collect();
    let mut faults = Vec::new();
    for name in names {
        let Some(own) = from.collations.iter().find(|one| is_same_collation(&one.name, name)) else { continue };
        if to.collations.iter().any(|one| one.id == own.id) {
            continue;
        }
        let known = to.charsets.get(collation_charset(name)).map_or("a collation of both", String::as_str);
        let (mut sessions, mut actions) = (Vec::new(), Vec::new());
        // Replication of such a session from MariaDB to MySQL was not tried.
        let is_tried = (from.flavour, to.flavour) != (Flavour::MariaDb, Flavour::MySql);
        if is_tried && connection == Some(name) {
            sessions.push("connections after SET NAMES utf8mb4".to_owned());
            actions.push(format!("SET NAMES utf8mb4 COLLATE {known} in every session"));
        }
        if is_tried && server == Some(name) {
            sessions.push("collation_server".to_owned());
            actions.push(format!("SET GLOBAL collation_server = {known}"));
        }
        let mut fault = |what: String, places: Vec<String>, action: String| {
            if !places.is_empty() {
                faults.push(ReplicationFault { direction, what, places, action });
            }
        };
        fault(
            format!(
                "{} stops at the first statement of a session with {name} (id {}), which it lacks",
                to.label, own.id
            ),
            sessions,
            actions.join("; "),
        );
        let users = from.uses.get(name).cloned().unwrap_or_default();
        let schemas = users.schemas.iter().map(|schema| format!("schema {schema}"));
        fault(
            format!("{} stops at a definition that names {name}, which it lacks (error 1273); rows pass", to.label),
            schemas.chain(describe_columns(&users.columns)).collect(),
            format!("no definition with {name} while both run"),
        );
    }
    faults
}

fn describe_columns(columns: &[String]) -> Option<String> {
    let shown = message::list_names(columns, MAX_COLUMNS);
    match columns.len() {
        0 => None,
        1 => Some(format!("column {shown}")),
        _ => Some(format!("columns {shown}")),
    }
}

/// Reports character sets whose columns, without COLLATE, get another collation on the replica.
fn different_defaults(direction: Direction, from: &Side<'_>, to: &Side<'_>) -> Vec<ReplicationFault> {
    if carries_defaults(from, to) {
        return Vec::new();
    }
    let fault = |(charset, own): (&String, &String)| {
        // A replica uses general_ci where the source names no collation, and ignores its own default.
        let other = format!("{charset}_general_ci");
        (!is_same_collation(own, &other)).then(|| ReplicationFault {
            direction,
            what: format!(
                "CREATE TABLE … CHARACTER SET {charset} without COLLATE makes {own} columns on {}, and {other} ones on {}",
                from.label, to.label
            ),
            places: Vec::new(),
            action: "COLLATE in every definition while both run".into(),
        })
    };
    from.charsets.iter().filter_map(fault).collect()
}

/// True if the source's log says which collation a character set has without COLLATE, and the
/// replica reads it: both have the same variable.
fn carries_defaults(from: &Side<'_>, to: &Side<'_>) -> bool {
    let has = |side: &Side<'_>, name: &str| side.settings.contains_key(name);
    ["default_collation_for_utf8mb4", "character_set_collations"].iter().any(|name| has(from, name) && has(to, name))
}

/// First words of statements that no binary log carries. Of a CALL, it has the statements that write.
const UNLOGGED: [&str; 27] = [
    "begin",
    "call",
    "check",
    "checksum",
    "commit",
    "deallocate",
    "desc",
    "describe",
    "do",
    "explain",
    "handler",
    "help",
    "kill",
    "lock",
    "prepare",
    "release",
    "rollback",
    "savepoint",
    "select",
    "set",
    "show",
    "start",
    "table",
    "unlock",
    "use",
    "values",
    "with",
];

/// Reports logged statements of migrations that only one of the servers accepts. `outcomes` are those
/// of the old server and of the new one.
pub fn refused_statements<'r>(
    outcomes: impl Iterator<Item = (&'r Given, &'r Done, &'r Done)>,
) -> Vec<ReplicationFault> {
    let fault = |(given, before, after): (&Given, &Done, &Done)| {
        let (direction, refusal) = match (&before.ran, &after.ran) {
            (Ok(_), Err(refusal)) if !after.is_consequence => (Direction::ToNew, refusal),
            (Err(refusal), Ok(_)) if !before.is_consequence => (Direction::ToOld, refusal),
            _ => return None,
        };
        (!UNLOGGED.contains(&first_word(&given.text).as_str())).then(|| ReplicationFault {
            direction,
            what: format!("the replica refuses a statement that its source takes: {refusal}"),
            places: vec![given.place.clone()],
            action: "no such statement while both run".into(),
        })
    };
    outcomes.filter_map(fault).collect()
}

#[cfg(test)]
mod tests {
    use why::Refusal;

    use super::*;

    #[test]
    fn statements_that_no_log_carries_stop_no_replica() {
        let taken = Done::default();
        let refused = Done { ran: Err(Refusal { code: 1064, message: "syntax".into() }), ..Done::default() };
        let count = |text: &str| {
            let given = Given { place: "a.sql:1".into(), text: text.into(), schema: None };
            refused_statements(std::iter::once((&given, &taken, &refused))).len()
        };
        for text in [
            "CALL p('x')",
            "SHOW MASTER STATUS",
            "/* x */ show slave status",
            "DESC t",
            "SET query_cache_type = 0",
            "SELECT 1",
        ] {
            assert_eq!(count(text), 0, "{text}");
        }
        for text in ["CREATE TABLE t (a INT)", "ANALYZE TABLE t", "GRANT ALL ON *.* TO a"] {
            assert_eq!(count(text), 1, "{text}");
        }
    }
}
