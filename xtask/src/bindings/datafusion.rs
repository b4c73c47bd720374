//! The DataFusion crate: linted and built in one go, its functions tested in SQL and beside a real server, and its example.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use server::{Address, Options, Tool};

use crate::bar::Bar;
use crate::bindings::{cargo, succeed, succeed_bound};

/// Finds or installs the client by which the tests ask a server.
pub fn prepare() -> Result<PathBuf> {
    Ok(Tool::Client.find_or_install(&Bar::new())?)
}

/// What the example is given, and what it prints of it.
const WORDS: [&str; 4] = ["Zug", "STRASSE", "Ähre", "Straße"];
const PRINTED: [&str; 4] = [
    "| Ähre    |\n| STRASSE |\n| Straße  |\n| Zug     |",
    "| STRASSE | 2     |\n| Zug     | 1     |\n| Ähre    | 1     |",
    "| STRASSE | Straße |",
    "| STRASSE |\n| Straße  |",
];

/// Everything is compiled by Clippy's driver, which lints this crate and compiles the others as the compiler does: for `cargo clippy`,
/// cargo would read DataFusion and all that it needs a second time.
pub fn test(source: &Path) -> Result<()> {
    let client = prepare()?;
    let linted = |subcommand: &str, arguments: &[&str]| {
        let mut command = cargo(source);
        command.args([subcommand, "--quiet", "--locked"]).args(arguments);
        command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
        command
    };
    succeed(&mut linted("build", &["--all-targets"]))?;

    let server = server::open(&"mariadb".parse()?, &Options::default(), &Bar::new())?;
    let Address::Socket(socket) = &server.endpoint().address else { bail!("a private server has a socket") };
    // With the bench, which is tried with few rows.
    let mut tests = linted("test", &["--all-targets"]);
    tests.env("MYSQL_COLLATION_TEST_SOCKET", socket).env("MYSQL_COLLATION_TEST_CLIENT", client);
    succeed_bound(tests)?;
    server.stop()?;
    succeed(&mut linted("test", &["--doc"]))?;
    example(linted("run", &["--example", "words", "--"]).args(WORDS))
}

fn example(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the example failed:\n{errors}");
    let is_printed = |part: &&str| printed.contains(*part);
    ensure!(PRINTED.iter().all(is_printed), "the example printed:\n{printed}{errors}");
    Ok(())
}
