//! Report of `weigh why`: verdict, findings with their sides, and remedies.

mod page;

use std::fmt::Write as _;

use ::why::{Diagnosis, Finding, Judged, Kind, Remedy, Side, Site, TableAccess};

use crate::findings::sentence;
use crate::format::json::to_json;
use crate::format::number::{count_noun, group_thousands};
use crate::format::text::Style;
use crate::format::wrapped::{WIDTH, push_runnable, push_sql, push_wrapped, wrap};

pub use page::page;

/// Returns the diagnosis as JSON (`schemas/why.schema.json`).
pub fn json(diagnosis: &Diagnosis) -> String {
    to_json(diagnosis)
}

/// Returns the diagnosis for a terminal: the verdict, then statement by statement what was found.
pub fn text(diagnosis: &Diagnosis, style: Style) -> String {
    let mut out = String::new();
    for line in wrap(&verdict(diagnosis), WIDTH) {
        let _ = writeln!(out, "{}", style.bold(&line));
    }
    push_wrapped(&describe_servers(diagnosis), "", &mut out);
    for judged in diagnosis.statements.iter().filter(|judged| !judged.findings.is_empty()) {
        push_statement(judged, diagnosis, style, &mut out);
    }
    if !diagnosis.notes.is_empty() {
        out.push('\n');
    }
    for note in &diagnosis.notes {
        push_wrapped(&format!("note: {note}"), "", &mut out);
    }
    out
}

/// One sentence: how many statements fail or are slow, and whether remedies were found.
fn verdict(diagnosis: &Diagnosis) -> String {
    let count = diagnosis.statements.len();
    let findings: Vec<&Finding> = diagnosis.statements.iter().flat_map(|judged| &judged.findings).collect();
    if findings.is_empty() {
        let unjudged = diagnosis.statements.iter().filter(|judged| judged.is_unjudged).count();
        return match unjudged {
            0 if diagnosis.statements.iter().any(|judged| !judged.warnings.is_empty()) => {
                "No lost index was found, but the server warns of one: see the notes.".to_owned()
            }
            0 => format!("Nothing found: collations cost {} nothing here.", name_statements(count)),
            some => format!("Not known: {some} of {} could not be judged.", count_noun(count as u64, "statement")),
        };
    }
    let with = |is_slow: bool| {
        diagnosis
            .statements
            .iter()
            .filter(|judged| judged.findings.iter().any(|one| (one.kind == Kind::IndexLost) == is_slow))
            .count()
    };
    let (fail, slow) = (with(false), with(true));
    let mut parts = Vec::new();
    if fail > 0 {
        parts.push(format!(
            "{fail} of {} {} because of collations",
            count_noun(count as u64, "statement"),
            verb(fail, "fail")
        ));
    }
    if slow > 0 {
        let of =
            if fail > 0 { format!("{slow}") } else { format!("{slow} of {}", count_noun(count as u64, "statement")) };
        parts.push(format!("{of} {} an index because of {}", verb(slow, "lose"), name_causes(&findings)));
    }
    let mended = findings.iter().filter(|finding| !finding.remedies.is_empty()).count();
    let remedies = match (findings.len(), mended) {
        (1, 1) => "remedies were tried and work".to_owned(),
        (1, _) => "no remedy that was tried works".to_owned(),
        (all, mended) if all == mended => "each has remedies that were tried and work".to_owned(),
        (all, mended) => {
            let have = message::agree(mended, "has", "have");
            format!("{mended} of {all} findings {have} remedies that were tried and work")
        }
    };
    format!("{}; {remedies}.", parts.join(", "))
}

/// Causes of the lost indexes.
fn name_causes(findings: &[&Finding]) -> String {
    let lost: Vec<&str> =
        findings.iter().filter(|finding| finding.kind == Kind::IndexLost).map(|finding| cause(finding)).collect();
    let causes = [COLLATIONS, FOLDS, NUMBERS].into_iter().filter(|cause| lost.contains(cause));
    causes.collect::<Vec<_>>().join(", or of ")
}

const COLLATIONS: &str = "collations";
pub(crate) const FOLDS: &str = "LOWER or UPPER";
pub(crate) const NUMBERS: &str = "numbers compared with text";

/// Cause of a lost index, if it is one without conversions of collations.
pub(crate) fn cause(finding: &Finding) -> &'static str {
    let all = |is: fn(&Site) -> bool| !finding.sites.is_empty() && finding.sites.iter().all(is);
    if all(|site| site.is_folded) {
        FOLDS
    } else if all(|site| site.is_numeric) {
        NUMBERS
    } else {
        COLLATIONS
    }
}

fn name_statements(count: usize) -> String {
    if count == 1 { "the statement".into() } else { format!("the {count} statements") }
}

fn verb(count: usize, word: &str) -> String {
    if count == 1 { format!("{word}s") } else { word.to_owned() }
}

fn describe_servers(diagnosis: &Diagnosis) -> String {
    let server = format!("{} ({})", diagnosis.server, diagnosis.version);
    match diagnosis.copy == server {
        true => format!("Asked: {server}, a private server."),
        false => format!("Asked: {server}. Remedies tried on a private copy: {}.", diagnosis.copy),
    }
}

