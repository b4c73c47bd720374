//! Tests of the DataFusion crate: its functions in SQL and compared with a real server, and the
//! example.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use fetch::Tool;
use progress::Bar;
use server::{Address, Options};

use crate::bindings::{cargo, succeed, succeed_supervised};

/// Finds or installs the client through which the tests query a server.
pub fn prepare() -> Result<PathBuf> {
    Ok(Tool::Client.find_or_install(&Bar::with_steps_printed())?)
}

/// Arguments of the example, and parts of the expected output.
const EXAMPLE_ARGUMENTS: [&str; 4] = ["Zug", "STRASSE", "Ähre", "Straße"];
const EXAMPLE_OUTPUT: [&str; 4] = [
    "| Ähre    |\n| STRASSE |\n| Straße  |\n| Zug     |",
    "| STRASSE | 2     |\n| Zug     | 1     |\n| Ähre    | 1     |",
    "| STRASSE | Straße |",
    "| STRASSE |\n| Straße  |",
];

/// Lints, builds and tests the crate. Clippy's driver replaces the compiler of this crate, which it
/// both lints and compiles. `cargo clippy` would check DataFusion and its dependencies a second
/// time.
pub fn test(source: &Path) -> Result<()> {
    let client = prepare()?;
    let cargo_with_lints = |subcommand: &str, arguments: &[&str]| {
        let mut command = cargo(source);
        command.args([subcommand, "--quiet", "--locked"]).args(arguments);
        command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
        command
    };
    succeed(&mut cargo_with_lints("build", &["--all-targets"]))?;

    let server = server::open(&"mariadb".parse()?, &Options::default(), &Bar::with_steps_printed())?;
    let Address::Socket(socket) = &server.endpoint().address else { bail!("a private server has a socket") };
    // Includes the bench, which runs with few rows here.
    let mut tests = cargo_with_lints("test", &["--all-targets"]);
    tests.env("MYSQL_COLLATION_TEST_SOCKET", socket).env("MYSQL_COLLATION_TEST_CLIENT", client);
    succeed_supervised(tests)?;
    server.stop()?;
    succeed(&mut cargo_with_lints("test", &["--doc"]))?;
    check_example(cargo_with_lints("run", &["--example", "words", "--"]).args(EXAMPLE_ARGUMENTS))
}

fn check_example(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the example failed:\n{errors}");
    let is_printed = |part: &&str| printed.contains(*part);
    ensure!(EXAMPLE_OUTPUT.iter().all(is_printed), "the example printed:\n{printed}{errors}");
    Ok(())
}
