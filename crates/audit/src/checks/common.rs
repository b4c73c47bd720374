//! What checks share.

use std::collections::BTreeMap;

use facts::{Column, Program, Schema, Table};

use crate::finding::{Finding, Object, ObjectKind, Severity};

/// A finding that is being put together.
pub(super) struct Draft {
    pub severity: Severity,
    pub kind: ObjectKind,
    pub name: String,
    pub what: String,
    pub why: String,
    pub action: String,
}

impl Draft {
    pub fn of(self, check: &str) -> Finding {
        Finding {
            check: check.to_owned(),
            severity: self.severity,
            object: Object::new(self.kind, self.name),
            what: self.what,
            why: self.why,
            action: self.action,
        }
    }
}

/// `shop.orders`.
pub(super) fn table_name(table: &Table) -> String {
    format!("{}.{}", table.schema, table.name)
}

/// `shop.orders.code`.
pub(super) fn column_name(table: &Table, column: &Column) -> String {
    format!("{}.{}.{}", table.schema, table.name, column.name)
}

/// `` `shop`.`orders` ``.
pub(super) fn quoted_table(table: &Table) -> String {
    format!("{}.{}", quoted(&table.schema), quoted(&table.name))
}

/// A name in backticks.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// `3 columns`, `1 column`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `a, b, c and 4 more`.
pub(super) fn some_of(names: &[String], most: usize) -> String {
    if names.len() <= most {
        return names.join(", ");
    }
    format!("{} and {} more", names[..most].join(", "), names.len() - most)
}

/// The collation that most of these have, and how many have it.
pub(super) fn commonest<'a>(names: impl Iterator<Item = &'a str>) -> Option<(&'a str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    counts.into_iter().max_by_key(|&(_, count)| count)
}

/// Every stored program and view of a schema with its kind.
pub(super) fn programs(schema: &Schema) -> impl Iterator<Item = (ObjectKind, &Program)> {
    let views = schema.views.iter().map(|view| (ObjectKind::View, &view.program));
    let routines = schema.routines.iter().map(|routine| (ObjectKind::Routine, &routine.program));
    let triggers = schema.triggers.iter().map(|trigger| (ObjectKind::Trigger, &trigger.program));
    let events = schema.events.iter().map(|event| (ObjectKind::Event, &event.program));
    views.chain(routines).chain(triggers).chain(events)
}

/// `shop.by_code`.
pub(super) fn program_name(program: &Program) -> String {
    format!("{}.{}", program.schema, program.name)
}
