//! Other schemas that are tied to the requested ones: by foreign keys, and by programs and views
//! that use tables of both.

use std::collections::BTreeSet;

use facts::{SYSTEM_SCHEMAS, Unseen};
use mysql::prelude::Queryable;
use server::{Conn, Server};
use sql::quote_string;

use super::is_time_limit;
use super::session::{TIME_LIMIT_SECONDS, set_time_limit};
use crate::Error;

/// Schemas that are tied to the requested ones.
#[derive(Clone, Debug, Default)]
pub struct TiedSchemas {
    pub names: Vec<String>,
    /// Programs that could not be read.
    pub unseen: Vec<Unseen>,
}

/// Returns the other schemas with tables that foreign keys tie to tables of these schemas, those
/// that programs and views of these schemas name, and those whose programs and views name these
/// schemas.
pub fn read_tied_schemas(server: &Server, schemas: &[String]) -> Result<TiedSchemas, Error> {
    if schemas.is_empty() {
        return Ok(TiedSchemas::default());
    }
    let mut conn = server.connect_patiently()?;
    let list = quote_list(schemas);
    let query = format!(
        "SELECT TABLE_SCHEMA FROM information_schema.KEY_COLUMN_USAGE \
         WHERE REFERENCED_TABLE_SCHEMA IN ({list}) AND TABLE_SCHEMA NOT IN ({list}) \
         UNION SELECT REFERENCED_TABLE_SCHEMA FROM information_schema.KEY_COLUMN_USAGE \
         WHERE TABLE_SCHEMA IN ({list}) AND REFERENCED_TABLE_SCHEMA NOT IN ({list})"
    );
    let failed = |source| Error::Statement { what: "list the foreign keys of other schemas".into(), source };
    let by_foreign_keys: Vec<String> = conn.query(query).map_err(failed)?;
    let mut programs = Programs { schemas, tied: BTreeSet::from_iter(by_foreign_keys), unseen: Vec::new() };
    set_time_limit(&mut conn);
    programs.read(&mut conn)?;
    Ok(TiedSchemas { names: programs.tied.into_iter().collect(), unseen: programs.unseen })
}

fn quote_list(names: &[String]) -> String {
    names.iter().map(|name| quote_string(name)).collect::<Vec<_>>().join(", ")
}

/// Table of `information_schema` with the text of programs.
struct Source {
    noun: &'static str,
    table: &'static str,
    schema: &'static str,
    text: &'static str,
}

const SOURCES: [Source; 4] = [
    Source { noun: "routines", table: "ROUTINES", schema: "ROUTINE_SCHEMA", text: "ROUTINE_DEFINITION" },
    Source { noun: "triggers", table: "TRIGGERS", schema: "TRIGGER_SCHEMA", text: "ACTION_STATEMENT" },
    Source { noun: "views", table: "VIEWS", schema: "TABLE_SCHEMA", text: "VIEW_DEFINITION" },
    Source { noun: "events", table: "EVENTS", schema: "EVENT_SCHEMA", text: "EVENT_DEFINITION" },
];

/// Finds the schemas that programs tie to the requested ones.
struct Programs<'s> {
    schemas: &'s [String],
    tied: BTreeSet<String>,
    unseen: Vec<Unseen>,
}

