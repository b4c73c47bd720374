//! The verdict: warnings, then the results in sentences.

use askama::Template;

use super::section::Section;
use crate::content::Report;

/// With more sentences than this, the others are folded away.
const SHOWN: usize = 12;

#[derive(Template)]
#[template(path = "verdict.html")]
struct Body<'a> {
    warnings: &'a [String],
    shown: &'a [String],
    folded: &'a [String],
    notes: &'a [String],
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let (shown, folded) = report.sentences.split_at(report.sentences.len().min(SHOWN));
    let body = Body { warnings: &report.warnings, shown, folded, notes: &report.run.notes };
    Some(Section::new("verdict", "Verdict", &body))
}
