//! The command `weigh`: arguments in, exit code out.

mod argv;
mod bench;
mod connect;
mod output;
mod servers;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Weighs text: what character sets and collations cost a MySQL or MariaDB server.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(Box<bench::BenchArgs>),
    Servers(servers::ServersArgs),
}

fn main() -> ExitCode {
    let cli: Cli = argv::parse();
    match run(&cli) {
        Ok(code) => code,
        Err(error) => fail(&error),
    }
}

fn run(cli: &Cli) -> Result<ExitCode> {
    server::interrupt::install()?;
    match &cli.command {
        Command::Bench(args) => bench::run(args),
        Command::Servers(args) => servers::run(args),
    }
}

/// The one error exit: 2, or 128 and the signal where a signal ended the run.
fn fail(error: &anyhow::Error) -> ExitCode {
    output::tell(&format!("weigh: {}", sentence(error)));
    match server::interrupt::signal() {
        Some(signal) => ExitCode::from(128 + signal as u8),
        None => ExitCode::from(2),
    }
}

/// An error and what caused it. Most errors quote their cause in their own sentence; such a cause is not said again.
fn sentence(error: &anyhow::Error) -> String {
    let mut sentence = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !sentence.contains(&cause) {
            sentence += &format!(": {cause}");
        }
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn a_cause_is_told_once() {
        let missing = || std::io::Error::other("no such file");
        assert_eq!(
            sentence(&Err::<(), _>(missing()).context("cannot read it").unwrap_err()),
            "cannot read it: no such file"
        );
        assert_eq!(
            sentence(&Err::<(), _>(missing()).context("cannot read it (no such file)").unwrap_err()),
            "cannot read it (no such file)"
        );
    }
}
