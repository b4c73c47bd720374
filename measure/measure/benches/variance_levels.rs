//! Sources of a ratio's variance: a nested experiment of server starts, loads of rows, connections
//! and blocks.
//!
//!     cargo bench -p measure --bench variance_levels [-- SERVER [STARTS [LOADS [CONNECTIONS [BLOCKS]]]]]
//!
//! For each workload and two pairs (A/A, and utf8mb4_general_ci against latin1_swedish_ci) the
//! bench prints the components of the variance of log ratios of throughput and server CPU, as
//! standard deviations in percent. The components are from a balanced nested analysis of variance
//! by the method of moments; a negative component is set to 0. For each level at which a run could
//! be repeated it also prints the standard error after five repetitions at this level. Every log
//! ratio is a line of `target/variance_levels.csv`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use load::{ConnectionCharset, Load, SchemaOutcome, SchemaSpec, Schemas, Settings, Sharing, Target, run_block};
use server::{NoProgress, Server};
use workload::{Workload, WorkloadKind};

const WORKLOADS: [WorkloadKind; 3] =
    [WorkloadKind::OltpReadOnly, WorkloadKind::OltpPointSelect, WorkloadKind::DistinctRanges];
/// Charset and collation of the baseline, its copy and the variant.
const COLLATIONS: [(&str, &str); 3] =
    [("latin1", "latin1_swedish_ci"), ("latin1", "latin1_swedish_ci"), ("utf8mb4", "utf8mb4_general_ci")];
const PAIRS: [(&str, usize); 2] = [("A/A", 1), ("utf8mb4_general_ci", 2)];
const LEVELS: [&str; 4] = ["start", "load", "connections", "block"];
const TURN: Duration = Duration::from_millis(10);
const LEAD_IN: Duration = Duration::from_millis(50);
const BLOCK: Duration = Duration::from_millis(500);

/// Log ratios by workload, pair and figure, in measuring order; blocks vary fastest.
type LogRatios = BTreeMap<(String, &'static str, &'static str), Vec<f64>>;

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let name = args.next().unwrap_or_else(|| "mariadb".into());
    let mut counts = [5usize, 3, 3, 3];
    for count in &mut counts {
        if let Some(arg) = args.next() {
            *count = arg.parse().expect("the value is a number");
            assert!(*count > 1, "a level needs two to have a variance");
        }
    }
    let [starts, loads, connections, blocks] = counts;
    let mut found = LogRatios::new();
    let mut csv = File::create(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/variance_levels.csv"))
        .expect("the file is created");
    writeln!(csv, "workload,pair,figure,start,load,connections,block,log_ratio").expect("the line is written");
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    for start in 0..starts {
        let options = server::Options { threads: 3 * threads, ..server::Options::default() };
        let server =
            server::open(&name.parse().expect("SERVER names a server, such as mysql@5.6"), &options, &NoProgress)
                .expect("the server starts");
        if start == 0 {
            println!(
                "{} {}, {starts} starts × {loads} loads × {connections} connections × {blocks} blocks",
                server.flavour(),
                server.version()
            );
        }
        for load in 0..loads {
            let rows = workload::Options::default();
            let workloads = WORKLOADS.map(Workload::from);
            let schemas =
                Schemas::new(&server, &format!("variance_{start}_{load}")).expect("the server accepts a connection");
            let wanted = COLLATIONS
                .map(|(charset, collation)| SchemaSpec { charset: charset.into(), collation: collation.into() });
            let loaded =
                schemas.load(&workload::tables(&workloads, &rows), &wanted, &|_| {}).expect("the rows are loaded");
            for own in 0..connections {
                for workload in workloads {
                    for (block, pair, figure, ratio) in measure(&server, &loaded, workload, &rows, threads, blocks) {
                        writeln!(csv, "{workload},{pair},{figure},{start},{load},{own},{block},{ratio}")
                            .expect("the line is written");
                        found.entry((workload.to_string(), pair, figure)).or_default().push(ratio);
                    }
                }
            }
            schemas.remove().expect("the schemas are dropped");
        }
        server.stop().expect("the server stops");
        println!("start {} of {starts} is done", start + 1);
    }
    println!(
        "\nstandard deviation of a ratio, %, by level | standard error of a mean over five of a level and all below, %"
    );
    println!("{:<20} {:<20} {:<11} {} | {}", "workload", "pair", "figure", format_heads(), format_heads());
    for ((workload, pair, figure), values) in &found {
        let components = variance_components(values, &counts);
        println!(
            "{workload:<20} {pair:<20} {figure:<11} {} | {}",
            format_percentages(components.map(f64::sqrt)),
            format_percentages(standard_errors(components))
        );
    }
}

