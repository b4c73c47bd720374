use super::*;
use crate::model::{Latency, Pair};
use serde_json::json;

/// A run with one server and one condition: a baseline, its copy and one variant.
fn run() -> Run {
    let variant = |collation: &str, copy: bool| json!({"server": 0, "collation": collation, "charset": "c", "connection_charset": "c", "text": "digits", "copy": copy});
    serde_json::from_value(json!({
        "format": crate::FORMAT,
        "weigh": "0",
        "started": "2026-11-21T00:00:00Z",
        "machine": {"system": "", "kernel": "6.1", "processor": "", "cores": 2, "memory_bytes": 1},
        "servers": [{"label": "s", "flavour": "mysql", "version": "1", "comment": "", "private": true,
                     "settings": {"log_bin": "ON"}}],
        "options": {"mode": "duet", "driver": "native", "precision": 0.02, "max_time_s": 1.0, "block_s": 1.0,
                    "warmup_s": 0.0, "pinned": true, "tables": 1, "table_size": 1, "range_size": 1,
                    "protocol": "prepared", "skip_trx": false, "rand_type": "uniform", "seed": 1},
        "variants": [variant("a", false), variant("b", false), variant("a", true)],
        "conditions": [{"workload": "w", "text": "digits", "threads": 1}],
        "pairs": [
            Pair { condition: 0, variant: 2, baseline: 0, kind: PairKind::AA },
            Pair { condition: 0, variant: 1, baseline: 0, kind: PairKind::Collation },
        ],
        "notes": [],
    }))
    .unwrap()
}

/// Twelve blocks per pair. The baseline runs `rate` queries per second ± 2 %, the variant `ratio`
/// times that.
fn blocks(rate: f64, ratio: f64) -> Vec<Block> {
    let side = |variant, rate: f64| Side {
        variant,
        seconds: 1.0,
        events: rate as u64,
        queries: rate as u64,
        rows: None,
        missed: 0,
        effort: None,
        statement_effort: None,
        errors: Default::default(),
        lost_connections: 0,
        unbound: false,
        work: Default::default(),
        server_cpu_us: Some(1e6 / rate),
        pages_read: None,
        client_cpu_us: None,
        log: None,
        latency: Latency { p50_ms: None, p95_ms: None, p99_ms: None, hdr: None },
    };
    let block = |pair: usize, round: u32| {
        let wobble = rate * (1.0 + 0.01 * f64::from(round % 5) - 0.02);
        let sides = match pair {
            0 => vec![side(0, wobble), side(2, wobble)],
            _ => vec![side(0, wobble), side(1, wobble * ratio)],
        };
        Block {
            condition: 0,
            pair: Some(pair),
            replicate: None,
            round,
            warm_up: false,
            at_s: 0.0,
            seconds: 1.0,
            stolen: None,
            sides,
        }
    };
    (0..2).flat_map(|pair| (0..12).map(move |round| block(pair, round))).collect()
}

#[test]
fn slower_machine_changes_throughput_but_not_ratios() {
    let run = run();
    let comparison = compare_runs((&run, &blocks(100_000.0, 0.8)), (&run, &blocks(50_000.0, 0.8)));
    assert_eq!(comparison.throughputs.len(), 2, "the copy is not compared");
    for of in &comparison.throughputs {
        assert!(of.throughput.contains(0.5) && of.verdict == Verdict::Less, "{of:?}");
        assert!(of.server_cpu.unwrap().contains(2.0), "{of:?}");
    }
    assert_eq!(comparison.ratios.len(), 1);
    assert!(matches!(comparison.ratios[0].verdict, Verdict::NoDifference { .. }), "{:?}", comparison.ratios[0]);
}

#[test]
fn slower_collation_changes_its_ratio() {
    let run = run();
    let comparison = compare_runs((&run, &blocks(100_000.0, 0.8)), (&run, &blocks(100_000.0, 0.6)));
    let ratio = &comparison.ratios[0];
    assert!(ratio.verdict == Verdict::Less && ratio.change.contains(0.75), "{ratio:?}");
    assert_eq!((ratio.collation.as_str(), ratio.baseline.as_str()), ("b", "a"));
    assert!(matches!(comparison.throughputs[0].verdict, Verdict::NoDifference { .. }), "the baseline is what it was");
}

#[test]
fn run_compared_with_itself_has_no_change() {
    let (run, blocks) = (run(), blocks(100_000.0, 0.8));
    let comparison = compare_runs((&run, &blocks), (&run, &blocks));
    assert!(comparison.environment.is_empty() && comparison.only_before.is_empty() && comparison.only_after.is_empty());
    assert!(comparison.same_machine);
    let same = |verdict: &Verdict| matches!(verdict, Verdict::NoDifference { .. });
    assert!(
        comparison.throughputs.iter().all(|of| same(&of.verdict))
            && comparison.ratios.iter().all(|of| same(&of.verdict))
    );
}

#[test]
fn reports_differences_of_the_environment() {
    let (before, mut after) = (run(), run());
    after.servers[0].label = "t".into();
    after.servers[0].version = "2".into();
    after.servers[0].settings = [("sync_binlog".to_owned(), "1".to_owned())].into();
    after.machine.cores = 4;
    after.options.table_size = 2;
    let comparison = compare_runs((&before, &blocks(1e5, 0.8)), (&after, &blocks(1e5, 0.8)));
    let names: Vec<&str> = comparison.environment.iter().map(|difference| difference.what.as_str()).collect();
    assert_eq!(
        names,
        ["machine: cores", "options: table_size", "s: log_bin", "s: name", "s: sync_binlog", "s: version"]
    );
    assert!(!comparison.same_machine);
    assert_eq!(comparison.throughputs.len(), 2, "a server by another name is joined by its place");
}

#[test]
fn reports_conditions_of_only_one_run() {
    let (before, mut after) = (run(), run());
    after.variants[1].collation = "c".into();
    let blocks = blocks(1e5, 0.8);
    let change_of_variant = compare_runs((&before, &blocks), (&after, &blocks));
    assert_eq!(change_of_variant.only_before, ["b on s, w, digits text, 1 thread"]);
    assert_eq!(change_of_variant.only_after, ["c on s, w, digits text, 1 thread"]);
    assert!(change_of_variant.ratios.is_empty());
    after.conditions[0].threads = 2;
    let change_of_condition = compare_runs((&before, &blocks), (&after, &blocks));
    assert_eq!(change_of_condition.only_before, ["w, digits text, 1 thread"]);
    assert_eq!(change_of_condition.only_after, ["w, digits text, 2 threads"]);
}
