//! Section with the verdict: one table in one unit, its summary, and the run's quality. Sentences
//! and warnings on precision are folded.

use askama::Template;

use super::chart::Chart;
use super::finding_of;
use super::glance::picture;
use super::section::Section;
use super::table::Grid;
use crate::run::report::Report;
use crate::run::statements::result_verdicts;
use crate::run::verdict::grid::grid;
use crate::run::verdict::quality::{cannot_tell, quality};
use crate::run::warning::severe;

#[derive(Template)]
#[template(path = "verdict.html")]
struct Body<'a> {
    /// Warnings without which the figures would be misread.
    severe: Vec<String>,
    cannot_tell: Option<String>,
    table: Option<Grid>,
    picture: Option<Chart>,
    footnotes: Vec<String>,
    /// Sentences that the page's title does not say, and those on changed results.
    headlines: Vec<String>,
    quality: Option<Badge>,
    /// Further warnings, on precision.
    warnings: Vec<&'a String>,
    sentences: &'a [String],
    notes: &'a [String],
}

struct Badge {
    level: &'static str,
    reasons: String,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let (run, analysis) = (&report.run, &report.analysis);
    let cannot_tell = cannot_tell(run, analysis);
    let grid = grid(run, analysis).filter(|_| cannot_tell.is_none());
    let severe = severe(run, analysis);
    let warnings = report.warnings.iter().filter(|warning| !severe.contains(warning)).collect();
    let badge = quality(run, analysis)
        .map(|quality| Badge { level: quality.level.name(), reasons: quality.reasons.join("; ") });
    let headlines = headlines(report, cannot_tell.is_some());
    let body = Body {
        picture: grid.as_ref().and_then(|_| picture(report)),
        footnotes: grid.as_ref().map(|grid| grid.notes()).unwrap_or_default(),
        table: grid.and_then(|grid| grid.tables(run, usize::MAX / 2).into_iter().next()).map(Grid::new),
        severe,
        cannot_tell,
        headlines,
        quality: badge,
        warnings,
        sentences: &report.sentences,
        notes: &run.notes,
    };
    Some(Section::new("verdict", "Verdict", &body))
}

fn headlines(report: &Report, cannot_tell: bool) -> Vec<String> {
    let title = finding_of(report).map(|title| format!("In short: {title}."));
    let is_shown = |line: &&String| !cannot_tell && title.as_ref() != Some(*line);
    let costs = report.headlines.iter().filter(is_shown).cloned();
    costs.chain(result_verdicts(&report.run)).collect()
}
