//! `cargo xtask bindings`: the library's faces in other languages: each is linted, built, and tested as its users have it, with what
//! that takes installed first. Their crates are workspaces of their own, so that the project is built without Python.

mod c;
mod datafusion;
mod python;
mod spark;
mod web;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

#[derive(clap::Args)]
#[command(
    after_help = "What is built goes to target/bindings, what is installed to the cache folder (docs/servers.md) and to target/bindings."
)]
pub struct Arguments {
    /// Which of them [default: all].
    #[arg(value_enum)]
    bindings: Vec<Binding>,

    /// Install what the tests need, and run none.
    #[arg(long)]
    no_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Binding {
    /// The wheel mysql-collation.
    Python,
    /// The header, the static and the shared library.
    C,
    /// The crate datafusion-mysql-collation.
    Datafusion,
    /// The page with the library as WebAssembly.
    Web,
}

/// Tests what was asked for.
pub fn run(arguments: &Arguments) -> Result<()> {
    let all = [Binding::C, Binding::Datafusion, Binding::Python, Binding::Web];
    for binding in all.into_iter().filter(|one| arguments.bindings.is_empty() || arguments.bindings.contains(one)) {
        let prepared = match binding {
            Binding::Python => python::prepare().map(drop),
            Binding::C => c::prepare().map(drop),
            Binding::Datafusion => datafusion::prepare().map(drop),
            Binding::Web => web::prepare().map(drop),
        };
        prepared.with_context(|| format!("the tests of bindings/{} need more than is here", binding.folder()))?;
        if !arguments.no_run {
            binding.test().with_context(|| format!("bindings/{}", binding.folder()))?;
        }
    }
    Ok(())
}

/// Tests all of them.
pub fn run_all(no_run: bool) -> Result<()> {
    run(&Arguments { bindings: Vec::new(), no_run })
}

impl Binding {
    fn folder(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::C => "c",
            Self::Datafusion => "datafusion",
            Self::Web => "web",
        }
    }

    fn test(self) -> Result<()> {
        let source = root().join("bindings").join(self.folder());
        succeed(cargo(&source).args(["fmt", "--check"]))?;
        match self {
            Self::Python => {
                let (name, interpreter) = python::build_environment()?;
                lint(cargo(&source).env(name, interpreter))?;
                python::test(&source)
            }
            Self::C => {
                lint(&mut cargo(&source))?;
                c::test(&source)
            }
            // Is linted as it is built.
            Self::Datafusion => datafusion::test(&source),
            Self::Web => {
                lint(&mut cargo(&source))?;
                web::test(&source)
            }
        }
    }
}

/// The project's folder.
fn root() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.parent().unwrap_or(crate_folder).to_owned()
}

/// Where the bindings are built, and what their tests need is put.
fn target() -> PathBuf {
    root().join("target/bindings")
}

/// cargo for a crate of bindings, which share what they build.
fn cargo(source: &Path) -> Command {
    let mut command = Command::new(crate::cargo());
    command.current_dir(source).env("CARGO_TARGET_DIR", target());
    command
}

/// Runs Clippy, of a crate's own `cargo`.
fn lint(cargo: &mut Command) -> Result<()> {
    succeed(cargo.args(["clippy", "--quiet", "--all-targets", "--locked", "--", "-D", "warnings"]))
}

/// Runs a command; what fails is named with its arguments.
fn succeed(command: &mut Command) -> Result<()> {
    let line = announced(command);
    let status = command.status().with_context(|| format!("cannot run {line}"))?;
    check(&line, status)
}

/// The same for a command that uses a server of ours: it ends when we do, however that is.
fn succeed_bound(command: Command) -> Result<()> {
    let line = announced(&command);
    let child = server::start_bound(command).with_context(|| format!("cannot run {line}"))?;
    check(&line, server::wait_bound(child)?)
}

fn announced(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let line = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    eprintln!("running: {line}");
    line
}

fn check(line: &str, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("{line} failed ({status})");
    }
    Ok(())
}

/// An empty folder in place of what is there.
fn emptied(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}
