//! The next migration: what a table or column without COLLATE becomes, and whether it can be joined
//! with the old ones.

use std::collections::BTreeMap;

use mysql::prelude::Queryable;
use server::{Conn, Server, collation_charset, current_charset_name};
use sql::quote_identifier;

use crate::Error;
use crate::model::{Area, Finding, Kind, Mend};
use crate::side::{Columns, failed};

const OLD: &str = "weigh_probe_old";
const NEW: &str = "weigh_probe_new";

/// Kinds of migrations, each with its statements.
const MIGRATIONS: [(&str, &[&str]); 6] = [
    ("CREATE TABLE … DEFAULT CHARSET={cs}", &["CREATE TABLE {new} (k VARCHAR(20), KEY (k)) DEFAULT CHARSET={cs}"]),
    ("CREATE TABLE … without character set", &["CREATE TABLE {new} (k VARCHAR(20), KEY (k))"]),
    (
        "ADD COLUMN … CHARACTER SET {cs}",
        &["CREATE TABLE {new} (i INT)", "ALTER TABLE {new} ADD COLUMN k VARCHAR(20) CHARACTER SET {cs}"],
    ),
    (
        "CONVERT TO CHARACTER SET {cs} without COLLATE",
        &["CREATE TABLE {new} (k VARCHAR(20)) CHARACTER SET latin1", "ALTER TABLE {new} CONVERT TO CHARACTER SET {cs}"],
    ),
    (
        "CREATE TEMPORARY TABLE … DEFAULT CHARSET={cs}",
        &["CREATE TEMPORARY TABLE {new} (k VARCHAR(20)) DEFAULT CHARSET={cs}"],
    ),
    ("CREATE TABLE … SELECT 'text'", &["CREATE TABLE {new} SELECT 'text' AS k"]),
];

/// Most common collation of indexed columns, by schema and character set.
pub type Common = BTreeMap<(String, String), (String, usize)>;

/// Result of one migration: the new column's collation, and the error of a join and of a foreign
/// key with an old column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    pub collation: String,
    pub join: Option<String>,
    pub foreign_key: Option<String>,
}