fn format_heads() -> String {
    LEVELS.map(|level| format!("{level:>12}")).concat()
}

fn format_percentages(values: [f64; 4]) -> String {
    values.map(|value| format!("{:>12.2}", value * 100.0)).concat()
}

/// Returns the log ratios of both pairs over new connections: block, pair, figure, value.
fn measure(
    server: &Server,
    loaded: &[SchemaOutcome],
    workload: Workload,
    rows: &workload::Options,
    threads: u32,
    blocks: usize,
) -> Vec<(usize, &'static str, &'static str, f64)> {
    let script = Arc::new(workload.script(rows));
    let connect = |place: usize| {
        let SchemaOutcome::Schema { name } = &loaded[place] else { panic!("the text does not fit") };
        let target = Target::new(server, name);
        let (charset, collation) = COLLATIONS[place];
        let connection =
            ConnectionCharset { charset: charset.into(), collation: Some(collation.into()), handshake_collation: 8 };
        let settings = Settings { pinned: true, ..Settings::new(threads, connection) };
        Load::start(target, &settings, &script).expect("the load connects")
    };
    let loads: Vec<Load> = (0..COLLATIONS.len()).map(connect).collect();
    let mut found = Vec::new();
    for block in 0..blocks {
        for (pair, variant) in PAIRS {
            let sides = run_block(&[&loads[0], &loads[variant]], Sharing::Turns(TURN), LEAD_IN, BLOCK)
                .expect("the block runs without an error");
            let rate = |side: usize| sides[side].events as f64 / sides[side].seconds;
            found.push((block, pair, "throughput", (rate(1) / rate(0)).ln()));
            let cpu = |side: usize| Some(sides[side].server_cpu_ns? as f64 / sides[side].all_queries as f64);
            if let (Some(baseline), Some(variant)) = (cpu(0), cpu(1)) {
                found.push((block, pair, "CPU", (variant / baseline).ln()));
            }
        }
    }
    found
}

/// Returns the variance components of a balanced nested experiment, the highest level first: the
/// variance between the means of a level beyond what the lower levels explain.
fn variance_components(values: &[f64], counts: &[usize; 4]) -> [f64; 4] {
    let mut components = [0.0; 4];
    let mut means = values.to_vec();
    let mut explained = 0.0;
    for level in (0..4).rev() {
        let groups: Vec<&[f64]> = means.chunks(counts[level]).collect();
        let within = groups.iter().map(|group| variance(group)).sum::<f64>() / groups.len() as f64;
        components[level] = (within - explained).max(0.0);
        explained = within / counts[level] as f64;
        means = groups.iter().map(|group| group.iter().sum::<f64>() / group.len() as f64).collect();
    }
    components
}

/// Returns the standard error of a mean over five repetitions at each level, with one repetition of
/// each lower level. Higher levels are not repeated, so their variance is included in full.
fn standard_errors(components: [f64; 4]) -> [f64; 4] {
    let of = |level: usize| {
        let (above, repeated): (f64, f64) = (components[..level].iter().sum(), components[level..].iter().sum());
        (above + repeated / 5.0).sqrt()
    };
    [0, 1, 2, 3].map(of)
}

fn variance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}
