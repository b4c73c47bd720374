//! What sampling costs the server: a duet of a load with its own copy, in which perf watches the server's threads of one side alone.
//!
//!     cargo bench -p profile --bench cost [-- SERVER [BLOCKS]]

use std::sync::Arc;
use std::time::Duration;

use drive::{ConnectionCharset, Load, Loaded, Protocol, Schemas, Settings, Sharing, Target, Wanted, run_block};
use measure::mean_with_interval;
use profile::perf::{CallGraph, Recorder, Sampling};
use server::{NoProgress, Server};
use workload::{Kind, Options, Workload};

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let name = args.next().unwrap_or_else(|| "mysql@5.6".into());
    let blocks: usize = args.next().map_or(12, |blocks| blocks.parse().expect("BLOCKS is a number"));
    let server =
        server::open(&name.parse().expect("a server"), &server::Options::default(), &NoProgress).expect("a server");
    let schemas = Schemas::new(&server, "profile_cost").expect("a connection");
    let workload = Workload { kind: Kind::OltpReadOnly, range_size: None };
    let rows = Options { table_size: 10_000, ..Options::default() };
    let wanted = Wanted { charset: "utf8mb4".into(), collation: "utf8mb4_general_ci".into() };
    let loaded = schemas.load(&workload::tables(&[workload], &rows), &[wanted.clone(), wanted], &|_| {}).expect("rows");
    let script = Arc::new(workload.script(&rows));
    let loads: Vec<Load> = loaded.iter().map(|loaded| connect(&server, loaded, &script)).collect();
    println!("{} {}, oltp_read_only, {blocks} blocks of 2 s", server.flavour(), server.version());
    for (what, sampling) in [
        ("nothing", None),
        ("frame pointers, 499 Hz", Some((499, CallGraph::FramePointers))),
        ("frame pointers, 4,999 Hz", Some((4999, CallGraph::FramePointers))),
        ("unwind tables, 499 Hz", Some((499, CallGraph::Dwarf))),
    ] {
        cost(what, &loads, sampling.map(|(frequency, call_graph)| Sampling { frequency, call_graph }), blocks);
    }
}

fn connect(server: &Server, loaded: &Loaded, script: &Arc<workload::Script>) -> Load {
    let Loaded::Schema { name: schema } = loaded else { panic!("{loaded:?}") };
    let (endpoint, pid) = (server.endpoint().clone(), server.pid());
    let target = Target { server: server.label().into(), endpoint, pid, schema: schema.clone() };
    let connection = ConnectionCharset { charset: "utf8mb4".into(), collation: None, handshake_collation: 45 };
    let settings = Settings { threads: 2, protocol: Protocol::Prepared, connection, pinned: true, handicap: 0.0 };
    Load::start(target, &settings, script).expect("a load")
}

/// Throughput of the sampled side for each unit of the other's.
fn cost(what: &str, loads: &[Load], sampling: Option<Sampling>, blocks: usize) {
    let threads = loads[1].server_threads().expect("the server's threads");
    let recorder = sampling.map(|sampling| Recorder::start_on_threads(threads, sampling).expect("samples"));
    let sides: Vec<&Load> = loads.iter().collect();
    let ratios: Vec<f64> = (0..blocks)
        .map(|_| {
            let turns = Sharing::Turns(Duration::from_millis(10));
            let tallies = run_block(&sides, turns, Duration::from_millis(50), Duration::from_secs(2)).expect("a block");
            let rate = |side: usize| tallies[side].events as f64 / tallies[side].seconds;
            rate(1) / rate(0)
        })
        .collect();
    drop(recorder);
    let ratio = mean_with_interval(&ratios).expect("two blocks or more");
    println!("  {what}: throughput × {:.4} ({:.4} … {:.4})", ratio.value, ratio.low, ratio.high);
}
