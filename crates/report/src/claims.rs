//! What a study claimed, as lines.

use recipe::{Claim, ClaimVerdict};

use crate::content::Report;

/// What stands above the claims; nothing where there are none.
pub(crate) fn title(report: &Report) -> Option<String> {
    let recipe = report.run.recipe.as_ref().filter(|_| !report.claims.is_empty())?;
    let study = recipe.study.as_deref().unwrap_or(&recipe.name);
    Some(format!("What {study} found, and whether it holds here"))
}

/// The claims, a line each.
pub(crate) fn lines(report: &Report) -> Vec<String> {
    report.claims.iter().map(|claim| line(report, claim)).collect()
}

fn line(report: &Report, claim: &Claim) -> String {
    let study = report.run.recipe.as_ref().and_then(|recipe| recipe.study.as_ref());
    let source = if study == Some(&claim.source) { String::new() } else { format!(" ({})", claim.source) };
    format!("{}{}: {}{source}: {}", verdict(claim.verdict), stand_in(report, claim), claim.text, claim.evidence)
}

/// ` (stand-in: 5.6.24 for 5.7 and 8.0)` where a claim was judged on other versions than the study's, else nothing.
pub(crate) fn stand_in(report: &Report, claim: &Claim) -> String {
    let versions = report.run.recipe.as_ref().map(|recipe| recipe.versions.join(" and ")).unwrap_or_default();
    if claim.stand_ins.is_empty() {
        return String::new();
    }
    format!(" (stand-in: {} for {versions})", claim.stand_ins.join(" and "))
}

/// A verdict in words.
pub(crate) fn verdict(verdict: ClaimVerdict) -> &'static str {
    match verdict {
        ClaimVerdict::Confirmed => "confirmed",
        ClaimVerdict::Refuted => "refuted",
        ClaimVerdict::NotDistinguishable => "not distinguishable",
        ClaimVerdict::NotMeasured => "not measured",
    }
}
