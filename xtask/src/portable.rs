//! `cargo xtask portable`: tests the library's operations under Miri, which finds undefined
//! behaviour, and its NEON code under emulation. Both need a nightly toolchain of a fixed date,
//! which rustup installs into target/portable.

use std::path::Path;
use std::process::{Child, Command};

use anyhow::{Context, Result, ensure};
use fetch::Tool;
use progress::Bar;

/// Takes no options.
#[derive(clap::Args)]
pub struct Arguments {}

const TOOLCHAIN: &str = "nightly-2026-10-30";

/// Statically linked: the emulator needs no arm64 libraries.
const TARGET: &str = "aarch64-unknown-linux-musl";

/// Returns whether all tests passed.
pub fn run(_: &Arguments) -> Result<bool> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/portable");
    install(&folder)?;
    let emulator = Tool::Qemu.find_or_install(&Bar::with_steps_printed())?;
    let mut miri = cargo(&folder);
    miri.args(["miri", "test", "--package", "mysql-collation", "--test", "operations"]);
    let mut neon = cargo(&folder);
    neon.args(["test", "--package", "mysql-collation", "--lib", "--target", TARGET, "simd::"]);
    neon.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", "rust-lld");
    neon.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER", emulator);
    // In parallel: each takes one core for minutes.
    let (miri, neon) = (start(miri)?, start(neon)?);
    // Waits for both processes before an error of one is returned, so that a signal ends both.
    let (miri, neon) = (lifecycle::wait_supervised(miri), lifecycle::wait_supervised(neon));
    Ok(miri?.success() && neon?.success())
}

/// Installs the toolchain into the folder, without touching the user's toolchains.
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
    lifecycle::spawn_with_environment(command).context("cannot run rustup")
}
