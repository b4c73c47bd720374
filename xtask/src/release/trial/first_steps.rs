//! First steps of a newcomer who has only the program and apt-get: an audit of a dump, and a
//! measurement.

use std::fs;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::{Files, Root};
use crate::bindings::succeed;

const DUMP: &str = "\
CREATE TABLE `customers` (`mail` varchar(99) COLLATE utf8mb4_unicode_ci, KEY (`mail`)) DEFAULT CHARSET=utf8mb4;
CREATE TABLE `orders` (`mail` varchar(99) COLLATE utf8mb4_general_ci, KEY (`mail`)) DEFAULT CHARSET=utf8mb4;
";

/// Unpacks the program alone in a root, and runs both commands there.
pub fn run(root: &Root, files: &Files) -> Result<()> {
    let archive = files.find("weighbridge-", "x86_64-unknown-linux-gnu.tar.gz")?;
    let folder = root.empty_folder("trial")?;
    let mut unpack = Command::new("tar");
    unpack.args(["--strip-components=1", "--wildcards", "-xzf"]).arg(&archive).arg("-C").arg(&folder);
    succeed(unpack.arg("*/weigh")).context("the program of the archive")?;
    fs::write(folder.join("schema.sql"), DUMP)?;
    for run in ["with the download of a server", "with the server installed"] {
        let audit = ["/trial/weigh", "audit", "--dump", "/trial/schema.sql"];
        let found = timed(root, &format!("audit --dump, {run}"), &audit, 1)?;
        ensure!(found.contains("[join-mismatch]"), "{found}");
    }
    let bench = ["/trial/weigh", "bench", "--quick", "--out", "/trial/run"];
    let measured = timed(root, "bench --quick", &bench, 0)?;
    ensure!(measured.contains("Server CPU per query"), "{measured}");
    Ok(fs::remove_dir_all(folder)?)
}

/// Runs a command, prints how long it took, and returns its output.
fn timed(root: &Root, name: &str, words: &[&str], code: i32) -> Result<String> {
    let start = Instant::now();
    let output = root.output(words, &[code])?;
    eprintln!("{}: weigh {name}: {:.1} s", root.suite, start.elapsed().as_secs_f64());
    Ok(output)
}
