//! How often an A/A duet tells the truth: a baseline against its own copy, whose true ratio is 1.
//!
//!     cargo bench -p measure --bench a_a [-- SERVER [TRIES [SECONDS [WORKLOAD]]]]
//!
//! Each try is a run of its own: rows loaded anew, connections made anew, then one duet for so many seconds.

use std::time::Duration;

use measure::{Axes, Block, Driver, Folder, Mode, Observer, PairKind, Request, Run, Standing, analyse};
use server::{NoProgress, Server};
use workload::Text;

struct Nobody;

impl Observer for Nobody {
    fn stage(&self, _what: &str) {}
    fn fraction(&self, _done: f64) {}
    fn measuring(&self, _max_time: Duration) {}
    fn block(&self, _run: &Run, _block: &Block, _standings: &[Standing], _spent: Duration) {}
}

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let name = args.next().unwrap_or_else(|| "mariadb".into());
    let tries: u32 = args.next().map_or(20, |tries| tries.parse().expect("TRIES is a number"));
    let seconds: u64 = args.next().map_or(30, |seconds| seconds.parse().expect("SECONDS is a number"));
    let workload = args.next().unwrap_or_else(|| "oltp_read_only".into());
    let request = request(&workload, Duration::from_secs(seconds));
    let options = server::Options { threads: request.most_connections(), ..server::Options::default() };
    let server = server::open(&name.parse().expect("a server"), &options, &NoProgress).expect("a running server");
    println!("{} {}, {workload}, {tries} tries of {seconds} s", server.flavour(), server.version());
    let (mut held, mut narrow, mut both) = (0, 0, 0);
    for _ in 0..tries {
        let (ratio, blocks) = a_a(&request, &server);
        let (holds, is_narrow) = (ratio.contains(1.0), ratio.precision() <= 0.02);
        held += u32::from(holds);
        narrow += u32::from(is_narrow);
        both += u32::from(holds && is_narrow);
        println!(
            "  {:.4} ({:.4} … {:.4}), {blocks} blocks{}",
            ratio.value,
            ratio.low,
            ratio.high,
            if holds { "" } else { "  misses 1" }
        );
    }
    println!("contains 1: {held} of {tries}; at most ± 2 % wide: {narrow} of {tries}; both: {both} of {tries}");
    server.stop().expect("server stopped");
}

fn request(workload: &str, max_time: Duration) -> Request {
    Request {
        axes: Axes {
            collations: Some(vec!["latin1_swedish_ci".into()]),
            baseline: None,
            connections: vec![None],
            texts: vec![Text::Digits],
            ..Axes::default()
        },
        workloads: vec![workload.parse().expect("a workload")],
        threads: vec![std::thread::available_parallelism().map_or(1, usize::from) as u32],
        rows: workload::Options::default(),
        protocol: drive::Protocol::Prepared,
        mode: Mode::Duet,
        driver: Driver::Native,
        // Never reached, so that every try takes all of its time.
        precision: 1e-9,
        max_time,
        block: Duration::from_secs(1),
        warmup: Duration::from_millis(500),
        command: None,
        pin: std::env::var_os("NO_PIN").is_none(),
        recipe: None,
        ratios: true,
    }
}

fn a_a(request: &Request, server: &Server) -> (measure::Estimate, usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let outcome = measure::run(
        request,
        std::slice::from_ref(server),
        Folder::create(folder.path()).expect("an empty folder"),
        env!("CARGO_PKG_VERSION"),
        &Nobody,
        None,
    );
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let (run, blocks) = measure::read(folder.path()).expect("the run just written");
    let analysis = analyse(&run, &blocks);
    let comparison = analysis.cells[0].comparisons.iter().find(|c| c.kind == PairKind::AA).expect("an A/A pair");
    (comparison.throughput.expect("blocks enough"), comparison.blocks)
}
