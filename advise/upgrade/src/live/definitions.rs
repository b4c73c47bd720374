//! Definitions of two running servers.

use std::collections::{BTreeMap, HashMap};

use facts::{Column, Facts, ForeignKey, Index, Program, Schema, Table};
use server::is_same_collation;

use crate::model::{Area, Finding, Kind};

/// Differences with their places. Equal differences become one finding.
#[derive(Default)]
struct Differences(BTreeMap<(Kind, String), Vec<String>>);

impl Differences {
    fn add(&mut self, kind: Kind, place: String, what: impl Into<String>) {
        self.0.entry((kind, what.into())).or_default().push(place);
    }

    fn collation(&mut self, place: String, of: &str, old: Option<&String>, new: Option<&String>) {
        let is_same = match (old, new) {
            (Some(old), Some(new)) => is_same_collation(old, new),
            // A type without a collation is a difference of the types.
            _ => true,
        };
        if let (Some(old), Some(new), false) = (old, new, is_same) {
            self.add(Kind::Differs, place, format!("{of} is {new} on the new server, and {old} on the old one"));
        }
    }

    fn into_findings(self) -> Vec<Finding> {
        let finding = |((kind, what), mut places): ((Kind, String), Vec<String>)| Finding {
            kind,
            area: Area::Definition,
            place: places.remove(0),
            what,
            statement: String::new(),
            error: None,
            reasons: Vec::new(),
            also: places,
            mends: Vec::new(),
        };
        self.0.into_iter().map(finding).collect()
    }
}

const MISSING: &str = "is missing on the new server";

/// Reports what the new server lacks or defines otherwise.
pub fn compare(before: &Facts, after: &Facts) -> Vec<Finding> {
    let mut differences = Differences::default();
    for schema in &before.schemas {
        let place = format!("schema {}", schema.name);
        let Some(other) = after.schema(&schema.name) else {
            differences.add(Kind::Breaks, place, MISSING);
            continue;
        };
        let collations = [&schema.collation, &other.collation].map(Some);
        differences.collation(place, "the default collation", collations[0], collations[1]);
        let tables: HashMap<&str, &Table> = other.tables.iter().map(|table| (table.name.as_str(), table)).collect();
        for table in &schema.tables {
            match tables.get(table.name.as_str()) {
                Some(other) => compare_tables(table, other, &mut differences),
                None => differences.add(Kind::Breaks, place_of(table), MISSING),
            }
        }
        compare_programs(schema, other, &mut differences);
    }
    differences.into_findings()
}

fn place_of(table: &Table) -> String {
    format!("table {}.{}", table.schema, table.name)
}

fn compare_tables(old: &Table, new: &Table, differences: &mut Differences) {
    let place = || place_of(old);
    differences.collation(place(), "the default collation", old.collation.as_ref(), new.collation.as_ref());
    for column in &old.columns {
        let place = || format!("column {}.{}.{}", old.schema, old.name, column.name);
        let Some(other) = new.column(&column.name) else {
            differences.add(Kind::Breaks, place(), MISSING);
            continue;
        };
        differences.collation(place(), "the collation", column.collation.as_ref(), other.collation.as_ref());
        let (own, others) = (plain_type(column), plain_type(other));
        if own != others && !is_json(column, other) {
            differences.add(Kind::Differs, place(), format!("is {others} on the new server, and {own} on the old one"));
        }
        if column.nullable != other.nullable {
            let which = if column.nullable { "old" } else { "new" };
            differences.add(Kind::Differs, place(), format!("takes NULL on the {which} server alone"));
        }
    }
    for index in &old.indexes {
        let place = || format!("index {}.{}.{}", old.schema, old.name, index.name);
        match new.indexes.iter().find(|other| other.name.eq_ignore_ascii_case(&index.name)) {
            None => differences.add(Kind::Slower, place(), MISSING),
            Some(other) if parts(index) != parts(other) || index.unique != other.unique => {
                differences.add(Kind::Differs, place(), "has other columns, prefixes or uniqueness on the new server");
            }
            Some(_) => {}
        }
    }
    for key in old.foreign_keys.iter().filter(|key| !new.foreign_keys.iter().any(|other| is_same_key(key, other))) {
        let place = format!("foreign key {}.{}.{}", old.schema, old.name, key.name);
        differences.add(Kind::Differs, place, MISSING);
    }
}

fn is_same_key(one: &ForeignKey, other: &ForeignKey) -> bool {
    let names = |key: &ForeignKey| {
        (key.columns.clone(), key.parent_schema.clone(), key.parent_table.clone(), key.parent_columns.clone())
    };
    names(one) == names(other)
}

