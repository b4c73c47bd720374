//! Entry point of `weigh`: parses the command line, sets process limits and signals, and runs the
//! command.

// Doc comments of arguments are their help, which is plain text: `[client]` is no link, `<time>` no
// tag.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

mod argv;
mod commands;
mod complete;
#[cfg(test)]
mod documentation;
mod dump;
mod help;
mod input;
mod manual;
mod memory;
mod options;
mod output;
mod results;
mod resume;

use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::{CommandFactory, Parser, Subcommand};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use commands::{
    audit, bench, capture, compare, count, explain, import, micro, preflight, profile, report, run, servers, shell,
    sort, upgrade, version, weights, why, workload,
};

/// What collations cost MySQL and MariaDB, and what breaks when they change
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    output: output::OutputArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(Box<bench::BenchArgs>),
    Count(Box<count::CountArgs>),
    Micro(Box<micro::MicroArgs>),
    Profile(Box<profile::ProfileArgs>),
    Preflight(Box<preflight::PreflightArgs>),
    Audit(Box<audit::AuditArgs>),
    Why(Box<why::WhyArgs>),
    Upgrade(Box<upgrade::UpgradeArgs>),
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
    Version(version::VersionArgs),
    Help(shell::HelpArgs),
}

impl Command {
    /// Returns `true` for commands that may start servers. They stop the servers before they end on
    /// a signal. Also `true` for some commands that start no servers, such as `report`. Commands with
    /// `false` die of a signal at once, as filters do.
    fn may_start_servers(&self) -> bool {
        use Command::{Completions, Explain, Help, Man, Sort, Version, Weights, Workload};
        match self {
            Workload(args) => args.needs_server(),
            Sort(_) | Explain(_) | Weights(_) | Completions(_) | Man(_) | Version(_) | Help(_) => false,
            _ => true,
        }
    }
}

fn main() -> ExitCode {
    complete::complete(Cli::command);
    if let Err(error) = lifecycle::fatal::install() {
        output::print_message(&format!(
            "weigh: cannot prepare for crashes ({error}); after one, servers may keep running"
        ));
    }
    let cli: Cli = argv::parse();
    cli.output.apply();
    match run_command(cli) {
        Ok(code) => code,
        Err(error) => fail(&error),
    }
}

fn run_command(cli: Cli) -> Result<ExitCode> {
    raise_file_limit();
    set_max_item_bytes_from_environment()?;
    let mut cli = resume::resolve_command_line(cli)?;
    if cli.command.may_start_servers() {
        lifecycle::interrupt::install().map_err(|error| anyhow!("cannot watch for signals: {error}"))?;
    }
    match &mut cli.command {
        Command::Bench(args) => bench::run(args),
        Command::Count(args) => count::run(args),
        Command::Micro(args) => micro::run(args),
        Command::Profile(args) => profile::run(args),
        Command::Preflight(args) => preflight::run(args),
        Command::Audit(args) => audit::run(args),
        Command::Why(args) => why::run(args),
        Command::Upgrade(args) => upgrade::run(args),
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
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man(args, Cli::command()),
        Command::Version(_) => version::run(),
        Command::Help(args) => shell::help(args, Cli::command()),
    }
}

/// Obeys `WEIGH_MAX_ITEM`, the largest number of MiB of a statement, field or page that is read.
fn set_max_item_bytes_from_environment() -> Result<()> {
    let Some(value) = std::env::var_os("WEIGH_MAX_ITEM") else { return Ok(()) };
    let mebibytes = value.to_str().and_then(|text| text.parse::<u64>().ok());
    let mebibytes = mebibytes.filter(|number| (1..=4096).contains(number));
    let mebibytes = mebibytes.ok_or_else(|| anyhow!("WEIGH_MAX_ITEM is a number of MiB from 1 to 4096"))?;
    // 4096 MiB are more than a `usize` of 32 bits.
    bounded::set_max_item_bytes(usize::try_from(mebibytes << 20).unwrap_or(usize::MAX));
    Ok(())
}

/// Raises the soft limit of open files to the hard limit. Each connection needs a file here and one
/// in the server, which inherits the limit. Ignores failures: a lack of files is reported when it
/// occurs.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Prints an error. Returns exit status 2, or 128 plus the signal that ended the run. The chain of
/// causes isn't printed: each message is expected to include its cause.
fn fail(error: &anyhow::Error) -> ExitCode {
    output::print_message(&format!("weigh: {error}"));
    match lifecycle::interrupt::signal() {
        Some(signal) => ExitCode::from(128 + signal as u8),
        None => ExitCode::from(2),
    }
}
