//! `--rate`: keeps the requested transactions per second, and counts latency from the scheduled
//! time.

use crate::workspace::{Measured, Workspace};

fn measure_at_rate(rate: &str, workload: &str) -> (String, Measured) {
    let workspace = Workspace::new();
    let size =
        ["--table-size=2000", "--threads=2", "--block=400ms", "--warmup-time=50ms", "--replicates=2", "--max-time=8s"];
    let words = ["--server=mariadb", "--mode=solo", "--rate", rate, "-c", "utf8mb4_unicode_ci", "-w", workload];
    let finished = workspace.end(workspace.bench(&size, &words).spawn().unwrap());
    assert_eq!(finished.code, Some(0), "{finished}");
    (finished.stdout, workspace.read())
}

#[test]
fn throughput_equals_the_rate() {
    let (printed, measured) = measure_at_rate("200", "oltp_point_select");
    assert_eq!(measured.run.options.rate, Some(200.0));
    for result in measured.results() {
        // A few thousand transactions: ten standard deviations of their count are below a tenth.
        assert!((result.transactions_per_s / 200.0 - 1.0).abs() < 0.25, "{result:?}");
        assert_eq!(result.missed, 0);
    }
    let comparisons = &measured.analysis.conditions[0].comparisons;
    assert!(comparisons.iter().all(|c| c.throughput.is_none() && c.latency.p95.is_some() && c.server_cpu.is_some()));
    assert!(printed.contains("at 200 transactions/s"), "{printed}");
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
