//! The native client compared with sysbench 1.0 on the same tables: throughput and client CPU.
//!
//!     cargo bench -p load --bench against_sysbench [-- SERVER [PAIRS [SECONDS]]]
//!
//! A pair is one run of the native client and one of sysbench, alone on the server. The order
//! alternates from pair to pair. The CPU time that sysbench needs to start, connect and prepare is
//! measured first and subtracted.

use std::sync::Arc;
use std::time::Duration;

use load::{
    ConnectionCharset, Load, SchemaOutcome, SchemaSpec, Schemas, Settings, Sharing, SysbenchLoad, SysbenchWorkload,
    Target, run_block, run_sysbench,
};
use server::NoProgress;
use workload::{Options, Workload, WorkloadKind};

/// `/proc/self/stat` counts in hundredths of a second.
const TICK_US: f64 = 10_000.0;

struct Measurement {
    queries_per_s: f64,
    client_us_per_query: f64,
}

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let name = args.next().unwrap_or_else(|| "mariadb".into());
    let pairs: usize = args.next().map_or(8, |pairs| pairs.parse().expect("PAIRS is a number"));
    let seconds: u64 = args.next().map_or(5, |seconds| seconds.parse().expect("SECONDS is a number"));
    for kind in [WorkloadKind::OltpPointSelect, WorkloadKind::OltpReadOnly] {
        compare(&name, kind, pairs, Duration::from_secs(seconds));
    }
}

fn compare(name: &str, kind: WorkloadKind, pairs: usize, length: Duration) {
    let options = server::Options { threads: 16, ..server::Options::default() };
    let server = server::open(&name.parse().expect("SERVER names a server, such as mysql@5.6"), &options, &NoProgress)
        .expect("the server starts");
    let rows = Options::default();
    let workload = Workload { kind, range_size: None };
    let schemas = Schemas::new(&server, "sysbench_bench").expect("the server accepts a connection");
    let wanted = SchemaSpec { charset: "utf8mb4".into(), collation: "utf8mb4_general_ci".into() };
    let loaded = schemas.load(&workload::tables(&[workload], &rows), &[wanted], &|_| {}).expect("the rows are loaded");
    let SchemaOutcome::Schema { name: schema } = &loaded[0] else { panic!("{loaded:?}") };
    let target = Target::new(&server, schema);
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    let connection = ConnectionCharset { charset: "utf8mb4".into(), collation: None, handshake_collation: 45 };
    let settings = Settings::new(threads, connection);

    println!(
        "{} {}, {workload}, {threads} threads, {pairs} pairs of {} s",
        server.flavour(),
        server.version(),
        length.as_secs()
    );
    let load = Load::start(target.clone(), &settings, &Arc::new(workload.script(&rows))).expect("the load connects");
    let work = SysbenchWorkload::BuiltIn(workload);
    let theirs = SysbenchLoad { target: &target, work: &work, rows: &rows, settings: &settings };
    let fixed_us = sysbench_start_us(&theirs);
    let mut ratios = Vec::new();
    for pair in 0..pairs {
        let run_ours = || measure_native(&load, length);
        let run_theirs = || measure_sysbench(&theirs, length, fixed_us);
        let (ours, theirs) = if pair % 2 == 0 {
            let ours = run_ours();
            (ours, run_theirs())
        } else {
            let theirs = run_theirs();
            (run_ours(), theirs)
        };
        println!(
            "  ours {:>7.0} queries/s {:>5.2} µs client CPU/query    sysbench {:>7.0} queries/s {:>5.2} µs",
            ours.queries_per_s, ours.client_us_per_query, theirs.queries_per_s, theirs.client_us_per_query
        );
        let cpu = ours.client_us_per_query / theirs.client_us_per_query;
        ratios.push((ours.queries_per_s / theirs.queries_per_s, cpu));
    }
    report("throughput, ours / sysbench", ratios.iter().map(|ratio| ratio.0).collect());
    report("client CPU per query, ours / sysbench", ratios.iter().map(|ratio| ratio.1).collect());
    drop(load);
    schemas.remove().expect("the schemas are dropped");
    server.stop().expect("the server stops");
}

fn measure_native(load: &Load, length: Duration) -> Measurement {
    let tally = run_block(&[load], Sharing::Together, Duration::from_millis(50), length)
        .expect("the block runs without an error")
        .remove(0);
    Measurement {
        queries_per_s: tally.queries as f64 / length.as_secs_f64(),
        client_us_per_query: tally.client_cpu_ns as f64 / 1e3 / tally.all_queries as f64,
    }
}

fn measure_sysbench(load: &SysbenchLoad<'_>, length: Duration, fixed_us: f64) -> Measurement {
    let before = children_cpu_us();
    let tally = run_sysbench(std::slice::from_ref(load), length).expect("sysbench runs without an error").remove(0);
    let cpu = children_cpu_us() - before - fixed_us;
    Measurement { queries_per_s: tally.queries as f64 / tally.seconds, client_us_per_query: cpu / tally.queries as f64 }
}

/// CPU time that sysbench needs to start, connect and prepare: the intercept of a line through a
/// short and a longer run.
fn sysbench_start_us(load: &SysbenchLoad<'_>) -> f64 {
    let run = |seconds| {
        let before = children_cpu_us();
        let tally = run_sysbench(std::slice::from_ref(load), Duration::from_secs(seconds))
            .expect("sysbench runs without an error")
            .remove(0);
        (tally.queries as f64, children_cpu_us() - before)
    };
    let ((few, short), (many, long)) = (run(1), run(4));
    let rate = (long - short) / (many - few);
    (short - rate * few).max(0.0)
}

fn children_cpu_us() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("a process can read its own accounting");
    let after_name = stat.rsplit(')').next().expect("the name is in brackets");
    let fields: Vec<f64> = after_name
        .split_whitespace()
        .skip(13)
        .take(2)
        .map(|field| field.parse().expect("the value is a number"))
        .collect();
    fields.iter().sum::<f64>() * TICK_US
}

fn report(what: &str, mut ratios: Vec<f64>) {
    ratios.sort_unstable_by(f64::total_cmp);
    println!("  {what}: median {:.3}, {:.3} … {:.3}", ratios[ratios.len() / 2], ratios[0], ratios[ratios.len() - 1]);
}
