//! Tests of the Python module: the wheel, in a virtual environment with the packages of
//! `requirements.txt`, against real servers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use fetch::Tool;
use progress::Bar;
use server::{Address, Options, Server};

use crate::bindings::spark::{self, Spark};
use crate::bindings::{build_for_tests, cargo, create_empty_folder, root, succeed, succeed_supervised, target};

/// The interpreter, and the virtual environment of the tests. The interpreter starts the
/// environment's Python: an interpreter in the cache sets the library path that this needs.
pub struct Python {
    interpreter: PathBuf,
    environment: PathBuf,
    spark: Spark,
}

/// Python program that executes its arguments in place of itself.
const EXEC_PROGRAM: &str = "import os, sys; os.execv(sys.argv[1], sys.argv[1:])";

/// Finds or installs Python and Java, and creates the virtual environment unless one with the same
/// requirements exists.
pub fn prepare() -> Result<Python> {
    let interpreter = Tool::Python.find_or_install(&Bar::with_steps_printed())?;
    let environment = target().join("python");
    let python = Python { spark: spark::prepare(&interpreter)?, interpreter, environment };
    python.install_requirements("requirements.txt", &["--only-binary", ":all:"], |python| {
        python.create_environment(&python.environment)
    })?;
    // PySpark is published as source only. Its build needs setuptools, which the environment has.
    python.install_requirements("requirements-spark.txt", &["--no-build-isolation"], |_| Ok(()))?;
    Ok(python)
}

/// Returns the environment variable that selects the interpreter for PyO3's build.
pub fn build_environment() -> Result<(&'static str, PathBuf)> {
    Ok(("PYO3_PYTHON", Tool::Python.find_or_install(&Bar::with_steps_printed())?))
}

/// Builds the wheel and tests it: first in an empty environment, then with pyarrow, polars, pandas
/// and Spark.
pub fn test(source: &Path) -> Result<()> {
    let python = prepare()?;
    let wheel = python.build_wheel(source)?;
    let empty = target().join("python-empty");
    for environment in [&empty, &python.environment] {
        if environment == &empty {
            python.create_environment(environment)?;
        }
        succeed(python.pip_install(environment).args(["--no-deps", "--no-index", "--force-reinstall"]).arg(&wheel))?;
    }
    succeed(python.command(&empty).arg("-I").arg(source.join("tests/docstrings.py")))?;

    let programs = build_for_tests(&["--example", "columns", "--test", "e2e"])?;
    let mariadb = server::open(&"mariadb".parse()?, &Options::default(), &Bar::with_steps_printed())?;
    let mysql = server::open(&"mysql@sid".parse()?, &Options::default(), &Bar::with_steps_printed())?;
    let mut tests = python.command(&python.environment);
    tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(source);
    tests
        .env("MYSQL_COLLATION_TEST_SOCKET", socket(&mariadb)?)
        .env("MYSQL_COLLATION_TEST_MYSQL_SOCKET", socket(&mysql)?);
    tests.env("MYSQL_COLLATION_TEST_COLUMNS", programs.join("examples/columns"));
    tests.env("MYSQL_COLLATION_TEST_WEIGH", programs.join("weigh"));
    python.spark.set_environment(&mut tests)?;
    succeed_supervised(tests)?;
    mariadb.stop()?;
    Ok(mysql.stop()?)
}

fn socket(server: &Server) -> Result<&Path> {
    match &server.endpoint().address {
        Address::Socket(socket) => Ok(socket),
        Address::Tcp { .. } => bail!("a private server has a socket"),
    }
}

impl Python {
    fn create_environment(&self, folder: &Path) -> Result<()> {
        create_empty_folder(folder)?;
        // Debian's venv lacks pip. The interpreter's own pip installs into any environment.
        succeed(Command::new(&self.interpreter).args(["-m", "venv", "--without-pip"]).arg(folder))
    }

    /// Installs the packages of a requirements file, after `prepare`. Does nothing if this was done
    /// with the same file content.
    fn install_requirements(
        &self,
        name: &str,
        options: &[&str],
        prepare: impl FnOnce(&Self) -> Result<()>,
    ) -> Result<()> {
        let file = root().join("engine/bindings/python").join(name);
        let wanted = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        // Written last: an interrupted installation starts again.
        let installed = self.environment.join(name);
        if fs::read(&installed).is_ok_and(|installed| installed == wanted) {
            return Ok(());
        }
        prepare(self)?;
        let mut pip = self.pip_install(&self.environment);
        succeed(pip.arg("--require-hashes").args(options).arg("-r").arg(file))?;
        fs::write(&installed, &wanted).with_context(|| format!("cannot write {}", installed.display()))
    }

    /// Returns a `pip install` into an environment.
    fn pip_install(&self, environment: &Path) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.args(["-m", "pip", "--python"]).arg(environment.join("bin/python"));
        command.args(["install", "--quiet", "--no-compile", "--disable-pip-version-check", "--no-input"]);
        command
    }

    /// Returns a command that runs an environment's Python.
    fn command(&self, environment: &Path) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.args(["-c", EXEC_PROGRAM]).arg(environment.join("bin/python"));
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// Builds the wheel in the dev profile: optimising Arrow takes minutes.
    fn build_wheel(&self, source: &Path) -> Result<PathBuf> {
        let wheels = target().join("wheels");
        create_empty_folder(&wheels)?;
        let cargo = cargo(source);
        let (name, interpreter) = build_environment()?;
        let mut maturin = self.command(&self.environment);
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
