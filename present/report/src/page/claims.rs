//! Sections with the claims of a study, and with published and measured figures.

use askama::Template;
use recipe::{Claim, ClaimVerdict};

use super::section::Section;
use super::table::Grid;
use crate::run::claims::{describe_stand_ins, title, verdict};
use crate::run::published::published;
use crate::run::report::Report;

#[derive(Template)]
#[template(path = "claims.html")]
struct Claims<'a> {
    title: String,
    claims: Vec<ClaimPart<'a>>,
}

/// A claim with the words and the style class of its verdict.
struct ClaimPart<'a> {
    claim: &'a Claim,
    verdict: String,
    class: &'static str,
    sign: &'static str,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let claims = report.claims.iter().map(claim_part).collect();
    Some(Section::new("claims", "Claims", &Claims { title: title(report)?, claims }))
}

fn claim_part(claim: &Claim) -> ClaimPart<'_> {
    let (class, sign) = match claim.verdict {
        ClaimVerdict::Confirmed => ("confirmed", "✓"),
        ClaimVerdict::Refuted => ("refuted", "✗"),
        ClaimVerdict::NotDistinguishable => ("open", "≈"),
        ClaimVerdict::NotMeasured => ("open", "–"),
    };
    let verdict = verdict(claim.verdict).to_owned() + &describe_stand_ins(claim);
    ClaimPart { claim, verdict, class, sign }
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
