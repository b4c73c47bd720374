//! Fixtures that are runs: real ones with a few blocks per pair. `replicates` is `one_server` with
//! its rounds as replicates. The other runs have the format `weighbridge-run/1`.

use std::path::PathBuf;

use measure::{Block, Run};
use report::Report;

/// Names of the runs' folders.
#[allow(dead_code, reason = "each test binary uses a part of this")]
pub const FIXTURES: [&str; 9] =
    ["one_server", "replicates", "two_servers", "solo", "mismatch", "grid", "errors", "interrupted", "sysbench"];

pub fn folder(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", name].iter().collect()
}

/// Reads run and blocks of a fixture.
pub fn run(name: &str) -> (Run, Vec<Block>) {
    measure::read_run(&folder(name)).unwrap_or_else(|error| panic!("{error}"))
}

#[allow(dead_code, reason = "each test binary uses a part of this")]
pub fn report(run: Run, blocks: &[Block]) -> Report {
    let analysis = measure::analyse(&run, blocks);
    Report::new(run, analysis)
}
