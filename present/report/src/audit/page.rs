//! HTML page of an audit, without external resources.

use askama::Template;
use audit::{Audit, Finding, Severity};

use super::{
    counts_by_severity, describe_scope, find_check, group_by_check, heading, own_schemas_line, title, unseen_lines,
    verdict,
};
use crate::causes::causes;
use crate::findings::{BarGroup, Bars, Filter, FindingPart, level, page_level, sentence};
use crate::format::number::count_noun;
use crate::frame::{Badge, Frame};

#[derive(Template)]
#[template(path = "audit.html")]
struct Page<'a> {
    frame: Frame,
    /// The worst cause, in a sentence.
    worst: Option<String>,
    badge: Badge,
    bars: Option<Bars>,
    filter: Option<Filter>,
    groups: Vec<Group<'a>>,
    unseen: Vec<String>,
    own_schemas: Option<String>,
}

struct Group<'a> {
    id: &'a str,
    heading: String,
    doc: &'a str,
    findings: Vec<FindingPart>,
}

/// Returns the page of an audit: what was found, counts by check, findings by check.
pub fn page(audit: &Audit) -> String {
    let groups = group_by_check(audit);
    let bars = groups.iter().map(|findings| bar_group(findings)).collect();
    let page = Page {
        frame: Frame::plain(page_title(audit)).with_level(page_level(audit.findings.first().map(|one| one.severity))),
        worst: worst(audit),
        badge: badge(audit),
        bars: Bars::new("Findings by check", "check", "check", bars),
        filter: Filter::new(audit.findings.iter().map(|one| (one.severity, one.details.schema.as_deref()))),
        groups: groups.iter().map(|findings| group(findings)).collect(),
        unseen: unseen_lines(audit),
        own_schemas: own_schemas_line(audit),
    };
    crate::frame::render(&page)
}

/// Returns `1 error and 2 warnings on db1`.
fn page_title(audit: &Audit) -> String {
    let label = &audit.server.label;
    let mut counts = counts_by_severity(audit);
    match (counts.pop(), counts.join(", ")) {
        (None, _) => format!("{label}: {}", verdict(audit)),
        (Some(last), first) if first.is_empty() => format!("{last} on {label}"),
        (Some(last), first) => format!("{first} and {last} on {label}"),
    }
}

fn worst(audit: &Audit) -> Option<String> {
    let causes = causes(audit.findings.iter());
    let first = causes.first()?;
    let finding = first.first();
    (finding.severity > Severity::Note).then(|| sentence(&first.headline(title(&finding.check))))
}

/// Says what was read, and whether all of it could be seen.
fn badge(audit: &Audit) -> Badge {
    let read = describe_scope(audit);
    match audit.unseen.len() as u64 {
        0 => Badge { level: "good", title: "All seen".into(), reasons: read },
        count => Badge { level: "fair", title: format!("{} not seen", count_noun(count, "thing")), reasons: read },
    }
}

fn bar_group(findings: &[&Finding]) -> BarGroup {
    let check = &findings[0].check;
    BarGroup {
        id: check.clone(),
        name: check.clone(),
        note: title(check).to_owned(),
        severities: findings.iter().map(|finding| finding.severity).collect(),
    }
}

fn group<'a>(findings: &[&'a Finding]) -> Group<'a> {
    let check = findings[0].check.as_str();
    Group {
        id: check,
        heading: heading(findings),
        doc: find_check(check).map_or("", |check| check.doc),
        findings: findings.iter().map(|finding| part(finding)).collect(),
    }
}

fn part(finding: &Finding) -> FindingPart {
    FindingPart {
        level: level(finding.severity),
        schema: finding.details.schema.clone().unwrap_or_default(),
        check: finding.check.clone(),
        object: finding.object.to_string(),
        what: finding.what.clone(),
        why: sentence(&finding.why),
        action: sentence(&finding.action),
        fix: finding.details.fix.clone(),
        groups: Vec::new(),
        examples: Vec::new(),
        statements: Vec::new(),
        more: 0,
    }
}
