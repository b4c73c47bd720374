//! Intervals of means, medians and ratios, and tests of several at once. Deterministic for a given
//! seed.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

use crate::estimate::{CONFIDENCE_LEVEL, Estimate, NORMAL_TWO_SIDED};

const RESAMPLES: usize = 4000;
/// Minimum number of values for a bootstrap; with fewer, Student's interval is used. A bootstrap
/// interval of three values, which is their range, covers the truth in only 75 % of cases.
const MIN_BOOTSTRAP_VALUES: usize = 6;

/// Minimum number of values of each series for [`unpaired_ratio`].
const MIN_UNPAIRED_VALUES: usize = 6;

/// Factor by which intervals over replicates are wider than Student's. A run ends once its
/// intervals are narrow, which favours those that are narrow by chance. In simulations, Student's
/// intervals then cover the truth in 92 to 93 % of cases, and intervals 10 % wider in 95 %: the
/// test `stopping_early_keeps_coverage` of measure's schedule expects the latter.
const EARLY_STOPPING_WIDENING: f64 = 1.1;

/// Standard deviation of a ratio's logarithm between fresh starts, assumed for two starts. Two
/// values can agree by chance, and then say nothing about how starts differ. In runs with more
/// starts it was 0.5 to 1.8 % (docs/explanation/measurement.md).
const SPREAD_OF_TWO_STARTS: f64 = 0.01;

/// Returns the geometric mean of ratios with its interval. `None` for fewer than two ratios, or if
/// one is not positive and finite.
///
/// Fewer than six ratios have Student's interval on a log scale. Six or more are resampled on a log
/// scale. With few values the percentile bootstrap is too narrow. The bootstrap interval is
/// therefore the expanded percentile interval (Hesterberg, "What Teachers Should Know About the
/// Bootstrap", 2015), which is as wide as a t interval. No ratio is discarded
/// as an outlier.
pub fn mean_ratio(ratios: &[f64], seed: u64) -> Option<Estimate> {
    let logs = logarithms(ratios)?;
    let value = mean(&logs);
    let (low, high) =
        if logs.len() < MIN_BOOTSTRAP_VALUES { student_interval(&logs)? } else { bootstrap_interval(&logs, seed)? };
    // Rounding could put the estimate outside an interval of equal resamples.
    Some(Estimate { value: value.exp(), low: low.min(value).exp(), high: high.max(value).exp() })
}

/// Returns the geometric mean of the ratios of independent replicates with its interval: Student's
/// on a log scale, 10 % wider to allow for early stopping. Two replicates have at least the
/// interval of a usual difference between starts. `None` for fewer than two ratios, or if one is
/// not positive and finite.
///
/// In a simulation with replicates that vary by 0.5 to 1.8 % and three blocks each, this interval
/// covers the truth at least as often as its level says. A hierarchical bootstrap covers it less
/// often with 3 and 5 replicates (test `student_interval_covers_few_replicates`).
pub fn mean_ratio_over_replicates(means: &[f64]) -> Option<Estimate> {
    let logs = logarithms(means)?;
    let Estimate { value, low, high } = mean_over_replicates(&logs)?;
    let least = if logs.len() == 2 { NORMAL_TWO_SIDED * SPREAD_OF_TWO_STARTS / f64::sqrt(2.0) } else { 0.0 };
    let (low, high) = (low.min(value - least), high.max(value + least));
    Some(Estimate { value: value.exp(), low: low.exp(), high: high.exp() })
}

/// Returns the arithmetic mean of independent replicates with Student's interval, 10 % wider to
/// allow for early stopping. `None` for fewer than two values, or if one is not finite.
pub fn mean_over_replicates(means: &[f64]) -> Option<Estimate> {
    let Estimate { value, low, high } = mean_with_interval(means)?;
    Some(Estimate {
        value,
        low: value - EARLY_STOPPING_WIDENING * (value - low),
        high: value + EARLY_STOPPING_WIDENING * (high - value),
    })
}

/// `None` for no values, or if one is not positive and finite.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let usable = !values.is_empty() && values.iter().all(|value| value.is_finite() && *value > 0.0);
    usable.then(|| mean(&values.iter().map(|value| value.ln()).collect::<Vec<_>>()).exp())
}

