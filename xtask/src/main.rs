//! Builds, tests and packages the project: `cargo xtask`.
//!
//! Always built in the dev profile. The tests have the same profile, and reuse the build.

// Doc comments of arguments are their help, which is plain text: `[default: …]` is no link there.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

mod background;
mod bindings;
mod deny;
mod fuzz;
mod lab;
mod package;
mod portable;
mod release;
mod sizes;
mod test;
mod venv;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about, arg_required_else_help = true, after_help = lab::help())]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what the tests run against, then run all tests.
    Test(test::Arguments),
    /// Lint, build and test the library's bindings; installs what that takes.
    Bindings(bindings::Arguments),
    /// Test the library under Miri, and its NEON vectors under emulation.
    Portable(portable::Arguments),
    /// Feed damaged files to readers, and statements of workloads to real servers.
    Fuzz(fuzz::Arguments),
    /// Build the Debian package: the command, its manual pages and completions.
    Package(package::Arguments),
    /// Build what users install: the program, packages, wheels, an image, and their checksums.
    Release(release::Arguments),
    /// Check licences and sources of all packages, and duplicates in the project's workspace, with
    /// cargo-deny.
    Deny(deny::Arguments),
    /// Build programs with one collation and with all, and compare what the library adds to each
    /// with its limit.
    Sizes(sizes::Arguments),
    #[command(external_subcommand)]
    Lab(Vec<OsString>),
}

/// Exit status 0: done; 1: tests failed, a limit was exceeded, or fuzzing found something; 2: an
/// error, also one in the trials of a release.
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

/// Returns `false` if the task ran but failed, as tests do.
fn run() -> Result<bool> {
    match &Arguments::parse().task {
        Task::Test(arguments) => test::run(arguments),
        Task::Bindings(arguments) => {
            lifecycle::interrupt::install()?;
            bindings::run(arguments)
        }
        Task::Portable(arguments) => {
            lifecycle::interrupt::install()?;
            portable::run(arguments)
        }
        Task::Fuzz(arguments) => fuzz::run(arguments),
        Task::Package(arguments) => package::run(arguments).map(|()| true),
        Task::Release(arguments) => release::run(arguments).map(|()| true),
        Task::Deny(arguments) => deny::run(arguments).map(|()| true),
        Task::Sizes(arguments) => sizes::run(arguments),
        Task::Lab(words) if lab::has_task(&words[0]) => lab::become_lab(words),
        Task::Lab(words) => {
            let message = format!("unrecognized subcommand '{}'", words[0].display());
            Arguments::command().error(ErrorKind::InvalidSubcommand, message).exit()
        }
    }
}

/// Returns the cargo that runs this program. `cargo +nightly xtask` sets a cargo that isn't on
/// PATH.
fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn documented_command_lines_parse() {
        let mut seen = 0;
        for path in pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")) {
            let page = fs::read_to_string(&path).unwrap();
            let lines = page.lines().filter_map(|line| line.trim().split_once("cargo xtask "));
            for (before, task) in lines.filter(|(before, _)| before.is_empty() || before.ends_with("&& ")) {
                let task = task.split('#').next().unwrap_or_default();
                seen += 1;
                let words = ["cargo xtask"].into_iter().chain(task.split_whitespace());
                let parsed = Arguments::try_parse_from(words)
                    .unwrap_or_else(|error| panic!("{}: {before}{task}\n{error}", path.display()));
                if let Task::Lab(words) = parsed.task {
                    assert!(lab::has_task(&words[0]), "{}: {before}{task}", path.display());
                }
            }
        }
        assert!(seen >= 4, "only {seen} were found");
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
