//! HTML page of `weigh why`: each statement with its comparisons, and remedies that can be copied.

use ::why::{Diagnosis, Judged, Kind};
use askama::Template;

use super::{describe_servers, verdict};
use crate::frame::{Badge, Frame};

#[derive(Template)]
#[template(path = "why.html")]
struct Page<'a> {
    frame: Frame,
    badge: Badge,
    diagnosis: &'a Diagnosis,
    /// Statements with findings.
    statements: Vec<&'a Judged>,
    notes: &'a [String],
}

/// Returns the page of a diagnosis.
pub fn page(diagnosis: &Diagnosis) -> String {
    let findings = || diagnosis.statements.iter().flat_map(|judged| &judged.findings);
    let level = match findings().map(|finding| finding.kind == Kind::IndexLost).min() {
        None => "clean",
        Some(true) => "warning",
        Some(false) => "error",
    };
    let page = Page {
        frame: Frame::plain(verdict(diagnosis).trim_end_matches('.')).with_level(level),
        badge: badge(diagnosis),
        diagnosis,
        statements: diagnosis.statements.iter().filter(|judged| !judged.findings.is_empty()).collect(),
        notes: &diagnosis.notes,
    };
    crate::frame::render(&page)
}

/// Says whether every finding has a remedy that was tried, and on which servers.
fn badge(diagnosis: &Diagnosis) -> Badge {
    let mut findings = diagnosis.statements.iter().flat_map(|judged| &judged.findings);
    let has_all = findings.all(|finding| !finding.remedies.is_empty());
    Badge::tried("remedy", has_all, describe_servers(diagnosis))
}
