//! Judges claims: each ratio that a claim is about, then the claim by all of its ratios.

use measure::{Analysis, ClaimSpec, Estimate, Range, RecipeRecord, Run, plausible_range, significant_by_holm};

use crate::claim::{Claim, ClaimRatio, ClaimVerdict};
use crate::ratio::{Ratio, ratio_between};
use crate::{select, stand_in};

/// Maximum number of ratios that the evidence lists. Further ratios are only counted.
const MAX_LISTED: usize = 6;

/// Judges the claims of a run's recipe. Empty for a run without a recipe.
pub fn judge(run: &Run, analysis: &Analysis) -> Vec<Claim> {
    let Some(recipe) = &run.recipe else { return Vec::new() };
    recipe.claims.iter().map(|claim| judge_claim(claim, recipe, run, analysis)).collect()
}

fn judge_claim(claim: &ClaimSpec, recipe: &RecipeRecord, run: &Run, analysis: &Analysis) -> Claim {
    let ratios = judge_ratios(claim, run, analysis);
    let verdict = combine_verdicts(&ratios);
    let source = claim.source.clone().or_else(|| recipe.study.clone()).unwrap_or_else(|| recipe.name.clone());
    let (evidence, stand_ins) = (describe_evidence(verdict, &ratios, run), stand_in::find(&ratios, claim, recipe, run));
    Claim { text: claim.text.clone(), source, verdict, stand_ins, evidence, ratios }
}

fn judge_ratios(claim: &ClaimSpec, run: &Run, analysis: &Analysis) -> Vec<ClaimRatio> {
    let (mut ratios, mut p_values) = (Vec::new(), Vec::new());
    for result in &analysis.conditions {
        let condition = &run.conditions[result.condition];
        if !select::concerns_workload(claim, &condition.workload) {
            continue;
        }
        for (variant, against) in select::select_pairs(claim, run, &condition.text) {
            if let Some(ratio) = ratio_between(result, variant, against) {
                let verdict = verdict(claim.ratio, ratio);
                p_values.push(p_value(claim.ratio, ratio));
                let Ratio { estimate, aa_bound, steps, .. } = ratio;
                let (condition, direct) = (result.condition, steps == 1);
                ratios.push(ClaimRatio { condition, variant, against, ratio: estimate, aa_bound, direct, verdict });
            }
        }
    }
    // One in twenty intervals misses the true ratio by chance, which must not refute a claim.
    for (claim_ratio, is_beyond_chance) in ratios.iter_mut().zip(significant_by_holm(&p_values)) {
        if claim_ratio.verdict == ClaimVerdict::Refuted && !is_beyond_chance {
            claim_ratio.verdict = ClaimVerdict::NotDistinguishable;
        }
    }
    ratios
}

/// Returns the verdict of one ratio: confirmed if the plausible values
/// ([`measure::plausible_range`]) lie inside the claimed range, refuted if outside, and not
/// distinguishable if across an end.
fn verdict(range: Range, ratio: Ratio) -> ClaimVerdict {
    let (low, high) = plausible_range(ratio.estimate, ratio.aa_bound);
    let (above, below) = range.ends();
    if low > above && high < below {
        ClaimVerdict::Confirmed
    } else if high <= above || low >= below {
        ClaimVerdict::Refuted
    } else {
        ClaimVerdict::NotDistinguishable
    }
}

/// Returns the p-value of the true ratio being in the claimed range. For a measured ratio outside,
/// the p-value refers to the nearer end. Inside, the p-value is 1.
fn p_value(range: Range, ratio: Ratio) -> f64 {
    let value = ratio.estimate.value;
    let (above, below) = range.ends();
    let beyond = if value <= above { Some(above) } else { Some(below).filter(|below| value >= *below) };
    beyond.map_or(1.0, |end| ratio.estimate.p_value(end, ratio.degrees_of_freedom))
}

/// Combines the verdicts of ratios. A claim is confirmed if all ratios confirm it, and refuted if
/// one ratio refutes it.
fn combine_verdicts(ratios: &[ClaimRatio]) -> ClaimVerdict {
    let any = |wanted| ratios.iter().any(|claim_ratio| claim_ratio.verdict == wanted);
    if ratios.is_empty() {
        ClaimVerdict::NotMeasured
    } else if any(ClaimVerdict::Refuted) {
        ClaimVerdict::Refuted
    } else if any(ClaimVerdict::NotDistinguishable) {
        ClaimVerdict::NotDistinguishable
    } else {
        ClaimVerdict::Confirmed
    }
}

fn describe_evidence(verdict: ClaimVerdict, ratios: &[ClaimRatio], run: &Run) -> String {
    if ratios.is_empty() {
        return "nothing that it speaks of was measured in this run".into();
    }
    // Ratios with the claim's verdict come first.
    let (decisive, others): (Vec<_>, Vec<_>) = ratios.iter().partition(|claim_ratio| claim_ratio.verdict == verdict);
    let holds = ratios.iter().filter(|claim_ratio| claim_ratio.verdict == ClaimVerdict::Confirmed).count();
    let count = match (verdict, ratios.len()) {
        (ClaimVerdict::Confirmed, _) | (_, 1) => String::new(),
        (_, all) => format!("holds in {holds} of {all} comparisons: "),
    };
    let listed: Vec<String> =
        decisive.iter().chain(&others).take(MAX_LISTED).map(|claim_ratio| describe_ratio(claim_ratio, run)).collect();
    let more = match ratios.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("{count}{}{more}", listed.join("; "))
}

/// Returns for example `utf8mb4_general_ci × 0.547 (0.538 … 0.558) of latin1_swedish_ci on
/// oltp_read_only, mysql@5.6`.
fn describe_ratio(claim_ratio: &ClaimRatio, run: &Run) -> String {
    let Estimate { value, low, high } = claim_ratio.ratio;
    let (one, other) = (&run.variants[claim_ratio.variant], &run.variants[claim_ratio.against]);
    let (server, other_server) = (&run.servers[one.server], &run.servers[other.server]);
    let condition = &run.conditions[claim_ratio.condition];
    let mut place = condition.workload.clone();
    if condition.text != "digits" {
        place += &format!(", {} text", condition.text);
    }
    if run.conditions.iter().any(|other| other.threads != condition.threads) {
        place += &format!(", {} thread{}", condition.threads, if condition.threads == 1 { "" } else { "s" });
    }
    let detour = if claim_ratio.direct { "" } else { ", by way of their baselines" };
    let ratio = format!("× {value:.3} ({low:.3} … {high:.3})");
    if one.server == other.server {
        format!("{one} {ratio} of {other} on {place}, {}{detour}", server.label)
    } else if one.to_string() == other.to_string() {
        format!("{} {ratio} of {} on {place}, {one}{detour}", server.label, other_server.label)
    } else {
        format!("{one} on {} {ratio} of {other} on {} on {place}{detour}", server.label, other_server.label)
    }
}

#[cfg(test)]
mod tests;
