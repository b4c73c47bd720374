//! Tests that the ports of the library to other languages share.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::bindings::{print_command, root, succeed};

/// Arguments for lab: the number of random collations of each flavour, and of pairs of strings for
/// each. docs/reference/go.md and java.md have the command for a full comparison.
const PORT_ANSWERS: [&str; 5] = ["port-answers", "--collations", "60", "--pairs", "500"];

/// Builds the program `lab` with an integration test of its crate, which shares what
/// `cargo test --workspace` built: cargo chooses features for all packages of a command together.
const BUILD: [&str; 7] = ["test", "--quiet", "--locked", "--workspace", "--no-run", "--test", "vectors"];

/// Pipes the library's results for random strings into a port's comparison.
pub fn compare_with_library(comparison: &mut Command) -> Result<()> {
    succeed(Command::new(crate::cargo()).args(BUILD))?;
    let mut library = Command::new(build_folder().join("lab"));
    library.args(PORT_ANSWERS).stdout(Stdio::piped());
    print_command(&library);
    let mut library = library.spawn().context("cannot run lab")?;
    comparison.stdin(library.stdout.take().context("the library's results are not piped")?);
    let compared = succeed(comparison);
    let status = library.wait()?;
    compared?;
    ensure!(status.success(), "the library's results are incomplete ({status})");
    Ok(())
}

/// Folder of programs that `cargo test` builds.
fn build_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from).join("debug")
}

/// Checks what an example prints.
pub fn check_output(command: &mut Command, is_expected: impl Fn(&str) -> bool) -> Result<()> {
    print_command(command);
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && is_expected(&printed),
        "the example printed:\n{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