/// Returns an interval for a ratio of two means whose values were not measured in pairs. `None` if
/// either series has fewer than six values, or if a value, the ratio or the interval's upper end is
/// not positive and finite.
///
/// The squared relative standard errors of both means are added, and Student's t has the degrees of
/// freedom of the shorter series, which is conservative. The interval is symmetric on a log scale.
/// Autocorrelation within a series still makes it too narrow.
pub fn unpaired_ratio(ratio: f64, one: &[f64], other: &[f64]) -> Option<Estimate> {
    let is_usable =
        |values: &[f64]| values.len() >= MIN_UNPAIRED_VALUES && values.iter().all(|v| v.is_finite() && *v > 0.0);
    if !(is_usable(one) && is_usable(other) && ratio.is_finite() && ratio > 0.0) {
        return None;
    }
    // Variance of the mean, relative to the square of the mean.
    let relative_variance = |values: &[f64]| {
        let (n, center) = (values.len() as f64, mean(values));
        values.iter().map(|value| (value / center - 1.0).powi(2)).sum::<f64>() / (n - 1.0) / n
    };
    let half =
        t_quantile(one.len().min(other.len()) as f64)? * (relative_variance(one) + relative_variance(other)).sqrt();
    let estimate = Estimate { value: ratio, low: ratio * (-half).exp(), high: ratio * half.exp() };
    estimate.high.is_finite().then_some(estimate)
}

/// Returns the ratio of the geometric means of two independent samples with Welch's interval on a
/// log scale, `after` / `before`. `None` for fewer than two values of either, or if one is not
/// positive and finite.
pub fn change_ratio(before: &[f64], after: &[f64]) -> Option<Estimate> {
    let [before, after] = [logarithms(before)?, logarithms(after)?];
    let value = mean(&after) - mean(&before);
    let (low, high) = welch_interval(&before, &after)?;
    Some(Estimate { value: value.exp(), low: low.min(value).exp(), high: high.max(value).exp() })
}

/// Returns which p-values are significant together at 5 % (Holm's step-down procedure, 1979). NaN
/// is not.
pub fn significant_by_holm(p_values: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut significant = vec![false; p_values.len()];
    let tests = (1..=p_values.len()).rev();
    for (place, tests) in order.into_iter().zip(tests) {
        let p_value = p_values[place];
        if p_value.is_nan() || p_value > (1.0 - CONFIDENCE_LEVEL) / tests as f64 {
            break;
        }
        significant[place] = true;
    }
    significant
}

/// Returns the logarithms of values. `None` for fewer than two, or if one is not positive and
/// finite.
fn logarithms(values: &[f64]) -> Option<Vec<f64>> {
    let usable = values.len() >= 2 && values.iter().all(|value| value.is_finite() && *value > 0.0);
    usable.then(|| values.iter().map(|value| value.ln()).collect())
}

/// Welch's interval for the difference of the means, `after` − `before`, with Welch–Satterthwaite
/// degrees of freedom. The variances may differ.
fn welch_interval(before: &[f64], after: &[f64]) -> Option<(f64, f64)> {
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

/// Returns the arithmetic mean with Student's interval. `None` for fewer than two values, or if one
/// is not finite.
pub fn mean_with_interval(values: &[f64]) -> Option<Estimate> {
    if values.len() < 2 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let (low, high) = student_interval(values)?;
    Some(Estimate { value: mean(values), low, high })
}

/// Student's interval of the mean of at least two values.
fn student_interval(values: &[f64]) -> Option<(f64, f64)> {
    let (n, center) = (values.len() as f64, mean(values));
    let half = t_quantile(n)? * (variance(values) / n).sqrt();
    Some((center - half, center + half))
}

fn bootstrap_interval(logs: &[f64], seed: u64) -> Option<(f64, f64)> {
    let mut means = resampled_means(logs, seed);
    means.sort_unstable_by(f64::total_cmp);
    let tail = expanded_tail(logs.len() as f64)?;
    Some((quantile(&means, tail), quantile(&means, 1.0 - tail)))
}

/// Returns the median with a distribution-free interval: the order statistics that enclose the true
/// median in at least 95 % of samples (binomial distribution). `None` for fewer than six values,
/// for which there is no such interval, or if one is not finite.
pub fn median_with_interval(values: &[f64]) -> Option<Estimate> {
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let cut = count_values_outside(sorted.len() as u64)?;
    Some(Estimate { value: quantile(&sorted, 0.5), low: sorted[cut], high: sorted[sorted.len() - 1 - cut] })
}

/// Returns how many of the lowest of `n` values are outside the median's interval; as many of the
/// highest are. `None` if no interval covers 95 %.
fn count_values_outside(n: u64) -> Option<usize> {
    let below = Binomial::new(0.5, n).ok()?;
    let beyond = |cut: u64| 2.0 * below.cdf(cut);
    // The true median is below value number `cut`, counted from 0, only if at most `cut` values are
    // below it, and likewise above.
    (0..n / 2).take_while(|&cut| beyond(cut) <= 1.0 - CONFIDENCE_LEVEL).last().map(|cut| cut as usize)
}

/// Returns the arithmetic mean. NaN for no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn resampled_means(values: &[f64], seed: u64) -> Vec<f64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let count = values.len() as u64;
    // The high half of a 64 × 64 bit product is a random index below `count`. The bias is
    // negligible compared with the bootstrap's own error.
    let mut draw = || ((u128::from(random.next_u64()) * u128::from(count)) >> 64) as usize;
    (0..RESAMPLES).map(|_| values.iter().map(|_| values[draw()]).sum::<f64>() / count as f64).collect()
}

