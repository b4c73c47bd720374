//! What `weigh audit` found, for a terminal, a page, a ticket, a spreadsheet and a program.

mod list;
mod page;

use std::fmt::Write as _;

use audit::{Audit, Finding, Severity};
use serde::Serialize;

pub use list::{list, one};
pub use page::page;

use crate::content::document;
use crate::csv_rows::written;
use crate::markdown as md;
use crate::number::counted;
use crate::text::{Style, paragraph};

/// The findings as JSON (`schemas/audit.schema.json`).
pub fn json(audit: &Audit) -> String {
    document(audit)
}

/// For a terminal: the verdict first, then the findings by check, then what could not be seen.
pub fn text(audit: &Audit, style: Style) -> String {
    let mut out = String::new();
    paragraph("", &[read(audit), style.bold(&verdict(audit))], &mut out);
    for group in groups(audit) {
        let _ = writeln!(out, "\n{}", style.bold(&heading(&group)));
        // What several findings have in common is said once, after the last of them.
        for same in group.chunk_by(|a, b| (&a.why, &a.action) == (&b.why, &b.action)) {
            for finding in same {
                let severity = style.severity(finding.severity);
                let _ = writeln!(out, "  {severity} {}: {}", finding.object, finding.what);
            }
            let _ = writeln!(out, "          Why: {}\n          Do:  {}", same[0].why, same[0].action);
        }
    }
    paragraph("cannot see ", &unseen(audit), &mut out);
    out
}

/// The same in Markdown.
pub fn markdown(audit: &Audit) -> String {
    let mut out = format!("## {}\n\n", md::escaped(&verdict(audit)));
    md::list(&[read(audit)], &mut out);
    for group in groups(audit) {
        let _ = writeln!(
            out,
            "### {}\n\n| severity | object | what | why | do |\n| --- | --- | --- | --- | --- |",
            md::escaped(&heading(&group))
        );
        for finding in &group {
            let fields = [&finding.object.to_string(), &finding.what, &finding.why, &finding.action]
                .map(|text| md::escaped(text));
            let _ = writeln!(out, "| {} | {} |", finding.severity, fields.join(" | "));
        }
        out.push('\n');
    }
    let unseen: Vec<String> = unseen(audit).into_iter().map(|line| format!("cannot see {line}")).collect();
    md::list(&unseen, &mut out);
    md::ended(out)
}

/// The fields of a line of CSV, in their order.
#[derive(Serialize)]
struct Line<'a> {
    severity: Severity,
    check: &'a str,
    kind: String,
    object: &'a str,
    what: &'a str,
    why: &'a str,
    action: &'a str,
}

/// A line a finding, with a header.
pub fn csv(audit: &Audit) -> String {
    written(audit.findings.iter().map(|finding| Line {
        severity: finding.severity,
        check: &finding.check,
        kind: finding.object.kind.to_string(),
        object: &finding.object.name,
        what: &finding.what,
        why: &finding.why,
        action: &finding.action,
    }))
}

/// What was read.
fn read(audit: &Audit) -> String {
    let server = &audit.server;
    let mut parts = vec![
        counted(server.schemas.len() as u64, "schema"),
        counted(server.tables, "table"),
        counted(server.columns, "column"),
    ];
    if server.sampled_rows > 0 {
        parts.push(format!("a sample of {}", counted(server.sampled_rows, "row")));
    }
    if server.statements > 0 {
        parts.push(counted(server.statements, "statement"));
    }
    let target = audit.target.as_ref().map(|target| format!("; target {target}")).unwrap_or_default();
    format!("{} ({}): {}{target}", server.label, server.version, parts.join(", "))
}

/// How many findings, of which weight.
fn verdict(audit: &Audit) -> String {
    let checks = counted(audit.checks.len() as u64, "check");
    if audit.findings.is_empty() {
        let but = if audit.unseen.is_empty() { "" } else { ", but not all could be seen" };
        return format!("Nothing found by {checks}{but}.");
    }
    let of = |severity: Severity| match audit.count(severity) {
        0 => None,
        count => Some(counted(count as u64, &severity.to_string())),
    };
    let parts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note].into_iter().filter_map(of).collect();
    format!("{} by {checks}: {}.", counted(audit.findings.len() as u64, "finding"), parts.join(", "))
}

/// Findings by check; the check with the worst finding first.
fn groups(audit: &Audit) -> Vec<Vec<&Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in &audit.findings {
        match groups.iter_mut().find(|group| group[0].check == finding.check) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}

/// The check's name and what it is for.
fn heading(group: &[&Finding]) -> String {
    let name = group[0].check.as_str();
    match audit::CHECKS.iter().find(|check| check.name == name) {
        Some(check) => format!("{name}: {}", check.title),
        None => name.to_owned(),
    }
}

fn unseen(audit: &Audit) -> Vec<String> {
    let line = |unseen: &audit::Unseen| {
        let remedy = unseen.remedy.as_ref().map(|remedy| format!("; to see it: {remedy}")).unwrap_or_default();
        format!("{}: {}{remedy}", unseen.what, unseen.why)
    };
    audit.unseen.iter().map(line).collect()
}
