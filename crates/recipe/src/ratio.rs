//! The ratio of any two variants of a condition: measured directly, or by way of variants that both were held against.

use std::collections::{BTreeMap, VecDeque};

use measure::{Comparison, ConditionResult, Estimate, PairKind};

/// A ratio of throughputs and how it was come by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The ratio with its 95 % interval.
    pub estimate: Estimate,
    /// Degrees of freedom of its interval, where that is Student's.
    pub freedom: Option<f64>,
    /// How far noise alone moves it: the A/A bounds of all steps together.
    pub aa_bound: f64,
    /// Pairs that it is made of; one where it was measured directly.
    pub steps: usize,
}

/// One pair on the way, in the direction in which it is walked.
#[derive(Clone, Copy)]
struct Step<'a> {
    comparison: &'a Comparison,
    ratio: Estimate,
    /// Whether it is walked from the baseline to the variant.
    back: bool,
}

impl Step<'_> {
    /// A figure of the pair, in the direction in which it is walked.
    fn log(&self, ratio: f64) -> f64 {
        if self.back { -ratio.ln() } else { ratio.ln() }
    }

    /// Widths of the interval below and above the ratio, on a log scale.
    fn widths(&self) -> (f64, f64) {
        let Estimate { value, low, high } = self.ratio;
        let (below, above) = ((value / low).ln(), (high / value).ln());
        if self.back { (above, below) } else { (below, above) }
    }
}

/// Throughput of `variant` for each unit of `against`'s, by the shortest way through the pairs of the condition; `None` where there is none.
///
/// Steps of one replicate share its start and load, and often a schema, so the ratio is taken in each replicate and its interval is over
/// those. Where steps have no two replicates in common, their errors are taken for independent, and widths add as squares do. A bound of an A/A
/// pair is no error that is drawn anew for each step: most steps have it from the same pair, so bounds add up.
pub fn ratio_between(condition: &ConditionResult, variant: usize, against: usize) -> Option<Ratio> {
    let steps = way(condition, variant, against)?;
    let aa_bound = steps.iter().map(|step| step.comparison.aa_bound.unwrap_or(0.0)).sum();
    let by_replicate = by_replicate(&steps);
    let freedom = (by_replicate.len() >= 2).then_some(by_replicate.len() as f64 - 1.0);
    let estimate = match steps.as_slice() {
        [Step { ratio, back: false, .. }] => *ratio,
        [step] => independent(std::slice::from_ref(step)),
        _ if freedom.is_some() => measure::ratio_of_replicates(&by_replicate)?.between_runs(),
        steps => independent(steps),
    };
    Some(Ratio { estimate, freedom, aa_bound, steps: steps.len() })
}

/// The ratio in each replicate that all steps have.
fn by_replicate(steps: &[Step<'_>]) -> Vec<f64> {
    let Some((first, others)) = steps.split_first() else { return Vec::new() };
    let in_replicate = |replicate: u32| -> Option<f64> {
        let found = |step: &Step<'_>| {
            let own = step.comparison.replicates.iter().find(|own| own.replicate == replicate)?;
            Some(step.log(own.throughput))
        };
        Some(others.iter().map(found).sum::<Option<f64>>()?.exp() * found(first)?.exp())
    };
    first.comparison.replicates.iter().filter_map(|own| in_replicate(own.replicate)).collect()
}

/// The product of steps whose errors have nothing to do with each other.
fn independent(steps: &[Step<'_>]) -> Estimate {
    let log: f64 = steps.iter().map(|step| step.log(step.ratio.value)).sum();
    let widths: Vec<(f64, f64)> = steps.iter().map(Step::widths).collect();
    let squares = |part: fn(&(f64, f64)) -> f64| widths.iter().map(|own| part(own).powi(2)).sum::<f64>().sqrt();
    let (below, above) = (squares(|own| own.0), squares(|own| own.1));
    Estimate { value: log.exp(), low: (log - below).exp(), high: (log + above).exp() }
}

/// The steps that lead from a variant to another one.
fn way(condition: &ConditionResult, from: usize, to: usize) -> Option<Vec<Step<'_>>> {
    let mut ways: BTreeMap<usize, Vec<Step<'_>>> = BTreeMap::from([(from, Vec::new())]);
    let mut open = VecDeque::from([from]);
    while let Some(here) = open.pop_front() {
        if here == to {
            return ways.remove(&to).filter(|way| !way.is_empty());
        }
        for (next, step) in neighbours(condition, here) {
            if !ways.contains_key(&next) {
                let mut way = ways[&here].clone();
                way.push(step);
                ways.insert(next, way);
                open.push_back(next);
            }
        }
    }
    None
}

