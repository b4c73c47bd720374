//! Definitions of two running servers.

use std::collections::{BTreeMap, HashMap};

use facts::{Facts, ForeignKey, Index, IndexKind, Parameter, Program, Routine, Schema, Table};
use server::is_same_collation;

use crate::model::{Area, Finding, Kind};

/// Differences with their places. Equal differences become one finding.
#[derive(Default)]
struct Differences(BTreeMap<(Kind, String), Vec<String>>);

impl Differences {
    fn add(&mut self, kind: Kind, place: String, what: impl Into<String>) {
        self.0.entry((kind, what.into())).or_default().push(place);
    }

    /// Adds a difference of two collations. A side without one (`None`) makes no difference here:
    /// then the types differ.
    fn add_collation(&mut self, place: String, subject: &str, old: Option<&String>, new: Option<&String>) {
        if let (Some(old), Some(new)) = (old, new)
            && !is_same_collation(old, new)
        {
            self.add(Kind::Differs, place, format!("{subject} is {new} on the new server, and {old} on the old one"));
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

/// Reports objects that the new server lacks, and other collations, types, NULL, indexes, foreign
/// keys, parameters and bodies. `live::UNCHECKED` lists the parts that are not compared.
pub fn compare(before: &Facts, after: &Facts) -> Vec<Finding> {
    let mut differences = Differences::default();
    let is_move = before.server.flavour != after.server.flavour;
    for schema in &before.schemas {
        let place = format!("schema {}", schema.name);
        let Some(other) = after.schema(&schema.name) else {
            differences.add(Kind::Breaks, place, MISSING);
            continue;
        };
        let collations = [&schema.collation, &other.collation].map(Some);
        differences.add_collation(place, "the default collation", collations[0], collations[1]);
        let tables: HashMap<&str, &Table> = other.tables.iter().map(|table| (table.name.as_str(), table)).collect();
        for table in &schema.tables {
            match tables.get(table.name.as_str()) {
                Some(other) => compare_tables(table, other, is_move, &mut differences),
                None => differences.add(Kind::Breaks, place_of(table), MISSING),
            }
        }
        compare_programs(schema, other, is_move, &mut differences);
    }
    differences.into_findings()
}

fn place_of(table: &Table) -> String {
    format!("table {}.{}", table.schema, table.name)
}

/// `is_move` is true between MySQL and MariaDB.
fn compare_tables(old: &Table, new: &Table, is_move: bool, differences: &mut Differences) {
    let place = || place_of(old);
    differences.add_collation(place(), "the default collation", old.collation.as_ref(), new.collation.as_ref());
    for column in &old.columns {
        let place = || format!("column {}.{}.{}", old.schema, old.name, column.name);
        let Some(other) = new.column(&column.name) else {
            differences.add(Kind::Breaks, place(), MISSING);
            continue;
        };
        differences.add_collation(place(), "the collation", column.collation.as_ref(), other.collation.as_ref());
        let (own, others) = (plain_type(&column.column_type), plain_type(&other.column_type));
        if !is_same_type(&own, &others, is_move) {
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
            None if index.unique => {
                differences.add(Kind::Differs, place(), format!("{MISSING}, which takes duplicates therefore"));
            }
            None => differences.add(Kind::Slower, place(), MISSING),
            Some(other) if !is_same_index(index, other) => {
                let what = "has other columns, prefixes, expressions, uniqueness or another type on the new server";
                differences.add(Kind::Differs, place(), what);
            }
            Some(_) => {}
        }
    }
    for key in old.foreign_keys.iter().filter(|key| !new.foreign_keys.iter().any(|other| is_same_key(key, other))) {
        let place = format!("foreign key {}.{}.{}", old.schema, old.name, key.name);
        let is_there = new.foreign_keys.iter().any(|other| columns(other) == columns(key));
        let what = if is_there { "has another ON UPDATE or ON DELETE on the new server" } else { MISSING };
        differences.add(Kind::Differs, place, what);
    }
}

type KeyColumns<'k> = (&'k [String], &'k str, &'k str, &'k [String]);

fn columns(key: &ForeignKey) -> KeyColumns<'_> {
    (&key.columns, &key.parent_schema, &key.parent_table, &key.parent_columns)
}

fn is_same_key(one: &ForeignKey, other: &ForeignKey) -> bool {
    // InnoDB treats NO ACTION as RESTRICT. MySQL and MariaDB have different defaults.
    let action = |name: &str| if name == "NO ACTION" { "RESTRICT".to_owned() } else { name.to_owned() };
    let actions = |key: &ForeignKey| (action(&key.on_update), action(&key.on_delete));
    columns(one) == columns(other) && actions(one) == actions(other)
}

fn is_same_index(one: &Index, other: &Index) -> bool {
    let columns = |index: &Index| -> Vec<(Option<String>, Option<u64>)> {
        index.parts.iter().map(|part| (part.column.as_ref().map(|name| name.to_lowercase()), part.prefix)).collect()
    };
    let expressions = |index: &Index| -> Vec<String> {
        index.parts.iter().filter_map(|part| part.expression.as_deref()).map(plain_expression).collect()
    };
    // A hash index of a MEMORY table is a B-tree in InnoDB.
    let is_lookup = |index: &Index| matches!(index.kind, IndexKind::Btree | IndexKind::Hash);
    let is_same_kind = one.kind == other.kind || is_lookup(one) && is_lookup(other);
    one.unique == other.unique
        && is_same_kind
        && columns(one) == columns(other)
        && expressions(one) == expressions(other)
}

/// Expression without quotes of names, parentheses, spaces and case, in which versions differ.
fn plain_expression(expression: &str) -> String {
    expression
        .chars()
        .filter(|c| !matches!(c, '`' | '(' | ')') && !c.is_whitespace())
        .collect::<String>()
        .to_lowercase()
}

/// Type without the display width of integers other than ZEROFILL, and of YEAR. MySQL 8.0.19 and
/// later leave most of them out.
fn plain_type(column_type: &str) -> String {
    let Some((head, rest)) = column_type.split_once('(') else { return column_type.to_owned() };
    let has_width = (head.ends_with("int") || head == "year") && !rest.contains("zerofill");
    match rest.split_once(')') {
        Some((_, tail)) if has_width => format!("{head}{tail}"),
        _ => column_type.to_owned(),
    }
}

/// Compares types. MariaDB's JSON is a LONGTEXT; MySQL 8.0.11 and later have a shorter name for
/// GEOMETRYCOLLECTION.
fn is_same_type(one: &str, other: &str, is_move: bool) -> bool {
    let pair = |a: &str, b: &str| (one, other) == (a, b) || (other, one) == (a, b);
    one == other || is_move && pair("json", "longtext") || pair("geometrycollection", "geomcollection")
}

fn compare_parameters(old: &Routine, new: &Routine, is_move: bool, place: String, differences: &mut Differences) {
    for (own, other) in old.parameters.iter().zip(&new.parameters) {
        let subject = own.name.as_ref().map_or_else(
            || "the collation of its result".to_owned(),
            |name| format!("the collation of parameter {name}"),
        );
        differences.add_collation(place.clone(), &subject, own.collation.as_ref(), other.collation.as_ref());
    }
    let is_same = |(own, other): (&Parameter, &Parameter)| {
        is_same_type(&plain_type(&own.column_type), &plain_type(&other.column_type), is_move)
    };
    let counts = (old.parameters.len(), new.parameters.len());
    if counts.0 != counts.1 || !old.parameters.iter().zip(&new.parameters).all(is_same) {
        differences.add(Kind::Differs, place, "has other parameters, or another type of result, on the new server");
    }
}

fn compare_programs(old: &Schema, new: &Schema, is_move: bool, differences: &mut Differences) {
    for routine in &old.routines {
        let place = || format!("{} {}.{}", routine.kind.to_lowercase(), old.name, routine.program.name);
        let other = new
            .routines
            .iter()
            .find(|other| other.kind == routine.kind && other.program.name.eq_ignore_ascii_case(&routine.program.name));
        compare_program(&routine.program, other.map(|other| &other.program), true, &place, differences);
        if let Some(other) = other {
            compare_parameters(routine, other, is_move, place(), differences);
        }
    }
    for trigger in &old.triggers {
        let place = || format!("trigger {}.{}", old.name, trigger.program.name);
        let other = new.triggers.iter().find(|other| other.program.name.eq_ignore_ascii_case(&trigger.program.name));
        compare_program(&trigger.program, other.map(|other| &other.program), true, &place, differences);
        let moment =
            |trigger: &facts::Trigger| (trigger.table.to_lowercase(), trigger.timing.clone(), trigger.event.clone());
        if other.is_some_and(|other| moment(other) != moment(trigger)) {
            differences.add(Kind::Differs, place(), "has another table, time or event on the new server");
        }
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
            let subject = format!("the collation of column {}", column.name);
            let new = other.and_then(|other| other.collation.as_ref());
            differences.add_collation(place(), &subject, column.collation.as_ref(), new);
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
    let subject = "the collation_connection that it was created with";
    differences.add_collation(place(), subject, Some(&own.connection), Some(&other.connection));
    let subject = "the schema's collation when it was created";
    differences.add_collation(place(), subject, own.database.as_ref(), other.database.as_ref());
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
    use facts::IndexPart;

    #[test]
    fn display_widths_are_no_difference() {
        assert_eq!(plain_type("int(11) unsigned"), "int unsigned");
        assert_eq!(plain_type("int(5) unsigned zerofill"), "int(5) unsigned zerofill");
        assert_eq!(plain_type("year(4)"), "year");
        assert_eq!(plain_type("varchar(20)"), "varchar(20)");
    }

    #[test]
    fn types_have_names_of_each_vendor() {
        assert!(is_same_type("geomcollection", "geometrycollection", false));
        assert!(is_same_type("json", "longtext", true));
        assert!(!is_same_type("json", "longtext", false));
    }

    #[test]
    fn indexes_are_compared_with_their_expressions_and_kinds() {
        let functional = |expression: &str| Index {
            name: "i".into(),
            unique: false,
            kind: IndexKind::Btree,
            invisible: false,
            parts: vec![IndexPart { expression: Some(expression.into()), ..IndexPart::default() }],
        };
        let lower = functional("lower(`a`)");
        assert!(is_same_index(&lower, &functional("(lower(`a`))")));
        assert!(!is_same_index(&lower, &functional("upper(`a`)")));
        assert!(!is_same_index(&lower, &Index { kind: IndexKind::Fulltext, ..lower.clone() }));
        assert!(is_same_index(&lower, &Index { kind: IndexKind::Hash, ..lower.clone() }));
    }

    #[test]
    fn foreign_keys_are_compared_with_their_actions() {
        let key = |on_delete: &str| ForeignKey {
            columns: vec!["a".into()],
            on_update: "RESTRICT".into(),
            on_delete: on_delete.into(),
            ..ForeignKey::default()
        };
        assert!(is_same_key(&key("RESTRICT"), &key("NO ACTION")));
        assert!(!is_same_key(&key("RESTRICT"), &key("CASCADE")));
    }

    #[test]
    fn routines_are_compared_with_their_parameters() {
        let routine = |types: &[&str]| Routine {
            kind: "FUNCTION".into(),
            parameters: types
                .iter()
                .map(|column_type| Parameter { column_type: (*column_type).into(), ..Parameter::default() })
                .collect(),
            ..Routine::default()
        };
        let count = |old: &[&str], new: &[&str]| {
            let mut differences = Differences::default();
            compare_parameters(&routine(old), &routine(new), false, "function f".into(), &mut differences);
            differences.into_findings().len()
        };
        assert_eq!(count(&["int(11)", "varchar(9)"], &["int", "varchar(9)"]), 0);
        assert_eq!(count(&["int(11)", "int(11)"], &["int", "varchar(9)"]), 1);
        assert_eq!(count(&["int"], &["int", "int"]), 1);
    }
}