/// Results by schema, character set and migration.
pub type Probes = BTreeMap<(String, String, &'static str), Probed>;

/// Finds the most common collation of indexed columns, `_bin` aside. New columns will be joined
/// with these.
pub fn common_collations(columns: &Columns) -> Common {
    let mut counts: BTreeMap<(String, String), BTreeMap<String, usize>> = BTreeMap::new();
    for ((schema, _, _), column) in columns.iter().filter(|(_, column)| column.is_indexed) {
        if column.collation.ends_with("_bin") {
            continue;
        }
        let charset = current_charset_name(collation_charset(&column.collation)).to_owned();
        *counts.entry((schema.clone(), charset)).or_default().entry(column.collation.clone()).or_default() += 1;
    }
    let most = |(key, counts): (_, BTreeMap<String, usize>)| {
        counts.into_iter().max_by_key(|(_, count)| *count).map(|most| (key, most))
    };
    counts.into_iter().filter_map(most).collect()
}

/// Runs each migration in the schemas of a private server, and joins the new columns with old ones.
pub fn probe(server: &Server, common: &Common) -> Result<Probes, Error> {
    let mut conn = server.connect_patiently()?;
    let _ = conn.query_drop("SET NAMES utf8mb4");
    let mut found = Probes::new();
    for ((schema, charset), (collation, _)) in common {
        if conn.query_drop(format!("USE {}", quote_identifier(schema))).is_err() {
            continue;
        }
        let written = collation_charset(collation);
        let old =
            format!("CREATE TABLE {OLD} (k VARCHAR(20), UNIQUE KEY (k)) CHARACTER SET {written} COLLATE {collation}");
        let _ = conn.query_drop(format!("DROP TABLE IF EXISTS {OLD}"));
        if conn.query_drop(old).is_err() {
            continue;
        }
        for (way, statements) in MIGRATIONS {
            lifecycle::interrupt::check()?;
            let result = probe_migration(&mut conn, statements, written)
                .map_err(|source| failed(server, "probe a migration", source))?;
            let result = result.filter(|one| current_charset_name(collation_charset(&one.collation)) == charset);
            found.extend(result.map(|probed| ((schema.clone(), charset.clone(), way), probed)));
        }
        let _ = conn.query_drop(format!("DROP TABLE IF EXISTS {OLD}"));
    }
    Ok(found)
}

fn probe_migration(conn: &mut Conn, statements: &[&str], charset: &str) -> mysql::Result<Option<Probed>> {
    let drop = format!("DROP TABLE IF EXISTS {NEW}");
    conn.query_drop(&drop)?;
    for statement in statements {
        match conn.query_drop(statement.replace("{new}", NEW).replace("{cs}", charset)) {
            Err(mysql::Error::MySqlError(_)) => return Ok(None),
            done => done?,
        }
    }
    let row: Option<mysql::Row> = conn.query(format!("SHOW FULL COLUMNS FROM {NEW} LIKE 'k'"))?.into_iter().next();
    let collation: Option<String> = row.and_then(|row| row.get::<Option<String>, _>("Collation").flatten());
    let refusal = |result: mysql::Result<()>| match result {
        Ok(()) => Ok(None),
        Err(mysql::Error::MySqlError(error)) => Ok(Some(format!("{}: {}", error.code, error.message))),
        Err(error) => Err(error),
    };
    let join = refusal(conn.query_drop(format!("SELECT 1 FROM {NEW} n JOIN {OLD} o ON n.k = o.k")))?;
    let is_temporary = statements.iter().any(|one| one.contains("TEMPORARY"));
    let foreign_key = if is_temporary {
        None
    } else {
        refusal(conn.query_drop(format!("ALTER TABLE {NEW} ADD CONSTRAINT FOREIGN KEY (k) REFERENCES {OLD} (k)")))?
    };
    conn.query_drop(&drop)?;
    Ok(collation.map(|collation| Probed { collation, join, foreign_key }))
}

/// Reports migrations whose column can be joined with old ones on the old server, and not on the
/// new one.
pub fn compare(common: &Common, before: &Probes, after: &Probes) -> Vec<Finding> {
    let mut findings = Vec::new();
    for ((schema, charset), (collation, count)) in common {
        let (mut ways, mut reasons) = (Vec::new(), Vec::new());
        let (mut join, mut key) = (None, None);
        for (way, _) in MIGRATIONS {
            let place = (schema.clone(), charset.clone(), way);
            let (Some(old), Some(new)) = (before.get(&place), after.get(&place)) else { continue };
            if old.join.is_some() || new.join.is_none() {
                continue;
            }
            let way = way.replace("{cs}", collation_charset(collation));
            reasons.push(format!("{way} gives {} ({} on the old server)", new.collation, old.collation));
            ways.push(way);
            join = join.or_else(|| new.join.clone());
            if old.foreign_key.is_none() {
                key = key.or_else(|| new.foreign_key.clone());
            }
        }
        let Some(join) = join else { continue };
        let columns =
            if *count == 1 { "1 indexed column is".to_owned() } else { format!("{count} indexed columns are") };
        reasons.insert(0, format!("In schema {schema}, {columns} {collation}"));
        reasons.extend(key.map(|error| format!("A foreign key to such a column is refused: {error}")));
        findings.push(Finding {
            kind: Kind::NextMigration,
            area: Area::NextMigration,
            place: format!("next migration in schema {schema}"),
            what: format!("a new table or column without COLLATE cannot be joined with the old {collation} columns"),
            statement: ways.first().cloned().unwrap_or_default(),
            error: Some(join),
            reasons,
            also: Vec::new(),
            mends: vec![Mend {
                what: format!(
                    "Write COLLATE {collation} in every migration that names {}",
                    collation_charset(collation)
                ),
                ..Mend::default()
            }],
        });
    }
    findings
}
