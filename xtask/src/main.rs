//! Tasks of the project, run as `cargo xtask`.
//!
//! `cargo xtask` builds for development, so that `cargo xtask test` shares what it builds with the tests. What computes or times
//! starts itself again in release; not if `XTASK_DEBUG` is set, for a try that is not worth another build.

// Comments on arguments are their help, which is plain text: `[default: …]` is no link there.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

mod apps;
mod ask;
mod bar;
mod before;
mod bindings;
mod charsets;
mod golden;
mod order_by;
mod package;
mod peers;
mod portable;
mod servers;
mod sizes;
mod tables;
mod test;
mod verify;
mod wordpress;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what the tests run against, then run all tests.
    Test(test::Arguments),
    /// Lint, build and test the library's faces in other languages, with what that takes.
    Bindings(bindings::Arguments),
    /// Audit and convert the schemas of applications in Debian's packages.
    Apps(apps::Arguments),
    /// Capture a load on WordPress' tables, and find by weigh bench --workload what is planted in it.
    Wordpress(wordpress::Arguments),
    /// Test the library's scalar paths under Miri, and its vectors of NEON under emulation.
    Portable(portable::Arguments),
    /// Build the Debian package: the command, its manual pages and completions.
    Package(package::Arguments),
    /// Derive the weight tables of crates/collation from running servers.
    Tables(tables::Arguments),
    /// Derive the tables of character sets from a running server, or verify them against several.
    Charsets(charsets::Arguments),
    /// Compare the library with running servers: weights, comparisons, LIKE.
    Verify(verify::Arguments),
    /// Write what servers answer for a few thousand strings in every collation, for the library's tests.
    Golden(golden::Arguments),
    /// Build programs with one collation and with all, and hold what the library adds to each against its limit.
    Sizes(sizes::Arguments),
    /// Time the engine beside that of an older commit, in one program.
    Before(before::Arguments),
    /// Time the engine beside Vitess' collations, which Go has to be installed for.
    Peers(peers::Arguments),
    /// Time a server's ORDER BY over rows in memory beside the engine's sort of the same values.
    OrderBy(order_by::Arguments),
}

/// 0: done; 1: the library and a server differ; 2: it could not be done.
fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether there is nothing to complain about.
fn run() -> Result<bool> {
    let arguments = Arguments::parse();
    match &arguments.task {
        Task::Test(arguments) => return test::run(arguments),
        Task::Bindings(arguments) => {
            server::interrupt::install()?;
            return bindings::run(arguments).map(|()| true);
        }
        Task::Sizes(arguments) => return sizes::run(arguments),
        Task::Before(arguments) => return before::run(arguments).map(|()| true),
        Task::Package(arguments) => return package::run(arguments).map(|()| true),
        Task::Portable(arguments) => {
            server::interrupt::install()?;
            return portable::run(arguments);
        }
        Task::Apps(arguments) => {
            server::interrupt::install()?;
            return apps::run(arguments);
        }
        Task::Wordpress(arguments) => {
            server::interrupt::install()?;
            return wordpress::run(arguments);
        }
        _ => {}
    }
    if cfg!(debug_assertions) && std::env::var_os("XTASK_DEBUG").is_none() {
        return again_in_release();
    }
    server::interrupt::install()?;
    match arguments.task {
        Task::Test(_)
        | Task::Bindings(_)
        | Task::Package(_)
        | Task::Portable(_)
        | Task::Apps(_)
        | Task::Wordpress(_)
        | Task::Sizes(_)
        | Task::Before(_) => unreachable!("run above"),
        Task::Tables(arguments) => tables::run(&arguments).map(|()| true),
        Task::Charsets(arguments) => charsets::run(&arguments),
        Task::Verify(arguments) => verify::run(&arguments),
        Task::Golden(arguments) => golden::run(&arguments).map(|()| true),
        Task::Peers(arguments) => peers::run(&arguments).map(|()| true),
        Task::OrderBy(arguments) => order_by::run(&arguments).map(|()| true),
    }
}

/// Builds this program in release, and becomes it.
fn again_in_release() -> Result<bool> {
    let mut command = Command::new(cargo());
    command.args(["run", "--release", "--quiet", "--package", "xtask", "--"]).args(std::env::args_os().skip(1));
    Err(command.exec()).context("cannot run cargo")
}

/// The cargo that called us: that of `cargo +nightly xtask` is another one than PATH's.
fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tasks that the documentation shows are ones that there are.
    #[test]
    fn every_task_of_the_documentation_is_taken() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
        let pages = docs.chain(["README.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
        let mut seen = 0;
        for path in pages.filter(|path| path.extension().is_some_and(|end| end == "md")) {
            let page = std::fs::read_to_string(&path).unwrap();
            let lines = page.lines().filter_map(|line| line.trim().split_once("cargo xtask "));
            for (before, task) in lines.filter(|(before, _)| before.is_empty() || before.ends_with("&& ")) {
                let task = task.split('#').next().unwrap_or_default();
                seen += 1;
                let words = ["cargo xtask"].into_iter().chain(task.split_whitespace());
                Arguments::try_parse_from(words)
                    .unwrap_or_else(|error| panic!("{}: {before}{task}\n{error}", path.display()));
            }
        }
        assert!(seen >= 4, "only {seen} were found");
    }
}
