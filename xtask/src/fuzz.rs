//! `cargo xtask fuzz`: damaged files for readers, and statements for real servers.

use std::process::Command;

use anyhow::{Context, Result};

use crate::bindings;

#[derive(clap::Args)]
pub struct Arguments {
    /// Readers to try, or `statements` for statements of workloads on real servers [default: all]
    targets: Vec<String>,

    /// Seconds for each reader and each server
    #[arg(long, default_value_t = 600)]
    seconds: u64,

    /// Seed of the damage
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const STATEMENTS: &str = "statements";

/// Runs the readers, then the statements. Returns `false` if there are findings.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let readers: Vec<&String> = arguments.targets.iter().filter(|name| *name != STATEMENTS).collect();
    let has_statements = arguments.targets.is_empty() || arguments.targets.iter().any(|name| name == STATEMENTS);
    let mut is_clean = true;
    if arguments.targets.is_empty() || !readers.is_empty() {
        let mut command = Command::new(bindings::build_for_tests(&["--test", "fuzz_program"])?.join("fuzz"));
        command.args(readers);
        command.args(["--seconds", &arguments.seconds.to_string(), "--seed", &arguments.seed.to_string()]);
        is_clean &= command.status().context("cannot run the program that feeds the readers")?.success();
    }
    if has_statements {
        let mut command = Command::new(crate::cargo());
        command.args(["test", "--quiet", "--locked", "--workspace", "--test", "e2e"]);
        command.args(["--", "strangers::statements", "strangers::programs", "--nocapture"]);
        command.env("WEIGH_FUZZ_SECONDS", arguments.seconds.to_string());
        is_clean &= command.status().context("cannot run cargo")?.success();
    }
    Ok(is_clean)
}
