//! `--rate`: keeps the requested transactions per second, and counts latency from the scheduled
//! time.

use std::collections::{BTreeMap, BTreeSet};

use crate::workspace::{Measured, Workspace};

fn measure_at_rate(rate: &str, workload: &str) -> (String, Measured) {
    let workspace = Workspace::new();
    let size = [
        "--table-size=2000",
        "--threads=2",
        "--block=150ms",
        "--warmup-time=50ms",
        "--replicates=2",
        "--precision=100%",
        "--max-time=120s",
    ];
    let words = ["--server=mariadb", "--mode=solo", "--rate", rate, "-c", "utf8mb4_unicode_ci", "-w", workload];
    let finished = workspace.wait_for_end(workspace.bench(&size, &words).spawn().unwrap());
    assert_eq!(finished.code, Some(0), "{finished}");
    (finished.stdout, workspace.read())
}

/// Transactions that were due, done or not, do not depend on the machine's speed. A busy machine
/// may miss some.
#[test]
fn every_scheduled_transaction_is_done_or_missed() {
    let (printed, measured) = measure_at_rate("400", "oltp_point_select");
    assert_eq!(measured.run.options.rate, Some(400.0));
    let mut by_round: BTreeMap<_, BTreeSet<u64>> = BTreeMap::new();
    let (mut scheduled, mut seconds, mut done) = (0, 0.0, 0);
    for block in measured.blocks.iter().filter(|block| !block.warm_up) {
        let [side] = &block.sides[..] else { panic!("{block:?}") };
        assert!(side.errors.is_empty(), "{side:?}");
        by_round.entry((block.replicate, block.round)).or_default().insert(side.events + side.missed);
        scheduled += side.events + side.missed;
        done += side.events;
        seconds += block.seconds;
    }
    assert!(by_round.values().all(|counts| counts.len() == 1), "variants have one schedule: {by_round:?}");
    let rate = scheduled as f64 / seconds;
    assert!((rate / 400.0 - 1.0).abs() < 0.1 && done > 0, "{rate} transactions/s, {done} of {scheduled} done");
    let comparisons = &measured.analysis.conditions[0].comparisons;
    assert!(comparisons.iter().all(|c| c.throughput.is_none() && c.latency.p95.is_some()), "{comparisons:?}");
    // On a busy machine the server's threads can't always be identified; a note says so.
    let has_cpu = comparisons.iter().all(|c| c.server_cpu.is_some());
    assert!(has_cpu || measured.notes().contains("server CPU is unknown"), "{}", measured.notes());
    assert!(printed.contains("at 400 transactions/s"), "{printed}");
    assert!(
        printed.contains("utf8mb4_unicode_ci compared with latin1_swedish_ci on oltp_point_select: latency p50 × "),
        "{printed}"
    );
}

#[test]
fn reports_an_excessive_rate() {
    let (printed, measured) = measure_at_rate("100000", "distinct_ranges");
    assert!(measured.results().all(|result| result.missed > 0 && result.p50_ms.unwrap() > 50.0));
    assert!(printed.contains("The rate of 100,000 transactions/s was too much for "), "{printed}");
}
