//! Ratio of any two variants of a condition: measured directly, or combined from measured pairs.

use std::collections::{BTreeMap, VecDeque};

use measure::{Comparison, ConditionResult, Estimate, PairKind};

/// A ratio of throughputs, measured directly or combined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Ratio with its 95 % interval.
    pub estimate: Estimate,
    /// Degrees of freedom of a Student interval. `None` for other intervals.
    pub degrees_of_freedom: Option<f64>,
    /// Largest deviation from 1 that noise explains: the sum of the A/A bounds of all steps.
    pub aa_bound: f64,
    /// Number of pairs that the ratio is combined from. 1: measured directly.
    pub steps: usize,
}

/// A measured pair on the path between two variants.
#[derive(Clone, Copy)]
struct Step<'a> {
    comparison: &'a Comparison,
    ratio: Estimate,
    /// True if the path goes from the pair's baseline to its variant.
    is_reversed: bool,
}

impl Step<'_> {
    /// Logarithm of a ratio of the pair, in the direction of the path.
    fn log_ratio(&self, ratio: f64) -> f64 {
        if self.is_reversed { -ratio.ln() } else { ratio.ln() }
    }

    /// Widths of the interval below and above the ratio, as logarithms, in the direction of the
    /// path.
    fn log_widths(&self) -> (f64, f64) {
        let Estimate { value, low, high } = self.ratio;
        let (below, above) = ((value / low).ln(), (high / value).ln());
        if self.is_reversed { (above, below) } else { (below, above) }
    }
}

/// Returns the throughput of `variant` divided by the throughput of `against`, along the shortest
/// path through the condition's pairs. `None` if no path exists.
///
/// Steps of one replicate share servers and loaded rows, and often a schema. The ratio of several
/// steps is therefore computed per replicate, with an interval over the replicates. Without two
/// common replicates, errors count as independent and the squares of the widths add up. A/A bounds
/// add up linearly: most steps have their bound from one A/A pair.
pub fn ratio_between(condition: &ConditionResult, variant: usize, against: usize) -> Option<Ratio> {
    let steps = shortest_path(condition, variant, against)?;
    let aa_bound = steps.iter().map(|step| step.comparison.aa_bound.unwrap_or(0.0)).sum();
    let ratios_by_replicate = ratios_by_replicate(&steps);
    let degrees_of_freedom = (ratios_by_replicate.len() >= 2).then_some(ratios_by_replicate.len() as f64 - 1.0);
    let estimate = match steps.as_slice() {
        [Step { ratio, is_reversed: false, .. }] => *ratio,
        [step] => combine_independent(std::slice::from_ref(step)),
        _ if degrees_of_freedom.is_some() => {
            measure::mean_ratio_over_replicates(&ratios_by_replicate)?.with_run_to_run_spread()
        }
        steps => combine_independent(steps),
    };
    Some(Ratio { estimate, degrees_of_freedom, aa_bound, steps: steps.len() })
}

/// Returns the ratio in each replicate that all steps have.
fn ratios_by_replicate(steps: &[Step<'_>]) -> Vec<f64> {
    let Some((first, others)) = steps.split_first() else { return Vec::new() };
    let in_replicate = |replicate: u32| -> Option<f64> {
        let found = |step: &Step<'_>| {
            let replicate_result =
                step.comparison.replicates.iter().find(|replicate_result| replicate_result.replicate == replicate)?;
            Some(step.log_ratio(replicate_result.throughput))
        };
        Some(others.iter().map(found).sum::<Option<f64>>()?.exp() * found(first)?.exp())
    };
    first.comparison.replicates.iter().filter_map(|replicate_result| in_replicate(replicate_result.replicate)).collect()
}

/// Returns the product of steps with independent errors.
fn combine_independent(steps: &[Step<'_>]) -> Estimate {
    let log_sum: f64 = steps.iter().map(|step| step.log_ratio(step.ratio.value)).sum();
    let log_widths: Vec<(f64, f64)> = steps.iter().map(Step::log_widths).collect();
    let squares =
        |part: fn(&(f64, f64)) -> f64| log_widths.iter().map(|widths| part(widths).powi(2)).sum::<f64>().sqrt();
    let (below, above) = (squares(|widths| widths.0), squares(|widths| widths.1));
    Estimate { value: log_sum.exp(), low: (log_sum - below).exp(), high: (log_sum + above).exp() }
}

/// Returns the steps of the shortest path between two variants. `None` if no path exists, and for a
/// variant with itself.
fn shortest_path(condition: &ConditionResult, from: usize, to: usize) -> Option<Vec<Step<'_>>> {
    let mut paths: BTreeMap<usize, Vec<Step<'_>>> = BTreeMap::from([(from, Vec::new())]);
    let mut open = VecDeque::from([from]);
    while let Some(node) = open.pop_front() {
        if node == to {
            return paths.remove(&to).filter(|path| !path.is_empty());
        }
        for (next, step) in neighbours(condition, node) {
            if !paths.contains_key(&next) {
                let mut path = paths[&node].clone();
                path.push(step);
                paths.insert(next, path);
                open.push_back(next);
            }
        }
    }
    None
}

