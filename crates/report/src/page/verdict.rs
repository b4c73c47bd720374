//! The verdict: warnings, a headline a collation, then the results in sentences.

use askama::Template;

use super::section::Section;
use crate::content::Report;

/// With more sentences than this, or with headlines above them, they are folded away.
const SHOWN: usize = 12;

#[derive(Template)]
#[template(path = "verdict.html")]
struct Body<'a> {
    warnings: &'a [String],
    headlines: &'a [String],
    shown: &'a [String],
    folded: &'a [String],
    notes: &'a [String],
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let shown = if report.headlines.is_empty() { report.sentences.len().min(SHOWN) } else { 0 };
    let (shown, folded) = report.sentences.split_at(shown);
    let body =
        Body { warnings: &report.warnings, headlines: &report.headlines, shown, folded, notes: &report.run.notes };
    Some(Section::new("verdict", "Verdict", &body))
}