/// Returns the quantile of Student's t distribution with `n` − 1 degrees of freedom for a two-sided
/// 95 % interval.
fn t_quantile(n: f64) -> Option<f64> {
    Some(StudentsT::new(0.0, 1.0, n - 1.0).ok()?.inverse_cdf(1.0 - (1.0 - CONFIDENCE_LEVEL) / 2.0))
}

/// Returns the tail probability at which the percentile interval of `n` values is as wide as a t
/// interval.
fn expanded_tail(n: f64) -> Option<f64> {
    Some(Normal::standard().cdf(-(n / (n - 1.0)).sqrt() * t_quantile(n)?))
}

/// Returns the quantile of ascending values, linearly interpolated. Panics if there are no values.
pub fn quantile(sorted: &[f64], probability: f64) -> f64 {
    let position = probability * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * position.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::RUN_TO_RUN_SPREAD;

    /// Ratios around `center`. `spread` is the standard deviation of their logarithms, which are
    /// normally distributed.
    fn noisy(center: f64, spread: f64, count: usize, seed: u64) -> Vec<f64> {
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
        assert_eq!(mean_ratio(&[], 1), None);
        assert_eq!(mean_ratio(&[1.0], 1), None);
        assert_eq!(mean_ratio(&[1.0, 0.0], 1), None);
        assert_eq!(mean_ratio(&[1.0, f64::NAN], 1), None);
    }

    #[test]
    fn equal_ratios_are_exact() {
        let estimate = mean_ratio(&[0.5; 10], 1).unwrap();
        assert!((estimate.value - 0.5).abs() < 1e-12 && estimate.precision() < 1e-12);
        assert!(estimate.contains(estimate.value));
    }

    #[test]
    fn mean_has_students_interval() {
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
        let estimate = mean_ratio_over_replicates(&noisy(0.7, 0.02, 5, 3)).unwrap();
        for (other, freedom) in [(estimate.low, Some(4.0)), (estimate.high, Some(4.0)), (estimate.high, None)] {
            assert!((estimate.p_value(other, freedom) - 0.05).abs() < 1e-9);
        }
        assert!((estimate.p_value(estimate.value, None) - 1.0).abs() < 1e-9);
        let [beyond, further] = [1.1, 1.2].map(|by| estimate.p_value(estimate.high * by, Some(4.0)));
        assert!(further < beyond && beyond < 0.05);
    }

    #[test]
    fn variation_between_runs_widens_the_interval() {
        let own = |value: f64| Estimate { value, low: value / 1.01, high: value * 1.01 };
        assert_eq!(own(1.0).with_run_to_run_spread(), own(1.0));
        let [little, much] = [1.3, 3.0].map(|value| own(value).with_run_to_run_spread());
        assert!((1.013..1.016).contains(&(little.high / 1.3)), "{little:?}");
        assert!((1.043..1.046).contains(&(much.high / 3.0)), "{much:?}");
        let inverse = own(1.0 / 3.0).with_run_to_run_spread();
        assert!((much.high * inverse.low - 1.0).abs() < 1e-12, "throughput and time have reciprocal intervals");
        assert_eq!((much.value, own(2.0).with_spread_of_costs(0.0).high), (3.0, own(2.0).high));
    }

    /// Runs vary by `RUN_TO_RUN_SPREAD`, and their six replicates by 0.8 %. 94 to 99 % of the
    /// widened intervals then contain the true ratio.
    #[test]
    fn widened_intervals_contain_the_mean_over_runs() {
        let (truth, runs) = (1.75f64, 2_000);
        let centers = noisy(truth, RUN_TO_RUN_SPREAD * truth.ln(), runs, 5);
        let held = (0u64..).zip(&centers).filter(|(seed, center)| {
            let own = mean_ratio_over_replicates(&noisy(**center, 0.008, 6, *seed)).unwrap();
            own.with_run_to_run_spread().contains(truth)
        });
        let share = held.count() as f64 / runs as f64;
        assert!((0.94..0.99).contains(&share), "{share}");
    }

    /// Returns how many intervals of `runs` runs contain the truth: Student's over the means of
    /// replicates, 10 % wider, and a hierarchical bootstrap. Replicates vary by `between`; each has
    /// three blocks that vary by 1 %.
    fn coverage_over_replicates(between: f64, replicates: usize, runs: u64) -> [usize; 2] {
        let mut held = [0; 2];
        for seed in 0..runs {
            let centers = noisy(0.6, between, replicates, seed);
            let blocks: Vec<Vec<f64>> =
                (0u64..).zip(&centers).map(|(at, center)| noisy(*center, 0.01, 3, seed * 100 + at + 7)).collect();
            let means: Vec<f64> = blocks.iter().map(|blocks| geometric_mean(blocks).unwrap()).collect();
            held[0] += usize::from(mean_ratio_over_replicates(&means).unwrap().contains(0.6));
            held[1] += usize::from(hierarchical_bootstrap(&blocks, seed).contains(0.6));
        }
        held
    }

    /// The percentile interval of a hierarchical bootstrap: draws replicates, then blocks within
    /// them.
    fn hierarchical_bootstrap(blocks: &[Vec<f64>], seed: u64) -> Estimate {
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
    fn student_interval_covers_few_replicates() {
        for between in [0.005, 0.018] {
            for replicates in [3, 5, 10] {
                let [student, bootstrap] = coverage_over_replicates(between, replicates, 200);
                println!("{between} {replicates}: Student {student}, hierarchical bootstrap {bootstrap} of 200");
                // Student's intervals cover 190 of 200 on average, with three standard deviations
                // of 9. These are 10 % wider.
                assert!((183..=200).contains(&student), "{student} of 200 with {replicates} that differ by {between}");
                assert!(replicates > 5 || bootstrap < student, "{bootstrap} of 200");
            }
        }
    }

    #[test]
    fn same_seed_gives_the_same_interval() {
        let data = noisy(0.55, 0.03, 12, 7);
        assert_eq!(mean_ratio(&data, 3), mean_ratio(&data, 3));
    }

    #[test]
    fn reversed_ratio_is_the_inverse() {
        let data = noisy(0.55, 0.03, 30, 7);
        let inverse: Vec<f64> = data.iter().map(|ratio| 1.0 / ratio).collect();
        let (straight, turned) = (mean_ratio(&data, 3).unwrap(), mean_ratio(&inverse, 3).unwrap());
        assert!((straight.value * turned.value - 1.0).abs() < 1e-12);
        assert!((straight.low * turned.high - 1.0).abs() < 0.005);
    }

    #[test]
    fn unpaired_intervals_cover_the_truth_in_at_least_95_percent() {
        let held = (0..400).filter(|&seed| {
            let (one, other) = (noisy(60.0, 0.05, 20, seed), noisy(100.0, 0.05, 30, seed + 1000));
            unpaired_ratio(mean(&one) / mean(&other), &one, &other).unwrap().contains(0.6)
        });
        assert!(held.count() >= 367);
        assert_eq!(unpaired_ratio(1.0, &[1.0; 5], &[1.0; 9]), None);
        assert_eq!(unpaired_ratio(1.0, &[1.0, 0.0, 1.0, 1.0, 1.0, 1.0], &[1.0; 9]), None);
    }

    #[test]
    fn medians_have_the_textbooks_intervals() {
        // Conover, Practical Nonparametric Statistics, table A3: the ends of the interval by number
        // of values.
        for (count, low, high) in [(6, 1.0, 6.0), (9, 2.0, 8.0), (10, 2.0, 9.0), (15, 4.0, 12.0), (20, 6.0, 15.0)] {
            let values: Vec<f64> = (1..=count).rev().map(f64::from).collect();
            let estimate = median_with_interval(&values).unwrap();
            assert_eq!((estimate.value, estimate.low, estimate.high), (f64::from(count + 1) / 2.0, low, high));
        }
        assert_eq!(median_with_interval(&[1.0; 5]), None);
        assert_eq!(median_with_interval(&[f64::NAN; 9]), None);
    }

    #[test]
    fn median_intervals_cover_the_truth_in_at_least_95_percent() {
        for count in [6, 7, 12, 25] {
            let held = (0..400)
                .filter(|&seed| median_with_interval(&noisy(0.6, 0.04, count, seed)).unwrap().contains(0.6))
                .count();
            assert!(held >= 367, "{held} of 400 intervals over {count} values held the truth");
        }
    }

    #[test]
    fn intervals_cover_the_truth_in_about_95_percent() {
        for count in [2, 3, 5, 6, 10, 30] {
            let held =
                (0..400).filter(|&seed| mean_ratio(&noisy(0.6, 0.04, count, seed), 1).unwrap().contains(0.6)).count();
            // 95 % of 400 is 380; three standard deviations are 13.
            assert!((367..=393).contains(&held), "{held} of 400 intervals over {count} blocks held the truth");
        }
    }

    #[test]
    fn change_needs_two_values_of_each_side() {
        let halved = change_ratio(&[2.0, 8.0, 4.0], &[2.0, 2.0, 2.0]).unwrap();
        assert!((halved.value - 0.5).abs() < 1e-12 && halved.contains(0.5), "{halved:?}");
        assert_eq!(change_ratio(&[1.0], &[1.0, 1.0]), None);
        assert_eq!(change_ratio(&[1.0, 1.0], &[1.0, 0.0]), None);
        let exact = change_ratio(&[1.0, 1.0], &[3.0, 3.0]).unwrap();
        assert!((exact.low - 3.0).abs() < 1e-12 && (exact.high - 3.0).abs() < 1e-12, "{exact:?}");
    }

    #[test]
    fn intervals_of_changes_cover_the_truth_in_about_95_percent() {
        for (old, new) in [(3, 3), (4, 30), (6, 6), (8, 20), (30, 30)] {
            let held = |seed: u64| {
                let (before, after) = (noisy(2.0, 0.05, old, seed), noisy(1.8, 0.02, new, seed + 1000));
                change_ratio(&before, &after).unwrap().contains(0.9)
            };
            let held = (0..400).filter(|&seed| held(seed)).count();
            // 95 % of 400 is 380. Three standard deviations are 13; the bounds allow a little more.
            assert!(
                (364..=397).contains(&held),
                "{held} of 400 intervals of {old} against {new} blocks held the truth"
            );
        }
    }

    #[test]
    fn one_of_many_is_significant_only_beyond_chance() {
        // Of twenty p-values, one is just below 0.05, as expected by chance.
        let mut p_values = [0.5; 20];
        p_values[3] = 0.04;
        assert!(significant_by_holm(&p_values).iter().all(|significant| !significant));
        p_values[3] = 0.002;
        assert_eq!(significant_by_holm(&p_values).iter().position(|significant| *significant), Some(3));
        assert_eq!(significant_by_holm(&[0.04]), [true], "a single p-value is compared with 5 % itself");
        assert_eq!(significant_by_holm(&[f64::NAN, 0.001]), [false, true]);
        // Step down: after the first significant value, the next one is compared with a larger
        // level.
        assert_eq!(significant_by_holm(&[0.001, 0.024, 0.2]), [true, true, false]);
        assert!(significant_by_holm(&[]).is_empty());
    }
}