fn neighbours(condition: &ConditionResult, here: usize) -> impl Iterator<Item = (usize, Step<'_>)> {
    let measured = condition.comparisons.iter().filter(|comparison| comparison.kind != PairKind::AA);
    measured.filter_map(move |comparison| {
        let step = Step { comparison, ratio: comparison.throughput?, back: false };
        match (comparison.variant, comparison.baseline) {
            (variant, other) if variant == here => Some((other, step)),
            (other, baseline) if baseline == here => Some((other, Step { back: true, ..step })),
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

    fn close(one: f64, other: f64) -> bool {
        (one / other - 1.0).abs() < 1e-9
    }

    #[test]
    fn a_direct_ratio_is_itself_and_turned_round_its_inverse() {
        let condition = condition(vec![comparison(PairKind::Collation, 1, 0, (0.5, 0.4, 0.625))]);
        let direct = ratio_between(&condition, 1, 0).unwrap();
        assert!(direct.steps == 1 && close(direct.estimate.low, 0.4) && close(direct.estimate.high, 0.625));
        let turned = ratio_between(&condition, 0, 1).unwrap().estimate;
        assert!(close(turned.value, 2.0) && close(turned.low, 1.6) && close(turned.high, 2.5));
    }

    #[test]
    fn a_way_over_a_baseline_divides_and_is_wider_than_either_part() {
        let condition = condition(vec![
            comparison(PairKind::Collation, 1, 0, (0.6, 0.58, 0.62)),
            comparison(PairKind::Collation, 2, 0, (0.5, 0.49, 0.51)),
        ]);
        let ratio = ratio_between(&condition, 1, 2).unwrap();
        assert!(ratio.steps == 2 && close(ratio.estimate.value, 1.2));
        let width = |low: f64, high: f64| (high / low).ln();
        let found = width(ratio.estimate.low, ratio.estimate.high);
        assert!(found > width(0.58, 0.62) && found < width(0.58, 0.62) + width(0.49, 0.51));
        assert!(close(ratio.aa_bound, 0.06), "both steps have it from one A/A pair");
    }

    #[test]
    fn steps_of_one_replicate_are_taken_together() {
        let with = |variant, ratios: &[f64]| {
            let replicates = (0..).zip(ratios);
            let of =
                |(replicate, &throughput): (u32, &f64)| ReplicateResult { replicate, throughput, server_cpu: None };
            let replicates = replicates.map(of).collect();
            Comparison { replicates, ..comparison(PairKind::Collation, variant, 0, (0.5, 0.4, 0.625)) }
        };
        // What moved the baseline from replicate to replicate is in both, and not in their ratio.
        let condition = condition(vec![with(1, &[0.4, 0.5, 0.625]), with(2, &[0.2, 0.25, 0.3125])]);
        let ratio = ratio_between(&condition, 1, 2).unwrap();
        let Estimate { low, high, .. } = Estimate { value: 2.0, low: 2.0, high: 2.0 }.between_runs();
        assert!(close(ratio.estimate.low, low) && close(ratio.estimate.high, high), "{ratio:?}");
        assert_eq!((ratio.freedom, ratio.steps), (Some(2.0), 2));
    }

    #[test]
    fn no_way_leads_over_a_copy_or_over_what_was_not_measured() {
        let mut missing = comparison(PairKind::Collation, 2, 0, (1.0, 1.0, 1.0));
        missing.throughput = None;
        let condition = condition(vec![comparison(PairKind::AA, 1, 0, (1.0, 0.99, 1.01)), missing]);
        assert_eq!(ratio_between(&condition, 1, 0), None);
        assert_eq!(ratio_between(&condition, 2, 0), None);
        assert_eq!(ratio_between(&condition, 0, 0), None);
    }

    #[test]
    fn the_shortest_way_is_taken() {
        let condition = condition(vec![
            comparison(PairKind::Collation, 1, 0, (0.5, 0.5, 0.5)),
            comparison(PairKind::Collation, 3, 2, (0.5, 0.5, 0.5)),
            comparison(PairKind::Server, 2, 0, (1.5, 1.5, 1.5)),
            comparison(PairKind::Server, 3, 1, (1.7, 1.7, 1.7)),
        ]);
        assert!(close(ratio_between(&condition, 3, 1).unwrap().estimate.value, 1.7));
        assert!(close(ratio_between(&condition, 3, 0).unwrap().estimate.value, 0.75));
    }
}
