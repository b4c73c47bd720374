//! Conversions: `weigh preflight` of all schemas on one server, its plan run, everything read back.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use mysql::prelude::Queryable;
use progress::Bar;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use server::{Address, Flavour, Options, Server, Version, open};
use sql::quote_identifier;

use super::list::without_collations;
use super::rows;
use super::snapshot::Snapshot;
use super::source::Script;
use super::{Programs, run_weigh};

/// Character set that schemas are loaded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Charset {
    /// The application's own character sets.
    Own,
    Latin1,
    Utf8mb3,
}

/// Result of converting a schema.
#[derive(Serialize, Deserialize)]
pub struct Outcome {
    pub app: String,
    pub server: String,
    pub version: String,
    pub charset: Charset,
    pub tables: usize,
    pub columns: usize,
    pub rows: usize,
    /// Error of the server that refused to load the schema.
    pub unloaded: Option<String>,
    /// Error findings that the plan does not fix, as `check: object`.
    pub refused: Vec<String>,
    /// Columns that the plan was to convert.
    pub converted: usize,
    /// Differences that no finding explains.
    pub differences: Vec<String>,
    /// Errors and warnings of preflight after the plan, and tables that it would still convert.
    /// Empty if `refused` is not empty.
    pub found_again: Vec<String>,
}

impl Outcome {
    pub fn failures(&self) -> Vec<String> {
        let place = format!("{} {:?} on {}", self.app, self.charset, self.server);
        let all = self.differences.iter().map(|line| format!("{place}: {line}"));
        all.chain(self.found_again.iter().map(|line| format!("{place}: found again: {line}"))).collect()
    }
}

/// Loads and converts all schemas on a server.
pub fn run(programs: &Programs, name: &str, charset: Charset, scripts: &[Script], out: &Path) -> Result<Vec<Outcome>> {
    let options = Options { buffer_pool: Some(256 << 20), ..Options::default() };
    let server = open(&name.parse()?, &options, &Bar::with_steps_printed())?;
    let file = |task: &str| {
        let charset = format!("{charset:?}").to_lowercase();
        out.join(format!("{}-{charset}-{task}", name.replace('@', "-")))
    };
    let mut outcomes = Vec::new();
    let mut before = BTreeMap::new();
    for script in scripts {
        let mut outcome = load(programs, &server, charset, script)?;
        if outcome.unloaded.is_none() {
            let snapshot = Snapshot::read(&mut server.connect()?, script.app.name)?;
            outcome.tables = snapshot.rows.len();
            outcome.columns = snapshot.collations.len();
            outcome.rows = snapshot.row_count();
            before.insert(script.app.name, snapshot);
        }
        outcomes.push(outcome);
    }
    let target = target(&server);
    let schemas = before.keys().copied().collect::<Vec<_>>().join(",");
    let preflight = |task: &str| {
        let mut command = Command::new(&programs.weigh);
        command.args([
            "preflight",
            "--no-defaults",
            "--user=root",
            "--format=json",
            "--to",
            target,
            "--schema",
            &schemas,
        ]);
        command.arg("--plan").arg(file(&format!("{task}.sql"))).arg("--socket").arg(socket(&server)?);
        let (text, _) = run_weigh(&mut command, &file(&format!("{task}.json")))?;
        serde_json::from_str::<Value>(&text).context("the document of weigh preflight")
    };
    let report = preflight("before")?;
    let refusal = run_file(programs, &server, &file("before.sql"))?;
    let again = preflight("after")?;
    for outcome in outcomes.iter_mut().filter(|outcome| outcome.unloaded.is_none()) {
        let after = Snapshot::read(&mut server.connect()?, &outcome.app)?;
        judge(outcome, &before[outcome.app.as_str()], &after, target, &report, &again);
        outcome.differences.extend(refusal.iter().map(|error| format!("the plan stopped: {error}")));
    }
    server.stop()?;
    for outcome in &outcomes {
        println!(
            "{name} {charset:?} {}: {} tables, {} rows, {} columns to convert, {} refused, {}",
            outcome.app,
            outcome.tables,
            outcome.rows,
            outcome.converted,
            outcome.refused.len(),
            outcome.unloaded.clone().unwrap_or_else(|| format!("{} failures", outcome.failures().len()))
        );
    }
    Ok(outcomes)
}

fn target(server: &Server) -> &'static str {
    let version = Version::find(server.version());
    let is_from = |first: Version| version.as_ref().is_some_and(|version| *version >= first);
    match server.flavour() {
        Flavour::MySql if is_from(Version::new(8, 0, 1)) => "utf8mb4_0900_ai_ci",
        Flavour::MariaDb if is_from(Version::new(10, 10, 1)) => "utf8mb4_uca1400_ai_ci",
        _ => "utf8mb4_unicode_520_ci",
    }
}

