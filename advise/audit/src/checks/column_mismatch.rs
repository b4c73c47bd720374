//! Columns whose collation is not their table's default.

use std::collections::BTreeMap;

use facts::Table;
use rules::charset::current_collation_name;

use super::Check;
use super::common::{Draft, list_names, name_members, table_name};
use crate::advice::{Advice, is_same};
use crate::fix::preflight_command;
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "column-mismatch",
    title: "columns whose collation is not their table's default",
    reads: &[Reading::Schemas],
    doc: "\
A column keeps its own collation when the table's default changes, so columns are left behind. ALTER TABLE … CONVERT TO resets it. Columns with `_bin` and ascii ones are left out: they have their collation on purpose, and `own-collation` of `weigh preflight` names them. Another character set is a warning; so is another collation for general use (general_ci, unicode_ci, unicode_520_ci, 0900_ai_ci, uca1400_ai_ci) in a table with columns of the default, if that is one, too. Other collations are a note. What to do: convert columns that were left behind, and \
keep intended collations by an explicit MODIFY (`weigh preflight` writes it). From: OneZoom/OZtree #885.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let advice = Advice::new(input);
    let mut findings = Vec::new();
    for table in input.facts.tables() {
        let Some(default) = table.collation.as_deref() else { continue };
        let mut different: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for column in &table.columns {
            if let Some(collation) = column.collation.as_deref()
                && current_collation_name(collation) != current_collation_name(default)
                && !is_intended(collation)
            {
                different.entry(collation).or_default().push(column.name.clone());
            }
        }
        for (collation, columns) in different {
            let differs_in_charset =
                rules::charset::collation_charset(collation) != rules::charset::collation_charset(default);
            let is_warning = differs_in_charset || is_aimless_mix(table, default, collation);
            findings.push(
                Draft {
                    severity: if is_warning { Severity::Warning } else { Severity::Note },
                    kind: ObjectKind::Table,
                    name: table_name(table),
                    what: format!(
                        "{} {} {collation}, the table's default is {default}",
                        list_names(&columns, 5),
                        if columns.len() == 1 { "is" } else { "are" }
                    ),
                    why: explain(collation, default),
                    action: advise(input, &advice, table, collation, &columns),
                }
                .into_group(CHECK.name, name_members(&columns, collation)),
            );
        }
    }
    findings
}

fn advise(input: &AuditInput, advice: &Advice<'_>, table: &Table, collation: &str, columns: &[String]) -> String {
    let target = advice.table_collation(table);
    let command = |target: &String| preflight_command(input, &table.schema, &[&table.name], &[], target);
    match (&target, target.as_ref().and_then(command)) {
        (Some(target), Some(command)) if is_same(target, collation) => {
            format!("{command}; the table's default becomes what these columns have.")
        }
        (_, Some(command)) => format!("{command}; or keep it by a MODIFY when the table is converted."),
        (_, None) => format!("Convert {}; check first with weigh preflight.", advice.conversions(table, columns)),
    }
}

fn explain(collation: &str, default: &str) -> String {
    let differs_in_charset = rules::charset::collation_charset(collation) != rules::charset::collation_charset(default);
    let compared = if differs_in_charset {
        "one side is converted in comparisons with columns of the default, and can lose its index"
    } else if default.ends_with("_bin") {
        "comparisons with columns of the default are by their _bin collation, and lose the index of the other column"
    } else {
        "comparisons with columns of the default fail (error 1267)"
    };
    let lacks = match rules::charset::collation_charset(collation) {
        "utf8mb3" | "utf8" => " Characters beyond U+FFFF are refused (error 1366).".to_owned(),
        charset if differs_in_charset && rules::charset::lacks_unicode_characters(charset) => {
            format!(" Characters that {charset} lacks are refused or become ?.")
        }
        _ => String::new(),
    };
    format!("Added with a collation of its own, or left behind when the default changed: {compared}.{lacks}")
}

/// True for collations that a column usually has on purpose, even if its table has another default.
fn is_intended(collation: &str) -> bool {
    collation.ends_with("_bin") || collation.starts_with("ascii_")
}

/// True if both collations are for general use, and the table has columns of its default, too: no
/// text is better off with the other collation.
fn is_aimless_mix(table: &Table, default: &str, collation: &str) -> bool {
    let has_default = table.columns.iter().filter_map(|column| column.collation.as_deref());
    let has_default = has_default.map(current_collation_name).any(|own| own == current_collation_name(default));
    has_default && is_for_general_use(default) && is_for_general_use(collation)
}

/// True for collations of no language that ignore case and accents.
fn is_for_general_use(collation: &str) -> bool {
    let order = collation.split_once('_').map_or("", |(_, order)| order).replace("_nopad", "");
    ["general_ci", "unicode_ci", "unicode_520_ci", "0900_ai_ci", "uca1400_ai_ci"].contains(&order.as_str())
}
