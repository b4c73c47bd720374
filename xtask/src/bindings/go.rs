//! Tests of the Go module: format, lints, unit tests and vectors, random strings compared with the
//! library, a program that uses the module, and an example with a real server.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use fetch::Tool;
use progress::Bar;
use server::{Address, Options};

use crate::bindings::ports::{check_output, compare_with_library};
use crate::bindings::{create_empty_folder, print_command, succeed, target};

/// Minor number of the least version of Go, 1.23, as in go.mod.
const MINOR: u32 = 23;
/// Version of the linter.
const STATICCHECK: &str = "honnef.co/go/tools/cmd/staticcheck@v0.8.2";

/// Finds or installs Go.
pub fn prepare() -> Result<PathBuf> {
    let go = Tool::Go.find_or_install(&Bar::with_steps_printed())?;
    let output = Command::new(&go).args(["env", "GOVERSION"]).output().context("cannot run go")?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let minor = version.strip_prefix("go1.").and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    ensure!(minor >= Some(MINOR), "{} is {version}: put Go 1.{MINOR} or later on the PATH", go.display());
    Ok(go)
}

pub fn test(source: &Path) -> Result<()> {
    let go = prepare()?;
    let go_in = |folder: &Path, arguments: &[&str]| {
        let mut command = Command::new(&go);
        command.args(arguments).current_dir(folder);
        command
    };
    check_format(go_in(source, &["run", "cmd/gofmt", "-l", "."]))?;
    succeed(&mut go_in(source, &["vet", "./..."]))?;
    succeed(&mut go_in(source, &["run", STATICCHECK, "./..."]))?;
    succeed(&mut go_in(source, &["test", "./..."]))?;
    compare_with_library(&mut go_in(source, &["run", "./internal/differential"]))?;
    use_module(source, go_in)?;
    read_in_chunks(&mut go_in(&source.join("examples/chunks"), &["run", "."]))
}

/// Checks that `gofmt -l` lists no file.
fn check_format(mut gofmt: Command) -> Result<()> {
    print_command(&gofmt);
    let output = gofmt.output().context("cannot run gofmt")?;
    let files = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success() && files.is_empty(), "not formatted by gofmt:\n{files}");
    Ok(())
}

/// Builds a module outside the project that uses this one.
fn use_module(source: &Path, go_in: impl Fn(&Path, &[&str]) -> Command) -> Result<()> {
    let folder = target().join("go-consumer");
    create_empty_folder(&folder)?;
    let replace = format!("weighbridge/mysqlcollation={}", source.display());
    std::fs::copy(source.join("examples/words/main.go"), folder.join("main.go"))?;
    succeed(&mut go_in(&folder, &["mod", "init", "example.org/consumer"]))?;
    succeed(&mut go_in(
        &folder,
        &["mod", "edit", "-require", "weighbridge/mysqlcollation@v0.0.0", "-replace", &replace],
    ))?;
    let mut run = go_in(&folder, &["run", ".", "Zug", "STRASSE", "Ähre", "Straße"]);
    check_output(&mut run, |printed| printed == "Ähre\nSTRASSE\nStraße (equals STRASSE)\nZug\n")
}

/// Runs the example that reads a table in chunks. A client that compares keys with the module
/// agrees with the server on the chunk of every row; one that compares Go strings doesn't.
fn read_in_chunks(example: &mut Command) -> Result<()> {
    let server = server::open(&"mariadb".parse()?, &Options::default(), &Bar::with_steps_printed())?;
    let Address::Socket(socket) = &server.endpoint().address else { bail!("a private server has a socket") };
    example.args(["-dsn", &format!("root@unix({})/", socket.display()), "-fill"]);
    check_output(example, |printed| {
        let counts: Vec<&str> = printed.lines().filter_map(|line| line.rsplit(' ').next()).collect();
        matches!(counts[..], [_, "0", wrong] if wrong != "0")
    })?;
    Ok(server.stop()?)
}
