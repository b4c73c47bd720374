//! The ratio of any two variants of a cell: measured directly, or by way of variants that both were held against.

use std::collections::{BTreeMap, VecDeque};

use measure::{CellResult, Comparison, Estimate, PairKind};

/// A ratio of throughputs and how it was come by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The ratio with its 95 % interval.
    pub estimate: Estimate,
    /// How far noise alone moves it: the noise floors of all steps together.
    pub noise_floor: f64,
    /// Pairs that it is made of; one where it was measured directly.
    pub steps: usize,
}

/// One pair on the way, in the direction in which it is walked; widths on a log scale.
#[derive(Clone, Copy)]
struct Step {
    log: f64,
    below: f64,
    above: f64,
    floor: f64,
}

impl Step {
    fn along(comparison: &Comparison, ratio: Estimate) -> Self {
        let log = ratio.value.ln();
        let floor = comparison.noise_floor.unwrap_or(0.0);
        Self { log, below: log - ratio.low.ln(), above: ratio.high.ln() - log, floor }
    }

    fn back(self) -> Self {
        Self { log: -self.log, below: self.above, above: self.below, floor: self.floor }
    }
}

/// Throughput of `variant` for each unit of `against`'s, by the shortest way through the pairs of the cell; `None` where there is none.
///
/// Each pair has blocks of its own, so the errors of the steps are independent, and their widths add as squares do.
pub fn ratio_between(cell: &CellResult, variant: usize, against: usize) -> Option<Ratio> {
    let steps = way(cell, variant, against)?;
    let log: f64 = steps.iter().map(|step| step.log).sum();
    let squares = |part: fn(&Step) -> f64| steps.iter().map(|step| part(step).powi(2)).sum::<f64>().sqrt();
    let (below, above) = (squares(|step| step.below), squares(|step| step.above));
    let estimate = Estimate { value: log.exp(), low: (log - below).exp(), high: (log + above).exp() };
    Some(Ratio { estimate, noise_floor: squares(|step| step.floor), steps: steps.len() })
}

/// The steps that lead from a variant to another one.
fn way(cell: &CellResult, from: usize, to: usize) -> Option<Vec<Step>> {
    let mut ways: BTreeMap<usize, Vec<Step>> = BTreeMap::from([(from, Vec::new())]);
    let mut open = VecDeque::from([from]);
    while let Some(here) = open.pop_front() {
        if here == to {
            return ways.remove(&to).filter(|way| !way.is_empty());
        }
        for (next, step) in neighbours(cell, here) {
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

fn neighbours(cell: &CellResult, here: usize) -> impl Iterator<Item = (usize, Step)> {
    let measured = cell.comparisons.iter().filter(|comparison| comparison.kind != PairKind::AA);
    measured.filter_map(move |comparison| {
        let step = Step::along(comparison, comparison.throughput?);
        match (comparison.variant, comparison.baseline) {
            (variant, other) if variant == here => Some((other, step)),
            (other, baseline) if baseline == here => Some((other, step.back())),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::Verdict;

    fn comparison(kind: PairKind, variant: usize, baseline: usize, ratio: (f64, f64, f64)) -> Comparison {
        Comparison {
            pair: 0,
            variant,
            baseline,
            kind,
            blocks: 6,
            throughput: Some(Estimate { value: ratio.0, low: ratio.1, high: ratio.2 }),
            server_cpu: None,
            noise_floor: Some(0.03),
            verdict: Verdict::NotMeasured,
            unlike: Vec::new(),
        }
    }

    fn cell(comparisons: Vec<Comparison>) -> CellResult {
        CellResult { cell: 0, noise_floor: None, variants: Vec::new(), comparisons }
    }

    fn close(one: f64, other: f64) -> bool {
        (one / other - 1.0).abs() < 1e-9
    }

    #[test]
    fn a_direct_ratio_is_itself_and_turned_round_its_inverse() {
        let cell = cell(vec![comparison(PairKind::Collation, 1, 0, (0.5, 0.4, 0.625))]);
        let direct = ratio_between(&cell, 1, 0).unwrap();
        assert!(direct.steps == 1 && close(direct.estimate.low, 0.4) && close(direct.estimate.high, 0.625));
        let turned = ratio_between(&cell, 0, 1).unwrap().estimate;
        assert!(close(turned.value, 2.0) && close(turned.low, 1.6) && close(turned.high, 2.5));
    }

    #[test]
    fn a_way_over_a_baseline_divides_and_is_wider_than_either_part() {
        let cell = cell(vec![
            comparison(PairKind::Collation, 1, 0, (0.6, 0.58, 0.62)),
            comparison(PairKind::Collation, 2, 0, (0.5, 0.49, 0.51)),
        ]);
        let ratio = ratio_between(&cell, 1, 2).unwrap();
        assert!(ratio.steps == 2 && close(ratio.estimate.value, 1.2));
        let width = |low: f64, high: f64| (high / low).ln();
        let found = width(ratio.estimate.low, ratio.estimate.high);
        assert!(found > width(0.58, 0.62) && found < width(0.58, 0.62) + width(0.49, 0.51));
        assert!(close(ratio.noise_floor, 0.03 * 2f64.sqrt()));
    }

    #[test]
    fn no_way_leads_over_a_copy_or_over_what_was_not_measured() {
        let mut missing = comparison(PairKind::Collation, 2, 0, (1.0, 1.0, 1.0));
        missing.throughput = None;
        let cell = cell(vec![comparison(PairKind::AA, 1, 0, (1.0, 0.99, 1.01)), missing]);
        assert_eq!(ratio_between(&cell, 1, 0), None);
        assert_eq!(ratio_between(&cell, 2, 0), None);
        assert_eq!(ratio_between(&cell, 0, 0), None);
    }

    #[test]
    fn the_shortest_way_is_taken() {
        let cell = cell(vec![
            comparison(PairKind::Collation, 1, 0, (0.5, 0.5, 0.5)),
            comparison(PairKind::Collation, 3, 2, (0.5, 0.5, 0.5)),
            comparison(PairKind::Server, 2, 0, (1.5, 1.5, 1.5)),
            comparison(PairKind::Server, 3, 1, (1.7, 1.7, 1.7)),
        ]);
        assert!(close(ratio_between(&cell, 3, 1).unwrap().estimate.value, 1.7));
        assert!(close(ratio_between(&cell, 3, 0).unwrap().estimate.value, 0.75));
    }
}
