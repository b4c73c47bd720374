//! Collations that the target lacks, or that order otherwise there.

use std::collections::BTreeMap;

use explain::{CollationDifference, NamedCollation};
use mysql_collation::{Collation, Info, LookupError};
use rules::charset::current_collation_name;
use rules::departures::departures;

use super::Check;
use super::common::{Draft, counted, list_names};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity, Target, collation_flavour};

/// Maximum number of example characters of a script in a comparison of two collations.
const MAX_EXAMPLES_PER_SCRIPT: usize = 8;

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

/// Use of a collation on the source.
struct Users {
    /// Name as the source writes it: `utf8_bin` for `utf8mb3_bin` on older servers.
    written_name: String,
    /// Columns with the collation. Empty if only defaults of tables or schemas have it.
    columns: Vec<String>,
}

fn run(input: &AuditInput) -> Vec<Finding> {
    let Some(target) = input.target else { return Vec::new() };
    let mut all: BTreeMap<String, Users> = BTreeMap::new();
    let mut add = |collation: &str, column: Option<String>| {
        let unused = || Users { written_name: collation.to_owned(), columns: Vec::new() };
        all.entry(current_collation_name(collation)).or_insert_with(unused).columns.extend(column);
    };
    for (table, column) in input.facts.columns() {
        if let Some(collation) = &column.collation {
            add(collation, Some(super::common::column_name(table, column)));
        }
    }
    input.facts.tables().filter_map(|table| table.collation.as_deref()).for_each(|collation| add(collation, None));
    input.facts.schemas.iter().for_each(|schema| add(&schema.collation, None));
    all.iter().filter_map(|(collation, users)| check_collation(input, &target, collation, users)).collect()
}

fn check_collation(input: &AuditInput, target: &Target, name: &str, users: &Users) -> Option<Finding> {
    let used = match users.columns.as_slice() {
        [] => "defaults of tables or schemas have it".to_owned(),
        columns => format!("{} ({})", counted(columns.len(), "column"), list_names(columns, 3)),
    };
    let (severity, what, why, action) = match target.collation(name) {
        Some(there) => {
            let (what, why) = describe_same_name(input, target, there, name)?;
            (Severity::Warning, what, why, advise_checks(input, target, name))
        }
        None => {
            let nearest = target.nearest(name);
            let why = nearest.map_or_else(
                || "The target has no similar collation.".to_owned(),
                |near| compare_with_nearest(input, target, name, near),
            );
            let action = match nearest {
                Some(near) => {
                    let (near, own) = (target.written_collation(near.name), &users.written_name);
                    format!("Write {near} instead of {own} in the dump; check unique keys by weigh preflight.")
                }
                None => format!("Convert to a collation that {target} has before moving."),
            };
            (Severity::Error, format!("{target} doesn't have it"), why, action)
        }
    };
    let what = format!("{what}; {used}");
    let draft = Draft { severity, kind: ObjectKind::Collation, name: name.to_owned(), what, why, action };
    Some(draft.into_finding(CHECK.name))
}

fn advise_checks(input: &AuditInput, target: &Target, name: &str) -> String {
    if input.facts.server.flavour == target.flavour {
        return "Check unique keys and GROUP BY of these columns on the target. After an upgrade in place, rebuild the tables: ALTER TABLE … FORCE.".to_owned();
    }
    format!(
        "Check unique keys and sorted output before and after; weigh explain --flavour shows single strings under {name}."
    )
}

fn compare(here: Collation, there: Collation) -> CollationDifference {
    let named = |collation: Collation| NamedCollation { collation, servers: collation.info().flavour.to_string() };
    explain::compare_collations(&named(here), &named(there), MAX_EXAMPLES_PER_SCRIPT)
}

/// Describes in a few words how the target's collation of the same name differs, and in sentences
/// in what. `None` if both order all valid text the same way.
fn describe_same_name(
    input: &AuditInput,
    target: &Target,
    there: &'static Info,
    name: &str,
) -> Option<(String, String)> {
    let departures = describe_departures(input, target, name);
    let flavour = input.facts.server.flavour;
    let compared = if flavour == target.flavour { Ok(None) } else { compare_newest(flavour, there) };
    let (what, reason) = match compared {
        Ok(None) => ("compares otherwise", None),
        Ok(Some(difference)) => {
            ("has the name, and orders otherwise", Some(format!("Compared by the engine: {difference}.")))
        }
        Err(error) => ("has the name; whether it orders the same is unknown", Some(format!("{error}."))),
    };
    let all: Vec<String> = reason.into_iter().chain(departures).collect();
    (!all.is_empty()).then(|| (format!("{target} {what}"), all.join(" ")))
}

/// Compares a collation of the newest server of a flavour with that of the same name of the other
/// flavour. `None` if both order all valid text the same way.
fn compare_newest(flavour: server::Flavour, there: &'static Info) -> Result<Option<String>, LookupError> {
    let here = Collation::lookup(collation_flavour(flavour), there.name)?;
    let there = Collation::by_id(there.flavour, there.id)?;
    if here.orders_valid_text_like(there) {
        return Ok(None);
    }
    let difference = compare(here, there);
    Ok((!difference.is_empty()).then(|| difference.summary()))
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

fn compare_with_nearest(input: &AuditInput, target: &Target, name: &str, near: &'static Info) -> String {
    let here = Collation::lookup(collation_flavour(input.facts.server.flavour), name);
    let compared = match (here, Collation::by_id(near.flavour, near.id)) {
        (Ok(here), Ok(there)) if here.orders_valid_text_like(there) => {
            format!("Nearest is {}, which orders all text the same.", near.name)
        }
        (Ok(here), Ok(there)) => {
            format!("Nearest is {}; compared by the engine: {}.", near.name, compare(here, there).summary())
        }
        (Err(error), _) | (_, Err(error)) => {
            format!("Nearest by name is {}; the difference is unknown: {error}.", near.name)
        }
    };
    let departures = target.departures(near.name).into_iter().map(|what| format!(" Only on {target}: {what}."));
    [compared].into_iter().chain(departures).collect()
}
