//! Report of `weigh preflight`: findings and plan, as text, Markdown, CSV, JSON, and an HTML page.
//!
//! The text shows findings by cause, and where the plan is. Markdown, JSON and the page have every
//! finding and the plan, CSV the findings.

mod conversions;
mod csv_rows;
mod page;
mod rows;
mod text;

use std::fmt::Write as _;

use preflight::{AlterTime, Finding, Phase, Plan, Report, Severity, Step};

use crate::format::json::to_json;
use crate::format::markdown as plain;
use crate::format::number::{count_noun, group_thousands};
use crate::format::table::Table;

pub use csv_rows::csv;
pub use page::page;
pub use text::{PlanFiles, text};

/// Returns the verdict, findings, tables and the plan as Markdown.
pub fn markdown(report: &Report) -> String {
    let mut out = format!("## Preflight: {}\n\n", report.targets.join(", "));
    plain::push_list(&[&[verdict(report)], &head(report)[..]].concat(), &mut out);
    if !report.findings.is_empty() {
        plain::push_tables(&[rows::finding_table(report)], &mut out);
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

/// Returns the verdict if no column needs a conversion: all have the collation, or keep their own.
fn nothing_to_convert(report: &Report, rest: &str) -> String {
    let kept: u64 = report.tables.iter().map(|table| table.kept.len() as u64).sum();
    let why = match (report.columns, kept) {
        (0, _) => "no text column is among the tables that were asked for".to_owned(),
        (1, 0) => "the column in question has the collation already".to_owned(),
        (columns, 0) => format!("all {columns} columns in question have the collation already"),
        (columns, kept) => format!(
            "{} of {columns} columns in question have the collation already, {kept} keep their own",
            columns - kept.min(columns)
        ),
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
            format!(": the plan takes care of {}, nothing behaves differently afterwards", solved.join(" and "))
        }
        (_, true) => format!("; afterwards {different}"),
        (_, false) => {
            format!("; the plan takes care of {}, and {different} afterwards", solved.join(" and "))
        }
    }
}

/// Tables and programs whose errors a person has to mend.
const LEFT_OUT: &str = "left out of the plan until the errors are mended, with what is tied to it";

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

/// Returns the plan as a file for the `mysql` or `mariadb` command-line client, after comments: the
/// verdict, where the plan was rehearsed, objects that are left out, their errors, and advice.
/// Without a plan, the verdict alone.
pub fn plan_file(report: &Report) -> String {
    let mut out = String::new();
    let mut comment = |text: &str| {
        let _ = writeln!(out, "-- {}", escape::sql_comment(text));
    };
    comment(&verdict(report));
    let Some(plan) = &report.plan else { return out };
    comment(&format!("{}, {}; {}", report.source, report.started, provenance(plan)));
    for blocked in &plan.blocked {
        comment(&format!("{LEFT_OUT}: {blocked}"));
    }
    for blocker in report.blockers() {
        comment(&format!("error: {}: {} [{}]", blocker.object.name, blocker.what, blocker.check));
    }
    for advice in &plan.advice {
        comment(advice);
    }
    out.push('\n');
    out + &script(plan)
}

/// Returns the statements that undo the plan, as a file for the client.
pub fn rollback_file(report: &Report) -> String {
    let mut out = String::new();
    let mut comment = |text: &str| {
        let _ = writeln!(out, "-- {}", escape::sql_comment(text));
    };
    let Some(plan) = &report.plan else { return out };
    comment(
        "Back: restores the definitions after the whole plan. Text that the old character set can't hold stops it, and nothing is lost.",
    );
    match &plan.rehearsal {
        Some(_) => comment("rehearsed after the plan; what is not as it was afterwards:"),
        None => comment("not rehearsed"),
    }
    if plan.rehearsal.is_some() && plan.not_restored.is_empty() {
        comment("nothing");
    }
    for lost in &plan.not_restored {
        comment(lost);
    }
    out.push('\n');
    if has_comments(plan) {
        out.push_str(COMMENTS_GUARD);
    }
    push_lock_holders(plan, &mut out);
    push_steps(&plan.back, &mut out);
    out
}

/// Writes how to see the transactions that a statement waits for, as a comment.
fn push_lock_holders(plan: &Plan, out: &mut String) {
    if !plan.lock_holders.is_empty() {
        let _ =
            writeln!(out, "-- who uses a table that a statement waits for (error 1205):\n--   {};", plan.lock_holders);
    }
    if let Some(hint) = &plan.lock_holders_hint {
        let _ = writeln!(out, "--   {hint}");
    }
}

fn push_steps(steps: &[Step], out: &mut String) {
    let mut phase = None;
    for step in steps {
        if phase != Some(step.phase) {
            if phase.is_some() {
                out.push('\n');
            }
            let _ = writeln!(out, "-- {}", phase_title(step.phase));
            if step.phase == Phase::DropForeignKeys && !step.sql.contains(" IF EXISTS ") {
                out.push_str("-- when this runs again after a stop: delete those that are gone (error 1091)\n");
            }
            phase = Some(step.phase);
        }
        push_step(step, out);
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
        push_comment(&tool.gh_ost, &mut out);
        push_comment(&tool.pt_osc, &mut out);
    }
    Some(out)
}

/// Returns the plan as a script for the `mysql` command-line client.
///
/// The client stops at the first error. To go on by hand, delete what has run, but not the
/// session's settings.
pub fn script(plan: &Plan) -> String {
    let mut out = String::new();
    if has_comments(plan) {
        out.push_str(COMMENTS_GUARD);
    }
    push_lock_holders(plan, &mut out);
    push_steps(&plan.steps, &mut out);
    push_put_back(plan, &mut out);
    if !plan.verification.is_empty() {
        out.push_str("\n-- afterwards: each of these returns no row\n");
        for query in &plan.verification {
            let _ = writeln!(out, "{query};");
        }
    }
    out
}

/// Fails if the client has removed comments from the statement. `mariadb`, and `mysql` before 8.1,
/// do so without the option `--comments`.
const COMMENTS_GUARD: &str = "\
-- run this by a client with --comments: comments in the bodies of programs would be lost otherwise
SET @weigh_comments = (SELECT IF(INFO LIKE CONCAT('%weigh', ' keeps%'), 1, (SELECT 'run the client with --comments' UNION SELECT '')) \
FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()) /* weigh keeps comments */;

";

/// True if a program of the plan may have a comment.
fn has_comments(plan: &Plan) -> bool {
    let has_comment = |step: &&Step| ["/*", "-- ", "#"].iter().any(|start| step.sql.contains(start));
    plan.steps.iter().filter(|step| step.phase == Phase::Programs && !step.blocked).any(|step| has_comment(&step))
}

/// Writes what brings back foreign keys and programs after a plan that stopped, as comments.
fn push_put_back(plan: &Plan, out: &mut String) {
    if plan.put_back.is_empty() {
        return;
    }
    out.push_str("\n-- only if the plan stopped half-way: what it took away, as it was; run what is missing\n");
    for step in &plan.put_back {
        for line in statement(step).lines() {
            let _ = writeln!(out, "--   {line}");
        }
    }
}

/// Returns a step's statement with its delimiter.
fn statement(step: &Step) -> String {
    // The body of a stored program contains semicolons.
    if step.phase == Phase::Programs && step.sql.contains(';') {
        let delimiter = escape::delimiter(&step.sql);
        format!("DELIMITER {delimiter}\n{}\n{delimiter}\nDELIMITER ;", step.sql)
    } else {
        format!("{};", step.sql)
    }
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

fn push_step(step: &Step, out: &mut String) {
    if step.blocked {
        let _ = writeln!(out, "-- left out until the errors are mended:");
    }
    let parts =
        [step.algorithm.map(|algorithm| algorithm.name().to_owned()), step.note.clone(), step.time.map(describe_time)];
    let how: Vec<String> = parts.into_iter().flatten().collect();
    if !how.is_empty() {
        let _ = writeln!(out, "-- {}", escape::sql_comment(&format!("{}: {}", step.object, how.join("; "))));
    }
    let statement = statement(step);
    if step.blocked {
        for line in statement.lines() {
            let _ = writeln!(out, "-- {line}");
        }
    } else {
        let _ = writeln!(out, "{statement}");
    }
}

fn describe_time(time: AlterTime) -> String {
    let rows = |rows: u64| group_thousands(rows as f64);
    let sample = if time.sample_rows < time.rows {
        format!(" ({} took {:.1} s on a private server)", rows(time.sample_rows), time.sample_seconds)
    } else {
        " (on a private server)".into()
    };
    format!("{} for {}{sample}", time.display(), count_noun(time.rows, "row"))
}

fn phase_title(phase: Phase) -> &'static str {
    match phase {
        Phase::Session => "the session",
        Phase::DropForeignKeys => "foreign keys go",
        Phase::Convert => "columns",
        Phase::Defaults => "defaults of tables and schemas, apart from the columns",
        Phase::AddForeignKeys => "foreign keys come back",
        Phase::Programs => "programs that keep an old collation, or their place among others",
        Phase::Repair => "double-encoded text, row by row, while foreign keys and triggers are away",
        Phase::Statistics => "histograms, which a conversion drops",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(phase: Phase, object: &str, sql: &str) -> Step {
        let note = Some("copied".to_owned());
        Step {
            phase,
            object: object.to_owned(),
            sql: sql.to_owned(),
            algorithm: None,
            note,
            time: None,
            blocked: false,
        }
    }

    #[test]
    fn names_and_bodies_stay_in_their_statements() {
        let name = step(Phase::Convert, "d.t\nDROP DATABASE victim;-- x", "ALTER TABLE `d`.`t`");
        let body = step(Phase::Programs, "d.p", "CREATE PROCEDURE p() BEGIN SELECT '$$'; DROP DATABASE victim; END");
        let mut script = String::new();
        [name, body].iter().for_each(|step| push_step(step, &mut script));
        let lines: Vec<_> = script.lines().collect();
        assert_eq!(lines[0], "-- d.t\\nDROP DATABASE victim;-- x: copied");
        assert_eq!(lines[3], "DELIMITER //");
        assert_eq!(lines[5..], ["//", "DELIMITER ;"]);
        let statements = sql::split_statements(&script, sql::SqlMode::default());
        assert_eq!(statements.len(), 2, "{statements:#?}");
    }
}
