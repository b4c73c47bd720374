//! Report of `weigh audit`, as text, Markdown, CSV, JSON, and an HTML page.
//!
//! The text by default shows causes: the findings of one check and severity together. The other
//! formats have every finding.

mod list;
mod page;
mod text;

use std::fmt::Write as _;

use audit::{Audit, Finding, Severity};
use serde::Serialize;

pub use list::{describe_check, list_checks};
pub use page::page;
pub use text::{By, Selection, text};

use crate::format::csv::to_csv;
use crate::format::json::to_json;
use crate::format::markdown as md;
use crate::format::number::{count_noun, name_server};

/// Returns the findings as JSON (`schemas/audit.schema.json`).
pub fn json(audit: &Audit) -> String {
    to_json(audit)
}

/// Returns the findings as Markdown.
pub fn markdown(audit: &Audit) -> String {
    let mut out = format!("## {}\n\n", md::escape(&verdict(audit)));
    md::push_list(&[vec![describe_scope(audit)], own_schemas_line(audit).into_iter().collect()].concat(), &mut out);
    for group in group_by_check(audit) {
        let _ = writeln!(
            out,
            "### {}\n\n| severity | object | what | why | do |\n| --- | --- | --- | --- | --- |",
            md::escape(&heading(&group))
        );
        for finding in &group {
            let fields = [&finding.object.to_string(), &finding.what, &finding.why, &finding.action]
                .map(|text| md::escape(text));
            let _ = writeln!(out, "| {} | {} |", finding.severity, fields.join(" | "));
        }
        out.push('\n');
    }
    let unseen: Vec<String> = unseen_lines(audit).into_iter().map(|line| format!("cannot see {line}")).collect();
    md::push_list(&unseen, &mut out);
    md::end_with_newline(out)
}

/// Columns of a line of CSV, in order.
#[derive(Serialize)]
struct Line<'a> {
    severity: Severity,
    check: &'a str,
    kind: String,
    schema: Option<&'a str>,
    table: Option<&'a str>,
    column: Option<&'a str>,
    object: &'a str,
    what: &'a str,
    why: &'a str,
    action: &'a str,
}

/// Returns the findings as CSV with a header: a line per finding.
pub fn csv(audit: &Audit) -> String {
    to_csv(audit.findings.iter().map(|finding| Line {
        severity: finding.severity,
        check: &finding.check,
        kind: finding.object.kind.to_string(),
        schema: finding.details.schema.as_deref(),
        table: finding.details.table.as_deref(),
        column: finding.details.column.as_deref(),
        object: &finding.object.name,
        what: &finding.what,
        why: &finding.why,
        action: &finding.action,
    }))
}

/// Describes the schemas, rows and statements that were read.
fn describe_scope(audit: &Audit) -> String {
    let server = &audit.server;
    let mut parts = vec![
        count_noun(server.schemas.len() as u64, "schema"),
        count_noun(server.tables, "table"),
        count_noun(server.columns, "column"),
    ];
    if server.sampled_rows > 0 {
        parts.push(format!("a sample of {}", count_noun(server.sampled_rows, "row")));
    }
    if server.statements > 0 {
        parts.push(count_noun(server.statements, "statement"));
    }
    let target = audit.target.as_ref().map(|target| format!("; target {target}")).unwrap_or_default();
    format!("{} · {}{target}", name_server(&server.label, &server.version), parts.join(", "))
}

/// Returns `✗ 5 errors   ! 63 warnings   166 notes (--all)`.
fn counts_line(audit: &Audit, all: bool) -> String {
    let of = |severity: Severity| audit.count(severity) as u64;
    let parts = [(Severity::Error, "✗ "), (Severity::Warning, "! "), (Severity::Note, "")];
    let parts = parts.map(|(severity, mark)| {
        let hint = if severity == Severity::Note && !all { " (--all)" } else { "" };
        (of(severity) > 0).then(|| format!("{mark}{}{hint}", count_noun(of(severity), &severity.to_string())))
    });
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        return parts.join("   ");
    }
    // An account that sees nothing gets no all-clear.
    let mark = if audit.server.schemas.is_empty() { "?" } else { "✓" };
    format!("{mark} {}", verdict(audit))
}

/// Counts the findings by severity.
fn verdict(audit: &Audit) -> String {
    let checks = count_noun(audit.checks.len() as u64, "check");
    if audit.findings.is_empty() {
        let but = if audit.unseen.is_empty() { "" } else { ", but not all could be seen" };
        if audit.server.schemas.is_empty() {
            return format!("No table was checked: this account sees no schema of its own{but}.");
        }
        return format!("Nothing found by {checks}{but}.");
    }
    let found = count_noun(audit.findings.len() as u64, "finding");
    format!("{found} by {checks}: {}.", counts_by_severity(audit).join(", "))
}

/// Returns the number of findings of each severity, in words, the worst first.
fn counts_by_severity(audit: &Audit) -> Vec<String> {
    let of = |severity: Severity| match audit.count(severity) {
        0 => None,
        count => Some(count_noun(count as u64, &severity.to_string())),
    };
    [Severity::Error, Severity::Warning, Severity::Note].into_iter().filter_map(of).collect()
}

/// Groups the findings by check. The check with the most severe finding comes first.
fn group_by_check(audit: &Audit) -> Vec<Vec<&Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in &audit.findings {
        match groups.iter_mut().find(|group| group[0].check == finding.check) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}

/// Returns the check of this name. `None` for a check of another version.
fn find_check(name: &str) -> Option<&'static audit::Check> {
    audit::CHECKS.iter().copied().find(|check| check.name == name)
}

/// Returns the title of a check; empty for a check of another version.
fn title(check: &str) -> &'static str {
    find_check(check).map_or("", |check| check.title)
}

/// Returns name and title of a group's check.
fn heading(group: &[&Finding]) -> String {
    let name = group[0].check.as_str();
    match find_check(name) {
        Some(check) => format!("{name}: {}", check.title),
        None => name.to_owned(),
    }
}

/// Names the schemas of `weigh` itself, and the command that removes them. `None` without any.
fn own_schemas_line(audit: &Audit) -> Option<String> {
    audit.server.describe_own_schemas().map(|schemas| format!("Left out: {schemas}"))
}

fn unseen_lines(audit: &Audit) -> Vec<String> {
    let line = |unseen: &audit::Unseen| {
        let remedy = unseen.remedy.as_ref().map(|remedy| format!("; to see it: {remedy}")).unwrap_or_default();
        format!("{}: {}{remedy}", unseen.what, unseen.why)
    };
    audit.unseen.iter().map(line).collect()
}
