//! The statistics of a ratio: geometric mean over blocks, and a bootstrap interval. Pure, and deterministic given a seed.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

/// Share of intervals that hold the truth.
pub const LEVEL: f64 = 0.95;
/// How many standard deviations a normal distribution's interval of that level reaches.
const NORMAL_TWO_SIDED: f64 = 1.959_964;
const RESAMPLES: usize = 4000;
/// With fewer values than this a bootstrap has too little to resample (its interval of three holds the truth 72 times in 100); the
/// interval is then Student's.
const LEAST_RESAMPLED: usize = 6;

/// How much wider than Student's an interval over replicates is. A run ends once its intervals are narrow enough, and that favours those which
/// chance has made narrow: as they are they hold the truth 92 to 93 times in 100, and a tenth wider 95 times (the schedule's test
/// `stopping_on_an_interval_costs_nothing_of_what_it_holds`).
const FOR_STOPPING: f64 = 1.1;

/// By how much a variant's cost differs from run to run on one machine: the standard deviation as a share of the cost, which is the logarithm of its
/// ratio to the baseline. What else uses the cores' caches stays the same for minutes, and some collations need them more than others do; no replicate
/// within a run shows that. Measured in twenty runs of three workloads (docs/measurement.md): 2.7 %, 0.9 % and, where the cost is 1 %, nothing that
/// could be told from the replicates' own spread.
const BETWEEN_RUNS: f64 = 0.02;

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl Estimate {
    /// Half of the interval's width, as a fraction of the estimate.
    pub fn precision(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.value
    }

    /// The two-sided p-value of the hypothesis that the truth is `other`, where the interval is Student's on a log scale with this freedom,
    /// or a normal one where none is known. It is 0.05 where `other` is the interval's end.
    pub fn p_value(&self, other: f64, freedom: Option<f64>) -> f64 {
        let end = if other < self.value { self.low } else { self.high };
        let (distance, half) = ((other / self.value).ln().abs(), (end / self.value).ln().abs());
        if half == 0.0 {
            return if distance == 0.0 { 1.0 } else { 0.0 };
        }
        match freedom.and_then(|freedom| StudentsT::new(0.0, 1.0, freedom).ok()) {
            Some(student) => 2.0 * student.cdf(-distance / half * student.inverse_cdf(1.0 - (1.0 - LEVEL) / 2.0)),
            None => {
                let normal = Normal::standard();
                2.0 * normal.cdf(-distance / half * normal.inverse_cdf(1.0 - (1.0 - LEVEL) / 2.0))
            }
        }
    }

    /// A ratio's interval as wide as fresh runs make it: with what a cost differs by from run to run, which adds to the interval's own width as
    /// squares do. The ratio of two things that are the same stays as it is.
    pub fn between_runs(self) -> Self {
        self.with_costs(self.value.ln().abs())
    }

    /// The same where a ratio was made of several costs, of which each was measured in a run of its own: `costs` is the root of their squares' sum.
    pub(crate) fn with_costs(self, costs: f64) -> Self {
        let state = NORMAL_TWO_SIDED * BETWEEN_RUNS * costs;
        let reach = |end: f64| (end / self.value).ln().hypot(state).exp();
        Self { value: self.value, low: self.value / reach(self.low), high: self.value * reach(self.high) }
    }

    /// Whether the interval holds a value.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// The geometric mean of positive ratios with its interval; `None` for fewer than two, or where one is not positive.
///
/// Blocks are resampled on a log scale. With few blocks the plain percentile bootstrap is too narrow, so the interval is the
/// expanded percentile interval (Hesterberg, "What Teachers Should Know About the Bootstrap", 2015): the percentiles are taken
/// further out, as far as Student's t is wider than the normal distribution. No block is thrown out.
pub fn ratio(ratios: &[f64], seed: u64) -> Option<Estimate> {
    let logs = logs(ratios)?;
    let value = mean(&logs);
    let (low, high) = if logs.len() < LEAST_RESAMPLED { student(&logs)? } else { bootstrap(&logs, seed)? };
    // The estimate is inside its own interval also where all resamples agree but for rounding.
    Some(Estimate { value: value.exp(), low: low.min(value).exp(), high: high.max(value).exp() })
}

/// The geometric mean of the ratios of independent replicates with Student's interval on a log scale, a tenth wider for runs that end once it is
/// narrow enough; `None` for fewer than two, or where one is not positive.
///
/// With 3 to 10 replicates a bootstrap has too little to resample: simulated with replicates that differ by 0.5 to 1.8 % and three blocks each, its
/// hierarchical form holds the truth less often than Student's interval, which holds it as often as it says (test
/// `student_over_replicates_covers_where_a_bootstrap_does_not`).
pub fn ratio_of_replicates(means: &[f64]) -> Option<Estimate> {
    let logs = logs(means)?;
    let Estimate { value, low, high } = mean_of_replicates(&logs)?;
    Some(Estimate { value: value.exp(), low: low.exp(), high: high.exp() })
}

/// The arithmetic mean of the values of independent replicates with its interval, in the same way; `None` for fewer than two, or where one is no
/// number.
pub(crate) fn mean_of_replicates(means: &[f64]) -> Option<Estimate> {
    let Estimate { value, low, high } = mean_with_interval(means)?;
    Some(Estimate { value, low: value - FOR_STOPPING * (value - low), high: value + FOR_STOPPING * (high - value) })
}

/// The geometric mean; `None` for no values, or where one is not positive.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let usable = !values.is_empty() && values.iter().all(|value| value.is_finite() && *value > 0.0);
    usable.then(|| mean(&values.iter().map(|value| value.ln()).collect::<Vec<_>>()).exp())
}

