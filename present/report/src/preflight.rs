//! Report of `weigh preflight`: findings and plan, as text, Markdown, CSV, JSON, and an HTML page.
//!
//! The text shows findings by cause, and where the plan is. Markdown, JSON and the page have every
//! finding and the plan, CSV the findings.

mod conversions;
mod csv_rows;
mod page;
mod rows;
mod script;
mod text;

use std::fmt::Write as _;

use preflight::{Finding, Phase, Plan, Report, Severity};

use crate::format::json::to_json;
use crate::format::markdown as plain;
use crate::format::number::count_noun;
use crate::format::table::Table;

pub use csv_rows::csv;
pub use page::page;
pub use script::{FIRST_LINE, plan_file, plan_output, rollback_file};
use script::{has_comments, script};
pub use text::{PlanFiles, text};

/// Returns the verdict, findings, tables and the plan as Markdown.
pub fn markdown(report: &Report) -> String {
    let mut out = format!("## Preflight: {}\n\n", report.targets.join(", "));
    plain::push_list(&[&[verdict(report)], &head(report)[..]].concat(), &mut out);
    if !report.findings.is_empty() {
        let tables = [rows::finding_table(report), rows::example_table(report)];
        plain::push_tables(&tables.into_iter().filter(|table| !table.rows.is_empty()).collect::<Vec<_>>(), &mut out);
    }
    let conversions = conversions::conversion_table(report, usize::MAX);
    plain::push_tables(&conversions.into_iter().chain(grids(report)).collect::<Vec<_>>(), &mut out);
    let unchecked: Vec<String> = report.unchecked.iter().map(|line| format!("not checked: {line}")).collect();
    plain::push_list(&unchecked, &mut out);
    if let Some(plan) = &report.plan {
        let _ = writeln!(out, "### Plan\n");
        plain::push_code("sql", &printable_sql(&script(plan)), &mut out);
        plain::push_list(&plan.advice, &mut out);
    }
    plain::end_with_newline(out)
}

/// Returns the report as JSON (`schemas/preflight.schema.json`).
pub fn json(report: &Report) -> String {
    to_json(report)
}

/// Builds the tables of columns, sizes and costs. Omits empty tables.
fn grids(report: &Report) -> Vec<Table> {
    [rows::column_table(report), rows::size_table(report), rows::cost_table(report)]
        .into_iter()
        .filter(|table| !table.rows.is_empty())
        .collect()
}

/// Returns one sentence: whether the columns can be converted, what a person must mend before, and
/// what the plan takes care of.
fn verdict(report: &Report) -> String {
    let count = |is: fn(&Finding) -> bool| report.findings.iter().filter(|finding| is(finding)).count() as u64;
    let unsolved = count(|finding| finding.severity == Severity::Error && !finding.details.in_plan);
    let solved = count(|finding| finding.severity == Severity::Error && finding.details.in_plan);
    let warnings = count(|finding| finding.severity == Severity::Warning);
    let blockers = report.blockers().count() as u64;
    let converted: u64 = report.tables.iter().map(|table| table.converted.len() as u64).sum();
    let target = report.targets.join(", ");
    let rest = if report.unchecked.is_empty() {
        String::new()
    } else {
        format!("; {} not checked", count_noun(report.unchecked.len() as u64, "thing"))
    };
    let columns = count_noun(converted, "column");
    let breaks = |count| format!("{} would break or lose data", count_noun(count, "thing"));
    match (converted, unsolved, solved + warnings) {
        (0, 0, 0) => nothing_to_convert(report, &rest),
        (0, 0, _) => {
            format!("{}; {} looked at{rest}.", nothing_to_convert_head(report), count_noun(report.columns, "column"))
        }
        (_, 0, 0) => format!("{columns} can be converted to {target}: nothing breaks{rest}."),
        (_, 0, _) => format!("{columns} can be converted to {target}{}{rest}.", describe_effects(solved, report)),
        _ if blockers == 0 && report.plan.is_some() => format!(
            "{columns} can be converted to {}{}; under {}, {}{rest}.",
            report.targets[0],
            describe_effects(solved, report),
            report.targets[1..].join(" or "),
            breaks(unsolved)
        ),
        _ if solved > 0 => format!(
            "Not yet: {} under {target}, and must be mended first; the plan takes care of {solved} more{rest}.",
            breaks(unsolved)
        ),
        _ => format!("Not yet: {} under {target}{rest}.", breaks(unsolved)),
    }
}

