//! Report of `weigh upgrade`: verdict, findings by kind, and settings under which the new server
//! behaves like the old one.

mod page;

use std::fmt::Write as _;

use ::upgrade::{Direction, Finding, Kind, Mend, ReplicationFault, Report};

use message::list_names;

use crate::findings::sentence;
use crate::format::json::to_json;
use crate::format::number::{count_noun, group_thousands};
use crate::format::text::Style;
use crate::format::wrapped::{WIDTH, push_line, push_runnable, push_sql, push_wrapped, wrap};

pub use page::page;

/// Maximum number of further places of a finding that are printed.
const MAX_PLACES: usize = 5;

/// Maximum number of mends of a finding that are printed.
const MAX_MENDS: usize = 2;

/// Kinds with their headings, the worst first.
const HEADINGS: [(Kind, &str); 5] = [
    (Kind::Breaks, "Breaks"),
    (Kind::Slower, "Slower"),
    (Kind::Differs, "Differs"),
    (Kind::NextMigration, "Breaks with the next migration"),
    (Kind::FailsAlready, "Fails today already"),
];

/// Returns the rehearsal as JSON (`schemas/upgrade.schema.json`).
pub fn json(report: &Report) -> String {
    to_json(report)
}

/// Returns the rehearsal for a terminal: the verdict, the settings, and finding by finding.
pub fn text(report: &Report, style: Style) -> String {
    let mut out = String::new();
    for line in wrap(&escape::line(&verdict(report)), WIDTH) {
        let _ = writeln!(out, "{}", style.bold(&line));
    }
    push_wrapped(&describe_servers(report), "", &mut out);
    for line in describe_steps(report).into_iter().chain(describe_useless_settings(report)) {
        push_wrapped(&line, "", &mut out);
    }
    push_settings(report, style, &mut out);
    for (kind, heading) in HEADINGS {
        let findings: Vec<&Finding> = report.findings.iter().filter(|finding| finding.kind == kind).collect();
        if findings.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{}", style.bold(heading));
        findings.iter().for_each(|finding| push_finding(finding, &mut out));
    }
    push_replication(report, style, &mut out);
    push_rewritten(report, style, &mut out);
    if !report.notes.is_empty() || !report.unchecked.is_empty() {
        out.push('\n');
    }
    for note in &report.notes {
        push_wrapped(&format!("note: {note}"), "", &mut out);
    }
    if !report.unchecked.is_empty() {
        push_wrapped(&format!("Not checked: {}.", report.unchecked.join("; ")), "", &mut out);
    }
    let phases: Vec<String> =
        report.phases.iter().map(|phase| format!("{} {:.1} s", phase.name, phase.seconds)).collect();
    if !phases.is_empty() {
        let seconds: f64 = report.phases.iter().map(|phase| phase.seconds).sum();
        let _ = writeln!(out, "\nTook {seconds:.1} s: {}.", phases.join(", "));
    }
    out
}

/// Names the servers of the rehearsal, and counts what was tried on them.
///
/// `Tried on 2 private servers, mysql@5.7 (5.7.22) and mysql@9 (9.7.4): 12 statements to load the
/// schema (3 tables, 1 other object), no statement of the application, 2 settings.`
fn describe_servers(report: &Report) -> String {
    let side = |side: &::upgrade::ServerSide| format!("{} ({})", side.label, side.version);
    let servers = format!("{} and {}", side(&report.from), side(&report.to));
    let tried = &report.tried;
    let count = |count: u64, noun: &str| if count == 0 { format!("no {noun}") } else { count_noun(count, noun) };
    let objects = format!("{}, {}", count(tried.tables, "table"), count(tried.other_objects, "other object"));
    if report.live {
        let queries = match tried.statements {
            1 => "1 query".to_owned(),
            0 => "no query".to_owned(),
            many => format!("{} queries", group_thousands(many as f64)),
        };
        return format!("Read from 2 running servers, {servers}: {objects}, {queries} of the application.");
    }
    format!(
        "Tried on {}, {servers}: {} to load the schema ({objects}), {} of the application, {}.",
        count(tried.servers, "private server"),
        count(tried.schema_statements, "statement"),
        count(tried.statements, "statement"),
        count(report.settings.tried.len() as u64, "setting"),
    )
}

