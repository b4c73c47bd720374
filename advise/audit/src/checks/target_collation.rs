//! Collations that the target lacks, or has with different weights.

use std::collections::BTreeMap;

use explain::NamedCollation;
use mysql_collation::{Collation, Info};
use rules::charset::current_collation_name;
use rules::departures::departures;

use super::Check;
use super::common::{Draft, counted, list_names};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity, Target, collation_flavour};

/// Maximum number of example characters per script in a comparison of two collations.
const EXAMPLES: usize = 8;

pub(super) static CHECK: Check = Check {
    name: "target-collation",
    title: "collations that the target of --target lacks, or orders otherwise under the same name",
    reads: &[Reading::Schemas, Reading::Target],
    doc: "\
For each collation that columns, tables and schemas have: whether the target has it, and if not, the nearest collation that it has and their differences. The collation engine compares the weights of all characters and \
reports how many become equal to others (unique keys can collide) and how many cease to be equal. MariaDB 11.4.5 and later, except 11.5.0 to 11.7.1, has most of MySQL's `0900` names, as aliases of its `uca1400_nopad` collations, whose weights belong to another Unicode version: \
the name is the same, the order differs. Collations that two versions of one flavour compare differently are reported too. Collations that the engine doesn't implement are reported. What to do: change the collation in the dump, and check unique keys by `weigh preflight --to`. From: ddev #1902, laravel #50996.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let Some(target) = input.target else { return Vec::new() };
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (table, column) in input.facts.columns() {
        if let Some(collation) = &column.collation {
            users.entry(current_collation_name(collation)).or_default().push(super::common::column_name(table, column));
        }
    }
    for table in input.facts.tables() {
        if let Some(collation) = &table.collation {
            users.entry(current_collation_name(collation)).or_default();
        }
    }
    for schema in &input.facts.schemas {
        users.entry(current_collation_name(&schema.collation)).or_default();
    }
    users.iter().filter_map(|(collation, columns)| check_collation(input, &target, collation, columns)).collect()
}

fn check_collation(input: &AuditInput, target: &Target, name: &str, columns: &[String]) -> Option<Finding> {
    let flavour = input.facts.server.flavour;
    let used = if columns.is_empty() {
        "defaults of tables or schemas have it".to_owned()
    } else {
        format!("{} ({})", counted(columns.len(), "column"), list_names(columns, 3))
    };
    let (severity, what, why, action) = match target.collation(name) {
        Some(_) if flavour == target.flavour => (
            Severity::Warning,
            format!("{target} compares otherwise; {used}"),
            describe_departures(input, target, name)?,
            "Check unique keys and GROUP BY under it. After an upgrade in place, rebuild the tables: ALTER TABLE … FORCE."
                .to_owned(),
        ),
        Some(there) => {
            let difference = compare_same_name(flavour, there)?;
            (
                Severity::Warning,
                format!("{target} has the name, with other weights; {used}"),
                difference,
                format!(
                    "Check unique keys and sorted output before and after; weigh explain --flavour shows single strings under {name}."
                ),
            )
        }
        None => {
            let nearest = target.nearest(name);
            let why = nearest.map_or_else(
                || "The target has no similar collation.".to_owned(),
                |near| compare_with_nearest(flavour, name, near),
            );
            let action = match nearest {
                Some(near) => {
                    let near = target.written_collation(near.name);
                    format!("Write {near} instead of {name} in the dump; check unique keys by weigh preflight.")
                }
                None => format!("Convert to a collation that {target} has before moving."),
            };
            (Severity::Error, format!("{target} doesn't have it; {used}"), why, action)
        }
    };
    Some(
        Draft { severity, kind: ObjectKind::Collation, name: name.to_owned(), what, why, action }
            .into_finding(CHECK.name),
    )
}

/// Describes the difference of two collations in one sentence without a full stop.
fn describe_difference(here: Collation, there: Collation) -> String {
    let named = |collation: Collation| NamedCollation { collation, servers: collation.info().flavour.to_string() };
    explain::compare_collations(&named(here), &named(there), EXAMPLES).summary()
}

/// Describes how the target's collation of the same name differs, or why that is unknown. `None` if
/// both collations order all valid text the same way.
fn compare_same_name(flavour: server::Flavour, there: &'static Info) -> Option<String> {
    match (Collation::lookup(collation_flavour(flavour), there.name), Collation::by_id(there.flavour, there.id)) {
        (Ok(here), Ok(there)) if here.orders_valid_text_like(there) => None,
        (Ok(here), Ok(there)) => Some(format!("Compared by the engine: {}.", describe_difference(here, there))),
        (Err(error), _) | (_, Err(error)) => Some(format!("Whether both order text the same way is unknown: {error}.")),
    }
}

/// Describes where only the source, or only the target, compares otherwise than the newest server.
/// `None` if there is no such difference.
fn describe_departures(input: &AuditInput, target: &Target, name: &str) -> Option<String> {
    let server = &input.facts.server;
    let here = departures(server.flavour, server.version_number(), name);
    let there = target.departures(name);
    let only = |of: &[&'static str], other: &[&'static str], place: &str| {
        let own = of.iter().filter(|what| !other.contains(what));
        own.map(|what| format!("Only on {place}: {what}.")).collect::<Vec<_>>()
    };
    let all = [only(&here, &there, &server.label), only(&there, &here, &target.to_string())].concat();
    (!all.is_empty()).then(|| all.join(" "))
}

fn compare_with_nearest(flavour: server::Flavour, name: &str, near: &'static Info) -> String {
    match (Collation::lookup(collation_flavour(flavour), name), Collation::by_id(near.flavour, near.id)) {
        (Ok(here), Ok(there)) if here.orders_valid_text_like(there) => {
            format!("Nearest is {}, which orders all text the same.", near.name)
        }
        (Ok(here), Ok(there)) => {
            format!("Nearest is {}; compared by the engine: {}.", near.name, describe_difference(here, there))
        }
        (Err(error), _) | (_, Err(error)) => {
            format!("Nearest by name is {}; the difference is unknown: {error}.", near.name)
        }
    }
}