fn neighbours(condition: &ConditionResult, node: usize) -> impl Iterator<Item = (usize, Step<'_>)> {
    let measured = condition.comparisons.iter().filter(|comparison| comparison.kind != PairKind::AA);
    measured.filter_map(move |comparison| {
        let step = Step { comparison, ratio: comparison.throughput?, is_reversed: false };
        match (comparison.variant, comparison.baseline) {
            (variant, other) if variant == node => Some((other, step)),
            (other, baseline) if baseline == node => Some((other, Step { is_reversed: true, ..step })),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::{ReplicateResult, Verdict};

    fn comparison(kind: PairKind, variant: usize, baseline: usize, ratio: (f64, f64, f64)) -> Comparison {
        Comparison {
            pair: 0,
            variant,
            baseline,
            kind,
            blocks: 6,
            throughput: Some(Estimate { value: ratio.0, low: ratio.1, high: ratio.2 }),
            replicates: Vec::new(),
            server_cpu: None,
            server_cpu_difference_us: None,
            latency: measure::LatencyRatios::default(),
            cpu_aa_bound: None,
            cpu_verdict: Verdict::NotMeasured,
            aa_bound: Some(0.03),
            verdict: Verdict::NotMeasured,
            not_comparable: Vec::new(),
        }
    }

    fn condition(comparisons: Vec<Comparison>) -> ConditionResult {
        ConditionResult { condition: 0, aa_bound: None, variants: Vec::new(), comparisons }
    }

    fn is_close(one: f64, other: f64) -> bool {
        (one / other - 1.0).abs() < 1e-9
    }

    #[test]
    fn reversed_direct_ratio_is_the_inverse() {
        let condition = condition(vec![comparison(PairKind::Collation, 1, 0, (0.5, 0.4, 0.625))]);
        let direct = ratio_between(&condition, 1, 0).unwrap();
        assert!(direct.steps == 1 && is_close(direct.estimate.low, 0.4) && is_close(direct.estimate.high, 0.625));
        let turned = ratio_between(&condition, 0, 1).unwrap().estimate;
        assert!(is_close(turned.value, 2.0) && is_close(turned.low, 1.6) && is_close(turned.high, 2.5));
    }

    #[test]
    fn ratio_over_a_baseline_is_wider_than_either_step() {
        let condition = condition(vec![
            comparison(PairKind::Collation, 1, 0, (0.6, 0.58, 0.62)),
            comparison(PairKind::Collation, 2, 0, (0.5, 0.49, 0.51)),
        ]);
        let ratio = ratio_between(&condition, 1, 2).unwrap();
        assert!(ratio.steps == 2 && is_close(ratio.estimate.value, 1.2));
        let width = |low: f64, high: f64| (high / low).ln();
        let found = width(ratio.estimate.low, ratio.estimate.high);
        assert!(found > width(0.58, 0.62) && found < width(0.58, 0.62) + width(0.49, 0.51));
        assert!(is_close(ratio.aa_bound, 0.06), "both steps have it from one A/A pair");
    }

    #[test]
    fn steps_combine_per_replicate() {
        let with = |variant, ratios: &[f64]| {
            let replicates = (0..).zip(ratios);
            let of =
                |(replicate, &throughput): (u32, &f64)| ReplicateResult { replicate, throughput, server_cpu: None };
            let replicates = replicates.map(of).collect();
            Comparison { replicates, ..comparison(PairKind::Collation, variant, 0, (0.5, 0.4, 0.625)) }
        };
        // The change of the baseline between replicates cancels out.
        let condition = condition(vec![with(1, &[0.4, 0.5, 0.625]), with(2, &[0.2, 0.25, 0.3125])]);
        let ratio = ratio_between(&condition, 1, 2).unwrap();
        let Estimate { low, high, .. } = Estimate { value: 2.0, low: 2.0, high: 2.0 }.with_run_to_run_spread();
        assert!(is_close(ratio.estimate.low, low) && is_close(ratio.estimate.high, high), "{ratio:?}");
        assert_eq!((ratio.degrees_of_freedom, ratio.steps), (Some(2.0), 2));
    }

    #[test]
    fn copies_and_unmeasured_pairs_are_no_path() {
        let mut missing = comparison(PairKind::Collation, 2, 0, (1.0, 1.0, 1.0));
        missing.throughput = None;
        let condition = condition(vec![comparison(PairKind::AA, 1, 0, (1.0, 0.99, 1.01)), missing]);
        assert_eq!(ratio_between(&condition, 1, 0), None);
        assert_eq!(ratio_between(&condition, 2, 0), None);
        assert_eq!(ratio_between(&condition, 0, 0), None);
    }

    #[test]
    fn takes_the_shortest_path() {
        let condition = condition(vec![
            comparison(PairKind::Collation, 1, 0, (0.5, 0.5, 0.5)),
            comparison(PairKind::Collation, 3, 2, (0.5, 0.5, 0.5)),
            comparison(PairKind::Server, 2, 0, (1.5, 1.5, 1.5)),
            comparison(PairKind::Server, 3, 1, (1.7, 1.7, 1.7)),
        ]);
        assert!(is_close(ratio_between(&condition, 3, 1).unwrap().estimate.value, 1.7));
        assert!(is_close(ratio_between(&condition, 3, 0).unwrap().estimate.value, 0.75));
    }
}
