//! Report of `weigh upgrade`: verdict, findings by kind, and settings under which the new server
//! behaves like the old one.

mod page;

use std::fmt::Write as _;

use ::upgrade::{Finding, Kind, Mend, Report};

use crate::format::json::to_json;
use crate::format::text::Style;
use crate::why::{WIDTH, push_sql, push_wrapped, wrap};

pub use page::page;

/// Further places of a finding that are printed.
const MAX_PLACES: usize = 5;

/// Mends of a finding that are printed.
const MAX_MENDS: usize = 2;

/// Kinds with their headings, the worst first.
const HEADINGS: [(Kind, &str); 5] = [
    (Kind::Breaks, "Breaks"),
    (Kind::Slower, "Slower"),
    (Kind::Differs, "Differs"),
    (Kind::NextMigration, "Breaks with the next migration"),
    (Kind::FailsAlready, "Fails on both servers"),
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
    push_settings(report, style, &mut out);
    for (kind, heading) in HEADINGS {
        let findings: Vec<&Finding> = report.findings.iter().filter(|finding| finding.kind == kind).collect();
        if findings.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{}", style.bold(heading));
        findings.iter().for_each(|finding| push_finding(finding, &mut out));
    }
    if !report.notes.is_empty() {
        out.push('\n');
    }
    for note in &report.notes {
        push_wrapped(&format!("note: {note}"), "", &mut out);
    }
    let took: Vec<String> =
        report.phases.iter().map(|phase| format!("{} {:.1} s", phase.name, phase.seconds)).collect();
    if !took.is_empty() {
        let _ = writeln!(out, "\nTook: {}.", took.join(", "));
    }
    out
}

/// Names the servers of the rehearsal.
fn describe_servers(report: &Report) -> String {
    let side = |side: &::upgrade::ServerSide| format!("{} ({})", side.label, side.version);
    format!("Tried on private servers: {} to {}.", side(&report.from), side(&report.to))
}

/// Returns one or two sentences: how much breaks or differs, and how much is left with the
/// settings.
fn verdict(report: &Report) -> String {
    if report.findings.is_empty() {
        return "Nothing breaks, gets slower or differs.".into();
    }
    let mut parts = Vec::new();
    for (kind, one, many) in [
        (Kind::Breaks, "thing breaks", "things break"),
        (Kind::Slower, "gets slower", "get slower"),
        (Kind::Differs, "differs", "differ"),
        (Kind::NextMigration, "breaks with the next migration", "break with the next migration"),
        (Kind::FailsAlready, "fails on both servers", "fail on both servers"),
    ] {
        let count = report.count(kind);
        if count > 0 || kind == Kind::Breaks {
            parts.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    }
    let settings = &report.settings;
    let with = match settings.statements.len() {
        0 if report.count(Kind::FailsAlready) == report.findings.len() => String::new(),
        0 => "; no setting helps".to_owned(),
        count => {
            let these = if count == 1 { "this setting".to_owned() } else { format!("these {count} settings") };
            match settings.left.len() {
                0 => format!("; with {these} nothing does"),
                left => format!("; with {these} {left} {}", if left == 1 { "is left" } else { "are left" }),
            }
        }
    };
    format!("{}{with}.", parts.join(", "))
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
    settings.statements.iter().for_each(|statement| push_sql(statement, "  ", out));
    settings.effects.iter().for_each(|effect| push_wrapped(&format!("{effect}."), "  ", out));
    if !settings.left.is_empty() {
        push_wrapped("Left with them:", "  ", out);
        settings.left.iter().for_each(|left| push_wrapped(left, "    ", out));
    }
}

fn push_finding(finding: &Finding, out: &mut String) {
    out.push('\n');
    push_wrapped(&format!("{}: {}", finding.place, finding.what), "  ", out);
    if !finding.statement.is_empty() {
        push_sql(&finding.statement, "    ", out);
    }
    if let Some(error) = &finding.error {
        push_wrapped(&format!("Error {error}"), "    ", out);
    }
    for reason in &finding.reasons {
        push_wrapped(&format!("{}.", reason.trim_end_matches('.')), "    ", out);
    }
    if !finding.also.is_empty() {
        let shown: Vec<&str> = finding.also.iter().take(MAX_PLACES).map(String::as_str).collect();
        let more = finding.also.len() - shown.len();
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        push_wrapped(&format!("Also at {}{rest}.", shown.join(", ")), "    ", out);
    }
    finding.mends.iter().take(MAX_MENDS).for_each(|mend| push_mend(mend, out));
}

fn push_mend(mend: &Mend, out: &mut String) {
    push_wrapped(&format!("Mend: {}.", mend.what.trim_end_matches('.')), "    ", out);
    mend.sql.iter().for_each(|statement| push_sql(statement, "      ", out));
    mend.effects.iter().for_each(|effect| push_wrapped(effect, "      ", out));
}
