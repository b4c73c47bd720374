//! The report of a preflight for a terminal: about two screens.

use preflight::checks::CHECKS;
use preflight::{ConversionDetails, Finding, Plan, Report, Severity};
use sql::ClientReader;

use super::{advice, conversions, has_comments, printable_sql, provenance, rows, script, severity, verdict, worst};
use crate::causes::{Cause, causes, color, mark, summarise};
use crate::format::number::{count_noun, name_server};
use crate::format::text::{RED, Style, YELLOW, push_grid, push_tables};

/// Files that the plan and the report were written to.
#[derive(Clone, Debug, Default)]
pub struct PlanFiles {
    /// Script for the server's command-line client.
    pub plan: Option<String>,
    /// Script with the commands of gh-ost and pt-online-schema-change.
    pub online: Option<String>,
    /// The report as an HTML page.
    pub page: Option<String>,
    /// Words of the command that opens a client on the server that was read, without a password.
    /// Empty if the plan can't be run there.
    pub client: Vec<String>,
    /// Schemas of the plan in which the account that read them may not alter a table.
    pub not_altered: Vec<String>,
    /// Groups, examples and statements that a finding lists, at most. `None`: a few.
    pub examples: Option<usize>,
}

const MAX_CAUSES: usize = 6;
const MAX_TABLES: usize = 8;
/// Maximum number of examples, and of statements, of a cause.
const MAX_EXAMPLES: usize = 2;
const MAX_REMARKS: usize = 3;
/// Maximum number of schemas that a line names.
const MAX_SCHEMAS: usize = 3;
const INDENT: &str = "    ";
const LOCK_WAIT: &str = "If it stops with error 1205, a transaction uses a table, and the statement has changed nothing: the plan says \
                         how to find the transaction; end it, and run the plan again.";

/// Returns the report for a terminal: verdict, findings by cause, tables, and where the plan is.
pub fn text(report: &Report, files: &PlanFiles, style: Style) -> String {
    let mut out = String::new();
    let (sign, paint) = verdict_mark(report);
    style.push_wrapped_marked(sign, paint, "  ", &verdict(report), &mut out);
    style.push_wrapped("", "  ", &scope(report), &mut out);
    push_findings(report, files, style, &mut out);
    push_tables_to_convert(report, style, &mut out);
    let costs = rows::cost_table(report);
    if !costs.rows.is_empty() {
        push_tables(&[costs], style, &mut out);
    }
    if let Some(plan) = &report.plan {
        push_plan(plan, files, style, &mut out);
    }
    push_remarks("Not checked: ", &report.unchecked, style, &mut out);
    push_remarks("Note: ", &report.notes, style, &mut out);
    push_next(report, files, style, &mut out);
    out
}

/// Names the page, and the next step: mend the errors, or run the plan.
fn push_next(report: &Report, files: &PlanFiles, style: Style, out: &mut String) {
    if let Some(page) = &files.page {
        style.push_wrapped("Page: ", "  ", page, out);
    }
    let fails = report.blockers().next().is_some();
    match &files.plan {
        _ if fails => style.push_wrapped("Next: ", "  ", "mend the errors (✗), then run this again.", out),
        Some(_) if files.client.is_empty() => style.push_wrapped("Next: ", "  ", "read the plan.", out),
        Some(plan) => {
            let who = match files.not_altered.as_slice() {
                [] => String::new(),
                schemas => format!(
                    " as an account that may ALTER (this one may not in {})",
                    message::list_names(schemas, MAX_SCHEMAS)
                ),
            };
            style.push_wrapped("Next: ", "  ", &format!("read the plan, then run it{who}:"), out);
            // Never wrapped, so that a user can copy the command.
            out.push_str(&format!("  {}\n", plan_command(report, files, plan)));
            style.push_wrapped("", "  ", LOCK_WAIT, out);
        }
        None => {}
    }
}

/// Returns the shell command that runs the plan.
fn plan_command(report: &Report, files: &PlanFiles, plan: &str) -> String {
    let shown = |word: &String| match word.starts_with("--user=") && !files.not_altered.is_empty() {
        true => "--user=ACCOUNT".to_owned(),
        false => escape::shown_shell_word(word),
    };
    let mut words: Vec<String> = files.client.iter().map(shown).collect();
    if report.plan.as_ref().is_some_and(has_comments) {
        words.push("--comments".to_owned());
    }
    // In gbk and the like, a character's last byte can be that of a backslash or a backtick.
    if report.plan.as_ref().is_some_and(|plan| !script(plan).is_ascii()) {
        words.push("--default-character-set=utf8mb4".to_owned());
    }
    format!("{} < {}", words.join(" "), escape::shown_shell_word(plan))
}

fn verdict_mark(report: &Report) -> (&'static str, Option<&'static str>) {
    match worst(report) {
        Some(Severity::Error) => ("✗ ", Some(RED)),
        Some(Severity::Warning) => ("! ", Some(YELLOW)),
        _ => ("✓ ", None),
    }
}

