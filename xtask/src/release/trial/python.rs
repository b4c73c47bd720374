//! Wheels and the SBOM, tried in empty environments of Python.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Files;
use crate::bindings::{root, succeed};
use crate::release::tools;
use crate::venv::Environment;

/// Compares and sorts words, and prints the module's version.
const PROGRAM: &str = "import mysql_collation as m; c = m.Collation('utf8mb4_0900_ai_ci', flavour='mysql'); \
                       assert c.compare('e', 'É') == 0 and sorted(['z', 'Ä'], key=c.sort_key) == ['Ä', 'z']; \
                       print(m.__version__)";

pub fn try_wheels(files: &Files) -> Result<()> {
    let environment = Environment::find(root().join("target/release-python"))?;
    try_command(&environment, &files.find("weighbridge-", "x86_64.whl")?).context("the wheel weighbridge")?;
    try_module(&environment, &files.find("mysql_collation-", "x86_64.whl")?).context("the wheel mysql-collation")?;
    let source = files.find("mysql_collation-", ".tar.gz")?;
    try_source(&environment, &source).context("the source archive of mysql-collation")?;
    check_sbom(&files.find("weighbridge-", "x86_64-unknown-linux-gnu.cdx.json")?)
}

fn try_command(environment: &Environment, wheel: &Path) -> Result<()> {
    environment.create()?;
    succeed(environment.pip_install().args(["--no-index"]).arg(wheel))?;
    let output = Command::new(environment.folder.join("bin/weigh")).arg("--version").output()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success() && printed.contains(env!("CARGO_PKG_VERSION")), "weigh --version: {printed}");
    Ok(())
}

fn try_module(environment: &Environment, wheel: &Path) -> Result<()> {
    environment.create()?;
    succeed(environment.pip_install().args(["--no-index"]).arg(wheel))?;
    succeed(environment.command().args(["-I", "-c", PROGRAM]))
}

/// Builds the source archive as pip does, for development: optimising takes minutes.
fn try_source(environment: &Environment, source: &Path) -> Result<()> {
    environment.create()?;
    let mut pip = environment.pip_install();
    pip.env("MATURIN_PEP517_ARGS", "--profile dev").env("CARGO_TARGET_DIR", root().join("target/bindings"));
    succeed(pip.arg(source))?;
    succeed(environment.command().args(["-I", "-c", PROGRAM]))
}

/// Validates the SBOM by CycloneDX's own schema.
fn check_sbom(sbom: &Path) -> Result<()> {
    let program = "import sys; from cyclonedx.validation.json import JsonStrictValidator; \
                   from cyclonedx.schema import SchemaVersion; \
                   error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read()); \
                   sys.exit(str(error) if error else 0)";
    succeed(tools::Tools::install()?.python().args(["-c", program]).arg(sbom)).context("the SBOM")
}
