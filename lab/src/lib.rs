//! Derives the engine's data from running servers, verifies the engine there, and measures
//! Weighbridge itself.
//!
//! Started by `cargo xtask TASK`, which builds this program in release unless `XTASK_DEBUG` is set.

// Doc comments of arguments are their help, which is plain text: `[default: …]` is no link there.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

pub mod apps;
pub mod before;
pub mod case;
pub mod charsets;
pub mod data_file;
pub mod golden;
pub mod operations;
pub mod order_by;
pub mod peers;
pub mod port_answers;
pub mod query;
pub mod servers;
pub mod studies;
pub mod tables;
pub mod verify;
pub mod versions;
pub mod wordpress;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

// `cargo xtask --help` lists these tasks from a copy, `xtask/src/lab.rs`.
#[derive(Subcommand)]
enum Task {
    /// Derive the weight tables of engine/mysql-collation from running servers.
    Tables(tables::Arguments),
    /// Derive the tables of character sets from a running server, or verify them against several.
    Charsets(charsets::Arguments),
    /// Write the library's tables and catalogue as one file for the ports.
    DataFile(data_file::Arguments),
    /// Write what the library returns for random strings, for the ports' tests.
    PortAnswers(port_answers::Arguments),
    /// Write what servers return for a few hundred strings, for the ports' tests.
    Vectors(verify::vectors::Arguments),
    /// Compare the library with running servers: weights, comparisons, LIKE.
    Verify(verify::Arguments),
    /// Compare the library's other operations with running servers: ranges, LOCATE, case, groups.
    Operations(operations::Arguments),
    /// Derive the tables of UPPER and LOWER from running servers.
    Case(case::Arguments),
    /// List the collations that weigh characters differently in older server versions.
    Versions(versions::Arguments),
    /// Write what servers return for a few thousand strings in every collation, for the library's
    /// tests.
    Golden(golden::Arguments),
    /// Convert and upgrade the schemas of applications, and write a table.
    Apps(apps::Arguments),
    /// Capture a load on WordPress' tables, and find planted faults with weigh bench --workload.
    Wordpress(wordpress::Arguments),
    /// Repeat the published studies on their own server versions, and compare the ratios.
    Studies(studies::Arguments),
    /// Time the engine against an older commit's, in one program.
    Before(before::Arguments),
    /// Time the engine and the Go port against Vitess and golang.org/x/text; needs Go.
    Peers(peers::Arguments),
    /// Time a server's ORDER BY over rows in memory against the engine's sort of the same values.
    OrderBy(order_by::Arguments),
}

/// Runs the task of the command line. Exit status 0: done; 1: a difference or a missing finding; 2:
/// an error.
pub fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Returns `false` if the task ran and found a difference.
fn run() -> Result<bool> {
    let arguments = Arguments::parse();
    lifecycle::interrupt::install()?;
    match &arguments.task {
        Task::Tables(arguments) => tables::run(arguments).map(|()| true),
        Task::Charsets(arguments) => charsets::run(arguments),
        Task::DataFile(arguments) => data_file::run(arguments).map(|()| true),
        Task::PortAnswers(arguments) => port_answers::run(arguments).map(|()| true),
        Task::Vectors(arguments) => verify::vectors::run(arguments).map(|()| true),
        Task::Verify(arguments) => verify::run(arguments),
        Task::Operations(arguments) => operations::run(arguments),
        Task::Case(arguments) => case::run(arguments).map(|()| true),
        Task::Versions(arguments) => versions::run(arguments).map(|()| true),
        Task::Golden(arguments) => golden::run(arguments).map(|()| true),
        Task::Apps(arguments) => apps::run(arguments),
        Task::Wordpress(arguments) => wordpress::run(arguments),
        Task::Studies(arguments) => studies::run(arguments),
        Task::Before(arguments) => before::run(arguments).map(|()| true),
        Task::Peers(arguments) => peers::run(arguments).map(|()| true),
        Task::OrderBy(arguments) => order_by::run(arguments).map(|()| true),
    }
}

/// Returns the cargo that runs this program. `cargo +nightly xtask` sets a cargo that isn't on
/// PATH.
fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn build_weigh() -> Result<PathBuf> {
    let mut build = Command::new(cargo());
    build.args(["build", "--quiet", "--package", "weigh"]);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    ensure!(build.status()?.success(), "weigh can't be built");
    Ok(env::current_exe()?.with_file_name("weigh"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn xtask_lists_all_tasks() {
        let list = include_str!("../../xtask/src/lab.rs");
        let tasks = Arguments::command();
        for task in tasks.get_subcommands() {
            let line = format!("(\"{}\", \"{}\")", task.get_name(), task.get_about().unwrap());
            assert!(list.contains(&line), "xtask/src/lab.rs has no {line}");
        }
        assert_eq!(list.matches("    (\"").count(), tasks.get_subcommands().count());
    }

    #[test]
    fn documented_command_lines_parse() {
        let mut seen = 0;
        for path in pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")) {
            let page = fs::read_to_string(&path).unwrap();
            let lines = page.lines().filter_map(|line| line.trim().split_once("cargo xtask "));
            for (before, task) in lines.filter(|(before, _)| before.is_empty() || before.ends_with("&& ")) {
                let words: Vec<&str> = task.split('#').next().unwrap().split_whitespace().collect();
                if Arguments::command().find_subcommand(words[0]).is_none() {
                    continue;
                }
                seen += 1;
                let words = ["cargo xtask"].into_iter().chain(words);
                Arguments::try_parse_from(words)
                    .unwrap_or_else(|error| panic!("{}: {before}{task}\n{error}", path.display()));
            }
        }
        assert!(seen >= 2, "only {seen} were found");
    }

    /// README.md, CONTRIBUTING.md and all pages below docs.
    fn pages(root: &Path) -> Vec<PathBuf> {
        let mut pages = ["README.md", "CONTRIBUTING.md"].map(|name| root.join(name)).to_vec();
        let mut folders = vec![root.join("docs")];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "md") {
                    pages.push(path);
                }
            }
        }
        pages
    }
}
