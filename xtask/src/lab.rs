//! Tasks of the crate `lab`, which is built only for them.

use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result};

/// Name and help of each task of `lab`. A test in `lab` compares them with its own.
const TASKS: [(&str, &str); 16] = [
    ("tables", "Derive the weight tables of engine/mysql-collation from running servers"),
    ("charsets", "Derive the tables of character sets from a running server, or verify them against several"),
    ("data-file", "Write the library's tables and catalogue as one file for the ports"),
    ("port-answers", "Write what the library returns for random strings, for the ports' tests"),
    ("vectors", "Write what servers return for a few hundred strings, for the ports' tests"),
    ("verify", "Compare the library with running servers: weights, comparisons, LIKE"),
    ("operations", "Compare the library's other operations with running servers: ranges, LOCATE, case, groups"),
    ("case", "Derive the tables of UPPER and LOWER from running servers"),
    ("versions", "List the collations that weigh characters differently in older server versions"),
    ("golden", "Write what servers return for a few thousand strings in every collation, for the library's tests"),
    ("apps", "Convert and upgrade the schemas of applications, and write a table"),
    ("wordpress", "Capture a load on WordPress' tables, and find planted faults with weigh bench --workload"),
    ("studies", "Repeat the published studies on their own server versions, and compare the ratios"),
    ("before", "Time the engine against an older commit's, in one program"),
    ("peers", "Time the engine and the Go port against Vitess and golang.org/x/text; needs Go"),
    ("order-by", "Time a server's ORDER BY over rows in memory against the engine's sort of the same values"),
];

/// The tasks as a section of `cargo xtask --help`.
pub fn help() -> String {
    let mut text =
        "Experiments and the engine's data (crate lab, built in release unless XTASK_DEBUG is set):".to_owned();
    for (name, help) in TASKS {
        let _ = write!(text, "\n  {name:<12} {help}");
    }
    text
}

pub fn has_task(name: &OsString) -> bool {
    TASKS.iter().any(|(task, _)| name == task)
}

/// Replaces this process with cargo, which builds and runs `lab`. Returns only if cargo can't run.
pub fn become_lab(arguments: &[OsString]) -> Result<bool> {
    let mut command = Command::new(crate::cargo());
    command.args(["run", "--quiet", "--package", "lab"]);
    if std::env::var_os("XTASK_DEBUG").is_none() {
        command.arg("--release");
    }
    Err(command.arg("--").args(arguments).exec()).context("cannot run cargo")
}
