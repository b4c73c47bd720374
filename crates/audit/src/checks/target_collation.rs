//! Collations that the target lacks, or has under the same name with other weights.

use std::collections::BTreeMap;

use explain::Named;
use mysql_collation::{Collation, Info};
use rules::charset::modern_collation;

use super::common::{Draft, counted, some_of};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};
use crate::target::{Target, engine};

/// Pairs of characters are named from so many examples of each script.
const EXAMPLES: usize = 8;

pub(super) static CHECK: Check = Check {
    name: "target-collation",
    title: "collations that the target of --target lacks, or orders otherwise under the same name",
    reads: &[Reading::Schemas, Reading::Target],
    doc: "\
For each collation that columns, tables and schemas have: whether the target has it, and if not, which of its collations comes nearest and in what the two differ. That is asked of the collation engine: every character is weighed by both, and \
told is how many become equal to others (unique keys can collide) and how many cease to be. MariaDB 11.4.5 and later answers to most of MySQL's `0900` names, as aliases of its `uca1400_nopad` collations, whose weights are of another Unicode version: \
the name is there, the order is another. Where the engine doesn't implement one of the two, that is said. What to do: change the collation in the dump, and check unique keys by `weigh preflight --to`. From: ddev #1902, laravel #50996.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let Some(target) = evidence.target else { return Vec::new() };
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (table, column) in evidence.facts.columns() {
        if let Some(collation) = &column.collation {
            users.entry(modern_collation(collation)).or_default().push(super::common::column_name(table, column));
        }
    }
    for schema in &evidence.facts.schemas {
        users.entry(modern_collation(&schema.collation)).or_default();
    }
    users.iter().filter_map(|(collation, columns)| finding(evidence, &target, collation, columns)).collect()
}

fn finding(evidence: &Evidence, target: &Target, name: &str, columns: &[String]) -> Option<Finding> {
    let flavour = evidence.facts.server.flavour;
    let used = if columns.is_empty() {
        "schema defaults have it".to_owned()
    } else {
        format!("{} ({})", counted(columns.len(), "column"), some_of(columns, 3))
    };
    let (severity, what, why, action) = match target.collation(name) {
        Some(_) if flavour == target.flavour => return None,
        Some(there) => {
            let told = same_name(flavour, there)?;
            (
                Severity::Warning,
                format!("{target} has the name, with other weights; {used}"),
                told,
                format!(
                    "Check unique keys and sorted output before and after; weigh explain --flavour shows single strings under {name}."
                ),
            )
        }
        None => {
            let nearest = target.nearest(name);
            let why = nearest
                .map_or_else(|| "Nothing of it comes near.".to_owned(), |near| held_against(flavour, name, near));
            let action = match nearest {
                Some(near) => {
                    format!("Write {} instead of {name} in the dump; check unique keys by weigh preflight.", near.name)
                }
                None => format!("Convert to a collation that {target} has before moving."),
            };
            (Severity::Error, format!("{target} doesn't have it; {used}"), why, action)
        }
    };
    Some(Draft { severity, kind: ObjectKind::Collation, name: name.to_owned(), what, why, action }.of(CHECK.name))
}

/// In what two collations differ, in a sentence.
fn difference(here: Collation, there: Collation) -> String {
    let named = |collation: Collation| Named { collation, servers: collation.info().flavour.to_string() };
    explain::between(&named(here), &named(there), EXAMPLES).told()
}

/// In what a collation of the same name differs; `None` if in nothing.
fn same_name(flavour: server::Flavour, there: &'static Info) -> Option<String> {
    match (Collation::lookup(engine(flavour), there.name), Collation::by_id(there.flavour, there.id)) {
        (Ok(here), Ok(there)) if here.orders_valid_text_like(there) => None,
        (Ok(here), Ok(there)) => Some(format!("Compared by the engine: {}.", difference(here, there))),
        (Err(error), _) | (_, Err(error)) => Some(format!("Whether it orders the same can't be told: {error}.")),
    }
}

fn held_against(flavour: server::Flavour, name: &str, near: &'static Info) -> String {
    match (Collation::lookup(engine(flavour), name), Collation::by_id(near.flavour, near.id)) {
        (Ok(here), Ok(there)) => {
            format!("Nearest is {}; compared by the engine: {}.", near.name, difference(here, there))
        }
        (Err(error), _) | (_, Err(error)) => {
            format!("Nearest by name is {}; in what it differs can't be told: {error}.", near.name)
        }
    }
}