/// Returns the verdict if no column is converted: there is none, or all have the collation or keep
/// their own.
fn nothing_to_convert(report: &Report, rest: &str) -> String {
    let kept: u64 = report.tables.iter().map(|table| table.kept.len() as u64).sum();
    let why = match (report.columns, kept) {
        (0, _) => "no text column is among the tables that were asked for".to_owned(),
        (1, 0) => "the column in question has the collation already".to_owned(),
        (columns, 0) => format!("all {columns} columns in question have the collation already"),
        (columns, kept) => {
            let keep = if kept == 1 { "keeps its own" } else { "keep their own" };
            let converted = columns - kept.min(columns);
            let have = if converted == 1 { "has" } else { "have" };
            format!("{converted} of {columns} columns in question {have} the collation already, {kept} {keep}")
        }
    };
    format!("{}: {why}{rest}.", nothing_to_convert_head(report))
}

fn nothing_to_convert_head(report: &Report) -> String {
    let target = report.targets.join(", ");
    match report.plan.as_ref().map_or(0, |plan| plan.steps.len()) {
        0 => format!("Nothing to convert to {target}"),
        _ => format!("No column to convert to {target}; the plan changes defaults and programs"),
    }
}

/// Says how many errors and warnings the plan takes care of, and how many things behave differently
/// after it.
fn describe_effects(solved_errors: u64, report: &Report) -> String {
    let warnings = || report.findings.iter().filter(|finding| finding.severity == Severity::Warning);
    let solved_warnings = warnings().filter(|finding| finding.details.in_plan).count() as u64;
    let left = warnings().count() as u64 - solved_warnings;
    let solved: Vec<String> = [(solved_errors, "error"), (solved_warnings, "warning")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| if count == 1 { format!("one {noun}") } else { count_noun(count, noun) })
        .collect();
    let different = match left {
        1 => "one thing behaves differently".to_owned(),
        left => format!("{left} things behave differently"),
    };
    match (left, solved.is_empty()) {
        (0, true) => String::new(),
        (0, false) => {
            format!(
                ": the plan takes care of {}; text then compares and sorts by the new collation",
                solved.join(" and ")
            )
        }
        (_, true) => format!("; afterwards {different}"),
        (_, false) => {
            format!("; the plan takes care of {}, and {different} afterwards", solved.join(" and "))
        }
    }
}

/// Tables and programs whose errors a person has to mend.
const LEFT_OUT: &str = "left out of the plan until the errors are mended, with what is tied to it";

/// Warning of a plan that leaves programs out and converts columns.
const REST_WAITS: &str =
    "don't run the rest of the plan before: programs that it leaves out would meet converted columns (error 1267)";

fn head(report: &Report) -> Vec<String> {
    let version = report.version.as_ref().map_or(String::new(), |version| format!(", {version}"));
    let rows: u64 = report.tables.iter().filter_map(|table| table.reading.as_ref()).map(|reading| reading.rows).sum();
    let mut head = vec![format!(
        "{}{version}; {} read, {}",
        report.source,
        count_noun(rows, "row"),
        report.started.replace('T', " ").replace('Z', " UTC")
    )];
    if let Some(plan) = report.plan.as_ref().filter(|plan| !plan.blocked.is_empty()) {
        head.push(format!("{LEFT_OUT}: {}", plan.blocked.join(", ")));
        head.extend(plan.leaves_programs_behind().then(|| REST_WAITS.to_owned()));
    }
    head
}

