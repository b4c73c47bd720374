//! Replication between the two servers while both run, in both directions.
//!
//! A binary log names collations twice: by id in the session of each statement that it carries, and
//! by name in the text of definitions. Rows name no collation that a replica checks; MySQL's
//! `BEGIN` before them carries the session's ids. The rules were seen by replicating within MySQL
//! and within MariaDB (tests/replication.rs). Between the products, only MySQL 8.0 to MariaDB 10.11
//! was tried.

use std::collections::{BTreeMap, BTreeSet};

use rehearsal::{Definitions, Kind};
use server::{CollationInfo, Flavour, Server, collation_charset, current_charset_name, is_same_collation};

use crate::Error;
use crate::material::Given;
use crate::model::{Direction, ReplicationFault};
use crate::script::Done;
use crate::settings::Defaults;
use crate::side::{Columns, first_word};

/// Maximum number of columns of a collation that are named.
const MAX_COLUMNS: usize = 3;

/// Schemas and columns, by their collation.
pub type Uses = BTreeMap<String, CollationUses>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollationUses {
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
    /// Collation that a Unicode character set has where no COLLATE is written, by character set.
    default_collations: &'s BTreeMap<String, String>,
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
        default_collations: &defaults.source_charsets,
        uses: uses.0,
    };
    let new = Side {
        label: target.label(),
        flavour: target.flavour(),
        collations: target.read_collations()?,
        settings: &defaults.target,
        default_collations: &defaults.target_charsets,
        uses: uses.1,
    };
    let mut faults = Vec::new();
    for (direction, from, to) in [(Direction::ToNew, &old, &new), (Direction::ToOld, &new, &old)] {
        faults.extend(unknown_collations(direction, from, to));
        faults.extend(different_defaults(direction, from, to));
    }
    Ok(faults)
}

impl Side<'_> {
    fn find_collation(&self, name: &str) -> Option<&CollationInfo> {
        self.collations.iter().find(|one| is_same_collation(&one.name, name))
    }

    fn has_id(&self, id: u16) -> bool {
        self.collations.iter().any(|one| one.id == id)
    }

    /// Returns the collation of a character set that sessions of this server can use while the
    /// other replicates from it, by this server's name of it: the other's default, this server's
    /// default, or else the first that both have. `None` if they share no collation of the
    /// character set.
    fn find_shared_collation(&self, other: &Side<'_>, charset: &str) -> Option<&str> {
        let is_shared = |one: &&CollationInfo| other.has_id(one.id) && other.find_collation(&one.name).is_some();
        let charset = current_charset_name(charset);
        let default = other.default_collations.get(charset).and_then(|name| self.find_collation(name));
        let own = self.collations.iter().filter(|one| current_charset_name(&one.charset) == charset);
        let shared = default.filter(is_shared).or_else(|| own.filter(is_shared).min_by_key(|one| !one.is_default));
        shared.map(|one| one.name.as_str())
    }
}

/// Reports collations that the source uses, and that the replica does not know: by id for sessions,
/// by name for definitions.
fn unknown_collations(direction: Direction, from: &Side<'_>, to: &Side<'_>) -> Vec<ReplicationFault> {
    let defaults = from.default_collations.get("utf8mb4").into_iter().chain(from.settings.get("collation_server"));
    let names: BTreeSet<&String> = from.uses.keys().chain(defaults).collect();
    let own = names.into_iter().filter_map(|name| Some((name.as_str(), from.find_collation(name)?)));
    own.flat_map(|(name, own)| {
        [unknown_session(direction, from, to, (name, own.id)), unknown_definitions(direction, from, to, name)]
    })
    .flatten()
    .collect()
}

