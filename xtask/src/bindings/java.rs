//! Tests of the Java library: its Maven build, random strings compared with the library, and a
//! program that uses the jar.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use fetch::Tool;
use progress::Bar;

use crate::bindings::ports::{check_output, compare_with_library};
use crate::bindings::succeed;

const JAR: &str = "target/mysql-collation-0.1.0.jar";

/// Maven, and the Java that it runs with.
pub struct Maven {
    program: PathBuf,
    java: PathBuf,
}

/// Finds or installs Maven with a JDK.
pub fn prepare() -> Result<Maven> {
    let program = Tool::Maven.find_or_install(&Bar::with_steps_printed())?;
    let output = Command::new(&program).arg("--version").output().context("cannot run mvn --version")?;
    let version = String::from_utf8_lossy(&output.stdout);
    // Prints `Java version: 17.0.15, vendor: Debian, runtime: /usr/lib/jvm/java-17-openjdk-amd64`.
    let runtime = version.lines().find_map(|line| line.split_once("runtime: ")).map(|(_, runtime)| runtime.trim());
    let java = Path::new(runtime.context("mvn --version names no Java runtime")?).join("bin/java");
    Ok(Maven { program, java })
}

pub fn test(source: &Path) -> Result<()> {
    let maven = prepare()?;
    succeed(Command::new(&maven.program).args(["--quiet", "--batch-mode", "verify"]).current_dir(source))?;
    let java = |arguments: &[&str]| {
        let mut command = Command::new(&maven.java);
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