/// Returns `db1 · 10.11.19-MariaDB · 13,006 rows of 5 tables read in 0.1 s`.
fn scope(report: &Report) -> String {
    let readings = || report.tables.iter().filter_map(|table| table.reading.as_ref());
    let rows: u64 = readings().map(|reading| reading.rows).sum();
    let seconds: f64 = readings().map(|reading| reading.seconds).sum();
    let tables = readings().count() as u64;
    let server = name_server(&report.source, report.version.as_deref().unwrap_or_default());
    let read = match tables {
        0 => "no rows read".to_owned(),
        _ => format!("{} of {} read in {seconds:.1} s", count_noun(rows, "row"), count_noun(tables, "table")),
    };
    format!("{server} · {read}")
}

fn push_findings(report: &Report, files: &PlanFiles, style: Style, out: &mut String) {
    let findings = |is: fn(&Finding) -> bool| report.findings.iter().filter(move |finding| is(finding));
    let mut causes = causes(findings(|finding| severity(finding) == Severity::Error));
    // Errors that the plan solves, apart from the others of their check.
    causes.extend(crate::causes::causes(findings(|finding| finding.severity > severity(finding))));
    causes.extend(crate::causes::causes(findings(|finding| {
        finding.severity == severity(finding) && finding.severity < Severity::Error
    })));
    let is_shown = |cause: &&Cause<'_, ConversionDetails>| cause.first().severity > Severity::Note;
    let shown = causes.iter().filter(is_shown).count().min(MAX_CAUSES);
    let (first, rest) = causes.split_at(shown);
    first.iter().for_each(|cause| push_cause(cause, files.examples, style, out));
    if let Some(rest) = summarise(rest) {
        style.push_wrapped("… ", INDENT, &format!("{rest} (--format html, markdown or json)"), out);
    }
}

/// `examples` is the number of examples that was asked for.
fn push_cause(cause: &Cause<'_, ConversionDetails>, examples: Option<usize>, style: Style, out: &mut String) {
    let first = cause.first();
    let title = CHECKS.iter().find(|check| check.name == first.check).map_or("", |check| check.title);
    let severity = severity(first);
    style.push_wrapped_marked(mark(severity), color(severity), INDENT, &cause.headline(title), out);
    let mut push = |text: &str| style.push_wrapped(INDENT, &format!("{INDENT}  "), text, out);
    let is_single = cause.findings.len() == 1;
    if !is_single {
        push(&format!("{}: {}", first.object.name, first.what));
        if let Some(others) = cause.others(style.columns().saturating_sub(INDENT.len() + 6)) {
            push(&others);
        }
    }
    let listed = examples.unwrap_or(if is_single { MAX_EXAMPLES } else { 1 });
    rows::finding_lines(first, listed).iter().for_each(|line| push(line));
    if is_single {
        push(&first.why);
    }
    push(&advice(first));
    if is_single {
        // Users copy statements into a client.
        let is_safe = |statement: &&String| ClientReader::default().read(statement, ";", false).is_ok();
        for statement in first.details.statements.iter().filter(is_safe).take(examples.unwrap_or(MAX_EXAMPLES)) {
            push(&format!("{};", printable_sql(statement).replace('\n', " ")));
        }
    }
}

/// Writes the tables with the most rows: how long writes are blocked, and whether errors stand in
/// the way.
fn push_tables_to_convert(report: &Report, style: Style, out: &mut String) {
    if let Some(mut table) = conversions::conversion_table(report, MAX_TABLES) {
        let footer = std::mem::take(&mut table.footer);
        push_grid(&table, style, out);
        footer.iter().for_each(|line| style.push_wrapped("  ", "  ", line, out));
    }
}

fn push_plan(plan: &Plan, files: &PlanFiles, style: Style, out: &mut String) {
    if plan.steps.is_empty() {
        return;
    }
    let waiting = plan.steps.iter().filter(|step| step.blocked).count();
    let waiting =
        if waiting > 0 { format!(", {waiting} of them left out until the errors are mended") } else { String::new() };
    let place = files.plan.as_ref().map_or_else(|| "--plan FILE writes it".to_owned(), |path| format!("in {path}"));
    let plan_line =
        format!("{}{waiting}, {place} ({})", count_noun(plan.steps.len() as u64, "statement"), provenance(plan));
    style.push_wrapped("Plan: ", "  ", &plan_line, out);
    if let Some(path) = &files.online {
        let warnings: usize = plan.tools.iter().map(|tool| tool.warnings.len()).sum();
        let warnings =
            if warnings > 0 { format!(", with {}", count_noun(warnings as u64, "warning")) } else { String::new() };
        style.push_wrapped("", "  ", &format!("For gh-ost or pt-online-schema-change: {path}{warnings}"), out);
    }
}

fn push_remarks(mark: &str, lines: &[String], style: Style, out: &mut String) {
    lines.iter().take(MAX_REMARKS).for_each(|line| style.push_wrapped(mark, "  ", line, out));
    if lines.len() > MAX_REMARKS {
        style.push_wrapped(mark, "  ", &format!("{} more (--format json)", lines.len() - MAX_REMARKS), out);
    }
}
