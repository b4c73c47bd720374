//! Findings as CSV: a line a finding.

use preflight::{Finding, Report};
use serde::Serialize;

use crate::csv_rows::written;

/// The fields of a line, in their order.
#[derive(Serialize)]
struct Line<'a> {
    severity: &'static str,
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

/// The findings as CSV with a header.
pub fn csv(report: &Report) -> String {
    written(report.findings.iter().map(line))
}

fn line(finding: &Finding) -> Line<'_> {
    Line {
        severity: finding.severity.name(),
        check: &finding.check,
        schema: &finding.schema,
        table: finding.table.as_deref(),
        object: &finding.object,
        target: &finding.target,
        count: finding.count,
        in_plan: finding.in_plan,
        what: &finding.what,
        why: &finding.why,
        todo: &finding.todo,
    }
}
