//! What sampling costs the server: throughput of blocks with perf watching, to that of blocks without, in paired rounds.
//!
//!     cargo bench -p profile --bench cost [-- SERVER [ROUNDS]]

use std::sync::Arc;
use std::time::Duration;

use drive::{ConnectionCharset, Load, Loaded, Schemas, Settings, Sharing, Target, Wanted, run_block};
use measure::median;
use profile::perf::{CallGraph, Recorder, Sampling, Scope};
use server::{NoProgress, Server};
use workload::{Kind, Options, Workload};

/// Short, as a shared machine's speed changes from second to second: blocks that follow each other are then alike.
const BLOCK: Duration = Duration::from_millis(500);

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let name = args.next().unwrap_or_else(|| "mysql@5.6".into());
    let rounds: usize = args.next().map_or(50, |rounds| rounds.parse().expect("ROUNDS is a number"));
    let server =
        server::open(&name.parse().expect("a server"), &server::Options::default(), &NoProgress).expect("a server");
    let schemas = Schemas::new(&server, "profile_cost").expect("a connection");
    let workload = Workload { kind: Kind::OltpReadOnly, range_size: None };
    let rows = Options { table_size: 10_000, ..Options::default() };
    let wanted = Wanted { charset: "utf8mb4".into(), collation: "utf8mb4_general_ci".into() };
    let loaded = schemas.load(&workload::tables(&[workload], &rows), &[wanted], &|_| {}).expect("rows");
    let load = connect(&server, &loaded[0], &Arc::new(workload.script(&rows)));
    println!("{} {}, oltp_read_only, {rounds} rounds of two blocks of {BLOCK:?}", server.flavour(), server.version());
    let fp = |frequency| Sampling { frequency, call_graph: CallGraph::FramePointers };
    let dwarf = Sampling { frequency: 499, call_graph: CallGraph::Dwarf };
    for (what, watched) in [
        ("nothing", None),
        ("all cores, frame pointers, 499 Hz", Some((fp(499), Scope::Cores))),
        ("all cores, frame pointers, 4,999 Hz", Some((fp(4999), Scope::Cores))),
        ("threads, frame pointers, 499 Hz", Some((fp(499), Scope::Threads))),
        ("threads, unwind tables, 499 Hz", Some((dwarf, Scope::Threads))),
    ] {
        cost(what, &load, &server, watched, rounds);
    }
}

fn connect(server: &Server, loaded: &Loaded, script: &Arc<workload::Script>) -> Load {
    let Loaded::Schema { name: schema } = loaded else { panic!("{loaded:?}") };
    let target = Target::of(server, schema);
    let connection = ConnectionCharset { charset: "utf8mb4".into(), collation: None, handshake_collation: 45 };
    let settings = Settings { pinned: true, ..Settings::new(2, connection) };
    Load::start(target, &settings, script).expect("a load")
}

/// Throughput while it is watched for each unit while it is not. Which comes first alternates, so that a machine that gets faster or
/// slower favours neither.
fn cost(what: &str, load: &Load, server: &Server, watched: Option<(Sampling, Scope)>, rounds: usize) {
    let pid = server.pid().expect("a process of this machine");
    let with = || {
        let _recorder = watched.map(|(sampling, scope)| Recorder::start(&[pid], sampling, scope).expect("samples"));
        rate(load)
    };
    let ratios: Vec<f64> = (0..rounds)
        .map(|round| {
            if round % 2 == 0 {
                let without = rate(load);
                with() / without
            } else {
                let with = with();
                with / rate(load)
            }
        })
        .collect();
    let ratio = median(&ratios).expect("a few rounds");
    println!("  {what}: throughput × {:.3} ({:.3} … {:.3})", ratio.value, ratio.low, ratio.high);
}

/// Transactions a second in one block.
fn rate(load: &Load) -> f64 {
    let tallies = run_block(&[load], Sharing::Together, Duration::from_millis(100), BLOCK).expect("a block");
    tallies[0].events as f64 / tallies[0].seconds
}