fn parts(index: &Index) -> Vec<(Option<String>, Option<u64>)> {
    index.parts.iter().map(|part| (part.column.as_ref().map(|name| name.to_lowercase()), part.prefix)).collect()
}

/// Type without the display width of integers, which MySQL 8.0.19 and later leave out.
fn plain_type(column: &Column) -> String {
    let is_integer = column.data_type.ends_with("int") || column.data_type == "year";
    match (column.column_type.split_once('('), is_integer && !column.column_type.contains("zerofill")) {
        (Some((head, rest)), true) => format!("{head}{}", rest.split_once(')').map_or("", |(_, tail)| tail)),
        _ => column.column_type.clone(),
    }
}

/// True for JSON, which is a LONGTEXT in MariaDB.
fn is_json(one: &Column, other: &Column) -> bool {
    let is = |name: &str, column: &Column| column.data_type == name;
    is("json", one) && is("longtext", other) || is("longtext", one) && is("json", other)
}

fn compare_programs(old: &Schema, new: &Schema, differences: &mut Differences) {
    for routine in &old.routines {
        let place = || format!("{} {}.{}", routine.kind.to_lowercase(), old.name, routine.program.name);
        let other = new
            .routines
            .iter()
            .find(|other| other.kind == routine.kind && other.program.name.eq_ignore_ascii_case(&routine.program.name));
        compare_program(&routine.program, other.map(|other| &other.program), true, &place, differences);
        for (own, other) in routine.parameters.iter().zip(other.iter().flat_map(|other| &other.parameters)) {
            let of = own.name.as_ref().map_or_else(|| "its result".to_owned(), |name| format!("parameter {name}"));
            differences.collation(place(), &of, own.collation.as_ref(), other.collation.as_ref());
        }
    }
    for trigger in &old.triggers {
        let place = || format!("trigger {}.{}", old.name, trigger.program.name);
        let other = new.triggers.iter().find(|other| other.program.name.eq_ignore_ascii_case(&trigger.program.name));
        compare_program(&trigger.program, other.map(|other| &other.program), true, &place, differences);
    }
    for event in &old.events {
        let place = || format!("event {}.{}", old.name, event.program.name);
        let other = new.events.iter().find(|other| other.program.name.eq_ignore_ascii_case(&event.program.name));
        compare_program(&event.program, other.map(|other| &other.program), true, &place, differences);
    }
    for view in &old.views {
        let place = || format!("view {}.{}", old.name, view.program.name);
        let other = new.views.iter().find(|other| other.program.name.eq_ignore_ascii_case(&view.program.name));
        // Each version formats the query of a view in its own way.
        compare_program(&view.program, other.map(|other| &other.program), false, &place, differences);
        for column in &view.columns {
            let other = other.and_then(|other| other.columns.iter().find(|other| other.name == column.name));
            let of = format!("column {}", column.name);
            let new = other.and_then(|other| other.collation.as_ref());
            differences.collation(place(), &of, column.collation.as_ref(), new);
        }
    }
}

fn compare_program(
    old: &Program,
    new: Option<&Program>,
    compares_body: bool,
    place: &dyn Fn() -> String,
    differences: &mut Differences,
) {
    let Some(new) = new else { return differences.add(Kind::Breaks, place(), MISSING) };
    let (own, other) = (&old.charsets, &new.charsets);
    let of = "collation_connection of its creation";
    differences.collation(place(), of, Some(&own.connection), Some(&other.connection));
    let of = "the schema's collation of its creation";
    differences.collation(place(), of, own.database.as_ref(), other.database.as_ref());
    let words = |body: &Option<String>| -> Option<Vec<String>> {
        body.as_ref().map(|body| body.split_whitespace().map(str::to_owned).collect())
    };
    if let (Some(own), Some(other), true) = (words(&old.body), words(&new.body), compares_body)
        && own != other
    {
        differences.add(Kind::Differs, place(), "has another body on the new server");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_widths_are_no_difference() {
        let plain = |data_type: &str, column_type: &str| {
            plain_type(&Column { data_type: data_type.into(), column_type: column_type.into(), ..Column::default() })
        };
        assert_eq!(plain("int", "int(11) unsigned"), "int unsigned");
        assert_eq!(plain("int", "int(5) unsigned zerofill"), "int(5) unsigned zerofill");
        assert_eq!(plain("varchar", "varchar(20)"), "varchar(20)");
    }
}