/// A ratio of two means with an interval of what the values of each vary, which were not measured in pairs; `None` where either has
/// fewer values than an interval needs, or one is not positive.
///
/// The interval is Welch's on a log scale with the fewer degrees of freedom, which is never too narrow by itself. Values of one series that
/// follow each other are alike, and make it so.
pub fn unpaired(ratio: f64, one: &[f64], other: &[f64]) -> Option<Estimate> {
    let is_usable =
        |values: &[f64]| values.len() >= LEAST_RESAMPLED && values.iter().all(|v| v.is_finite() && *v > 0.0);
    if !(is_usable(one) && is_usable(other) && ratio.is_finite() && ratio > 0.0) {
        return None;
    }
    // Of the mean, relative to it.
    let variance = |values: &[f64]| {
        let (n, center) = (values.len() as f64, mean(values));
        values.iter().map(|value| (value / center - 1.0).powi(2)).sum::<f64>() / (n - 1.0) / n
    };
    let half = t_quantile(one.len().min(other.len()) as f64)? * (variance(one) + variance(other)).sqrt();
    let estimate = Estimate { value: ratio, low: ratio * (-half).exp(), high: ratio * half.exp() };
    estimate.high.is_finite().then_some(estimate)
}

/// How one level changed to another, from independent positive values of each: the ratio of their geometric means with its interval;
/// `None` for fewer than two of either, or where one is not positive.
///
/// The interval is Welch's on a log scale.
pub fn change(before: &[f64], after: &[f64]) -> Option<Estimate> {
    let [before, after] = [logs(before)?, logs(after)?];
    let value = mean(&after) - mean(&before);
    let (low, high) = welch(&before, &after)?;
    Some(Estimate { value: value.exp(), low: low.min(value).exp(), high: high.max(value).exp() })
}

/// Which of these p-values are significant together at 5 % (Holm's step-down procedure, 1979).
pub fn holm(p_values: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut significant = vec![false; p_values.len()];
    let tests = (1..=p_values.len()).rev();
    for (place, tests) in order.into_iter().zip(tests) {
        if p_values[place] > (1.0 - LEVEL) / tests as f64 {
            break;
        }
        significant[place] = true;
    }
    significant
}