fn push_statement(judged: &Judged, diagnosis: &Diagnosis, style: Style, out: &mut String) {
    let time = match (judged.seconds, judged.calls) {
        (Some(seconds), Some(calls)) => format!(" ({seconds:.1} s in {})", count_noun(calls, "call")),
        _ => String::new(),
    };
    let _ = writeln!(out, "\n{}", style.bold(&escape::line(&format!("{}{time}", judged.place))));
    push_sql(&judged.text, "  ", out);
    for finding in &judged.findings {
        push_finding(judged, finding, diagnosis, out);
    }
}

fn push_finding(judged: &Judged, finding: &Finding, diagnosis: &Diagnosis, out: &mut String) {
    out.push('\n');
    match &finding.error {
        Some(error) => push_wrapped(&format!("Error {error}"), "  ", out),
        None => push_wrapped("An index is lost:", "  ", out),
    }
    for detail in &finding.details {
        push_wrapped(&sentence(detail), "  ", out);
    }
    finding.sites.iter().for_each(|site| push_site(site, out));
    if finding.remedies.is_empty() {
        push_wrapped("No remedy that was tried works.", "  ", out);
        return;
    }
    out.push('\n');
    push_wrapped(
        &format!("Remedies, each tried on {}{}:", tried_on(diagnosis), describe_order(&finding.remedies)),
        "  ",
        out,
    );
    for (index, remedy) in finding.remedies.iter().enumerate() {
        push_remedy(index + 1, remedy, describe_rows(diagnosis, judged, finding, remedy), out);
    }
}

/// Order of the remedies, to follow the server's name. Empty if they are not in order of extent.
fn describe_order(remedies: &[Remedy]) -> &'static str {
    match remedies {
        _ if !remedies.is_sorted_by_key(|remedy| (remedy.is_lossy, remedy.scope)) => "",
        [.., last] if last.is_lossy => ", the smallest first, those that lose characters last",
        _ => ", the smallest first",
    }
}

/// Server that the remedies were tried on.
fn tried_on(diagnosis: &Diagnosis) -> &str {
    diagnosis.copy.split(" (").next().unwrap_or_default()
}

fn push_site(site: &Site, out: &mut String) {
    let place = site.program.as_ref().map(|program| format!("{program}: ")).unwrap_or_default();
    out.push('\n');
    push_wrapped(&format!("{place}{}", one_line(&site.text)), "  ", out);
    site.sides.iter().for_each(|side| push_side(side, out));
    if let Some(how) = comparison(site) {
        push_wrapped(&how, "    ", out);
    }
}

/// Says how the sides of a site are compared. `None` if the server refuses it.
fn comparison(site: &Site) -> Option<String> {
    let by_collation = || site.winner.as_ref().map(|winner| format!("compared by {winner}"));
    if site.is_numeric { Some("compared as numbers".into()) } else { by_collation() }
}

fn push_side(side: &Side, out: &mut String) {
    let line = format!("{}: {}, {}; {}", one_line(&side.text), side.collation, side.strength, side.source);
    push_wrapped(&line, "    ", out);
}

fn push_remedy(number: usize, remedy: &Remedy, rows: Option<String>, out: &mut String) {
    let indent = "     ";
    let mut lines = wrap(&escape::line(&sentence(&remedy.what)), WIDTH - 5).into_iter();
    let _ = writeln!(out, "  {number}. {}", lines.next().unwrap_or_default());
    lines.for_each(|line| {
        let _ = writeln!(out, "{indent}{line}");
    });
    for statement in &remedy.sql {
        push_runnable(statement, "       ", out);
    }
    if let Some(rows) = rows {
        push_wrapped(&rows, indent, out);
    }
    for effect in &remedy.effects {
        push_wrapped(effect, indent, out);
    }
}

/// Sentence on the rows that the statement reads now and with a remedy, both by EXPLAIN on one
/// private server. `None` if the statement has no plan.
///
/// `Rows read, by EXPLAIN on mysql@8.0 with 8,000 made-up rows: 4,000 now → 1 with this remedy; o:
/// ALL → ref by mail.`
fn describe_rows(diagnosis: &Diagnosis, judged: &Judged, finding: &Finding, remedy: &Remedy) -> Option<String> {
    let after = remedy.plan.as_ref()?;
    let rows = group_thousands(after.rows as f64);
    let made_up = match judged.made_up_rows {
        0 => String::new(),
        rows => format!(" with {}", count_noun(rows, "made-up row")),
    };
    let place = format!("Rows read, by EXPLAIN on {}{made_up}", tried_on(diagnosis));
    let Some(before) = &finding.plan else {
        let tables: Vec<String> =
            after.tables.iter().map(|table| format!("{}: {}", table.table, describe_access(table))).collect();
        return Some(format!("{place}: {rows} with this remedy; {}.", tables.join(", ")));
    };
    let changed = after.tables.iter().filter_map(|table| {
        let old = describe_access(before.tables.iter().find(|old| old.table == table.table)?);
        let new = describe_access(table);
        (old != new).then(|| format!("{}: {old} → {new}", table.table))
    });
    let changed: Vec<String> = changed.collect();
    let changed = if changed.is_empty() { String::new() } else { format!("; {}", changed.join(", ")) };
    Some(format!("{place}: {} now → {rows} with this remedy{changed}.", group_thousands(before.rows as f64)))
}

/// `type` and key of EXPLAIN: `ref by ix_code`.
fn describe_access(table: &TableAccess) -> String {
    match &table.key {
        Some(key) => format!("{} by {key}", table.access),
        None => table.access.clone(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