/// Returns the severity of a finding for someone who has the plan: an error that the plan solves
/// counts as a warning.
fn severity(finding: &Finding) -> Severity {
    match finding.severity {
        Severity::Error if finding.details.in_plan => Severity::Warning,
        severity => severity,
    }
}

/// Returns the highest [`severity`] of the findings.
fn worst(report: &Report) -> Option<Severity> {
    report.findings.iter().map(severity).max()
}

/// Returns `Do: shorten the index by hand`, or what the plan does: `The plan makes it MEDIUMTEXT`.
fn advice(finding: &Finding) -> String {
    match finding.action.strip_prefix("the plan ") {
        Some(rest) if finding.details.in_plan => format!("The plan {rest}"),
        _ => format!("Do: {}", finding.action),
    }
}

/// Returns where the plan was rehearsed, or where its algorithms are from.
fn provenance(plan: &Plan) -> String {
    match &plan.rehearsal {
        Some(rehearsal) => rehearsal.clone(),
        None => format!("not rehearsed; algorithms: {}", plan.algorithms_from),
    }
}

/// Returns the commands of online schema change tools as a shell script: for each table those of
/// gh-ost and pt-online-schema-change, as comments. `None` without a table to convert.
pub fn online_file(report: &Report) -> Option<String> {
    let plan = report.plan.as_ref().filter(|plan| !plan.tools.is_empty())?;
    let mut out = String::from("#!/bin/sh -e\n# Uncomment one command for each table.");
    let has = |phases: &[Phase]| plan.steps.iter().any(|step| phases.contains(&step.phase));
    let others = [
        ("foreign keys", &[Phase::DropForeignKeys, Phase::AddForeignKeys][..]),
        ("repairs", &[Phase::Repair]),
        ("defaults", &[Phase::Defaults]),
        ("programs", &[Phase::Programs]),
        ("histograms", &[Phase::Statistics]),
    ];
    let others: Vec<&str> = others.iter().filter(|(_, phases)| has(phases)).map(|(name, _)| *name).collect();
    if !others.is_empty() {
        let _ = write!(out, " Only the plan has: {}.", others.join(", "));
    }
    out.push_str(
        "\n# Both wait for transactions that use a table, and others wait behind them: gh-ost 3 s (--cut-over-lock-timeout-seconds), \
         pt-online-schema-change 60 s (--set-vars lock_wait_timeout=60). Then they try again.\n",
    );
    let push_comment = |text: &str, out: &mut String| {
        for line in text.lines() {
            let _ = writeln!(out, "# {}", escape::line(line));
        }
    };
    for tool in &plan.tools {
        out.push('\n');
        push_comment(&tool.table, &mut out);
        tool.warnings.iter().for_each(|warning| push_comment(&format!("! {warning}"), &mut out));
        let commands = [&tool.gh_ost, &tool.pt_osc];
        if commands.iter().any(|command| command.is_empty()) {
            out.push_str("# Its names or texts have control characters: convert it by hand, or by the plan.\n");
        }
        commands.iter().for_each(|command| push_comment(command, &mut out));
    }
    Some(out)
}

/// Escapes control characters in SQL that is shown. A statement whose names have any can't be
/// copied: a comment says so.
fn printable_sql(sql: &str) -> String {
    let (mut out, mut end) = (String::with_capacity(sql.len()), 0);
    for token in sql::tokenize(sql, sql::SqlMode::default()).filter(|token| token.kind == sql::TokenKind::QuotedName) {
        out += &escape::text(&sql[end..token.start]);
        out += &escape::line(token.text);
        end = token.end();
    }
    out += &escape::text(&sql[end..]);
    if out == sql {
        return out;
    }
    format!("-- names with control characters are escaped here; --format json has the statements\n{out}")
}