/// The logarithms of at least two positive values.
fn logs(values: &[f64]) -> Option<Vec<f64>> {
    let usable = values.len() >= 2 && values.iter().all(|value| value.is_finite() && *value > 0.0);
    usable.then(|| values.iter().map(|value| value.ln()).collect())
}

/// Welch's interval: Student's for two samples of unlike spread, with the degrees of freedom of Welch and Satterthwaite.
fn welch(before: &[f64], after: &[f64]) -> Option<(f64, f64)> {
    let [old, new] = [before, after].map(|values| (variance(values) / values.len() as f64, values.len() as f64 - 1.0));
    let center = mean(after) - mean(before);
    let spread = old.0 + new.0;
    if spread == 0.0 {
        return Some((center, center));
    }
    let freedom = spread.powi(2) / (old.0.powi(2) / old.1 + new.0.powi(2) / new.1);
    let half = t_quantile(freedom + 1.0)? * spread.sqrt();
    Some((center - half, center + half))
}

fn variance(values: &[f64]) -> f64 {
    let center = mean(values);
    values.iter().map(|value| (value - center).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

/// The arithmetic mean with Student's interval; `None` for fewer than two values, or where one is no number.
pub fn mean_with_interval(values: &[f64]) -> Option<Estimate> {
    if values.len() < 2 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let (low, high) = student(values)?;
    Some(Estimate { value: mean(values), low, high })
}

/// Student's interval of the mean of two values or more.
fn student(values: &[f64]) -> Option<(f64, f64)> {
    let (n, center) = (values.len() as f64, mean(values));
    let half = t_quantile(n)? * (variance(values) / n).sqrt();
    Some((center - half, center + half))
}

fn bootstrap(logs: &[f64], seed: u64) -> Option<(f64, f64)> {
    let mut means = resampled_means(logs, seed);
    means.sort_unstable_by(f64::total_cmp);
    let tail = expanded_tail(logs.len() as f64)?;
    Some((quantile(&means, tail), quantile(&means, 1.0 - tail)))
}

/// The median of figures with its interval, whatever their distribution is: the interval ends at the two values that the true median
/// lies between in at least 95 % of samples (order statistics, by the binomial distribution). `None` for fewer than six values, which
/// can't bear that, or where one is no number.
pub fn median(values: &[f64]) -> Option<Estimate> {
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let cut = values_cut_off(sorted.len() as u64)?;
    Some(Estimate { value: quantile(&sorted, 0.5), low: sorted[cut], high: sorted[sorted.len() - 1 - cut] })
}

/// How many of the lowest and of the highest of `n` values are outside the median's interval.
fn values_cut_off(n: u64) -> Option<usize> {
    let below = Binomial::new(0.5, n).ok()?;
    let beyond = |cut: u64| 2.0 * below.cdf(cut);
    // The cut-off values are the fewest, and the median is beyond value `cut` where at most `cut` values are on that side of it.
    (0..n / 2).take_while(|&cut| beyond(cut) <= 1.0 - LEVEL).last().map(|cut| cut as usize)
}

/// The arithmetic mean; NaN for none.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn resampled_means(values: &[f64], seed: u64) -> Vec<f64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let count = values.len() as u64;
    // The high half of a 64 × 64 bit product is a draw below `count`, its bias far below the bootstrap's own error.
    let mut draw = || ((u128::from(random.next_u64()) * u128::from(count)) >> 64) as usize;
    (0..RESAMPLES).map(|_| values.iter().map(|_| values[draw()]).sum::<f64>() / count as f64).collect()
}

/// Where Student's t distribution for `n` values leaves half of what `LEVEL` leaves out above it.
fn t_quantile(n: f64) -> Option<f64> {
    Some(StudentsT::new(0.0, 1.0, n - 1.0).ok()?.inverse_cdf(1.0 - (1.0 - LEVEL) / 2.0))
}

/// The tail probability to cut at so that the percentile interval of `n` values covers as a t interval would.
fn expanded_tail(n: f64) -> Option<f64> {
    Some(Normal::standard().cdf(-(n / (n - 1.0)).sqrt() * t_quantile(n)?))
}

/// The value below which that share of ascending values lies; between two of them in proportion.
pub(crate) fn quantile(sorted: &[f64], probability: f64) -> f64 {
    let position = probability * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * position.fract()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Ratios around `center` whose logs are normal with the given spread.
    pub(crate) fn noisy(center: f64, spread: f64, count: usize, seed: u64) -> Vec<f64> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let normal = Normal::standard();
        (0..count)
            .map(|_| {
                let uniform = (random.next_u64() as f64 + 0.5) / 2f64.powi(64);
                center * (spread * normal.inverse_cdf(uniform)).exp()
            })
            .collect()
    }

    #[test]
    fn too_little_or_impossible_data_gives_nothing() {
        assert_eq!(ratio(&[], 1), None);
        assert_eq!(ratio(&[1.0], 1), None);
        assert_eq!(ratio(&[1.0, 0.0], 1), None);
        assert_eq!(ratio(&[1.0, f64::NAN], 1), None);
    }

    #[test]
    fn equal_ratios_are_exact() {
        let estimate = ratio(&[0.5; 10], 1).unwrap();
        assert!((estimate.value - 0.5).abs() < 1e-12 && estimate.precision() < 1e-12);
        assert!(estimate.contains(estimate.value));
    }

    #[test]
    fn a_mean_has_students_interval() {
        let estimate = mean_with_interval(&[1.0, 2.0, 3.0]).unwrap();
        // 4.303 is Student's t for two degrees of freedom.
        let half = 4.303 / 3f64.sqrt();
        assert!((estimate.value - 2.0).abs() < 1e-12);
        assert!((estimate.low - (2.0 - half)).abs() < 1e-3 && (estimate.high - (2.0 + half)).abs() < 1e-3);
        assert_eq!(mean_with_interval(&[1.0]), None);
        assert_eq!(mean_with_interval(&[1.0, f64::INFINITY]), None);
    }

    #[test]
    fn p_values_are_five_percent_at_the_ends_of_an_interval() {
        let estimate = ratio_of_replicates(&noisy(0.7, 0.02, 5, 3)).unwrap();
        for (other, freedom) in [(estimate.low, Some(4.0)), (estimate.high, Some(4.0)), (estimate.high, None)] {
            assert!((estimate.p_value(other, freedom) - 0.05).abs() < 1e-9);
        }
        assert!((estimate.p_value(estimate.value, None) - 1.0).abs() < 1e-9);
        let [beyond, further] = [1.1, 1.2].map(|by| estimate.p_value(estimate.high * by, Some(4.0)));
        assert!(further < beyond && beyond < 0.05);
    }

    #[test]
    fn what_differs_between_runs_widens_by_the_cost() {
        let own = |value: f64| Estimate { value, low: value / 1.01, high: value * 1.01 };
        assert_eq!(own(1.0).between_runs(), own(1.0));
        let [little, much] = [1.3, 3.0].map(|value| own(value).between_runs());
        assert!((1.013..1.016).contains(&(little.high / 1.3)), "{little:?}");
        assert!((1.043..1.046).contains(&(much.high / 3.0)), "{much:?}");
        let inverse = own(1.0 / 3.0).between_runs();
        assert!((much.high * inverse.low - 1.0).abs() < 1e-12, "throughput and time are told alike");
        assert_eq!((much.value, own(2.0).with_costs(0.0).high), (3.0, own(2.0).high));
    }

    /// Runs that differ by what was seen between them, each of six replicates, hold what a cost is in all of them.
    #[test]
    fn fresh_runs_hold_the_mean_of_all_runs() {
        let (truth, runs) = (1.75f64, 2_000);
        let centers = noisy(truth, BETWEEN_RUNS * truth.ln(), runs, 5);
        let held = (0u64..).zip(&centers).filter(|(seed, center)| {
            let own = ratio_of_replicates(&noisy(**center, 0.008, 6, *seed)).unwrap();
            own.between_runs().contains(truth)
        });
        let share = held.count() as f64 / runs as f64;
        assert!((0.94..0.99).contains(&share), "{share}");
    }

    /// Of so many runs of replicates that differ by `between`, each of three blocks that differ by 1 %, how many intervals hold the truth: of
    /// Student's over the replicates' means, and of a bootstrap that draws replicates and then blocks in them.
    fn coverage_over_replicates(between: f64, replicates: usize, runs: u64) -> [usize; 2] {
        let mut held = [0; 2];
        for seed in 0..runs {
            let centers = noisy(0.6, between, replicates, seed);
            let blocks: Vec<Vec<f64>> =
                (0u64..).zip(&centers).map(|(at, center)| noisy(*center, 0.01, 3, seed * 100 + at + 7)).collect();
            let means: Vec<f64> = blocks.iter().map(|blocks| geometric_mean(blocks).unwrap()).collect();
            held[0] += usize::from(ratio_of_replicates(&means).unwrap().contains(0.6));
            held[1] += usize::from(hierarchical(&blocks, seed).contains(0.6));
        }
        held
    }

    /// The percentile interval of a hierarchical bootstrap.
    fn hierarchical(blocks: &[Vec<f64>], seed: u64) -> Estimate {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut draw = |count: usize| (random.next_u64() % count as u64) as usize;
        let mut means: Vec<f64> = (0..500)
            .map(|_| {
                let drawn: Vec<f64> = blocks
                    .iter()
                    .map(|_| {
                        let own = &blocks[draw(blocks.len())];
                        mean(&own.iter().map(|_| own[draw(own.len())].ln()).collect::<Vec<_>>())
                    })
                    .collect();
                mean(&drawn)
            })
            .collect();
        means.sort_unstable_by(f64::total_cmp);
        Estimate { value: 0.6, low: quantile(&means, 0.025).exp(), high: quantile(&means, 0.975).exp() }
    }

    #[test]
    fn student_over_replicates_covers_where_a_bootstrap_does_not() {
        for between in [0.005, 0.018] {
            for replicates in [3, 5, 10] {
                let [student, bootstrap] = coverage_over_replicates(between, replicates, 200);
                println!("{between} {replicates}: Student {student}, hierarchical bootstrap {bootstrap} of 200");
                // A tenth wider than for 95 % of 200, which is 190; three standard deviations are 9.
                assert!((183..=200).contains(&student), "{student} of 200 with {replicates} that differ by {between}");
                assert!(replicates > 5 || bootstrap < student, "{bootstrap} of 200");
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let data = noisy(0.55, 0.03, 12, 7);
        assert_eq!(ratio(&data, 3), ratio(&data, 3));
    }

    #[test]
    fn a_ratio_turned_round_is_its_inverse() {
        let data = noisy(0.55, 0.03, 30, 7);
        let inverse: Vec<f64> = data.iter().map(|ratio| 1.0 / ratio).collect();
        let (straight, turned) = (ratio(&data, 3).unwrap(), ratio(&inverse, 3).unwrap());
        assert!((straight.value * turned.value - 1.0).abs() < 1e-12);
        assert!((straight.low * turned.high - 1.0).abs() < 0.005);
    }

    #[test]
    fn unpaired_means_hold_the_truth_at_least_as_often_as_they_say() {
        let held = (0..400).filter(|&seed| {
            let (one, other) = (noisy(60.0, 0.05, 20, seed), noisy(100.0, 0.05, 30, seed + 1000));
            unpaired(mean(&one) / mean(&other), &one, &other).unwrap().contains(0.6)
        });
        assert!(held.count() >= 367);
        assert_eq!(unpaired(1.0, &[1.0; 5], &[1.0; 9]), None);
        assert_eq!(unpaired(1.0, &[1.0, 0.0, 1.0, 1.0, 1.0, 1.0], &[1.0; 9]), None);
    }

    #[test]
    fn medians_have_the_textbooks_intervals() {
        // Conover, Practical Nonparametric Statistics, table A3: of so many values, these are the ends.
        for (count, low, high) in [(6, 1.0, 6.0), (9, 2.0, 8.0), (10, 2.0, 9.0), (15, 4.0, 12.0), (20, 6.0, 15.0)] {
            let values: Vec<f64> = (1..=count).rev().map(f64::from).collect();
            let estimate = median(&values).unwrap();
            assert_eq!((estimate.value, estimate.low, estimate.high), (f64::from(count + 1) / 2.0, low, high));
        }
        assert_eq!(median(&[1.0; 5]), None);
        assert_eq!(median(&[f64::NAN; 9]), None);
    }

    #[test]
    fn intervals_of_medians_hold_the_truth_at_least_as_often_as_they_say() {
        for count in [6, 7, 12, 25] {
            let held = (0..400).filter(|&seed| median(&noisy(0.6, 0.04, count, seed)).unwrap().contains(0.6)).count();
            assert!(held >= 367, "{held} of 400 intervals over {count} values held the truth");
        }
    }

    #[test]
    fn intervals_hold_the_truth_about_as_often_as_they_say() {
        for count in [2, 3, 5, 6, 10, 30] {
            let held = (0..400).filter(|&seed| ratio(&noisy(0.6, 0.04, count, seed), 1).unwrap().contains(0.6)).count();
            // 95 % of 400 is 380; three standard deviations are 13.
            assert!((367..=393).contains(&held), "{held} of 400 intervals over {count} blocks held the truth");
        }
    }

    #[test]
    fn a_change_is_of_geometric_means_and_needs_two_values_of_each() {
        let halved = change(&[2.0, 8.0, 4.0], &[2.0, 2.0, 2.0]).unwrap();
        assert!((halved.value - 0.5).abs() < 1e-12 && halved.contains(0.5), "{halved:?}");
        assert_eq!(change(&[1.0], &[1.0, 1.0]), None);
        assert_eq!(change(&[1.0, 1.0], &[1.0, 0.0]), None);
        let exact = change(&[1.0, 1.0], &[3.0, 3.0]).unwrap();
        assert!((exact.low - 3.0).abs() < 1e-12 && (exact.high - 3.0).abs() < 1e-12, "{exact:?}");
    }

    #[test]
    fn intervals_of_changes_hold_the_truth_about_as_often_as_they_say() {
        for (old, new) in [(3, 3), (4, 30), (6, 6), (8, 20), (30, 30)] {
            let held = |seed: u64| {
                let (before, after) = (noisy(2.0, 0.05, old, seed), noisy(1.8, 0.02, new, seed + 1000));
                change(&before, &after).unwrap().contains(0.9)
            };
            let held = (0..400).filter(|&seed| held(seed)).count();
            // 95 % of 400 is 380. The tails suit the shorter side, so with unlike lengths it is a little more.
            assert!(
                (364..=397).contains(&held),
                "{held} of 400 intervals of {old} against {new} blocks held the truth"
            );
        }
    }

    #[test]
    fn one_of_many_is_significant_only_beyond_chance() {
        // Of twenty, one just beyond what its own interval allows, as chance will have it.
        let mut p_values = [0.5; 20];
        p_values[3] = 0.04;
        assert!(holm(&p_values).iter().all(|significant| !significant));
        p_values[3] = 0.002;
        assert_eq!(holm(&p_values).iter().position(|significant| *significant), Some(3));
        assert_eq!(holm(&[0.04]), [true], "one alone is judged by its interval");
        // Step down: once the first is beyond chance, the others have fewer tests to stand against.
        assert_eq!(holm(&[0.001, 0.024, 0.2]), [true, true, false]);
        assert!(holm(&[]).is_empty());
    }
}
