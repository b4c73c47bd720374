//! Real runs, cut down to a few blocks a pair.

use std::path::PathBuf;

use measure::{Block, Run};
use report::Report;

/// All of them, by the names of their folders.
#[allow(dead_code, reason = "each test binary uses a part of this")]
pub const FIXTURES: [&str; 8] =
    ["one_server", "two_servers", "solo", "mismatch", "grid", "errors", "interrupted", "sysbench"];

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