/// Reports sessions with the collation of `SET NAMES utf8mb4` or of collation_server, if the
/// replica does not know its id.
fn unknown_session(
    direction: Direction,
    from: &Side<'_>,
    to: &Side<'_>,
    (name, id): (&str, u16),
) -> Option<ReplicationFault> {
    // Replication of such a session from MariaDB to MySQL was not tried.
    if to.has_id(id) || (from.flavour, to.flavour) == (Flavour::MariaDb, Flavour::MySql) {
        return None;
    }
    let shared = from.find_shared_collation(to, collation_charset(name));
    let (mut places, mut actions) = (Vec::new(), Vec::new());
    if from.default_collations.get("utf8mb4").is_some_and(|default| default == name) {
        places.push("connections after SET NAMES utf8mb4".to_owned());
        actions.push(match shared {
            Some(shared) => format!("SET NAMES utf8mb4 COLLATE {shared} in every session"),
            None => "a collation of the connection that both servers know".to_owned(),
        });
    }
    if from.settings.get("collation_server").is_some_and(|default| default == name) {
        places.push("collation_server".to_owned());
        actions.push(match shared {
            Some(shared) => format!("SET GLOBAL collation_server = {shared}"),
            None => "a collation_server that both servers know".to_owned(),
        });
    }
    (!places.is_empty()).then(|| ReplicationFault {
        direction,
        what: format!(
            "{} stops at the first statement of a session with {name} (id {id}), which it does not know",
            to.label
        ),
        places,
        action: actions.join("; "),
    })
}

/// Reports schemas and columns with a collation whose name the replica does not know.
fn unknown_definitions(direction: Direction, from: &Side<'_>, to: &Side<'_>, name: &str) -> Option<ReplicationFault> {
    let uses = from.uses.get(name).filter(|_| to.find_collation(name).is_none())?;
    let schemas = uses.schemas.iter().map(|schema| format!("schema {schema}"));
    let places: Vec<String> = schemas.chain(describe_columns(&uses.columns)).collect();
    (!places.is_empty()).then(|| ReplicationFault {
        direction,
        what: format!(
            "{} stops at a definition that names {name}, which it does not know (error 1273); changes of rows are \
             still replicated",
            to.label
        ),
        places,
        action: format!("no definition with {name} while both run"),
    })
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
    let pair = |(charset, own): (&String, &String)| {
        // A replica uses general_ci where the source names no collation, and ignores its own
        // default.
        let other = format!("{charset}_general_ci");
        (!is_same_collation(own, &other)).then(|| format!("{other} instead of {own}"))
    };
    let places: Vec<String> = from.default_collations.iter().filter_map(pair).collect();
    let fault = || ReplicationFault {
        direction,
        what: format!(
            "CREATE TABLE … CHARACTER SET … without COLLATE makes columns of another collation on {} than on {}",
            to.label, from.label
        ),
        places: places.clone(),
        action: "COLLATE in every definition while both run".into(),
    };
    (!places.is_empty()).then(fault).into_iter().collect()
}

/// True if the source's log says which collation a character set has without COLLATE, and the
/// replica reads it: both have the same variable.
fn carries_defaults(from: &Side<'_>, to: &Side<'_>) -> bool {
    let has = |side: &Side<'_>, name: &str| side.settings.contains_key(name);
    ["default_collation_for_utf8mb4", "character_set_collations"].iter().any(|name| has(from, name) && has(to, name))
}

/// First words of statements that usually cannot stop a replica: they are not logged, or only in
/// another form.
const UNLOGGED: [&str; 30] = [
    "begin",
    "call",
    "change",
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
    "purge",
    "release",
    "reset",
    "rollback",
    "savepoint",
    "select",
    "set",
    "show",
    "start",
    "stop",
    "table",
    "unlock",
    "use",
    "values",
];

/// Returns true if a binary log in the format STATEMENT carries the statement's text.
fn is_logged(statement: &str) -> bool {
    let first = first_word(statement);
    match first.as_str() {
        // `WITH c AS (SELECT 1) DELETE FROM t`.
        "with" => !sql::is_query(statement, sql::SqlMode::default()),
        first => !UNLOGGED.contains(&first),
    }
}

