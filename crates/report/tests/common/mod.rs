//! Real runs, cut down to a few blocks a pair. All but `replicates` are of `weighbridge-run/1`; that one is `one_server` with its rounds taken for
//! replicates.

use std::path::PathBuf;

use measure::{Block, Run};
use report::Report;

/// All of them, by the names of their folders.
#[allow(dead_code, reason = "each test binary uses a part of this")]
pub const FIXTURES: [&str; 9] =
    ["one_server", "replicates", "two_servers", "solo", "mismatch", "grid", "errors", "interrupted", "sysbench"];

/// The folder of a run.
pub fn folder(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", name].iter().collect()
}

/// A run as its folder holds it.
pub fn run(name: &str) -> (Run, Vec<Block>) {
    measure::read(&folder(name)).unwrap_or_else(|error| panic!("{error}"))
}

/// The report of a run.
#[allow(dead_code, reason = "each test binary uses a part of this")]
pub fn report(run: Run, blocks: &[Block]) -> Report {
    let analysis = measure::analyse(&run, blocks);
    Report::new(run, analysis)
}
