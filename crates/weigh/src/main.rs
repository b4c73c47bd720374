//! The command `weigh`: arguments in, exit code out.

// Comments on arguments are their help, which is plain text: `[client]` is no link there, and `<time>` no tag.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

mod argv;
mod audit;
mod bar;
mod bench;
mod capture;
mod compare;
mod connect;
#[cfg(test)]
mod documented;
mod explain;
mod folder;
mod given;
mod import;
mod load;
mod micro;
mod offline;
mod output;
mod preflight;
mod profile;
mod report;
mod results;
mod resume;
mod run;
mod servers;
mod shell;
mod sort;
mod weights;
mod workload;

use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::{CommandFactory, Parser, Subcommand};
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
    Micro(Box<micro::MicroArgs>),
    Profile(Box<profile::ProfileArgs>),
    Preflight(Box<preflight::PreflightArgs>),
    Audit(Box<audit::AuditArgs>),
    Report(report::ReportArgs),
    Compare(compare::CompareArgs),
    Run(Box<run::RunArgs>),
    Import(Box<import::ImportArgs>),
    Capture(Box<capture::CaptureArgs>),
    Workload(workload::WorkloadArgs),
    Servers(servers::ServersArgs),
    Explain(explain::ExplainArgs),
    Sort(sort::SortArgs),
    Weights(weights::WeightsArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

impl Command {
    /// Whether it may start a server, which must then be stopped on a signal. Where there is nothing to clean up, a signal ends the
    /// process at once, as it does any filter.
    fn may_start_servers(&self) -> bool {
        use Command::{Completions, Explain, Man, Sort, Weights, Workload};
        match self {
            Workload(args) => args.needs_server(),
            command => !matches!(command, Sort(_) | Explain(_) | Weights(_) | Completions(_) | Man(_)),
        }
    }
}

fn main() -> ExitCode {
    let cli: Cli = argv::parse();
    match run(cli) {
        Ok(code) => code,
        Err(error) => fail(&error),
    }
}

fn run(cli: Cli) -> Result<ExitCode> {
    raise_file_limit();
    let cli = resume::begun(cli)?;
    if cli.command.may_start_servers() {
        server::interrupt::install().map_err(|error| anyhow!("cannot watch for signals: {error}"))?;
    }
    match &cli.command {
        Command::Bench(args) => bench::run(args),
        Command::Micro(args) => micro::run(args),
        Command::Profile(args) => profile::run(args),
        Command::Preflight(args) => preflight::run(args),
        Command::Audit(args) => audit::run(args),
        Command::Report(args) => report::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Run(args) => run::run(args),
        Command::Import(args) => import::run(args),
        Command::Capture(args) => capture::run(args),
        Command::Workload(args) => workload::run(args),
        Command::Servers(args) => servers::run(args),
        Command::Sort(args) => sort::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Weights(args) => weights::run(args),
        Command::Completions(args) => shell::completions(args, Cli::command()),
        Command::Man(args) => shell::man(args, Cli::command()),
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
