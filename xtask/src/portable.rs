//! `cargo xtask portable`: the library where it has no vectors of x86: its scalar paths under Miri, which finds undefined behaviour, and its vectors of
//! NEON under emulation. Both take a nightly toolchain of a given day, which rustup installs into target/portable.

use std::path::Path;
use std::process::{Child, Command};

use anyhow::{Context, Result, ensure};
use server::Tool;

use crate::bar::Bar;

/// Takes no options.
#[derive(clap::Args)]
pub struct Arguments {}

const TOOLCHAIN: &str = "nightly-2026-10-30";

/// Statically linked, so that the emulator needs no libraries of that machine.
const TARGET: &str = "aarch64-unknown-linux-musl";

/// Whether all tests passed.
pub fn run(_: &Arguments) -> Result<bool> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/portable");
    install(&folder)?;
    let emulator = Tool::Qemu.find_or_install(&Bar::new())?;
    let mut miri = cargo(&folder);
    miri.args(["miri", "test", "--package", "mysql-collation", "--test", "operations"]);
    let mut neon = cargo(&folder);
    neon.args(["test", "--package", "mysql-collation", "--lib", "--target", TARGET, "arch::"]);
    neon.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", "rust-lld");
    neon.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER", emulator);
    // At the same time, as both take one core for minutes.
    let (miri, neon) = (start(miri)?, start(neon)?);
    // Both, as a signal is to end both.
    let (miri, neon) = (server::wait_bound(miri), server::wait_bound(neon));
    Ok(miri?.success() && neon?.success())
}

/// Into the folder, which leaves the user's toolchains alone.
fn install(folder: &Path) -> Result<()> {
    let mut command = rustup(folder);
    command.args(["toolchain", "install", TOOLCHAIN, "--profile", "minimal", "--no-self-update"]);
    command.args(["--component", "miri", "--component", "rust-src", "--target", TARGET]);
    let installed = command.status().context("cannot run rustup, by which Miri is installed: see https://rustup.rs")?;
    ensure!(installed.success(), "rustup cannot install {TOOLCHAIN} with Miri and the target {TARGET}");
    Ok(())
}

fn cargo(folder: &Path) -> Command {
    let mut command = rustup(folder);
    command.env("CARGO_TARGET_DIR", folder).args(["run", TOOLCHAIN, "cargo"]);
    command
}

fn rustup(folder: &Path) -> Command {
    let mut command = Command::new("rustup");
    command.env("RUSTUP_HOME", folder.join("rustup"));
    command
}

fn start(command: Command) -> Result<Child> {
    eprintln!("running: {command:?}");
    server::start_bound(command).context("cannot run rustup")
}
