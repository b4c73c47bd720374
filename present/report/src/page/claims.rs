//! Sections with the claims of a study, and with published and measured figures.

use askama::Template;
use recipe::{Claim, ClaimVerdict};
use serde::Serialize;

use super::chart::Chart;
use super::section::Section;
use super::table::Grid;
use crate::run::claims::{describe_stand_ins, title, verdict};
use crate::run::published::{Pair, pairs, published};
use crate::run::report::Report;

#[derive(Template)]
#[template(path = "claims.html")]
struct Claims<'a> {
    /// Published and measured ratios.
    chart: Option<Chart>,
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
    title(report)?;
    let claims = report.claims.iter().map(claim_part).collect();
    Some(Section::new("claims", "Claims", &Claims { chart: chart(report), claims }))
}

#[derive(Serialize)]
struct Dots {
    rows: Vec<Dot>,
}

/// A published ratio, and the measured ratio with its interval.
#[derive(Serialize)]
struct Dot {
    name: String,
    published: f64,
    value: f64,
    low: f64,
    high: f64,
}

fn chart(report: &Report) -> Option<Chart> {
    let dot = |pair: Pair| Dot {
        name: pair.name,
        published: pair.published,
        value: pair.measured.value,
        low: pair.measured.low,
        high: pair.measured.high,
    };
    let rows: Vec<Dot> = pairs(report).into_iter().map(dot).collect();
    let description = format!(
        "Dot plot of {} published throughput ratios, each with the ratio measured here. The figures are in the table “Published and measured”.",
        rows.len()
    );
    let caption = "Throughput as a ratio to the baseline: published, and measured here with the 95 % interval";
    (!rows.is_empty()).then(|| Chart::new("published", caption.into(), description, &Dots { rows }))
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
