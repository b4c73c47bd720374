//! Tests of the Java library: its Maven build, random strings compared with the library, and a
//! program that uses the jar.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::bindings::ports::{check_output, compare_with_library};
use crate::bindings::succeed;

const JAR: &str = "target/mysql-collation-0.1.0.jar";

/// Checks that Maven and Java are on the PATH.
pub fn prepare() -> Result<()> {
    for (program, package) in [("mvn", "maven"), ("java", "default-jdk-headless")] {
        let version = Command::new(program).arg("--version").output();
        let version =
            version.with_context(|| format!("put {program} on the PATH (on Debian: apt install {package})"))?;
        ensure!(version.status.success(), "{program} --version failed:\n{}", String::from_utf8_lossy(&version.stderr));
    }
    Ok(())
}

pub fn test(source: &Path) -> Result<()> {
    prepare()?;
    succeed(Command::new("mvn").args(["--quiet", "--batch-mode", "verify"]).current_dir(source))?;
    let java = |arguments: &[&str]| {
        let mut command = Command::new("java");
        command.args(arguments).current_dir(source);
        command
    };
    compare_with_library(&mut java(&[
        "-cp",
        "target/classes:target/test-classes",
        "weighbridge.mysqlcollation.Differential",
    ]))?;
    let mut example = java(&["-Dfile.encoding=UTF-8", "-Dsun.jnu.encoding=UTF-8", "-cp", JAR, "examples/Words.java"]);
    example.env("LC_ALL", "C.UTF-8").args(["Zug", "STRASSE", "Ähre", "Straße"]);
    check_output(&mut example, |printed| printed == "Ähre\nSTRASSE\nStraße (equals STRASSE)\nZug\n")
}
