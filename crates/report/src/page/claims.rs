//! What the study claimed and whether it holds, and what it published beside what was measured.

use askama::Template;
use recipe::{Claim, ClaimVerdict};

use super::section::Section;
use super::table::Grid;
use crate::claims::{stand_in, title, verdict};
use crate::content::Report;
use crate::published::published;

#[derive(Template)]
#[template(path = "claims.html")]
struct Claims<'a> {
    title: String,
    claims: Vec<Judged<'a>>,
}

/// A claim with its verdict in words and as a class of the style sheet.
struct Judged<'a> {
    claim: &'a Claim,
    verdict: String,
    class: &'static str,
    sign: &'static str,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let claims = report.claims.iter().map(|claim| judged(report, claim)).collect();
    Some(Section::new("claims", "Claims", &Claims { title: title(report)?, claims }))
}

fn judged<'a>(report: &Report, claim: &'a Claim) -> Judged<'a> {
    let (class, sign) = match claim.verdict {
        ClaimVerdict::Confirmed => ("confirmed", "✓"),
        ClaimVerdict::Refuted => ("refuted", "✗"),
        ClaimVerdict::NotDistinguishable => ("open", "≈"),
        ClaimVerdict::NotMeasured => ("open", "–"),
    };
    let verdict = verdict(claim.verdict).to_owned() + &stand_in(report, claim);
    Judged { claim, verdict, class, sign }
}

#[derive(Template)]
#[template(path = "published.html")]
struct Published {
    grid: Grid,
}

pub(super) fn published_section(report: &Report) -> Option<Section> {
    let grid = Grid::new(published(report)?);
    Some(Section::new("published", "Published and measured", &Published { grid }))
}
