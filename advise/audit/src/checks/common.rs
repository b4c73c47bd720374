//! Helpers of the checks.

pub(super) use message::{count_noun as counted, list_names};
use std::borrow::Cow;
use std::collections::BTreeMap;

use rules::charset::{collation_charset, current_name};

use crate::distinct::Distinct;
use crate::mentions::find_schemas;
use crate::text::prepared_texts;
use check::{Finding, Members, Object, ObjectKind, Severity};
use facts::{Column, Facts, Program, Schema, ServerFacts, Table};
use server::{Flavour, Version};

/// A finding without the check's name.
pub(super) struct Draft {
    pub severity: Severity,
    pub kind: ObjectKind,
    /// Name of the object: `shop.orders.code`.
    pub name: String,
    pub what: String,
    pub why: String,
    pub action: String,
}

impl Draft {
    pub fn into_finding(self, check: &str) -> Finding {
        self.into_group(check, Vec::new())
    }

    /// Returns a finding about several objects. `members` name each object with its fault, so that
    /// a later audit recognizes it: `orders (latin1_swedish_ci)`.
    pub fn into_group(self, check: &str, members: Vec<String>) -> Finding {
        Finding {
            check: check.to_owned(),
            severity: self.severity,
            object: Object::new(self.kind, self.name),
            what: self.what,
            why: self.why,
            action: self.action,
            details: Members { members },
        }
    }
}

/// Returns the members of a group of one collation: `orders (latin1_swedish_ci)`.
pub(super) fn name_members(names: &[String], collation: &str) -> Vec<String> {
    names.iter().map(|name| format!("{name} ({collation})")).collect()
}

/// Returns `shop.orders`.
pub(super) fn table_name(table: &Table) -> String {
    check::table_name(&table.schema, &table.name)
}

/// Returns `shop.orders.code`.
pub(super) fn column_name(table: &Table, column: &Column) -> String {
    check::column_name(&table.schema, &table.name, &column.name)
}

/// True if a column has another character set than its table's default. `legacy-charset` and
/// `utf8mb3` leave such columns to `column-mismatch`.
pub(super) fn differs_from_table(table: &Table, column: &Column) -> bool {
    let (Some(default), Some(charset)) = (table.collation.as_deref(), column.charset.as_deref()) else { return false };
    current_name(collation_charset(default)) != current_name(charset)
}

/// Returns `` `shop`.`orders` ``.
pub(super) fn quote_table(table: &Table) -> String {
    sql::quote_table(&table.schema, &table.name)
}

/// Returns the most common name and how often it occurs. Of equally common names, the last in
/// alphabetical order.
pub fn most_common<'a>(names: impl Iterator<Item = &'a str>) -> Option<(&'a str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    counts.into_iter().max_by_key(|&(_, count)| count)
}

/// Returns the views and stored programs of a schema.
pub fn programs(schema: &Schema) -> impl Iterator<Item = (ObjectKind, &Program)> {
    let views = schema.views.iter().map(|view| (ObjectKind::View, &view.program));
    let routines = schema.routines.iter().map(|routine| (ObjectKind::Routine, &routine.program));
    let triggers = schema.triggers.iter().map(|trigger| (ObjectKind::Trigger, &trigger.program));
    let events = schema.events.iter().map(|event| (ObjectKind::Event, &event.program));
    views.chain(routines).chain(triggers).chain(events)
}

/// Returns the body of a program, and the literal statements that it prepares.
pub(super) fn program_texts(program: &Program) -> Vec<Cow<'_, str>> {
    let body = program.body.as_deref().map(Cow::Borrowed);
    body.into_iter().chain(prepared_texts(program).literals.into_iter().map(Cow::Owned)).collect()
}

/// Returns the schemas of `facts` that the text of a program or view names, its own aside.
pub fn find_used_schemas<'a>(facts: &'a Facts, program: &Program) -> Vec<&'a str> {
    let mode = program.lexer_mode();
    let names: Distinct<String> = program_texts(program).iter().flat_map(|text| find_schemas(text, mode)).collect();
    let names = names.list;
    let others = names.iter().filter(|name| **name != program.schema);
    others.filter_map(|name| Some(facts.schema(name)?.name.as_str())).collect()
}

/// Returns `shop.by_code`.
pub(super) fn program_name(program: &Program) -> String {
    check::table_name(&program.schema, &program.name)
}

/// Returns the first 80 characters of a statement on one line, with `…` if it is longer.
pub(super) fn truncate(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Errors of a foreign key between two collations, as texts for messages.
pub(super) struct RefusedKeyErrors {
    /// Error of creating the key.
    pub create: &'static str,
    /// Error of an ALTER of a table that has the key.
    pub alter: &'static str,
}

pub(super) fn refused_key_errors(server: &ServerFacts) -> RefusedKeyErrors {
    match server.flavour {
        Flavour::MariaDb => RefusedKeyErrors { create: "1005, errno 150", alter: "1025, errno 150" },
        Flavour::MySql if server.version_number() >= Version::new(8, 0, 14) => {
            RefusedKeyErrors { create: "3780", alter: "3780" }
        }
        Flavour::MySql => RefusedKeyErrors { create: "1215", alter: "1025, errno 150" },
    }
}
