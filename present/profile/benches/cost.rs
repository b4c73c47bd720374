//! Cost of sampling: throughput of blocks with perf divided by throughput of blocks without, in
//! paired rounds.
//!
//!     cargo bench -p profile --bench cost [-- SERVER [ROUNDS]]

use std::sync::Arc;
use std::time::Duration;

use load::{ConnectionCharset, Load, SchemaOutcome, SchemaSpec, Schemas, Settings, Sharing, Target, run_block};
use measure::median_with_interval;
use profile::perf::{CallGraph, Recorder, Sampling, Scope};
use server::{NoProgress, Server};
use workload::{Options, Workload, WorkloadKind};

/// Length of a block: short, because the speed of a shared machine changes from second to second.
const BLOCK: Duration = Duration::from_millis(500);

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let name = args.next().unwrap_or_else(|| "mysql@5.6".into());
    let rounds: usize = args.next().map_or(50, |rounds| rounds.parse().expect("ROUNDS is a number"));
    let server = server::open(
        &name.parse().expect("SERVER names a server, such as mysql@5.6"),
        &server::Options::default(),
        &NoProgress,
    )
    .expect("the server starts");
    let schemas = Schemas::new(&server, "profile_cost").expect("the server accepts a connection");
    let workload = Workload { kind: WorkloadKind::OltpReadOnly, range_size: None };
    let rows = Options { table_size: 10_000, ..Options::default() };
    let wanted = SchemaSpec { charset: "utf8mb4".into(), collation: "utf8mb4_general_ci".into() };
    let loaded = schemas.load(&workload::tables(&[workload], &rows), &[wanted], &|_| {}).expect("the rows are loaded");
    let load = connect(&server, &loaded[0], &Arc::new(workload.script(&rows)));
    println!("{} {}, oltp_read_only, {rounds} rounds of two blocks of {BLOCK:?}", server.flavour(), server.version());
    let frame_pointers = |frequency| Sampling { frequency, call_graph: CallGraph::FramePointers };
    let dwarf = Sampling { frequency: 499, call_graph: CallGraph::Dwarf };
    for (name, sampled) in [
        ("nothing", None),
        ("all cores, frame pointers, 499 Hz", Some((frame_pointers(499), Scope::Cores))),
        ("all cores, frame pointers, 4,999 Hz", Some((frame_pointers(4999), Scope::Cores))),
        ("threads, frame pointers, 499 Hz", Some((frame_pointers(499), Scope::Threads))),
        ("threads, unwind tables, 499 Hz", Some((dwarf, Scope::Threads))),
    ] {
        measure_cost(name, &load, &server, sampled, rounds);
    }
}

fn connect(server: &Server, loaded: &SchemaOutcome, script: &Arc<workload::Script>) -> Load {
    let SchemaOutcome::Schema { name: schema } = loaded else { panic!("{loaded:?}") };
    let target = Target::new(server, schema);
    let connection = ConnectionCharset { charset: "utf8mb4".into(), collation: None, handshake_collation: 45 };
    let settings = Settings { pinned: true, ..Settings::new(2, connection) };
    Load::start(target, &settings, script).expect("the load connects")
}

/// Prints the ratio of throughput with sampling to throughput without. The order alternates, so a
/// trend of the machine's speed cancels out.
fn measure_cost(name: &str, load: &Load, server: &Server, sampled: Option<(Sampling, Scope)>, rounds: usize) {
    let pid = server.pid().expect("the server is a process of this machine");
    let with = || {
        let _recorder = sampled.map(|(sampling, scope)| Recorder::start(&[pid], sampling, scope).expect("perf starts"));
        throughput(load)
    };
    let ratios: Vec<f64> = (0..rounds)
        .map(|round| {
            if round % 2 == 0 {
                let without = throughput(load);
                with() / without
            } else {
                let with = with();
                with / throughput(load)
            }
        })
        .collect();
    let ratio = median_with_interval(&ratios).expect("there are several rounds");
    println!("  {name}: throughput × {:.3} ({:.3} … {:.3})", ratio.value, ratio.low, ratio.high);
}

/// Returns transactions per second in one block.
fn throughput(load: &Load) -> f64 {
    let tallies = run_block(&[load], Sharing::Together, Duration::from_millis(100), BLOCK)
        .expect("the block runs without an error");
    tallies[0].events as f64 / tallies[0].seconds
}
