//! `cargo xtask package`: builds a Debian package of the command for this machine, its manual pages
//! and completions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::bindings::succeed;
use crate::release::debian::{self, Control};
use crate::release::dependencies::Dependencies;
use crate::release::notices;
use crate::release::payload::Payload;

/// Target of programs without dynamic libraries.
const STATIC_TARGET: &str = "x86_64-unknown-linux-musl";

#[derive(clap::Args)]
pub struct Arguments {
    /// Folder of the package.
    #[arg(long, value_name = "DIR", default_value = "target/package")]
    out: PathBuf,

    /// Profile to build with.
    #[arg(long, default_value = "release")]
    profile: String,

    /// Target to build for [default: x86_64-unknown-linux-musl if installed, else this machine's
    /// own].
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
}

/// Builds the package and prints its path.
pub fn run(arguments: &Arguments) -> Result<()> {
    let target = match &arguments.target {
        Some(target) => Some(target.clone()),
        None if is_installed(STATIC_TARGET)? => Some(STATIC_TARGET.to_owned()),
        None => {
            eprintln!(
                "the target {STATIC_TARGET} is not installed (`rustup target add {STATIC_TARGET}`): the package will need this machine's C library"
            );
            None
        }
    };
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let program = folder.path().join("weigh");
    // The profile dev leaves debug information, nine tenths of the size. Stack traces of a
    // stripped program have addresses only.
    let built = build(&arguments.profile, target.as_deref())?;
    succeed(Command::new("strip").arg("-o").arg(&program).arg(built))?;

    let triple = target.clone().map_or_else(host, Ok)?;
    let notices = notices::render(&Dependencies::read(&crate::bindings::root(), "weigh", &triple)?)?;
    let files = Payload::with_program(&program, &program, notices)?.system_files("usr/share/zsh/vendor-completions")?;
    let control = Control {
        package: &debian::COMMAND,
        version: env!("CARGO_PKG_VERSION"),
        architecture: debian::host_architecture()?,
        depends: if target.as_deref() == Some(STATIC_TARGET) { "" } else { "libc6, libgcc-s1" },
        time: std::time::UNIX_EPOCH.elapsed()?.as_secs(),
    };
    fs::create_dir_all(&arguments.out).with_context(|| format!("cannot create {}", arguments.out.display()))?;
    let package = arguments.out.join(format!("weighbridge_{}_{}.deb", control.version, control.architecture));
    debian::pack(&control, &files, &package)?;
    println!("{}", package.display());
    Ok(())
}

/// Returns this machine's target.
fn host() -> Result<String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

/// Returns `true` if the toolchain has the standard library of a target.
fn is_installed(target: &str) -> Result<bool> {
    let folder = output(Command::new("rustc").args(["--print", "target-libdir", "--target", target]))?;
    Ok(Path::new(folder.trim()).is_dir())
}

fn build(profile: &str, target: Option<&str>) -> Result<PathBuf> {
    let mut command = Command::new(crate::cargo());
    command.args(["build", "--locked", "--package", "weigh", "--bin", "weigh", "--profile", profile]);
    command.arg("--message-format=json-render-diagnostics");
    if let Some(target) = target {
        command.args(["--target", target]);
        if target == STATIC_TARGET && std::env::var_os("CC_x86_64_unknown_linux_musl").is_none() {
            // The C and assembly of the cryptography crate call no C library, so the host's
            // compiler will do.
            command.env("CC_x86_64_unknown_linux_musl", "cc");
        }
    }
    command.stderr(Stdio::inherit());
    let messages = output(&mut command)?;
    let program = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let program = program.filter_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?))).next_back();
    program.context("cargo built no program")
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    if !output.status.success() {
        bail!("{command:?} failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
