//! `cargo xtask apps`: converts and upgrades the schemas of applications, and writes a table.
//!
//! Each schema is loaded as its installer does, and again in older character sets, and filled with
//! rows. The plan of `weigh preflight` is run; then definitions and rows are compared, and
//! preflight must find no error or warning and nothing to convert. `weigh upgrade` rehearses
//! upgrades of the schemas. Not a test, because the packages are some 200 MB.

mod convert;
mod list;
mod rows;
mod snapshot;
mod source;
mod table;
mod upgrade;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use anyhow::{Context, Result, bail, ensure};
use fetch::Tool;
use progress::Bar;

use convert::Charset;
use list::{APPS, App};
use source::{Script, fetch};

#[derive(clap::Args)]
pub struct Arguments {
    /// Servers to convert the schemas on.
    #[arg(long = "server", value_name = "SPEC,…", value_delimiter = ',',
        default_values = ["mysql@5.7", "mysql@9", "mariadb@10.11", "mariadb@11.8"])]
    servers: Vec<String>,

    /// Upgrades to rehearse.
    #[arg(long = "upgrade", value_name = "FROM:TO,…", value_delimiter = ',', default_values = upgrade::PAIRS)]
    upgrades: Vec<String>,

    /// Applications [default: all].
    #[arg(long = "app", value_name = "NAME,…", value_delimiter = ',')]
    apps: Vec<String>,

    /// Character sets that the schemas are loaded in.
    #[arg(long, value_enum, value_name = "CHARSET,…", value_delimiter = ',',
        default_values_t = [Charset::Own, Charset::Latin1, Charset::Utf8mb3])]
    charset: Vec<Charset>,

    /// The command weigh, if it is built already.
    #[arg(long, value_name = "FILE")]
    weigh: Option<PathBuf>,

    /// Folder for what weigh printed.
    #[arg(long, value_name = "FOLDER", default_value = "target/apps")]
    out: PathBuf,

    /// File to write the table to.
    #[arg(long, value_name = "FILE", default_value = "docs/results/applications.md")]
    write: PathBuf,
}

/// Returns `false` if a plan failed, changed what it should not, or left something to find.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let programs = Programs {
        weigh: arguments.weigh.clone().map_or_else(crate::build_weigh, Ok)?,
        client: Tool::Client.find_or_install(&Bar::with_steps_printed())?,
    };
    fs::create_dir_all(&arguments.out)?;
    let scratch = tempfile::tempdir()?;
    let scripts: Vec<Script> = chosen(&arguments.apps)?.map(|app| fetch(app, scratch.path())).collect::<Result<_>>()?;
    let mut conversions = Vec::new();
    let mut upgrades = Vec::new();
    // Written after each step: all of them take an hour or more.
    let write = |conversions: &[convert::Outcome], upgrades: &[upgrade::Rehearsed]| {
        fs::write(&arguments.write, table::to_markdown(&scripts, conversions, upgrades))
            .with_context(|| format!("cannot write {}", arguments.write.display()))
    };
    for server in arguments.servers.iter().filter(|server| !server.is_empty()) {
        for charset in &arguments.charset {
            conversions.extend(convert::run(&programs, server, *charset, &scripts, &arguments.out)?);
            write(&conversions, &upgrades)?;
        }
    }
    for pair in arguments.upgrades.iter().filter(|pair| !pair.is_empty()) {
        upgrades.extend(upgrade::run(&programs, pair, &scripts, &arguments.out)?);
        write(&conversions, &upgrades)?;
    }
    let failures: Vec<String> = conversions.iter().flat_map(convert::Outcome::failures).collect();
    for failure in &failures {
        println!("{failure}");
    }
    println!("what weigh printed is in {}", arguments.out.display());
    Ok(failures.is_empty())
}

fn chosen(names: &[String]) -> Result<impl Iterator<Item = &'static App>> {
    let is_known = |name: &&String| !APPS.iter().any(|app| app.name == **name);
    if let Some(unknown) = names.iter().find(is_known) {
        bail!("no application {unknown}; there are: {}", APPS.map(|app| app.name).join(", "));
    }
    let names = names.to_vec();
    Ok(APPS.iter().filter(move |app| names.is_empty() || names.iter().any(|name| name == app.name)))
}

/// The programs that work on the schemas.
struct Programs {
    weigh: PathBuf,
    client: PathBuf,
}

/// Returns the statements of an application's schema.
pub fn fetch_schema(name: &str, scratch: &Path) -> Result<String> {
    let app = APPS.iter().find(|app| app.name == name).context("no such application")?;
    Ok(fetch(app, scratch)?.sql)
}

/// Returns the output of a command, or an error with its messages. The command is ended when this
/// process ends.
pub fn capture_output(mut command: Command) -> Result<String> {
    let line = format!("{command:?}");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = lifecycle::spawn_with_environment(command).and_then(Child::wait_with_output);
    Ok(String::from_utf8(check_output(&line, output)?)?)
}

fn capture_bytes(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output();
    check_output(&format!("{command:?}"), output)
}

fn check_output(line: &str, output: io::Result<Output>) -> Result<Vec<u8>> {
    let output = output.with_context(|| format!("cannot run {line}"))?;
    let [summary, printed] = [&output.stderr, &output.stdout].map(|text| String::from_utf8_lossy(text));
    ensure!(output.status.success(), "{line}, {}: {summary}{printed}", output.status);
    Ok(output.stdout)
}

/// Runs weigh. Returns its output, and `true` for exit status 1: findings.
fn run_weigh(command: &mut Command, out: &Path) -> Result<(String, bool)> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(matches!(output.status.code(), Some(0 | 1)), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    fs::write(out, &text)?;
    Ok((text, output.status.code() == Some(1)))
}
