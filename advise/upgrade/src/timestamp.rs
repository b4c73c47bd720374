//! TIMESTAMP columns under `explicit_defaults_for_timestamp`: OFF by default up to MySQL 5.7 and MariaDB
//! 10.9, and ON later. When OFF, a column without NULL or DEFAULT is NOT NULL, the first one of a
//! table gets the present time, and NULL stores that time.

use std::collections::BTreeMap;

use mysql::prelude::Queryable;
use server::Server;
use why::Refusal;

use crate::Error;
use crate::load::created_name;
use crate::material::Given;
use crate::model::{Area, Finding, Kind, Mend};
use crate::settings::Defaults;
use crate::side::failed;

pub const SETTING: &str = "explicit_defaults_for_timestamp";

/// Error of NULL in a column that takes none.
pub const NO_NULL: u16 = 1048;

/// Whether a column takes NULL, and whether it gets the present time by default and on update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rules {
    is_nullable: bool,
    has_default: bool,
    is_set_on_update: bool,
}

impl Rules {
    fn describe(self) -> String {
        let null = if self.is_nullable { "NULL" } else { "NOT NULL" };
        let default = if self.has_default { " DEFAULT CURRENT_TIMESTAMP" } else { "" };
        let update = if self.is_set_on_update { " ON UPDATE CURRENT_TIMESTAMP" } else { "" };
        format!("{null}{default}{update}")
    }
}

/// TIMESTAMP columns by schema, table and name.
type Columns = BTreeMap<(String, String, String), Rules>;

/// A column with its rules on the old and the new server.
type Change<'c> = (&'c str, Rules, Rules);

fn read(server: &Server) -> Result<Columns, Error> {
    type Row = (String, String, String, String, Option<String>, String);
    let rows: Vec<Row> = server
        .connect_patiently()?
        .query(
            "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, IS_NULLABLE, COLUMN_DEFAULT, EXTRA \
             FROM information_schema.COLUMNS WHERE DATA_TYPE = 'timestamp' AND TABLE_SCHEMA NOT IN \
             ('mysql', 'information_schema', 'performance_schema', 'sys')",
        )
        .map_err(|source| failed(server, "list the TIMESTAMP columns", source))?;
    let entry = |(schema, table, column, nullable, default, extra): Row| {
        let rules = Rules {
            is_nullable: nullable == "YES",
            has_default: default.is_some_and(|default| default.to_lowercase().contains("current_timestamp")),
            is_set_on_update: extra.to_lowercase().contains("on update"),
        };
        ((schema, table, column), rules)
    };
    Ok(rows.into_iter().map(entry).collect())
}

fn read_setting(server: &Server) -> Result<Option<String>, Error> {
    Ok(server.read_settings(&[SETTING])?.remove(SETTING))
}

/// True if the defaults of the setting differ between the servers.
pub fn differs(defaults: &Defaults) -> bool {
    let value = |settings: &BTreeMap<String, String>| settings.get(SETTING).cloned();
    value(&defaults.source).zip(value(&defaults.target)).is_some_and(|(old, new)| old != new)
}