fn load(programs: &Programs, server: &Server, charset: Charset, script: &Script) -> Result<Outcome> {
    let app = script.app;
    let name = quote_identifier(app.name);
    let (database, sql) = match charset {
        Charset::Own => (app.database, script.sql.clone()),
        Charset::Latin1 => ("CHARACTER SET latin1", without_collations(&script.sql)),
        Charset::Utf8mb3 => ("CHARACTER SET utf8 COLLATE utf8_general_ci", without_collations(&script.sql)),
    };
    let text = format!("CREATE DATABASE {name} {database}; USE {name};\nSET SESSION sql_mode = '';\n{sql}");
    let refusal = run_client(programs, server, &[], |input| input.write_all(text.as_bytes()))?;
    let mut conn = server.connect()?;
    match &refusal {
        Some(_) => conn.query_drop(format!("DROP DATABASE {name}"))?,
        None => rows::fill(&mut conn, app.name)?,
    }
    Ok(Outcome {
        app: app.name.to_owned(),
        server: server.label().to_owned(),
        version: server.version().to_string(),
        charset,
        tables: 0,
        columns: 0,
        rows: 0,
        unloaded: refusal,
        refused: Vec::new(),
        converted: 0,
        differences: Vec::new(),
        found_again: Vec::new(),
    })
}

fn run_file(programs: &Programs, server: &Server, file: &Path) -> Result<Option<String>> {
    let mut plan = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    // The client would take comments out of the programs' bodies.
    run_client(programs, server, &["--comments"], |input| std::io::copy(&mut plan, input).map(drop))
}

/// Runs a script with the client, which stops at the first error. Returns that error.
fn run_client(
    programs: &Programs,
    server: &Server,
    options: &[&str],
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<Option<String>> {
    let mut command = Command::new(&programs.client);
    command.args(["--no-defaults", "--default-character-set=utf8mb4", "--user=root", "--socket"]);
    command.arg(socket(server)?).args(options).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // A client that stopped at an error reads no further; its messages are returned.
    let _ = write(&mut child.stdin.take().context("a pipe")?);
    let output = child.wait_with_output()?;
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    ensure!(output.status.success() || !message.is_empty(), "the client ended with {}", output.status);
    Ok((!output.status.success()).then_some(message))
}

fn socket(server: &Server) -> Result<&Path> {
    match &server.endpoint().address {
        Address::Socket(socket) => Ok(socket),
        other => bail!("{other:?} is no socket"),
    }
}

/// Returns the items of a list in a document of weigh, such as `findings`.
fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

fn judge(outcome: &mut Outcome, before: &Snapshot, after: &Snapshot, target: &str, report: &Value, again: &Value) {
    let app = outcome.app.as_str();
    let own = |finding: &&Value| text(finding, "schema") == app;
    let is_error = |finding: &&Value| text(finding, "severity") == "error" && finding["in_plan"] != true;
    outcome.refused = list(report, "findings")
        .filter(own)
        .filter(is_error)
        .map(|finding| format!("{}: {}", text(finding, "check"), text(finding, "object")))
        .collect();
    let blocked: Vec<&str> = list(&report["plan"], "steps")
        .filter(|step| step["blocked"] == true)
        .map(|step| text(step, "object"))
        .collect();
    let planned: BTreeMap<String, &str> = list(report, "tables")
        .filter(|table| text(table, "schema") == app)
        .filter(|table| !blocked.contains(&format!("{app}.{}", text(table, "name")).as_str()))
        .flat_map(|table| {
            list(table, "converted")
                .map(move |change| (format!("{}.{}", text(table, "name"), text(change, "column")), text(change, "to")))
        })
        .collect();
    outcome.converted = planned.len();
    for (column, old) in &before.collations {
        let charset = old.split('_').next().unwrap_or_default();
        let new = after.collations.get(column).map_or("", String::as_str);
        let stays =
            matches!(charset, "ascii" | "binary") || !(planned.contains_key(column) || outcome.refused.is_empty());
        let is_right = match old.ends_with("_bin") {
            _ if stays => new == old,
            true => new.starts_with("utf8mb4_") && new.ends_with("_bin"),
            false => new == target,
        };
        if !is_right {
            outcome.differences.push(format!("{column} is {new}, was {old}"));
        }
        if let Some(to) = planned.get(column).filter(|to| **to != new) {
            outcome.differences.push(format!("{column} is {new}, preflight planned {to}"));
        }
    }
    let is_explained = |line: &&String| {
        list(report, "findings").filter(own).filter(|finding| finding["in_plan"] == true).any(|finding| {
            let object = text(finding, "object");
            let words = object.strip_prefix(app).unwrap_or(object).trim_start_matches('.');
            let mut words = words.split(['.', ':', ' ']).filter(|word| !word.is_empty()).peekable();
            words.peek().is_some() && words.all(|word| line.contains(word))
        })
    };
    let differences = before.differences(after);
    outcome.differences.extend(differences.iter().filter(|line| !is_explained(line)).cloned());
    let is_left = |finding: &&Value| matches!(text(finding, "severity"), "error" | "warning");
    if outcome.refused.is_empty() {
        outcome.found_again = list(again, "findings")
            .filter(own)
            .filter(is_left)
            .map(|finding| format!("{} {}: {}", text(finding, "check"), text(finding, "object"), text(finding, "what")))
            .collect();
        let rest =
            list(again, "tables").filter(|table| text(table, "schema") == app && list(table, "converted").count() > 0);
        outcome.found_again.extend(rest.map(|table| format!("{} is not converted", text(table, "name"))));
    }
}
