//! `cargo xtask test`: everything that the tests run against, installed first and with a progress bar; then the tests, those of the
//! bindings last.

use std::process::{Command, ExitStatus};

use anyhow::{Context, Result, bail};
use server::Tool;

use crate::bar::Bar;
use crate::bindings;

/// The servers that tests name. The host's own comes from PATH where it is there.
const SERVERS: [&str; 5] = ["mariadb", "mariadb@bookworm", "mariadb@trixie", "mysql@sid", "mysql@5.6"];

#[derive(clap::Args)]
#[command(
    after_help = "What is installed goes to the cache folder (docs/servers.md), without root and beside the system."
)]
pub struct Arguments {
    /// Install what the tests need, and run none.
    #[arg(long)]
    no_run: bool,

    /// Passed on to cargo test; then the bindings are not tested.
    #[arg(last = true)]
    rest: Vec<String>,
}

/// Whether the tests passed.
pub fn run(arguments: &Arguments) -> Result<bool> {
    // Only while installing: what a signal must undo. cargo gets the terminal's signals itself.
    install()?;
    if arguments.no_run {
        bindings::run_all(true)?;
        return Ok(true);
    }
    let mut command = Command::new(crate::cargo());
    command.args(["test", "--workspace", "--locked"]).args(&arguments.rest);
    eprintln!("running: cargo test --workspace --locked {}", arguments.rest.join(" "));
    let status = command.status().context("cannot run cargo")?;
    signalled(status)?;
    if !status.success() {
        return Ok(false);
    }
    if !arguments.rest.is_empty() {
        eprintln!("the bindings are not tested: `cargo xtask bindings` does that");
        return Ok(true);
    }
    server::interrupt::install()?;
    bindings::run_all(false)?;
    Ok(true)
}

fn install() -> Result<()> {
    let bar = Bar::new();
    // The emulator is for `cargo xtask portable`.
    for tool in Tool::ALL.into_iter().filter(|tool| *tool != Tool::Qemu) {
        tool.find_or_install(&bar).with_context(|| format!("the tests need {}", tool.name()))?;
    }
    for name in SERVERS {
        server::install(&name.parse()?, &bar).with_context(|| format!("the tests need the server {name}"))?;
    }
    Ok(())
}

fn signalled(status: ExitStatus) -> Result<()> {
    if status.code().is_none() {
        bail!("cargo test was ended by a signal ({status})");
    }
    Ok(())
}
