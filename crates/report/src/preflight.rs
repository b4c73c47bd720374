//! What a conversion breaks, and the plan: for a terminal, a ticket, a spreadsheet, a program and a browser.

mod csv_rows;
mod page;
mod rows;

use std::fmt::Write as _;

use preflight::trial::lasting;
use preflight::{AlterTime, Finding, Phase, Plan, Report, Severity, Step};

use crate::content::document;
use crate::markdown as plain;
use crate::number::{counted, grouped};
use crate::table::Table;
use crate::text::{self, Style, paragraph};

pub use csv_rows::csv;
pub use page::page;

/// Findings, tables and plan for a terminal: the verdict first.
pub fn text(report: &Report, style: Style) -> String {
    let mut out = format!("{}\n", verdict(report));
    paragraph("", &head(report), &mut out);
    for finding in &report.findings {
        out.push('\n');
        finding_text(finding, &mut out);
    }
    text::titled(&grids(report), style, &mut out);
    paragraph("not checked: ", &report.unchecked, &mut out);
    if let Some(plan) = &report.plan {
        plan_text(plan, &mut out);
    }
    paragraph("note: ", &report.notes, &mut out);
    out
}

/// The same in Markdown.
pub fn markdown(report: &Report) -> String {
    let mut out = format!("## Preflight: {}\n\n", report.targets.join(", "));
    plain::list(&[&[verdict(report)], &head(report)[..]].concat(), &mut out);
    if !report.findings.is_empty() {
        plain::titled(&[rows::findings(report)], &mut out);
    }
    plain::titled(&grids(report), &mut out);
    let unchecked: Vec<String> = report.unchecked.iter().map(|line| format!("not checked: {line}")).collect();
    plain::list(&unchecked, &mut out);
    if let Some(plan) = &report.plan {
        let _ = writeln!(out, "### Plan\n\n```sql\n{}```\n", script(plan));
        plain::list(&plan.advice, &mut out);
    }
    plain::ended(out)
}

/// The report as JSON (`schemas/preflight.schema.json`).
pub fn json(report: &Report) -> String {
    document(report)
}

/// Columns and tables, where there are any.
fn grids(report: &Report) -> Vec<Table> {
    [rows::columns(report), rows::tables(report), rows::costs(report)]
        .into_iter()
        .filter(|table| !table.rows.is_empty())
        .collect()
}

/// One sentence: can it be converted?
fn verdict(report: &Report) -> String {
    let of = |severity| report.findings.iter().filter(|finding| finding.severity == severity).count() as u64;
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let converted: u64 = report.tables.iter().map(|table| table.converted.len() as u64).sum();
    let target = report.targets.join(", ");
    let rest = if report.unchecked.is_empty() {
        String::new()
    } else {
        format!("; {} not checked", counted(report.unchecked.len() as u64, "thing"))
    };
    match (converted, errors, warnings) {
        (0, 0, 0) => format!("Nothing to convert to {target}{rest}."),
        (_, 0, 0) => format!("{} can be converted to {target}: nothing breaks{rest}.", counted(converted, "column")),
        (_, 0, _) => format!(
            "{} can be converted to {target}; afterwards {} otherwise{rest}.",
            counted(converted, "column"),
            behaves(warnings)
        ),
        _ => format!("Not yet: {} would break or lose data under {target}{rest}.", counted(errors, "thing")),
    }
}

fn behaves(warnings: u64) -> String {
    if warnings == 1 { "one thing behaves".into() } else { format!("{warnings} things behave") }
}

fn head(report: &Report) -> Vec<String> {
    let version = report.version.as_ref().map_or(String::new(), |version| format!(", {version}"));
    let rows: u64 = report.tables.iter().filter_map(|table| table.reading.as_ref()).map(|reading| reading.rows).sum();
    let mut head = vec![format!(
        "{}{version}; {} read, {}",
        report.source,
        counted(rows, "row"),
        report.started.replace('T', " ").replace('Z', " UTC")
    )];
    if let Some(plan) = report.plan.as_ref().filter(|plan| !plan.blocked.is_empty()) {
        head.push(format!("the server will refuse: {}", plan.blocked.join(", ")));
    }
    head
}

