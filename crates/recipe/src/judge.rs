//! Judging claims: every ratio that a claim speaks of, then all of them together. Pure.

use measure::{Analysis, ClaimSpec, Estimate, Range, RecipeRecord, Run, holm, not_excluded};

use crate::claim::{Claim, ClaimVerdict, Finding};
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
    let (evidence, stand_ins) = (evidence(verdict, &findings, run), stand_ins(&findings, recipe, run));
    Claim { text: claim.text.clone(), source, verdict, stand_ins, evidence, findings }
}

/// The versions that findings are of and the study's are not; none where the study's are not known.
fn stand_ins(findings: &[Finding], recipe: &RecipeRecord, run: &Run) -> Vec<String> {
    let of_study = |version: &str| {
        let is_it = |own: &String| {
            version.strip_prefix(own.as_str()).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        recipe.versions.iter().any(is_it)
    };
    let mut found: Vec<String> = Vec::new();
    for variant in findings.iter().flat_map(|finding| [finding.variant, finding.against]) {
        let version = &run.servers[run.variants[variant].server].version;
        if !recipe.versions.is_empty() && !of_study(version) && !found.contains(version) {
            found.push(version.clone());
        }
    }
    found
}

fn findings(claim: &ClaimSpec, run: &Run, analysis: &Analysis) -> Vec<Finding> {
    let (mut findings, mut p_values) = (Vec::new(), Vec::new());
    for result in &analysis.conditions {
        let condition = &run.conditions[result.condition];
        if !select::is_about(claim, &condition.workload) {
            continue;
        }
        for (variant, against) in select::pairs(claim, run, &condition.text) {
            if let Some(ratio) = ratio_between(result, variant, against) {
                let verdict = verdict(claim.ratio, ratio);
                p_values.push(p_value(claim.ratio, ratio));
                let Ratio { estimate, aa_bound, steps, .. } = ratio;
                let (condition, direct) = (result.condition, steps == 1);
                findings.push(Finding { condition, variant, against, ratio: estimate, aa_bound, direct, verdict });
            }
        }
    }
    // Of many ratios, one in twenty is out of its interval by chance; a claim isn't refuted by that one.
    for (finding, is_beyond_chance) in findings.iter_mut().zip(holm(&p_values)) {
        if finding.verdict == ClaimVerdict::Refuted && !is_beyond_chance {
            finding.verdict = ClaimVerdict::NotDistinguishable;
        }
    }
    findings
}

/// What one ratio says by itself, by the rule of all verdicts ([`measure::not_excluded`]): what isn't excluded is in the range, out of it,
/// or reaches over its end.
fn verdict(range: Range, ratio: Ratio) -> ClaimVerdict {
    let (low, high) = not_excluded(ratio.estimate, ratio.aa_bound);
    let (above, below) = (range.above.unwrap_or(f64::NEG_INFINITY), range.below.unwrap_or(f64::INFINITY));
    if low > above && high < below {
        ClaimVerdict::Confirmed
    } else if high <= above || low >= below {
        ClaimVerdict::Refuted
    } else {
        ClaimVerdict::NotDistinguishable
    }
}

/// The p-value of a ratio's being in the range: that of the end that it is beyond, 1 where it is inside.
fn p_value(range: Range, ratio: Ratio) -> f64 {
    let value = ratio.estimate.value;
    let beyond = range.above.filter(|above| value <= *above).or(range.below.filter(|below| value >= *below));
    beyond.map_or(1.0, |end| ratio.estimate.p_value(end, ratio.freedom))
}

/// A claim holds where all its ratios do, and does not where one does not.
fn together(findings: &[Finding]) -> ClaimVerdict {
    let any = |wanted| findings.iter().any(|finding| finding.verdict == wanted);
    if findings.is_empty() {
        ClaimVerdict::NotMeasured
    } else if any(ClaimVerdict::Refuted) {
        ClaimVerdict::Refuted
    } else if any(ClaimVerdict::NotDistinguishable) {
        ClaimVerdict::NotDistinguishable
    } else {
        ClaimVerdict::Confirmed
    }
}

fn evidence(verdict: ClaimVerdict, findings: &[Finding], run: &Run) -> String {
    if findings.is_empty() {
        return "nothing that it speaks of was measured in this run".into();
    }
    // What decides comes first.
    let (deciding, others): (Vec<_>, Vec<_>) = findings.iter().partition(|finding| finding.verdict == verdict);
    let holds = findings.iter().filter(|finding| finding.verdict == ClaimVerdict::Confirmed).count();
    let count = match (verdict, findings.len()) {
        (ClaimVerdict::Confirmed, _) | (_, 1) => String::new(),
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
    let condition = &run.conditions[finding.condition];
    let mut place = condition.workload.clone();
    if condition.text != "digits" {
        place += &format!(", {} text", condition.text);
    }
    if run.conditions.iter().any(|other| other.threads != condition.threads) {
        place += &format!(", {} thread{}", condition.threads, if condition.threads == 1 { "" } else { "s" });
    }
    let way = if finding.direct { "" } else { ", by way of their baselines" };
    let ratio = format!("× {value:.3} ({low:.3} … {high:.3})");
    if one.server == other.server {
        format!("{one} {ratio} of {other} on {place}, {}{way}", server.label)
    } else if one.to_string() == other.to_string() {
        format!("{} {ratio} of {} on {place}, {one}{way}", server.label, other_server.label)
    } else {
        format!("{one} on {} {ratio} of {other} on {} on {place}{way}", server.label, other_server.label)
    }
}

#[cfg(test)]
mod tests;
