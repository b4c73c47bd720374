//! Columns whose collation is not their table's default.

use std::collections::BTreeMap;

use facts::{ServerFacts, Table};
use rules::charset::{collation_charset, current_collation_name, lacks_unicode_characters};
use rules::coercibility::{Coercibility, Operand, Outcome, choose_collation};

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
A column keeps its own collation when the table's default changes, so columns are left behind. ALTER TABLE … CONVERT TO resets it. Columns with `_bin` and ascii ones are left out: they have their collation on purpose, and `own-collation` of `weigh preflight` names them. Another character set is a warning. Another collation of the same character set is a warning if it and the default are both for general use (general_ci, unicode_ci, unicode_520_ci, 0900_ai_ci, uca1400_ai_ci), and other columns of the table have the default; else a note. What to do: convert columns that were left behind. \
The plan of `weigh preflight` converts all of these columns: to keep a collation that is meant, write it into the column's MODIFY. From: OneZoom/OZtree #885.",
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
            let differs_in_charset = collation_charset(collation) != collation_charset(default);
            let is_warning = differs_in_charset || mixes_general_collations(table, default, collation);
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
                    why: explain(&input.facts.server, collation, default),
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
        (_, Some(command)) => {
            format!("{command} converts them. To keep their collation, write it into the MODIFYs of the plan.")
        }
        (_, None) => match advice.conversions(table, columns) {
            Some(conversions) => format!("Convert {conversions}; check first with weigh preflight."),
            None => "Keep the collation if it is meant, else MODIFY the column to the table's default.".to_owned(),
        },
    }
}

fn explain(server: &ServerFacts, collation: &str, default: &str) -> String {
    let charset = collation_charset(collation);
    let differs_in_charset = charset != collation_charset(default);
    let column = |collation| Operand::new(collation, Coercibility::Implicit);
    let compared = match choose_collation(server.flavour, server.version_number(), column(collation), column(default)) {
        Some(Outcome::IllegalMix) => "comparisons with columns of the default fail (error 1267)",
        _ if differs_in_charset => {
            "one side is converted in comparisons with columns of the default, and can lose its index"
        }
        _ => {
            "comparisons with columns of the default are by their _bin collation, and lose the index of the other column"
        }
    };
    let lacks = match charset {
        charset if !differs_in_charset || !lacks_unicode_characters(charset) => String::new(),
        "utf8mb3" | "ucs2" => {
            " Characters beyond U+FFFF are refused (error 1366); outside of strict mode they become ?.".to_owned()
        }
        charset => {
            format!(" Characters that {charset} lacks are refused (error 1366); outside of strict mode they become ?.")
        }
    };
    format!("Added with a collation of its own, or left behind when the default changed: {compared}.{lacks}")
}

/// True for collations that a column usually has on purpose, even if its table has another default.
fn is_intended(collation: &str) -> bool {
    collation.ends_with("_bin") || collation.starts_with("ascii_")
}

/// True if both collations are for general use, and other columns of the table have its default:
/// the difference can hardly be on purpose.
fn mixes_general_collations(table: &Table, default: &str, collation: &str) -> bool {
    let has_default = table.columns.iter().filter_map(|column| column.collation.as_deref());
    let has_default = has_default.map(current_collation_name).any(|own| own == current_collation_name(default));
    has_default && is_for_general_use(default) && is_for_general_use(collation)
}

/// True for collations named as the defaults of Unicode character sets. They ignore case, and
/// belong to no language or to several.
fn is_for_general_use(collation: &str) -> bool {
    let order = collation.split_once('_').map_or("", |(_, order)| order).replace("_nopad", "");
    ["general_ci", "unicode_ci", "unicode_520_ci", "0900_ai_ci", "uca1400_ai_ci"].contains(&order.as_str())
}
