//! Tests that the ports of the library to other languages share.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::bindings::{build_for_tests, print_command, succeed};

/// Arguments for lab: the number of random collations of each flavour, and of pairs of strings for
/// each. docs/reference/go.md and java.md have the command for a longer comparison.
const PORT_ANSWERS: [&str; 5] = ["port-answers", "--collations", "60", "--pairs", "500"];

/// Pipes the library's results for random strings into a port's comparison.
pub fn compare_with_library(comparison: &mut Command) -> Result<()> {
    // An integration test of the crate lab: cargo builds its programs, too.
    let mut library = Command::new(build_for_tests(&["--test", "vectors"])?.join("lab"));
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

/// Checks what an example prints.
pub fn check_output(command: &mut Command, is_expected: impl Fn(&str) -> bool) -> Result<()> {
    print_command(command);
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    eprint!("{printed}{}", String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success() && is_expected(&printed), "the example did not print what was expected");
    Ok(())
}