/// Reports logged statements of migrations that only one of the servers accepts. `outcomes` are
/// those of the old server and of the new one.
pub fn refused_statements<'r>(
    outcomes: impl Iterator<Item = (&'r Given, &'r Done, &'r Done)>,
) -> Vec<ReplicationFault> {
    let fault = |(given, before, after): (&Given, &Done, &Done)| {
        let (direction, refusal) = match (&before.ran, &after.ran) {
            (Ok(_), Err(refusal)) if !after.is_consequence => (Direction::ToNew, refusal),
            (Err(refusal), Ok(_)) if !before.is_consequence => (Direction::ToOld, refusal),
            _ => return None,
        };
        is_logged(&given.text).then(|| ReplicationFault {
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
            "WITH c AS (SELECT 1) SELECT REPLACE(a, 'x', 'y') FROM t FOR UPDATE",
            "/* x */ show slave status",
            "DESC t",
            "SET query_cache_type = 0",
            "SELECT 1",
            "WITH c AS (SELECT 1) SELECT * FROM c",
            "CHANGE MASTER TO MASTER_HOST = 'a'",
            "STOP SLAVE",
            "RESET MASTER",
        ] {
            assert_eq!(count(text), 0, "{text}");
        }
        for text in ["CREATE TABLE t (a INT)", "ANALYZE TABLE t", "GRANT ALL ON *.* TO a", WITH_DELETE] {
            assert_eq!(count(text), 1, "{text}");
        }
    }

    const WITH_DELETE: &str = "WITH c AS (SELECT 1 AS id) DELETE FROM t WHERE id IN (SELECT id FROM c)";

    fn collations(list: &[(&str, u16)]) -> Vec<CollationInfo> {
        let info = |(name, id): &(&str, u16)| CollationInfo {
            name: (*name).to_owned(),
            charset: collation_charset(name).to_owned(),
            id: *id,
            is_default: false,
        };
        list.iter().map(info).collect()
    }

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    /// Ids of MySQL 8.0 and MariaDB 10.11.
    const MYSQL: [(&str, u16); 4] = [
        ("utf8mb4_general_ci", 45),
        ("utf8mb4_croatian_ci", 245),
        ("gb18030_chinese_ci", 248),
        ("utf8mb4_0900_ai_ci", 255),
    ];
    const MARIADB: [(&str, u16); 4] = [
        ("utf8mb4_general_ci", 45),
        ("utf8mb4_croatian_mysql561_ci", 245),
        ("utf8mb4_croatian_ci", 608),
        ("utf8mb4_uca1400_ai_ci", 2304),
    ];

    #[test]
    fn actions_name_collations_of_both_servers() {
        let (none, uses) = (BTreeMap::new(), Uses::new());
        let settings = map(&[("collation_server", "gb18030_chinese_ci")]);
        let (own, other) = (map(&[("utf8mb4", "utf8mb4_0900_ai_ci")]), map(&[("utf8mb4", "utf8mb4_uca1400_ai_ci")]));
        let mysql = Side {
            label: "old",
            flavour: Flavour::MySql,
            collations: collations(&MYSQL),
            settings: &settings,
            default_collations: &own,
            uses: &uses,
        };
        let mariadb = Side {
            label: "new",
            flavour: Flavour::MariaDb,
            collations: collations(&MARIADB),
            settings: &none,
            default_collations: &other,
            uses: &uses,
        };
        let faults = unknown_collations(Direction::ToNew, &mysql, &mariadb);
        let actions: Vec<&str> = faults.iter().map(|fault| fault.action.as_str()).collect();
        assert_eq!(
            actions,
            [
                "a collation_server that both servers know",
                "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci in every session"
            ]
        );
    }

    #[test]
    fn definitions_go_by_name_and_sessions_by_id() {
        let none = BTreeMap::new();
        let used = CollationUses { schemas: Vec::new(), columns: vec!["t.a".to_owned()] };
        let uses = Uses::from([("utf8mb4_croatian_ci".to_owned(), used)]);
        let settings = map(&[("collation_server", "utf8mb4_croatian_ci")]);
        let side = |flavour, list: &[(&str, u16)]| Side {
            label: "a server",
            flavour,
            collations: collations(list),
            settings: &settings,
            default_collations: &none,
            uses: &uses,
        };
        let (mysql, mariadb) = (side(Flavour::MySql, &MYSQL), side(Flavour::MariaDb, &MARIADB));
        assert_eq!(unknown_collations(Direction::ToNew, &mysql, &mariadb), []);
        assert_eq!(unknown_collations(Direction::ToOld, &mariadb, &mysql), []);
        let without_608 = side(Flavour::MariaDb, &MYSQL);
        let faults = unknown_collations(Direction::ToNew, &mariadb, &without_608);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].places, ["collation_server"]);
    }
}
