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

/// Returns one sentence: whether the columns can be converted.
fn verdict(report: &Report) -> String {
    let of = |severity| report.findings.iter().filter(|finding| finding.severity == severity).count() as u64;
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let converted: u64 = report.tables.iter().map(|table| table.converted.len() as u64).sum();
    let target = report.targets.join(", ");
    let rest = if report.unchecked.is_empty() {
        String::new()
    } else {
        format!("; {} not checked", count_noun(report.unchecked.len() as u64, "thing"))
    };
    match (converted, errors, warnings) {
        (0, 0, 0) => nothing_to_convert(report, &rest),
        (0, 0, _) => {
            format!("{}; {} looked at{rest}.", nothing_to_convert_head(report), count_noun(report.columns, "column"))
        }
        (_, 0, 0) => format!("{} can be converted to {target}: nothing breaks{rest}.", count_noun(converted, "column")),
        (_, 0, _) => format!(
            "{} can be converted to {target}{}{rest}.",
            count_noun(converted, "column"),
            describe_warnings(report, warnings)
        ),
        _ => format!("Not yet: {} would break or lose data under {target}{rest}.", count_noun(errors, "thing")),
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

/// Says how many warnings the plan takes care of, and how many things behave differently after it.
fn describe_warnings(report: &Report, warnings: u64) -> String {
    let is_solved =
        |finding: &&Finding| finding.severity == Severity::Warning && finding.details.in_plan && report.plan.is_some();
    let solved = report.findings.iter().filter(is_solved).count() as u64;
    let solved_part = match solved {
        0 => String::new(),
        1 => "the plan takes care of one warning".to_owned(),
        _ => format!("the plan takes care of {solved} warnings"),
    };
    match (warnings - solved, solved) {
        (0, _) => format!(": {solved_part}, nothing behaves differently afterwards"),
        (1, 0) => "; afterwards one thing behaves differently".to_owned(),
        (left, 0) => format!("; afterwards {left} things behave differently"),
        (1, _) => format!("; {solved_part}, and one thing behaves differently afterwards"),
        (left, _) => format!("; {solved_part}, and {left} things behave differently afterwards"),
    }
}

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
        head.push(format!("the server will refuse: {}", plan.blocked.join(", ")));
    }
    head
}

/// Returns where the plan was rehearsed, or where its algorithms are from.
fn provenance(plan: &Plan) -> String {
    match &plan.rehearsal {
        Some(rehearsal) => rehearsal.clone(),
        None => format!("not rehearsed; algorithms: {}", plan.algorithms_from),
    }
}

/// Returns the plan as a file for the `mysql` or `mariadb` command-line client, after comments: the
/// verdict, where the plan was rehearsed, objects that are left out, and advice. Without a plan,
/// the verdict alone.
pub fn plan_file(report: &Report) -> String {
    let mut out = String::new();
    let mut comment = |text: &str| {
        let _ = writeln!(out, "-- {}", escape::sql_comment(text));
    };
    comment(&verdict(report));
    let Some(plan) = &report.plan else { return out };
    comment(&format!("{}, {}; {}", report.source, report.started, provenance(plan)));
    for blocked in &plan.blocked {
        comment(&format!("left out, with what is tied to it: {blocked}"));
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
    push_steps(&plan.back, &mut out);
    out
}

fn push_steps(steps: &[Step], out: &mut String) {
    let mut phase = None;
    for step in steps {
        if phase != Some(step.phase) {
            if phase.is_some() {
                out.push('\n');
            }
            let _ = writeln!(out, "-- {}", phase_title(step.phase));
            phase = Some(step.phase);
        }
        push_step(step, out);
    }
}

/// Returns the commands of online schema change tools as a shell script: for each table those of
/// gh-ost and pt-online-schema-change, as comments. `None` without a table to convert.
pub fn online_file(report: &Report) -> Option<String> {
    let plan = report.plan.as_ref().filter(|plan| !plan.tools.is_empty())?;
    let mut out = String::from(
        "#!/bin/sh -e\n# Uncomment one command for each table. Defaults, foreign keys and programs: see the plan.\n",
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
        let _ = writeln!(out, "-- waits for the findings of its table:");
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
