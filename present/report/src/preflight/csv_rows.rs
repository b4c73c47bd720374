//! CSV of findings: a line per finding.

use check::Severity;
use preflight::{Finding, Report};
use serde::Serialize;

use crate::format::csv::to_csv;

/// Columns of a line, in order.
#[derive(Serialize)]
struct Line<'a> {
    severity: Severity,
    check: &'a str,
    schema: &'a str,
    table: Option<&'a str>,
    object: &'a str,
    target: &'a str,
    count: u64,
    in_plan: bool,
    what: &'a str,
    why: &'a str,
    todo: &'a str,
}

/// Returns the findings as CSV with a header.
pub fn csv(report: &Report) -> String {
    to_csv(report.findings.iter().map(line))
}

fn line(finding: &Finding) -> Line<'_> {
    Line {
        severity: finding.severity,
        check: &finding.check,
        schema: &finding.details.schema,
        table: finding.details.table.as_deref(),
        object: &finding.object.name,
        target: &finding.details.target,
        count: finding.details.count,
        in_plan: finding.details.in_plan,
        what: &finding.what,
        why: &finding.why,
        todo: &finding.action,
    }
}
