//! Tests of the Python module: the wheel, in a virtual environment with the packages of
//! `requirements.txt`, against real servers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fetch::Tool;
use progress::Bar;
use server::{Address, Options, Server};

use crate::bindings::java::{self, Maven};
use crate::bindings::spark::{self, Spark};
use crate::bindings::{build_for_tests, cargo, create_empty_folder, root, succeed, succeed_supervised, target};
use crate::venv::Environment;

/// The virtual environment of the tests, with what Spark needs.
pub struct Python {
    environment: Environment,
    spark: Spark,
    maven: Maven,
}

/// Finds or installs Python and Java, and creates the virtual environment unless one with the same
/// requirements exists.
pub fn prepare() -> Result<Python> {
    let environment = Environment::find(target().join("python"))?;
    let spark = spark::prepare(&environment.interpreter)?;
    let requirements = |name: &str| root().join("engine/bindings/python").join(name);
    environment.install_requirements(
        &requirements("requirements.txt"),
        &["--only-binary", ":all:"],
        Environment::create,
    )?;
    // PySpark is published as source only. Its build needs setuptools, which the environment has.
    let spark_requirements = requirements("requirements-spark.txt");
    environment.install_requirements(&spark_requirements, &["--no-build-isolation"], |_| Ok(()))?;
    Ok(Python { environment, spark, maven: java::prepare()? })
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
    let empty =
        Environment { interpreter: python.environment.interpreter.clone(), folder: target().join("python-empty") };
    empty.create()?;
    for environment in [&empty, &python.environment] {
        succeed(environment.pip_install().args(["--no-deps", "--no-index", "--force-reinstall"]).arg(&wheel))?;
    }
    succeed(empty.command().arg("-I").arg(source.join("tests/docstrings.py")))?;

    let programs = build_for_tests(&["--example", "columns", "--test", "e2e"])?;
    let mariadb = server::open(&"mariadb".parse()?, &Options::default(), &Bar::with_steps_printed())?;
    let mysql = server::open(&"mysql@sid".parse()?, &Options::default(), &Bar::with_steps_printed())?;
    let mut tests = python.environment.command();
    tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(source);
    tests
        .env("MYSQL_COLLATION_TEST_SOCKET", socket(&mariadb)?)
        .env("MYSQL_COLLATION_TEST_MYSQL_SOCKET", socket(&mysql)?);
    tests.env("MYSQL_COLLATION_TEST_COLUMNS", programs.join("examples/columns"));
    tests.env("MYSQL_COLLATION_TEST_WEIGH", programs.join("weigh"));
    python.spark.set_environment(&mut tests)?;
    let jars = python.maven.build_spark_jars(&root().join("engine/ports/java"))?;
    tests.env("MYSQL_COLLATION_TEST_SPARK_JARS", jars.map(|jar| jar.display().to_string()).join(","));
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
    /// Builds the wheel in the dev profile: optimising Arrow takes minutes.
    fn build_wheel(&self, source: &Path) -> Result<PathBuf> {
        let wheels = target().join("wheels");
        create_empty_folder(&wheels)?;
        let cargo = cargo(source);
        let (name, interpreter) = build_environment()?;
        let mut maturin = self.environment.command();
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
