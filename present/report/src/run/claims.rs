//! Claims of a study, one line per claim.

use recipe::{Claim, ClaimVerdict, StandIn};

use crate::format::text::{RED, YELLOW};
use crate::run::report::Report;

/// Returns the heading of the claims. `None` if the run has no claims.
pub(crate) fn title(report: &Report) -> Option<String> {
    let recipe = report.run.recipe.as_ref().filter(|_| !report.claims.is_empty())?;
    let study = recipe.study.as_deref().unwrap_or(&recipe.name);
    let count = |wanted| report.claims.iter().filter(|claim| claim.verdict == wanted).count();
    let all = report.claims.len();
    let (hold, refuted) = (count(ClaimVerdict::Confirmed), count(ClaimVerdict::Refuted));
    let open = all - hold - refuted;
    let (holds, does) = (message::agree(hold, "holds", "hold"), message::agree(refuted, "does", "do"));
    let stays = message::agree(open, "stays", "stay");
    let of = message::count_noun(all, "claim");
    Some(format!("{study}: {hold} of {of} {holds} here, {refuted} {does} not, {open} {stays} open"))
}

/// Returns a line per claim.
pub(crate) fn lines(report: &Report) -> Vec<String> {
    report.claims.iter().map(|claim| format!("{}: {}", verdict(claim.verdict), line(report, claim))).collect()
}

/// Returns `✓`, `✗`, `?` or `–`.
pub(crate) fn mark(verdict: ClaimVerdict) -> char {
    match verdict {
        ClaimVerdict::Confirmed => '✓',
        ClaimVerdict::Refuted => '✗',
        ClaimVerdict::NotDistinguishable => '?',
        ClaimVerdict::NotMeasured => '–',
    }
}

pub(crate) fn color(verdict: ClaimVerdict) -> Option<&'static str> {
    match verdict {
        ClaimVerdict::Refuted => Some(RED),
        ClaimVerdict::NotDistinguishable => Some(YELLOW),
        ClaimVerdict::Confirmed | ClaimVerdict::NotMeasured => None,
    }
}

/// Returns the claim, its source if that is not the study, and the evidence.
pub(crate) fn line(report: &Report, claim: &Claim) -> String {
    let study = report.run.recipe.as_ref().and_then(|recipe| recipe.study.as_ref());
    let source = if study == Some(&claim.source) { String::new() } else { format!(" ({})", claim.source) };
    format!("{}{source}: {}{}", claim.text, claim.evidence, describe_stand_ins(claim))
}

/// Returns ` (stand-in: MySQL 5.6.24 for 5.7)` if some measured versions are not the study's.
/// Otherwise empty.
pub(crate) fn describe_stand_ins(claim: &Claim) -> String {
    if claim.stand_ins.is_empty() {
        return String::new();
    }
    let all: Vec<String> =
        claim.stand_ins.iter().map(|StandIn { measured, studied }| format!("{measured} for {studied}")).collect();
    format!(" (stand-in: {})", all.join(", "))
}

pub(crate) fn verdict(verdict: ClaimVerdict) -> &'static str {
    match verdict {
        ClaimVerdict::Confirmed => "confirmed",
        ClaimVerdict::Refuted => "refuted",
        ClaimVerdict::NotDistinguishable => "not distinguishable",
        ClaimVerdict::NotMeasured => "not measured",
    }
}
