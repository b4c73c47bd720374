//! What a study claimed, as lines.

use recipe::{Claim, Verdict};

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
    format!("{}: {}{source}: {}", verdict(claim.verdict), claim.text, claim.evidence)
}

/// A verdict in words.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "confirmed",
        Verdict::Refuted => "refuted",
        Verdict::NotDistinguishable => "not distinguishable",
        Verdict::NotMeasured => "not measured",
    }
}
