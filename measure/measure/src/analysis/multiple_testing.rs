//! Verdicts on many statement classes together. Of a hundred classes without a difference, five on
//! average have an interval that excludes 1. So a class is reported to differ only if the
//! difference is significant for all classes of the run together (Holm's step-down procedure).

use super::{Comparison, ConditionResult};
use crate::analysis::{Verdict, plausible_range};
use crate::model::{PairKind, Run};
use stats::{Estimate, significant_by_holm};

/// Changes verdicts on single classes that may be due to chance to "no difference", over throughput
/// and CPU together. Keeps verdicts on A/A pairs, on the mix of all classes and on built-in
/// workloads.
pub(crate) fn withdraw_chance_verdicts(run: &Run, conditions: &mut [ConditionResult]) {
    let Some(folder) = &run.workload_folder else { return };
    let is_class =
        |condition: &ConditionResult| folder.find_class(&run.conditions[condition.condition].workload).is_some();
    let classes = conditions.iter_mut().filter(|condition| is_class(condition));
    let mut judged: Vec<(Estimate, f64, Option<f64>, &mut Verdict)> = Vec::new();
    for comparison in classes.flat_map(|condition| &mut condition.comparisons) {
        if comparison.kind == PairKind::AA {
            continue;
        }
        let Comparison { replicates, throughput, server_cpu, verdict, cpu_verdict, .. } = comparison;
        let (aa_bound, cpu_aa_bound) = (comparison.aa_bound, comparison.cpu_aa_bound);
        let freedom = (replicates.len() >= 2).then_some(replicates.len() as f64 - 1.0);
        for (ratio, aa_bound, verdict) in [(throughput, aa_bound, verdict), (server_cpu, cpu_aa_bound, cpu_verdict)] {
            judged.extend(ratio.map(|ratio| (ratio, aa_bound.unwrap_or(0.0), freedom, verdict)));
        }
    }
    let p_values: Vec<f64> = judged.iter().map(|(ratio, _, freedom, _)| ratio.p_value(1.0, *freedom)).collect();
    for ((ratio, aa_bound, _, verdict), is_beyond_chance) in judged.into_iter().zip(significant_by_holm(&p_values)) {
        if matches!(verdict, Verdict::Less | Verdict::More) && !is_beyond_chance {
            *verdict = no_difference(ratio, aa_bound);
        }
    }
}