/// How many groups, examples and statements a terminal shows of a finding.
const SHOWN: usize = 5;

fn finding_text(finding: &Finding, out: &mut String) {
    let _ = writeln!(out, "{}: {} ({}): {}", finding.severity.name(), finding.object, finding.check, finding.what);
    let _ = writeln!(out, "  why: {}", finding.why);
    let _ = writeln!(out, "  do:  {}", finding.todo);
    for line in rows::details(finding, SHOWN) {
        let _ = writeln!(out, "  - {line}");
    }
    for statement in finding.statements.iter().take(SHOWN) {
        let _ = writeln!(out, "  {statement};");
    }
    if finding.statements.len() > SHOWN {
        let _ = writeln!(out, "  and {} more statements (--format json)", finding.statements.len() - SHOWN);
    }
}

fn plan_text(plan: &Plan, out: &mut String) {
    let _ = writeln!(out, "\nPlan (printed, never run; algorithms: {})\n", plan.algorithms_from);
    out.push_str(&script(plan));
    paragraph("", &plan.advice, out);
    out.push_str("\nThe same by online schema change tools\n");
    for tool in &plan.tools {
        let _ = writeln!(out, "\n-- {}\n{}\n{}", tool.table, tool.gh_ost, tool.pt_osc);
        for warning in &tool.warnings {
            let _ = writeln!(out, "  ! {warning}");
        }
    }
}

/// The plan as a script for the servers' command-line client.
pub fn script(plan: &Plan) -> String {
    let mut out = String::new();
    let mut phase = None;
    for step in &plan.steps {
        if phase != Some(step.phase) {
            if phase.is_some() {
                out.push('\n');
            }
            let _ = writeln!(out, "-- {}", title(step.phase));
            phase = Some(step.phase);
        }
        step_text(step, &mut out);
    }
    if !plan.verification.is_empty() {
        out.push_str("\n-- afterwards: each of these returns no row\n");
        for query in &plan.verification {
            let _ = writeln!(out, "{query};");
        }
    }
    out
}

fn step_text(step: &Step, out: &mut String) {
    if step.blocked {
        let _ = writeln!(out, "-- waits for the findings of its table:");
    }
    let parts = [step.algorithm.map(|algorithm| algorithm.name().to_owned()), step.note.clone(), step.time.map(time)];
    let how: Vec<String> = parts.into_iter().flatten().collect();
    if !how.is_empty() {
        let _ = writeln!(out, "-- {}: {}", step.object, how.join("; "));
    }
    // A program's body has semicolons of its own.
    let statement = if step.phase == Phase::Programs && step.sql.contains(';') {
        format!("DELIMITER $$\n{}$$\nDELIMITER ;", step.sql)
    } else {
        format!("{};", step.sql)
    };
    if step.blocked {
        for line in statement.lines() {
            let _ = writeln!(out, "-- {line}");
        }
    } else {
        let _ = writeln!(out, "{statement}");
    }
}

fn time(time: AlterTime) -> String {
    let rows = |rows: u64| grouped(rows as f64);
    let sample = if time.sample_rows < time.rows {
        format!(" ({} took {:.1} s on a private server)", rows(time.sample_rows), time.sample_seconds)
    } else {
        " (on a private server)".into()
    };
    format!("about {} for {} rows{sample}", lasting(time.seconds), rows(time.rows))
}

fn title(phase: Phase) -> &'static str {
    match phase {
        Phase::Session => "the session",
        Phase::DropForeignKeys => "foreign keys go",
        Phase::Convert => "columns",
        Phase::Defaults => "defaults of tables and schemas, apart from the columns",
        Phase::AddForeignKeys => "foreign keys come back",
        Phase::Programs => "programs that keep an old collation",
        Phase::Repair => "double-encoded text, row by row",
    }
}