/// Says through which series an upgrade in place goes. `None` if there is no such upgrade.
fn describe_steps(report: &Report) -> Option<String> {
    let (first, last) = (report.in_place.first()?, report.in_place.last()?);
    let is_mariadb = report.to.version.to_lowercase().contains("mariadb");
    let path = match report.in_place.len() {
        2 if is_mariadb => format!(
            "MariaDB goes from {first} to {last} in one step (a Galera cluster that stays online: one series at a time)"
        ),
        2 => format!("MySQL goes from {first} to {last} in one step"),
        _ => format!(
            "MySQL takes one bugfix or LTS series after the other (its manual, Upgrade Paths): {}",
            report.in_place.join(" → ")
        ),
    };
    Some(format!("Upgrade in place: {path}. Not tried: weigh loads the schema into the new server instead."))
}

/// Says which settings were tried without effect, and what follows. `None` if some help, if nothing
/// needs any, and between running servers.
fn describe_useless_settings(report: &Report) -> Option<String> {
    let settings = &report.settings;
    if !settings.is_empty() || report.live || report.count(Kind::FailsAlready) == report.findings.len() {
        return None;
    }
    Some(match settings.tried.as_slice() {
        [] => "No setting was tried: none that weigh knows concerns what was found. Each needs its own mend.".into(),
        tried => format!(
            "Rehearsed again with {}: as much was found. So keep the new server's settings, and mend each by itself.",
            tried.join("; ")
        ),
    })
}