/// Reports TIMESTAMP columns with different rules on the two servers. Tries the mends, which change
/// the tables of the new server.
pub fn judge(source: &Server, target: &Server, given: &[&Given]) -> Result<Vec<Finding>, Error> {
    if read_setting(source)? == read_setting(target)? {
        return Ok(Vec::new());
    }
    let (old, new) = (read(source)?, read(target)?);
    let mut tables: BTreeMap<(&str, &str), Vec<Change<'_>>> = BTreeMap::new();
    for ((schema, table, column), after) in &new {
        if let Some(before) = old.get(&(schema.clone(), table.clone(), column.clone()))
            && before != after
        {
            tables.entry((schema, table)).or_default().push((column, *before, *after));
        }
    }
    let mut findings = Vec::new();
    for ((schema, table), columns) in tables {
        let statement =
            given.iter().rev().find(|one| created_name(&one.text).as_deref() == Some(&table.to_lowercase()));
        let names: Vec<String> = columns.iter().map(|(column, _, _)| format!("{table}.{column}")).collect();
        let reason = |(column, before, after): &Change<'_>| {
            format!(
                "{table}.{column} is {} on the new server, and {} on the old one",
                after.describe(),
                before.describe()
            )
        };
        let mut reasons: Vec<String> = columns.iter().map(reason).collect();
        reasons.push(format!("The definition leaves this to {SETTING}, which the two servers set differently"));
        findings.push(Finding {
            kind: Kind::Differs,
            area: Area::Statement,
            place: statement.map_or_else(|| format!("table {schema}.{table}"), |one| one.place.clone()),
            what: format!("{} gets NULL or the present time by other rules", message::list_names(&names, 3)),
            statement: statement.map(|one| one.text.clone()).unwrap_or_default(),
            error: None,
            reasons,
            also: Vec::new(),
            mends: mend(source, target, (schema, table), &columns)?.into_iter().collect(),
        });
    }
    Ok(findings)
}

/// Writes the columns as the old server prints them. `None` if the new server refuses that.
fn mend(
    source: &Server,
    target: &Server,
    (schema, table): (&str, &str),
    columns: &[Change<'_>],
) -> Result<Option<Mend>, Error> {
    let name = sql::quote_table(schema, table);
    let printed: Option<(String, String)> = source
        .connect_patiently()?
        .query_first(format!("SHOW CREATE TABLE {name}"))
        .map_err(|error| failed(source, "read a table's definition", error))?;
    let printed = printed.map(|(_, text)| text).unwrap_or_default();
    let line = |column: &str| {
        let begin = format!("{} ", sql::quote_identifier(column));
        let line = printed.lines().map(str::trim).find(|line| line.starts_with(&begin))?;
        Some(format!("MODIFY {}", line.strip_suffix(',').unwrap_or(line)))
    };
    let Some(changes) = columns.iter().map(|(column, _, _)| line(column)).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let alter = format!("ALTER TABLE {name} {}", changes.join(", "));
    match target.connect_patiently()?.query_drop(&alter) {
        Ok(()) => Ok(Some(Mend {
            what: "Write NULL, DEFAULT and ON UPDATE in the definition, as the old server prints it".into(),
            sql: vec![alter],
            ..Mend::default()
        })),
        Err(mysql::Error::MySqlError(_)) => Ok(None),
        Err(error) => Err(failed(target, "change a column", error)),
    }
}

/// Explains an error of NULL in a TIMESTAMP column, in which NULL stores the present time on the old
/// server. `None` if the error or the column is another.
pub fn explain(source: &Server, refusal: &Refusal, text: &str, schema: Option<&str>) -> Result<Option<String>, Error> {
    let Some(column) = refusal.message.split('\'').nth(1).filter(|_| refusal.code == NO_NULL) else { return Ok(None) };
    let tokens: Vec<sql::Token<'_>> =
        sql::tokenize(text, sql::SqlMode::default()).filter(sql::Token::is_content).collect();
    let tables = sql::find_tables(&tokens);
    let is_written = |(own, table, name): &&(String, String, String)| {
        name.eq_ignore_ascii_case(column)
            && tables.iter().any(|one| {
                one.name.eq_ignore_ascii_case(table)
                    && one.schema.as_deref().or(schema).is_none_or(|given| given.eq_ignore_ascii_case(own))
            })
    };
    let columns = read(source)?;
    let found = columns.keys().find(is_written);
    let stores_time = read_setting(source)?.is_some_and(|value| value.eq_ignore_ascii_case("OFF"));
    Ok(found.filter(|_| stores_time).map(|(_, table, _)| {
        format!(
            "{table}.{column} is a TIMESTAMP: NULL stores the present time on the old server, where {SETTING} is OFF"
        )
    }))
}