impl Programs<'_> {
    fn read(&mut self, conn: &mut Conn) -> Result<(), Error> {
        let failed = |source| Error::Statement { what: "list the schemas".into(), source };
        let all: Vec<String> = conn.query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA").map_err(failed)?;
        let is_other = |name: &String| !SYSTEM_SCHEMAS.contains(&name.as_str()) && !self.schemas.contains(name);
        let others: Vec<String> = all.into_iter().filter(is_other).collect();
        for source in &SOURCES {
            lifecycle::interrupt::check()?;
            self.read_own(conn, source, &others);
            self.read_others(conn, source);
        }
        self.note_hidden(conn);
        Ok(())
    }

    /// Adds the other schemas that programs of the requested schemas name.
    fn read_own(&mut self, conn: &mut Conn, source: &Source, others: &[String]) {
        let Source { table, schema, text, .. } = source;
        for name in self.schemas {
            let query = format!(
                "SELECT {schema}, {text} FROM information_schema.{table} WHERE {schema} = {}",
                quote_string(name)
            );
            let what = format!("{} of {name}, for tables of other schemas that they use", source.noun);
            for (_, text) in self.query(conn, &query, what) {
                let text = text.unwrap_or_default();
                self.tied.extend(others.iter().filter(|other| names_schema(&text, other)).cloned());
            }
        }
    }

    /// Adds the other schemas with programs that name a requested schema. The server looks for the
    /// name, so that only such programs are sent.
    fn read_others(&mut self, conn: &mut Conn, source: &Source) {
        let Source { noun, table, schema, text } = source;
        let is_named: Vec<String> =
            self.schemas.iter().map(|name| format!("LOCATE({}, {text}) > 0", quote_string(name))).collect();
        let query = format!(
            "SELECT {schema}, {text} FROM information_schema.{table} WHERE {schema} NOT IN ({}, {}) \
             AND ({text} IS NULL OR {text} = '' OR {})",
            quote_list(self.schemas),
            quote_list(&SYSTEM_SCHEMAS.map(str::to_owned)),
            is_named.join(" OR ")
        );
        let mut hidden = 0;
        for (schema, text) in self.query(conn, &query, format!("{noun} of other schemas that use these")) {
            match text.filter(|text| !text.is_empty()) {
                Some(text) if self.schemas.iter().any(|own| names_schema(&text, own)) => {
                    self.tied.insert(schema);
                }
                Some(_) => {}
                None => hidden += 1,
            }
        }
        if hidden > 0 {
            let noun = noun.trim_end_matches('s');
            self.unseen.push(Unseen {
                what: format!("{} of other schemas, which may use these", message::count_noun(hidden, noun)),
                why: "this account may not see their text".into(),
                remedy: None,
            });
        }
    }

    /// Returns schemas and texts. If the server refuses the query, or takes too long, `what` is
    /// noted as not seen.
    fn query(&mut self, conn: &mut Conn, query: &str, what: String) -> Vec<(String, Option<String>)> {
        conn.query(query).unwrap_or_else(|error| {
            let why = match &error {
                error if is_time_limit(error) => format!("the server takes more than {TIME_LIMIT_SECONDS} s for it"),
                mysql::Error::MySqlError(refusal) => format!("error {}: {}", refusal.code, refusal.message),
                other => other.to_string(),
            };
            self.unseen.push(Unseen { what, why, remedy: None });
            Vec::new()
        })
    }

    /// Notes that programs may be hidden. Servers leave those out that an account has no rights on.
    fn note_hidden(&mut self, conn: &mut Conn) {
        const NEEDED: [&str; 4] = ["SELECT", "SHOW VIEW", "TRIGGER", "EVENT"];
        let shows_all = |grant: &String| {
            grant.contains(" ON *.* ")
                && (grant.starts_with("GRANT ALL PRIVILEGES") || NEEDED.iter().all(|name| grant.contains(name)))
        };
        // A server without grant tables refuses the statement, and hides nothing.
        let grants: Option<Vec<String>> = conn.query("SHOW GRANTS").ok();
        if grants.is_some_and(|grants| !grants.iter().any(shows_all)) {
            self.unseen.push(Unseen {
                what: "programs of other schemas that use these".into(),
                why: format!("without {} on *.*, this account may not see all of them", NEEDED.join(", ")),
                remedy: None,
            });
        }
    }
}

/// True if a definition has a schema's name before a dot: ``other.dict``, `` `other`.`dict` ``.
fn names_schema(definition: &str, schema: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '`' | '.');
    definition.match_indices(schema).any(|(at, _)| {
        let (before, behind) = (&definition[..at], &definition[at + schema.len()..]);
        match before.strip_suffix('`') {
            Some(_) => behind.starts_with("`."),
            None => !before.ends_with(is_word) && behind.trim_start().starts_with('.'),
        }
    })
}
