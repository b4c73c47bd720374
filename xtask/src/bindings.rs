//! `cargo xtask bindings`: lints, builds and tests the library's bindings, after installing what
//! that takes. Each binding is tested as its users install it, and is a cargo workspace of its own,
//! so that the project builds without Python. The ports to other languages are tested likewise.

pub mod c;
mod datafusion;
mod go;
mod java;
mod ports;
mod python;
mod spark;
pub mod web;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::background::Background;

#[derive(clap::Args)]
#[command(
    after_help = "The bindings are built in target/bindings. What their tests need is installed to the cache folder (docs/reference/servers.md) and to target/bindings."
)]
pub struct Arguments {
    /// Bindings to test [default: all].
    #[arg(value_enum)]
    bindings: Vec<Binding>,

    /// Install what the tests need, and run none.
    #[arg(long)]
    no_run: bool,
}

impl Arguments {
    /// Returns the arguments that install what the tests of all bindings need.
    pub fn prepare_all() -> Self {
        Self { bindings: Vec::new(), no_run: true }
    }

    pub fn one(binding: Binding, no_run: bool) -> Self {
        Self { bindings: vec![binding], no_run }
    }
}

/// A binding of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Binding {
    /// The wheel mysql-collation.
    Python,
    /// The header, the static and the shared library.
    C,
    /// The crate datafusion-mysql-collation.
    Datafusion,
    /// The Go module, a port.
    Go,
    /// The Java library, a port.
    Java,
    /// The page with the library as WebAssembly.
    Web,
}

/// All bindings, in the order of their tests.
const ALL: [Binding; 6] = [Binding::C, Binding::Datafusion, Binding::Go, Binding::Java, Binding::Python, Binding::Web];

/// Tests or, with `no_run`, prepares the bindings one after the other. Returns whether all passed.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let requested = |binding: &Binding| arguments.bindings.is_empty() || arguments.bindings.contains(binding);
    let mut failures = Vec::new();
    for binding in ALL.into_iter().filter(requested) {
        if let Err(error) = run_one(binding, arguments.no_run) {
            lifecycle::interrupt::check()?;
            failures.push(error);
        }
    }
    for error in &failures {
        eprintln!("FAILED: {error:#}");
    }
    Ok(failures.is_empty())
}

/// Starts the tests of all bindings in the background.
pub fn start() -> Result<Background> {
    let mut command = Command::new(env::current_exe().context("cannot find this program")?);
    command.arg("bindings");
    Background::start(command, "the tests of the bindings", target().join("tests.log"))
}

/// Installs what the tests of a binding need and, unless `no_run`, runs them.
fn run_one(binding: Binding, no_run: bool) -> Result<()> {
    let prepared = match binding {
        Binding::Python => python::prepare().map(drop),
        Binding::C => c::prepare().map(drop),
        Binding::Datafusion => datafusion::prepare().map(drop),
        Binding::Go => go::prepare().map(drop),
        Binding::Java => java::prepare().map(drop),
        Binding::Web => web::prepare().map(drop),
    };
    let path = binding.path();
    prepared.with_context(|| format!("cannot install what the tests of {path} need"))?;
    if no_run {
        return Ok(());
    }
    let start = Instant::now();
    let tested = binding.test().with_context(|| path.clone());
    eprintln!("{path} took {} s", start.elapsed().as_secs());
    tested
}

impl Binding {
    /// Returns the binding with this name, such as `python`.
    pub fn find(name: &str) -> Option<Self> {
        ALL.into_iter().find(|binding| binding.folder() == name)
    }

    pub fn names() -> [&'static str; 6] {
        ALL.map(Self::folder)
    }

    fn folder(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::C => "c",
            Self::Datafusion => "datafusion",
            Self::Go => "go",
            Self::Java => "java",
            Self::Web => "web",
        }
    }

    /// Returns `true` for the library written in another language.
    fn is_port(self) -> bool {
        matches!(self, Self::Go | Self::Java)
    }

    /// Returns the folder's path in the project.
    fn path(self) -> String {
        let kind = if self.is_port() { "ports" } else { "bindings" };
        format!("engine/{kind}/{}", self.folder())
    }

    fn test(self) -> Result<()> {
        let source = root().join(self.path());
        if !self.is_port() {
            succeed(cargo(&source).args(["fmt", "--check"]))?;
        }
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
            // Linted while it is built.
            Self::Datafusion => datafusion::test(&source),
            Self::Go => go::test(&source),
            Self::Java => java::test(&source),
            Self::Web => {
                lint(&mut cargo(&source))?;
                web::test(&source)
            }
        }
    }
}

/// The project's folder.
pub fn root() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.parent().unwrap_or(crate_folder).to_owned()
}

/// Folder in which the bindings are built, and to which what their tests need is installed.
pub fn target() -> PathBuf {
    root().join("target/bindings")
}

/// Returns cargo for the crate of a binding. All bindings share one target folder.
fn cargo(source: &Path) -> Command {
    let mut command = Command::new(crate::cargo());
    command.current_dir(source).env("CARGO_TARGET_DIR", target());
    command
}

/// Builds test targets of the workspace and the programs of their crates, and returns the programs'
/// folder. Shares what `cargo test --workspace` built: cargo chooses features for all packages of a
/// command together.
pub fn build_for_tests(targets: &[&str]) -> Result<PathBuf> {
    let mut build = Command::new(crate::cargo());
    build.args(["test", "--quiet", "--locked", "--workspace", "--no-run"]).args(targets).current_dir(root());
    succeed(build.env("CARGO_TARGET_DIR", root().join("target")))?;
    Ok(root().join("target/debug"))
}

/// Runs Clippy on all targets of a crate.
fn lint(cargo: &mut Command) -> Result<()> {
    succeed(cargo.args(["clippy", "--quiet", "--all-targets", "--locked", "--", "-D", "warnings"]))
}

/// Runs a command. The error of a failure names the command with its arguments.
pub fn succeed(command: &mut Command) -> Result<()> {
    let line = print_command(command);
    let status = command.status().with_context(|| format!("cannot run {line}"))?;
    check_status(&line, status)
}

/// Runs a command that uses a private server. The command ends when this process does, also by a
/// signal.
fn succeed_supervised(command: Command) -> Result<()> {
    let line = print_command(&command);
    let child = lifecycle::spawn_with_environment(command).with_context(|| format!("cannot run {line}"))?;
    check_status(&line, lifecycle::wait_supervised(child)?)
}

/// Prints a command to standard error, and returns it for error messages.
fn print_command(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let line = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    eprintln!("running: {line}");
    line
}

fn check_status(line: &str, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("{line} failed ({status})");
    }
    Ok(())
}

/// Creates an empty folder. Removes an existing one first.
pub fn create_empty_folder(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}
