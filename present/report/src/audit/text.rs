//! The findings of an audit for a terminal.

use audit::{Audit, Finding, Severity};

use super::{counts_line, describe_scope, own_schemas_line, title};
use crate::causes::{Cause, causes, color, mark, summarise};
use crate::format::text::Style;

/// Findings that the text shows, and their groups.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection {
    /// Every finding, notes included. Otherwise no notes, and without `by` only the worst causes,
    /// with an example of each.
    pub all: bool,
    /// Findings one by one under the names of their schemas, tables or checks.
    pub by: Option<By>,
}

/// Groups for a list of all findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Schema,
    Table,
    Check,
}

/// Maximum number of causes that are shown. A screen has room for no more.
const MAX_CAUSES: usize = 4;
/// Maximum number of findings of one cause that are printed for one object.
const MAX_OF_OBJECT: usize = 3;
const INDENT: &str = "    ";

/// Returns the findings for a terminal: what was read, how many findings, the worst causes or a
/// list, and what could not be read.
pub fn text(audit: &Audit, selection: Selection, style: Style) -> String {
    let mut out = String::new();
    style.push_wrapped("", "  ", &describe_scope(audit), &mut out);
    style.push_title(&counts_line(audit, selection.all), &mut out);
    match selection.by {
        Some(by) => push_list(audit, by, selection.all, style, &mut out),
        None => push_causes(audit, selection.all, style, &mut out),
    }
    push_unseen(audit, selection.all, style, &mut out);
    if let Some(line) = own_schemas_line(audit) {
        style.push_wrapped("", INDENT, &line, &mut out);
    }
    if !selection.all && selection.by.is_none() && !audit.findings.is_empty() {
        style.push_wrapped("Next: ", "  ", NEXT, &mut out);
    }
    out
}

const NEXT: &str = "every finding as a page: --format html > audit.html; joins in your statements: --slow-log FILE; one statement: weigh why; a conversion: weigh preflight";

fn push_causes(audit: &Audit, all: bool, style: Style, out: &mut String) {
    let causes = causes(shown(audit, all));
    let (first, rest) = causes.split_at(if all { causes.len() } else { causes.len().min(MAX_CAUSES) });
    for cause in first {
        push_cause(cause, all, style, out);
    }
    if let Some(rest) = summarise(rest) {
        style.push_wrapped("", INDENT, &format!("… {rest} (--all, --by schema)"), out);
    }
}

/// Returns the findings that are shown: notes only if `all`.
fn shown(audit: &Audit, all: bool) -> impl Iterator<Item = &Finding> {
    audit.findings.iter().filter(move |finding| all || finding.severity > Severity::Note)
}

fn push_cause(cause: &Cause<'_, audit::Place>, all: bool, style: Style, out: &mut String) {
    let first = cause.first();
    let line = cause.headline(title(&first.check));
    style.push_wrapped_marked(mark(first.severity), color(first.severity), INDENT, &line, out);
    let mut push = |text: &str| style.push_wrapped(INDENT, &format!("{INDENT}  "), text, out);
    let is_single = cause.findings.len() == 1;
    if all && !is_single {
        for same in cause.findings.chunk_by(|a, b| (&a.why, &a.action) == (&b.why, &b.action)) {
            same.iter().for_each(|finding| push(&format!("{}: {}", finding.object.name, finding.what)));
            push(&same[0].why);
            push(&format!("Fix: {}", same[0].action));
            same.iter().filter_map(|finding| runnable(finding)).for_each(&mut push);
        }
        return;
    }
    if !is_single {
        for finding in cause.of_first_object().take(MAX_OF_OBJECT) {
            push(&format!("{}: {}", finding.object.name, finding.what));
        }
        if let Some(others) = cause.others(style.columns().saturating_sub(INDENT.len() + 6)) {
            push(&others);
        }
    }
    if is_single || cause.has_one_reason() {
        push(&first.why);
    }
    let fix = if is_single || cause.has_one_action() { "Fix" } else { "Fix of the first" };
    push(&format!("{fix}: {}", first.action));
    if let Some(command) = runnable(first) {
        push(command);
    }
}

/// Returns the command or statement of the fix, unless the fix in words has it.
fn runnable(finding: &Finding) -> Option<&str> {
    finding.details.fix.as_deref().filter(|fix| !finding.action.contains(fix))
}

/// Lists findings one by one, under a heading for each schema, table or check.
fn push_list(audit: &Audit, by: By, all: bool, style: Style, out: &mut String) {
    let mut groups: Vec<(String, Vec<&Finding>)> = Vec::new();
    for finding in shown(audit, all) {
        let key = key(finding, by);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, findings)) => findings.push(finding),
            None => groups.push((key, vec![finding])),
        }
    }
    for (key, findings) in &groups {
        let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
        let counts = [(Severity::Error, '✗'), (Severity::Warning, '!'), (Severity::Note, '·')];
        let counts =
            counts.map(|(severity, mark)| (count(severity) > 0).then(|| format!("{mark} {}", count(severity))));
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        out.push('\n');
        style.push_title(&format!("{key}   {}", counts.join("  ")), out);
        for finding in findings {
            let line = format!("{}: {} [{}]", finding.object.name, finding.what, finding.check);
            let mark = format!("  {}", mark(finding.severity));
            style.push_wrapped_marked(&mark, color(finding.severity), INDENT, &line, out);
        }
    }
}

fn key(finding: &Finding, by: By) -> String {
    let place = &finding.details;
    let server = || "the server".to_owned();
    match (by, &place.schema, &place.table) {
        (By::Check, ..) => finding.check.clone(),
        (By::Table, Some(schema), Some(table)) => format!("{schema}.{table}"),
        (_, Some(schema), _) => schema.clone(),
        (_, None, _) => server(),
    }
}

fn push_unseen(audit: &Audit, all: bool, style: Style, out: &mut String) {
    if audit.unseen.is_empty() {
        return;
    }
    if all {
        out.push_str("Not seen:\n");
        super::unseen_lines(audit).iter().for_each(|line| style.push_wrapped("  ", INDENT, line, out));
        return;
    }
    let mut names: Vec<&str> = audit.unseen.iter().map(|unseen| unseen.what.as_str()).collect();
    names.dedup();
    let more = names.len().saturating_sub(3);
    names.truncate(3);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    style.push_wrapped(
        "",
        INDENT,
        &format!("Not seen: {}{more} (--all tells why, and the grants)", names.join("; ")),
        out,
    );
}
