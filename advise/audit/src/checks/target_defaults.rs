//! Default collations that differ on the target.

use rules::charset::{collation_charset, current_collation_name, current_name};
use server::Flavour;

use super::Check;
use super::common::{Draft, counted, most_common};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity, Target};

pub(super) static CHECK: Check = Check {
    name: "target-defaults",
    title: "defaults that change with the target of --target, and what will no longer match",
    reads: &[Reading::Settings, Reading::Schemas, Reading::Target],
    doc: "\
The server's default collation, which new schemas get, is latin1_swedish_ci, utf8mb4_0900_ai_ci from MySQL 8.0.1 on, and utf8mb4_uca1400_ai_ci from MariaDB 11.6 on. Without COLLATE, `CHARACTER SET utf8mb4` means utf8mb4_general_ci, utf8mb4_0900_ai_ci from MySQL 8.0.1 on. \
From MariaDB 11.5 on, utf8mb4, utf8mb3, ucs2, utf16 and utf32 mean their uca1400_ai_ci. Existing columns keep their collation, and new ones get the new default. Comparisons of the two are refused (error 1267) within a character set, and can lose an index between two. \
Reports a default of the server that differs from `collation_server` here, and each default of a character set that differs from the most common collation of \
its columns (`_bin` aside). What to do: set `collation_server` and `character_set_collations` (MariaDB 11.2) on the target to the present values, or to the nearest that it has, or write COLLATE, until all is converted. \
From: matomo #22536, bitwarden #7600, langgraph-checkpoint-mysql #55.",
    run,
};

/// Character sets whose default collation differs between servers.
const CHARSETS: [&str; 5] = ["utf8mb4", "utf8mb3", "ucs2", "utf16", "utf32"];

fn run(input: &AuditInput) -> Vec<Finding> {
    let Some(target) = input.target else { return Vec::new() };
    let mut findings: Vec<Finding> = check_server_default(input, &target).into_iter().collect();
    let changed: Vec<ChangedDefault> =
        CHARSETS.iter().filter_map(|charset| find_changed_default(input, &target, charset)).collect();
    findings.extend(changed.iter().map(|one| describe_changed_default(&target, one, &changed)));
    findings
}

fn check_server_default(input: &AuditInput, target: &Target) -> Option<Finding> {
    let now = input.facts.server.variable("collation_server")?;
    let there = find_on_target(target, now)?;
    if there == target.default_collation() {
        return None;
    }
    let lacks = if current_collation_name(now) == there { "" } else { ", the nearest that it has" };
    let draft = Draft {
        severity: Severity::Warning,
        kind: ObjectKind::Variable,
        name: "collation_server".into(),
        what: format!("{now} here, {} by default in {target}", target.default_collation()),
        why: "Schemas that are created there without a collation, and their tables, differ from those that are moved."
            .into(),
        action: format!(
            "Set character_set_server = {} and collation_server = {} there{lacks}, until all is converted.",
            target.written_charset(collation_charset(&there)),
            target.written_collation(&there)
        ),
    };
    Some(draft.into_finding(CHECK.name))
}

/// A character set whose default on the target is not the most common collation of its columns.
struct ChangedDefault {
    charset: &'static str,
    /// Most common collation of the character set's columns, `_bin` aside.
    common: String,
    /// Number of columns with the collation `common`.
    columns: usize,
    /// The target's name of `common`, or of the nearest collation that the target has.
    there: String,
    default: String,
}

fn find_changed_default(input: &AuditInput, target: &Target, charset: &'static str) -> Option<ChangedDefault> {
    let columns = input.facts.columns().filter_map(|(_, column)| {
        let is_of_charset = current_name(column.charset.as_deref()?) == charset;
        column.collation.as_deref().filter(|name| is_of_charset && !name.ends_with("_bin"))
    });
    let (common, count) = most_common(columns)?;
    let there = find_on_target(target, common)?;
    let default = target.unicode_default(charset)?;
    (there != default).then(|| ChangedDefault { charset, common: common.to_owned(), columns: count, there, default })
}

fn describe_changed_default(target: &Target, one: &ChangedDefault, all: &[ChangedDefault]) -> Finding {
    let charset = target.written_charset(one.charset);
    let there = target.written_collation(&one.there);
    let action = if target.has_charset_collations() {
        format!(
            "Set character_set_collations = '{}' there, or write COLLATE {there} wherever {charset} is named.",
            list_defaults(target, all)
        )
    } else if target.flavour == Flavour::MySql && one.there == "utf8mb4_general_ci" {
        format!(
            "Write COLLATE {there} wherever {charset} is named. (SET GLOBAL default_collation_for_utf8mb4 = {there} would do it, but is deprecated and makes sys.statement_analysis fail.)"
        )
    } else {
        format!("Write COLLATE {there} wherever {charset} is named; no variable of {target} sets it.")
    };
    let draft = Draft {
        severity: Severity::Warning,
        kind: ObjectKind::Variable,
        name: format!("CHARACTER SET {charset}"),
        what: format!(
            "without COLLATE it means {} in {target}; {} here {} {}",
            one.default,
            counted(one.columns, "column"),
            if one.columns == 1 { "is" } else { "are" },
            one.common
        ),
        why: "New columns do not match the old ones: comparisons are refused with error 1267 or lose an index.".into(),
        action,
    };
    draft.into_finding(CHECK.name)
}

/// Returns a value of `character_set_collations` with all of [`CHARSETS`]. A character set that the
/// value leaves out gets its general_ci, not its uca1400_ai_ci (MariaDB 11.8).
fn list_defaults(target: &Target, changed: &[ChangedDefault]) -> String {
    let default = |charset: &&str| {
        let changed = changed.iter().find(|one| one.charset == *charset).map(|one| one.there.clone());
        Some(format!("{charset}={}", changed.or_else(|| target.unicode_default(charset))?))
    };
    CHARSETS.iter().filter_map(default).collect::<Vec<_>>().join(",")
}

/// Returns the target's name of a collation, or of the nearest that it has. `None` if it has
/// neither.
fn find_on_target(target: &Target, collation: &str) -> Option<String> {
    target.collation(collation).or_else(|| target.nearest(collation)).map(|info| info.name.to_owned())
}
