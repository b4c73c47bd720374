//! The Python module: a wheel, in an environment of what `requirements.txt` pins, against a real server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use server::{Address, Options, Server, Tool};

use crate::bar::Bar;
use crate::bindings::spark::{self, Spark};
use crate::bindings::{cargo, emptied, root, succeed, succeed_bound, target};

/// The interpreter, and the environment with what the tests import. Environments run by way of the interpreter: one that is installed in the
/// cache knows where its libraries are, and hands that down.
pub struct Python {
    interpreter: PathBuf,
    environment: PathBuf,
    spark: Spark,
}

/// Becomes the program in its arguments.
const BECOME: &str = "import os, sys; os.execv(sys.argv[1], sys.argv[1:])";

/// Finds or installs Python, and makes the environment unless it is there and of the same requirements; then what Spark needs beside it.
pub fn prepare() -> Result<Python> {
    let interpreter = Tool::Python.find_or_install(&Bar::new())?;
    let environment = target().join("python");
    let python = Python { spark: spark::prepare(&interpreter)?, interpreter, environment };
    python.require("requirements.txt", &["--only-binary", ":all:"], |python| {
        python.make_environment(&python.environment)
    })?;
    // PySpark comes as source alone, of which only a copy is made: setuptools is in the environment.
    python.require("requirements-spark.txt", &["--no-build-isolation"], |_| Ok(()))?;
    Ok(python)
}

/// What tells PyO3's build which Python there is.
pub fn build_environment() -> Result<(&'static str, PathBuf)> {
    Ok(("PYO3_PYTHON", Tool::Python.find_or_install(&Bar::new())?))
}

/// Builds the wheel and tests it: alone in an empty environment first, then beside those it works with.
pub fn test(source: &Path) -> Result<()> {
    let python = prepare()?;
    let wheel = python.wheel(source)?;
    let empty = target().join("python-empty");
    for environment in [&empty, &python.environment] {
        if environment == &empty {
            python.make_environment(environment)?;
        }
        succeed(python.pip(environment).args(["--no-deps", "--no-index", "--force-reinstall"]).arg(&wheel))?;
    }
    succeed(python.run(&empty).arg("-I").arg(source.join("tests/docstrings.py")))?;

    let columns = built("mysql-collation", &["--example", "columns"], "examples/columns")?;
    let weigh = built("weigh", &["--bin", "weigh"], "weigh")?;
    let mariadb = server::open(&"mariadb".parse()?, &Options::default(), &Bar::new())?;
    let mysql = server::open(&"mysql@sid".parse()?, &Options::default(), &Bar::new())?;
    let mut tests = python.run(&python.environment);
    tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(source);
    tests
        .env("MYSQL_COLLATION_TEST_SOCKET", socket(&mariadb)?)
        .env("MYSQL_COLLATION_TEST_MYSQL_SOCKET", socket(&mysql)?);
    tests.env("MYSQL_COLLATION_TEST_COLUMNS", columns).env("MYSQL_COLLATION_TEST_WEIGH", weigh);
    python.spark.describe(&mut tests)?;
    succeed_bound(tests)?;
    mariadb.stop()?;
    Ok(mysql.stop()?)
}

fn socket(server: &Server) -> Result<&Path> {
    match &server.endpoint().address {
        Address::Socket(socket) => Ok(socket),
        Address::Tcp { .. } => bail!("a private server has a socket"),
    }
}

/// A program of the project's own.
fn built(package: &str, what: &[&str], program: &str) -> Result<PathBuf> {
    let mut build = Command::new(crate::cargo());
    build.args(["build", "--quiet", "--locked", "--package", package]).args(what);
    succeed(build.current_dir(root()).env("CARGO_TARGET_DIR", root().join("target")))?;
    Ok(root().join("target/debug").join(program))
}

impl Python {
    fn make_environment(&self, folder: &Path) -> Result<()> {
        emptied(folder)?;
        // Without pip, which Debian's venv looks for in the system: the interpreter's own installs into any environment.
        succeed(Command::new(&self.interpreter).args(["-m", "venv", "--without-pip"]).arg(folder))
    }

    /// Prepares the environment and installs what a file of requirements pins, unless it was done with the same file.
    fn require(&self, name: &str, options: &[&str], prepare: impl FnOnce(&Self) -> Result<()>) -> Result<()> {
        let file = root().join("bindings/python").join(name);
        let wanted = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        // Written last: what broke off is made anew.
        let made_of = self.environment.join(name);
        if fs::read(&made_of).is_ok_and(|made_of| made_of == wanted) {
            return Ok(());
        }
        prepare(self)?;
        let mut pip = self.pip(&self.environment);
        succeed(pip.arg("--require-hashes").args(options).arg("-r").arg(file))?;
        fs::write(&made_of, &wanted).with_context(|| format!("cannot write {}", made_of.display()))
    }

    /// `pip install` into an environment.
    fn pip(&self, environment: &Path) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.args(["-m", "pip", "--python"]).arg(environment.join("bin/python"));
        command.args(["install", "--quiet", "--no-compile", "--disable-pip-version-check", "--no-input"]);
        command
    }

    /// An environment's Python, without what the caller's own would import.
    fn run(&self, environment: &Path) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.args(["-c", BECOME]).arg(environment.join("bin/python"));
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// Builds the wheel as a developer would, since users' optimisations of Arrow take minutes.
    fn wheel(&self, source: &Path) -> Result<PathBuf> {
        let wheels = target().join("wheels");
        emptied(&wheels)?;
        let cargo = cargo(source);
        let (name, interpreter) = build_environment()?;
        let mut maturin = self.run(&self.environment);
        maturin.args(["-m", "maturin", "build", "--quiet", "--locked", "--profile", "dev", "--out"]).arg(&wheels);
        maturin
            .current_dir(source)
            .envs(cargo.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .env(name, interpreter);
        succeed(&mut maturin)?;
        let mut built = fs::read_dir(&wheels)?;
        Ok(built.next().context("maturin built no wheel")??.path())
    }
}