/// Returns a sentence: how much breaks or differs, and how much is left with the settings.
fn verdict(report: &Report) -> String {
    let unseen = match report.unseen.as_slice() {
        [] => String::new(),
        parts => format!(", but the account may not see {}", list_names(parts, MAX_PLACES)),
    };
    if report.findings.is_empty() {
        return format!("Nothing that was tried breaks, gets slower or differs{unseen}.");
    }
    let mut parts = Vec::new();
    for (kind, one, many) in [
        (Kind::Breaks, "thing breaks", "things break"),
        (Kind::Slower, "gets slower", "get slower"),
        (Kind::Differs, "differs", "differ"),
        (Kind::NextMigration, "breaks with the next migration", "break with the next migration"),
        (Kind::FailsAlready, "fails today already", "fail today already"),
    ] {
        let count = report.count(kind);
        if count == 0 && kind == Kind::Breaks {
            parts.push("Nothing breaks".to_owned());
        } else if count > 0 {
            parts.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    }
    let settings = &report.settings;
    let with = match settings.statements.len() {
        0 if settings.tried.is_empty() => String::new(),
        0 if settings.tried.len() == 1 => "; the setting that was tried does not help".to_owned(),
        0 => format!("; the {} settings that were tried do not help", settings.tried.len()),
        count => {
            let these = if count == 1 { "this setting".to_owned() } else { format!("these {count} settings") };
            match settings.left.len() {
                0 => format!("; with {these} nothing does"),
                left => format!("; with {these} {left} {}", if left == 1 { "is left" } else { "are left" }),
            }
        }
    };
    format!("{}{with}{unseen}.", parts.join(", "))
}

fn push_settings(report: &Report, style: Style, out: &mut String) {
    let settings = &report.settings;
    if settings.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{}", style.bold("Settings that keep it as it was, tried by rehearsing again with them"));
    if !settings.my_cnf.is_empty() {
        let _ = writeln!(out, "  [mysqld]");
        settings.my_cnf.iter().for_each(|line| {
            let _ = writeln!(out, "  {}", escape::line(line));
        });
        let _ = writeln!(out, "  or, before anything is loaded:");
    }
    settings.statements.iter().for_each(|statement| push_runnable(statement, "  ", out));
    settings.effects.iter().for_each(|effect| push_wrapped(&format!("{effect}."), "  ", out));
    if !settings.left.is_empty() {
        push_wrapped("Left with them:", "  ", out);
        settings.left.iter().for_each(|left| push_wrapped(left, "    ", out));
    }
}

/// Heading of the faults of replication.
const REPLICATION: &str = "If one replicates from the other while both run";

fn push_replication(report: &Report, style: Style, out: &mut String) {
    let lines = describe_replication(report);
    if !lines.is_empty() {
        let _ = writeln!(out, "\n{}", style.bold(REPLICATION));
        lines.iter().for_each(|line| push_wrapped(line, "  ", out));
    }
}

/// Returns a line for each fault of replication, with its direction.
fn describe_replication(report: &Report) -> Vec<String> {
    let line = |fault: &ReplicationFault| {
        let (from, to) = match fault.direction {
            Direction::ToNew => (&report.from.label, &report.to.label),
            Direction::ToOld => (&report.to.label, &report.from.label),
        };
        let places = if fault.places.is_empty() { String::new() } else { format!(": {}", fault.places.join(", ")) };
        format!("{from} to {to}: {}{places}. Mend: {}.", fault.what, fault.action)
    };
    report.replication.iter().map(line).collect()
}

fn push_rewritten(report: &Report, style: Style, out: &mut String) {
    let Some(rewritten) = &report.rewritten else { return };
    let loads = match rewritten.left.len() {
        0 => "It was loaded into the new server without an error.".to_owned(),
        left => format!("The new server refuses {} of it.", count_noun(left as u64, "statement")),
    };
    let changed = count_noun(rewritten.statements, "statement");
    let _ = writeln!(out, "\n{}", style.bold("The dump as the new server takes it"));
    push_wrapped(&format!("{}: {changed} changed. {loads}", rewritten.file), "  ", out);
    for change in &rewritten.changes {
        push_wrapped(&format!("{} ({})", change.what, count_noun(change.statements, "statement")), "  ", out);
    }
    rewritten.effects.iter().for_each(|effect| push_wrapped(effect, "  ", out));
    rewritten.left.iter().for_each(|left| push_wrapped(left, "    ", out));
}

fn push_finding(finding: &Finding, out: &mut String) {
    out.push('\n');
    push_wrapped(&format!("{}: {}", finding.place, finding.what), "  ", out);
    if is_long_insert(&finding.statement) {
        push_line(&finding.statement, "    ", out);
    } else if !finding.statement.is_empty() {
        push_sql(&finding.statement, "    ", out);
    }
    if let Some(error) = &finding.error {
        push_wrapped(&format!("Error {error}"), "    ", out);
    }
    for reason in &finding.reasons {
        push_wrapped(&sentence(reason), "    ", out);
    }
    if !finding.also.is_empty() {
        push_wrapped(&format!("Also at {}.", list_names(&finding.also, MAX_PLACES)), "    ", out);
    }
    finding.mends.iter().take(MAX_MENDS).for_each(|mend| push_mend(mend, out));
}

fn push_mend(mend: &Mend, out: &mut String) {
    let heading = if mend.left.is_some() { "Mend in part" } else { "Mend" };
    push_wrapped(&format!("{heading}: {}", sentence(&mend.what)), "    ", out);
    for statement in &mend.sql {
        if is_long_insert(statement) {
            push_line(statement, "      ", out);
        } else {
            push_runnable(statement, "      ", out);
        }
    }
    mend.effects.iter().for_each(|effect| push_wrapped(effect, "      ", out));
    if let Some(left) = &mend.left {
        push_wrapped(&format!("Then it is still refused: error {left}"), "      ", out);
    }
}

/// Longest INSERT, in bytes, that is printed as a whole.
const MAX_INSERT: usize = 400;

/// True for rows of a dump, of which the beginning is enough: long ones, and those with bytes that
/// are no UTF-8, which cannot be copied from a terminal.
fn is_long_insert(statement: &str) -> bool {
    let begins =
        |word: &str| statement.trim_start().get(..word.len()).is_some_and(|own| own.eq_ignore_ascii_case(word));
    let is_unreadable = statement.contains(char::REPLACEMENT_CHARACTER);
    (statement.len() > MAX_INSERT || is_unreadable) && (begins("insert") || begins("replace"))
}
