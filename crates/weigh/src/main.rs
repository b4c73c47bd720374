//! The command `weigh`: arguments in, exit code out.

// Comments on arguments are their help, which is plain text: `[client]` is no link there, and `<time>` no tag.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

mod argv;
mod bench;
mod connect;
mod import;
mod output;
mod report;
mod run;
mod servers;

use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::{Parser, Subcommand};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

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
    Report(report::ReportArgs),
    Run(Box<run::RunArgs>),
    Import(Box<import::ImportArgs>),
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
    raise_file_limit();
    server::interrupt::install().map_err(|error| anyhow!("cannot watch for signals: {error}"))?;
    match &cli.command {
        Command::Bench(args) => bench::run(args),
        Command::Report(args) => report::run(args),
        Command::Run(args) => run::run(args),
        Command::Import(args) => import::run(args),
        Command::Servers(args) => servers::run(args),
    }
}

/// Every connection takes a file here and one in the server, which inherits the limit. Whoever set it low meant programs that know no
/// better; the hard limit stays. Where even that is refused, running out of files is an error when it comes to it.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// The one error exit: 2, or 128 and the signal where a signal ended the run. Every error tells its cause in its own sentence, so the
/// chain of causes is not told again.
fn fail(error: &anyhow::Error) -> ExitCode {
    output::tell(&format!("weigh: {error}"));
    match server::interrupt::signal() {
        Some(signal) => ExitCode::from(128 + signal as u8),
        None => ExitCode::from(2),
    }
}
