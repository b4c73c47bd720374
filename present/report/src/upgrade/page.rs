//! HTML page of `weigh upgrade`: settings that keep the behaviour, then each finding with mends
//! that can be copied.

use ::upgrade::{Finding, Kind, Report, Settings};
use askama::Template;

use super::{HEADINGS, describe_servers, describe_steps, describe_useless_settings, verdict};
use crate::frame::{Badge, Frame};

#[derive(Template)]
#[template(path = "upgrade.html")]
struct Page<'a> {
    frame: Frame,
    badge: Badge,
    /// Sentences on the steps of an upgrade in place, and on settings that do not help.
    remarks: Vec<String>,
    settings: &'a Settings,
    groups: Vec<Group<'a>>,
    notes: Vec<String>,
}

/// Findings of one kind.
struct Group<'a> {
    heading: &'static str,
    /// Style class of the findings.
    level: &'static str,
    findings: Vec<&'a Finding>,
}

/// Returns the page of a rehearsal.
pub fn page(report: &Report) -> String {
    let groups: Vec<Group<'_>> =
        HEADINGS.into_iter().filter_map(|(kind, heading)| group(report, kind, heading)).collect();
    let level = groups.first().map_or("clean", |worst| worst.level);
    let page = Page {
        frame: Frame::plain(verdict(report).trim_end_matches('.')).with_level(level),
        badge: badge(report),
        remarks: describe_steps(report).into_iter().chain(describe_useless_settings(report)).collect(),
        settings: &report.settings,
        groups,
        notes: notes(report),
    };
    crate::frame::render(&page)
}

fn notes(report: &Report) -> Vec<String> {
    let mut all = report.notes.clone();
    all.extend(super::describe_replication(report));
    all.extend(report.unchecked.iter().map(|one| format!("not checked: {one}")));
    all
}

fn group<'a>(report: &'a Report, kind: Kind, heading: &'static str) -> Option<Group<'a>> {
    let findings: Vec<&Finding> = report.findings.iter().filter(|finding| finding.kind == kind).collect();
    let level = match kind {
        Kind::Breaks => "error",
        Kind::Slower | Kind::Differs | Kind::NextMigration => "warning",
        Kind::FailsAlready => "note",
    };
    (!findings.is_empty()).then_some(Group { heading, level, findings })
}

/// Says which servers were compared, and whether every finding that breaks has a mend. Between
/// running servers no mend is tried.
fn badge(report: &Report) -> Badge {
    let reasons = describe_servers(report);
    if report.live {
        return Badge { level: "fair", title: "No mend was tried".into(), reasons };
    }
    let mut breaks = report.findings.iter().filter(|finding| finding.kind == Kind::Breaks);
    Badge::tried("mend", breaks.all(|finding| !finding.mends.is_empty()), reasons)
}
