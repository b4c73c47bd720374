//! An open loop: as many transactions as are asked for, and latency from when they were due.

use crate::place::{Measured, Place};

fn at(rate: &str, workload: &str) -> (String, Measured) {
    let place = Place::new();
    let size =
        ["--table-size=2000", "--threads=2", "--block=400ms", "--warmup-time=50ms", "--replicates=2", "--max-time=8s"];
    let words = ["--server=mariadb", "--mode=solo", "--rate", rate, "-c", "utf8mb4_unicode_ci", "-w", workload];
    let done = place.end(place.bench(&size, &words).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    (done.stdout, place.read())
}

#[test]
fn a_rate_that_is_kept_is_the_throughput_and_latency_and_cpu_are_compared() {
    let (printed, measured) = at("200", "oltp_point_select");
    assert_eq!(measured.run.options.rate, Some(200.0));
    for result in measured.results() {
        // Some thousand transactions: ten standard deviations of their count are below a tenth.
        assert!((result.transactions_per_s / 200.0 - 1.0).abs() < 0.25, "{result:?}");
        assert_eq!(result.missed, 0);
    }
    let comparisons = &measured.analysis.conditions[0].comparisons;
    assert!(comparisons.iter().all(|c| c.throughput.is_none() && c.latency.p95.is_some() && c.server_cpu.is_some()));
    assert!(printed.contains("open loop of 200 transactions/s"), "{printed}");
    assert!(printed.contains("A/A: a copy of latin1_swedish_ci: CPU × "), "{printed}");
    assert!(
        printed.contains("utf8mb4_unicode_ci against latin1_swedish_ci on oltp_point_select: latency p50 × "),
        "{printed}"
    );
}

#[test]
fn a_rate_that_is_too_much_is_told_and_its_latency_grows() {
    let (printed, measured) = at("100000", "distinct_ranges");
    assert!(measured.results().all(|result| result.missed > 0 && result.p50_ms.unwrap() > 50.0));
    assert!(printed.contains("The rate of 100,000 transactions/s was too much for "), "{printed}");
}
