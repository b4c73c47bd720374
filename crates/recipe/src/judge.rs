//! Judging claims: every ratio that a claim speaks of, then all of them together. Pure.

use measure::{Analysis, ClaimSpec, Estimate, Range, RecipeRecord, Run};

use crate::claim::{Claim, Finding, Verdict};
use crate::ratio::{Ratio, ratio_between};
use crate::select;

/// More ratios than this are counted in words, not listed; [`Claim::findings`] has them all.
const MOST_LISTED: usize = 6;

/// The claims of a run's recipe, judged; none for a run that follows no recipe.
pub fn judge(run: &Run, analysis: &Analysis) -> Vec<Claim> {
    let Some(recipe) = &run.recipe else { return Vec::new() };
    recipe.claims.iter().map(|claim| judge_one(claim, recipe, run, analysis)).collect()
}

fn judge_one(claim: &ClaimSpec, recipe: &RecipeRecord, run: &Run, analysis: &Analysis) -> Claim {
    let findings = findings(claim, run, analysis);
    let verdict = together(&findings);
    let source = claim.source.clone().or_else(|| recipe.study.clone()).unwrap_or_else(|| recipe.name.clone());
    Claim { text: claim.text.clone(), source, verdict, evidence: evidence(verdict, &findings, run), findings }
}

fn findings(claim: &ClaimSpec, run: &Run, analysis: &Analysis) -> Vec<Finding> {
    let mut findings = Vec::new();
    for result in &analysis.cells {
        let cell = &run.cells[result.cell];
        if !select::is_about(claim, &cell.workload) {
            continue;
        }
        for (variant, against) in select::pairs(claim, run, &cell.text) {
            if let Some(ratio) = ratio_between(result, variant, against) {
                let Ratio { estimate, noise_floor, steps } = ratio;
                let verdict = verdict(claim.ratio, ratio);
                let direct = steps == 1;
                let cell = result.cell;
                findings.push(Finding { cell, variant, against, ratio: estimate, noise_floor, direct, verdict });
            }
        }
    }
    findings
}

/// What one ratio says: its interval, at least as wide as noise alone would make it, is in the range, out of it, or over its end.
fn verdict(range: Range, ratio: Ratio) -> Verdict {
    let Estimate { value, low, high } = ratio.estimate;
    let (low, high) = (low.min(value / (1.0 + ratio.noise_floor)), high.max(value * (1.0 + ratio.noise_floor)));
    let (above, below) = (range.above.unwrap_or(f64::NEG_INFINITY), range.below.unwrap_or(f64::INFINITY));
    if low > above && high < below {
        Verdict::Confirmed
    } else if high <= above || low >= below {
        Verdict::Refuted
    } else {
        Verdict::NotDistinguishable
    }
}

/// A claim holds where all its ratios do, and does not where one does not.
fn together(findings: &[Finding]) -> Verdict {
    let any = |wanted| findings.iter().any(|finding| finding.verdict == wanted);
    if findings.is_empty() {
        Verdict::NotMeasured
    } else if any(Verdict::Refuted) {
        Verdict::Refuted
    } else if any(Verdict::NotDistinguishable) {
        Verdict::NotDistinguishable
    } else {
        Verdict::Confirmed
    }
}

fn evidence(verdict: Verdict, findings: &[Finding], run: &Run) -> String {
    if findings.is_empty() {
        return "nothing that it speaks of was measured in this run".into();
    }
    // What decides comes first.
    let (deciding, others): (Vec<_>, Vec<_>) = findings.iter().partition(|finding| finding.verdict == verdict);
    let holds = findings.iter().filter(|finding| finding.verdict == Verdict::Confirmed).count();
    let count = match (verdict, findings.len()) {
        (Verdict::Confirmed, _) | (_, 1) => String::new(),
        (_, all) => format!("holds in {holds} of {all} comparisons: "),
    };
    let listed: Vec<String> =
        deciding.iter().chain(&others).take(MOST_LISTED).map(|finding| describe(finding, run)).collect();
    let more = match findings.len().saturating_sub(MOST_LISTED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("{count}{}{more}", listed.join("; "))
}

/// `utf8mb4_general_ci × 0.547 (0.538 … 0.558) of latin1_swedish_ci on oltp_read_only, MySQL 5.6.24`.
fn describe(finding: &Finding, run: &Run) -> String {
    let Estimate { value, low, high } = finding.ratio;
    let (one, other) = (&run.variants[finding.variant], &run.variants[finding.against]);
    let (server, other_server) = (&run.servers[one.server], &run.servers[other.server]);
    let cell = &run.cells[finding.cell];
    let mut condition = cell.workload.clone();
    if cell.text != "digits" {
        condition += &format!(", {} text", cell.text);
    }
    if run.cells.iter().any(|other| other.threads != cell.threads) {
        condition += &format!(", {} thread{}", cell.threads, if cell.threads == 1 { "" } else { "s" });
    }
    let way = if finding.direct { "" } else { ", by way of their baselines" };
    let ratio = format!("× {value:.3} ({low:.3} … {high:.3})");
    if one.server == other.server {
        format!("{one} {ratio} of {other} on {condition}, {}{way}", server.label)
    } else if one.to_string() == other.to_string() {
        format!("{} {ratio} of {} on {condition}, {one}{way}", server.label, other_server.label)
    } else {
        format!("{one} on {} {ratio} of {other} on {} on {condition}{way}", server.label, other_server.label)
    }
}

#[cfg(test)]
mod tests;