/// Returns "no difference" with the plausible range, extended to 1.
fn no_difference(ratio: Estimate, aa_bound: f64) -> Verdict {
    let (low, high) = plausible_range(ratio, aa_bound);
    Verdict::NoDifference { less: (1.0 - low).max(0.0), more: (high - 1.0).max(0.0) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::no_difference;
    use stats::Estimate;

    use crate::analysis::Verdict;
    use crate::analysis::analyse;
    use crate::model::{Block, PairKind, Run};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};
    use statrs::distribution::{ContinuousCDF, Normal};

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

    const CLASSES: usize = 30;
    const REPLICATES: usize = 6;

    /// A run with a mix, its A/A pair, and each class alone.
    fn run() -> Run {
        let variant = |copy: bool| json!({"server": 0, "collation": "c", "charset": "c", "connection_charset": "c", "text": "digits", "copy": copy});
        let names: Vec<String> = (0..CLASSES).map(|class| format!("class-{class}")).collect();
        let class = |name: &String| json!({"name": name, "text": "", "share": 0.1, "writes": false, "samples": 1, "by_itself": true});
        let workloads = std::iter::once("shop".to_owned()).chain(names.iter().map(|name| format!("shop:{name}")));
        let pair = |condition: usize| json!({"condition": condition, "variant": 1, "baseline": 0, "kind": "collation"});
        let control = json!({"condition": 0, "variant": 2, "baseline": 0, "kind": "aa"});
        serde_json::from_value(json!({
            "format": crate::model::FORMAT,
            "weigh": "0",
            "started": "2026-11-21T00:00:00Z",
            "machine": {"system": "", "kernel": "", "processor": "", "cores": 2, "memory_bytes": 1},
            "servers": [{"label": "s", "flavour": "mysql", "version": "1", "comment": "", "private": true, "settings": {}}],
            "options": {"mode": "duet", "driver": "native", "precision": 0.02, "max_time_s": 1.0, "block_s": 1.0,
                        "warmup_s": 0.0, "pinned": true, "tables": 1, "table_size": 1, "range_size": 1,
                        "protocol": "prepared", "skip_trx": false, "rand_type": "uniform", "seed": 1},
            "recording": {"name": "shop", "folder": "shop", "convert_all": false, "classes": names.iter().map(class).collect::<Vec<_>>()},
            "variants": [variant(false), variant(false), variant(true)],
            "conditions": workloads.map(|name| json!({"workload": name, "text": "digits", "threads": 1})).collect::<Vec<_>>(),
            "pairs": std::iter::once(control).chain((0..=CLASSES).map(pair)).collect::<Vec<_>>(),
            "notes": [],
        }))
        .unwrap()
    }

    /// A block in which the variant completed `ratio` times the baseline's events.
    fn block(run: &Run, pair: usize, replicate: u32, ratio: f64) -> Block {
        let side = |variant: usize, events: f64| {
            let latency = json!({"p50_ms": null, "p95_ms": null, "p99_ms": null});
            json!({"variant": variant, "seconds": 1.0, "events": events as u64, "queries": events as u64, "latency": latency})
        };
        let own = &run.pairs[pair];
        serde_json::from_value(json!({
            "condition": own.condition, "pair": pair, "replicate": replicate, "round": 0, "warm_up": false, "at_s": 0.0, "seconds": 1.0,
            "sides": [side(own.baseline, 1e6), side(own.variant, 1e6 * ratio)],
        }))
        .unwrap()
    }

    /// Returns the classes reported to differ. The first `slow` classes take 1.5 times as long
    /// under the variant; the other classes have no difference.
    fn find_differing_classes(run: &Run, slow: usize, seed: u64) -> Vec<usize> {
        let ratios = |pair: usize| {
            let own = &run.pairs[pair];
            let is_slow = own.kind == PairKind::Collation && (1..=slow).contains(&own.condition);
            noisy(if is_slow { 1.0 / 1.5 } else { 1.0 }, 0.01, REPLICATES, seed * 1_000 + pair as u64)
        };
        let blocks_of_pair =
            |pair| (0..).zip(ratios(pair)).map(move |(replicate, ratio)| block(run, pair, replicate, ratio));
        let blocks: Vec<Block> = (0..run.pairs.len()).flat_map(blocks_of_pair).collect();
        let analysis = analyse(run, &blocks);
        let differs = |condition: &usize| {
            let own = analysis.conditions[*condition].comparisons.iter().find(|own| own.kind == PairKind::Collation);
            matches!(own.unwrap().verdict, Verdict::Less | Verdict::More)
        };
        (1..=CLASSES).filter(differs).collect()
    }

    #[test]
    fn withdrawn_verdict_excludes_no_more_than_the_aa_bound_allows() {
        let ratio = Estimate { value: 1.0625, low: 1.03125, high: 1.09375 };
        assert_eq!(no_difference(ratio, 0.0), Verdict::NoDifference { less: 0.0, more: 0.09375 });
        assert_eq!(no_difference(ratio, 0.0625), Verdict::NoDifference { less: 0.0, more: 0.12890625 });
    }

    #[test]
    fn equal_classes_rarely_differ_and_slow_ones_are_found() {
        let run = run();
        let wrong = (0..200).filter(|&seed| !find_differing_classes(&run, 0, seed).is_empty()).count();
        // At most one run in twenty. If each class is judged alone, by the A/A bound, 19 of these
        // 200 runs fail.
        assert!(wrong <= 10, "{wrong} of 200 runs say of a class that it differs");
        assert_eq!(find_differing_classes(&run, 3, 200), [1, 2, 3]);
    }
}
