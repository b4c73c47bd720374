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
use serde::{Deserialize, Serialize};

use convert::Charset;
use list::{APPS, App};
use source::{Script, fetch};

/// Name of the file of results.
const RESULTS: &str = "results.json";

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

    /// Folder for what weigh printed and for the results. Steps whose results it has are not
    /// repeated.
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
    let mut results = Results::read(&arguments.out)?;
    for server in arguments.servers.iter().filter(|server| !server.is_empty()) {
        for &charset in &arguments.charset {
            if !results.has_conversions(server, charset, &scripts) {
                let outcomes = convert::run(&programs, server, charset, &scripts, &arguments.out)?;
                results.conversions.retain(|outcome| outcome.server != *server || outcome.charset != charset);
                results.conversions.extend(outcomes);
                results.write(arguments, &scripts)?;
            }
        }
    }
    for pair in arguments.upgrades.iter().filter(|pair| !pair.is_empty()) {
        if !results.has_upgrades(pair, &scripts) {
            let rehearsed = upgrade::run(&programs, pair, &scripts, &arguments.out)?;
            results.upgrades.retain(|upgrade| upgrade.pair != *pair);
            results.upgrades.extend(rehearsed);
            results.write(arguments, &scripts)?;
        }
    }
    results.write(arguments, &scripts)?;
    let failures: Vec<String> = results.conversions.iter().flat_map(convert::Outcome::failures).collect();
    for failure in &failures {
        println!("{failure}");
    }
    println!("what weigh printed is in {}", arguments.out.display());
    Ok(failures.is_empty())
}

/// Results of the steps. A file keeps them, because all steps take hours.
#[derive(Default, Serialize, Deserialize)]
struct Results {
    conversions: Vec<convert::Outcome>,
    upgrades: Vec<upgrade::Rehearsed>,
}

impl Results {
    fn read(out: &Path) -> Result<Self> {
        let path = out.join(RESULTS);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).with_context(|| format!("cannot read {}", path.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Writes the results, and the table of them.
    fn write(&self, arguments: &Arguments, scripts: &[Script]) -> Result<()> {
        let path = arguments.out.join(RESULTS);
        fs::write(&path, serde_json::to_vec(self)?).with_context(|| format!("cannot write {}", path.display()))?;
        fs::write(&arguments.write, table::to_markdown(scripts, self))
            .with_context(|| format!("cannot write {}", arguments.write.display()))
    }

    fn has_conversions(&self, server: &str, charset: Charset, scripts: &[Script]) -> bool {
        scripts.iter().all(|script| {
            self.conversions
                .iter()
                .any(|outcome| outcome.app == script.app.name && outcome.server == server && outcome.charset == charset)
        })
    }

    fn has_upgrades(&self, pair: &str, scripts: &[Script]) -> bool {
        let is_here = |app: &str| self.upgrades.iter().any(|upgrade| upgrade.app == app && upgrade.pair == pair);
        scripts.iter().all(|script| is_here(script.app.name))
    }
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
