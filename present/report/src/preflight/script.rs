//! The plan as a script for the command-line clients `mysql` and `mariadb`.
//!
//! Definitions are written as the server prints them. No statement is written that a client would
//! misread (`sql::ClientReader`).

use std::fmt::Write as _;

use preflight::{AlterTime, Phase, Plan, Report, Step};
use sql::ClientReader;

use super::{LEFT_OUT, REST_WAITS, provenance, verdict};
use crate::format::number::{count_noun, group_thousands};

/// First line of the files with the plan and with the way back.
pub const FIRST_LINE: &str = "-- weigh preflight\n";

/// Returns the plan as a file for the `mysql` or `mariadb` command-line client, after comments: the
/// verdict, where the plan was rehearsed, objects that are left out, their errors, and advice.
/// Without a plan, the verdict alone.
pub fn plan_file(report: &Report) -> String {
    let mut out = FIRST_LINE.to_owned();
    let mut comment = |text: &str| {
        let _ = writeln!(out, "-- {}", escape::sql_comment(text));
    };
    comment(&verdict(report));
    let Some(plan) = &report.plan else { return out };
    comment(&format!("{}, {}; {}", report.source, report.started, provenance(plan)));
    for blocked in &plan.blocked {
        comment(&format!("{LEFT_OUT}: {blocked}"));
    }
    if plan.leaves_programs_behind() {
        comment(REST_WAITS);
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

/// Returns the plan as [`plan_file`] does, for standard output, which may be a terminal. If a name
/// or text has control characters, all statements are comments, in which these are escaped.
pub fn plan_output(report: &Report) -> String {
    let file = plan_file(report);
    let is_plain = |line: &str| !line.trim_end_matches('\r').contains(|c| escape::is_control(c) && c != '\t');
    if file.split('\n').all(is_plain) {
        return file;
    }
    let mut out = String::from(
        "-- names or texts have control characters, which a terminal obeys: all is a comment here; --plan FILE writes the plan\n",
    );
    for line in file.lines() {
        let mark = if line.starts_with("-- ") || line.is_empty() { "" } else { "-- " };
        let _ = writeln!(out, "{mark}{}", escape::sql_comment(line));
    }
    out
}

/// Returns the statements that undo the plan, as a file for the client.
pub fn rollback_file(report: &Report) -> String {
    let mut out = FIRST_LINE.to_owned();
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
    if let Some(step) = find_misread(steps) {
        let object = escape::sql_comment(&step.object);
        let _ = writeln!(out, "-- nothing is written: a client would misread the statement of {object}");
        return;
    }
    let (mut phase, mut reader, mut shown) = (None, ClientReader::default(), ClientReader::default());
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
        push_how(step, out);
        if step.blocked {
            out.push_str("-- left out until the errors are mended:\n");
            push_comment(step, "-- ", &mut shown, out);
        } else {
            let _ = writeln!(out, "{}", statement(step));
            out.push_str(&step.read_as_client(&mut reader).unwrap_or_default());
            let _ = step.read_as_client(&mut shown);
        }
    }
}

/// Returns the first step that a client would misread in a script of the steps that aren't blocked.
/// `None` unless the plan was changed after its checks.
fn find_misread(steps: &[Step]) -> Option<&Step> {
    let mut reader = ClientReader::default();
    steps.iter().filter(|step| !step.blocked).find(|step| step.read_as_client(&mut reader).is_err())
}

/// Writes a statement as comments. Leaves it out if a client would misread it without the marks of
/// the comments.
fn push_comment(step: &Step, mark: &str, reader: &mut ClientReader, out: &mut String) {
    if step.read_as_client(reader).is_err() {
        let object = escape::sql_comment(&step.object);
        let _ = writeln!(out, "{mark}{object}: a client would misread the statement; --format json has it");
        return;
    }
    for line in statement(step).lines() {
        let _ = writeln!(out, "{mark}{line}");
    }
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
        out.push_str("\n-- afterwards: each of these returns no row, but for children that had no parent before\n");
        let mut reader = ClientReader::default();
        for query in plan.verification.iter().filter(|query| reader.read(query, ";", false).is_ok()) {
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
pub(super) fn has_comments(plan: &Plan) -> bool {
    let has_comment = |step: &&Step| ["/*", "-- ", "#"].iter().any(|start| step.sql.contains(start));
    plan.steps.iter().filter(|step| step.phase == Phase::Programs && !step.blocked).any(|step| has_comment(&step))
}

/// Writes what brings back foreign keys and programs after a plan that stopped, as comments.
fn push_put_back(plan: &Plan, out: &mut String) {
    if plan.put_back.is_empty() {
        return;
    }
    out.push_str("\n-- only if the plan stopped half-way: what it took away, as it was; run what is missing\n");
    let mut reader = ClientReader::default();
    plan.put_back.iter().for_each(|step| push_comment(step, "--   ", &mut reader, out));
}

/// Returns a step's statement with its delimiter.
fn statement(step: &Step) -> String {
    match step.own_delimiter() {
        Some(delimiter) => format!("DELIMITER {delimiter}\n{}\n{delimiter}\nDELIMITER ;", step.sql),
        None => format!("{};", step.sql),
    }
}

/// Writes a step's algorithm, note and time as a comment.
fn push_how(step: &Step, out: &mut String) {
    let parts =
        [step.algorithm.map(|algorithm| algorithm.name().to_owned()), step.note.clone(), step.time.map(describe_time)];
    let how: Vec<String> = parts.into_iter().flatten().collect();
    if !how.is_empty() {
        let _ = writeln!(out, "-- {}", escape::sql_comment(&format!("{}: {}", step.object, how.join("; "))));
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
        push_steps(&[name, body], &mut script);
        let lines: Vec<_> = script.lines().collect();
        assert_eq!(lines[1], "-- d.t\\nDROP DATABASE victim;-- x: copied");
        assert_eq!(lines[6], "DELIMITER //");
        assert_eq!(lines[8..], ["//", "DELIMITER ;"]);
        let statements = sql::split_statements(&script, sql::SqlMode::default());
        assert_eq!(statements.count(), 2, "{script}");
    }

    #[test]
    fn statements_that_a_client_misreads_are_not_written() {
        let body = "CREATE PROCEDURE p() BEGIN SET @a = 1; --\u{1f}' \n SET @b = '\\! touch x\n'; END";
        let blocked = Step { blocked: true, ..step(Phase::Programs, "d.p", body) };
        let harmless = step(Phase::Programs, "d.q", "CREATE PROCEDURE q() BEGIN SELECT 'can\\'t'; END");
        let mut plan = Plan { steps: vec![blocked, harmless], ..Plan::default() };
        plan.put_back = plan.steps.clone();
        let text = script(&plan);
        assert!(!text.contains("touch") && text.contains("d.p: a client would misread"), "{text}");
        assert!(text.contains("$$\nDELIMITER ;\n-- ' (closes"), "{text}");
        plan.steps[0].blocked = false;
        let text = script(&plan);
        assert!(!text.contains("\nCREATE") && text.contains("-- nothing is written: "), "{text}");
    }
}
