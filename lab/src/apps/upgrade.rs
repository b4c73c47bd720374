//! Upgrades: `weigh upgrade` of all schemas between two servers.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::source::Script;
use super::{Programs, run_weigh};

pub const PAIRS: [&str; 7] = [
    "mysql@5.6:mysql@9",
    "mysql@5.7:mysql@8.0",
    "mysql@5.7:mysql@9",
    "mysql@8.0:mysql@9",
    "mariadb@10.11:mariadb@11.8",
    "mariadb@10.11:mysql@9",
    "mysql@9:mariadb@11.8",
];

/// Findings of an upgrade of a schema.
#[derive(Serialize, Deserialize)]
pub struct Rehearsed {
    pub app: String,
    /// `FROM:TO`.
    pub pair: String,
    /// Findings as kind and text.
    pub findings: Vec<(String, String)>,
}

/// Rehearses the upgrade of each schema by itself.
pub fn run(programs: &Programs, pair: &str, scripts: &[Script], out: &Path) -> Result<Vec<Rehearsed>> {
    scripts.iter().map(|script| rehearse(programs, pair, script, out)).collect()
}

fn rehearse(programs: &Programs, pair: &str, script: &Script, out: &Path) -> Result<Rehearsed> {
    let (from, to) = pair.split_once(':').context("an upgrade is FROM:TO")?;
    let app = script.app;
    let name = sql::quote_identifier(app.name);
    let dump = out.join(format!("{}.sql", app.name));
    let text =
        format!("CREATE DATABASE {name} {};\nUSE {name};\nSET SESSION sql_mode = '';\n{}", app.database, script.sql);
    fs::write(&dump, text)?;
    let file = out.join(format!("{}-{}-upgrade-{}.json", from.replace('@', "-"), to.replace('@', "-"), app.name));
    let mut command = Command::new(&programs.weigh);
    command.args(["upgrade", "--format=json", "--from", from, "--to", to, "--dump"]).arg(&dump);
    let (document, _) = run_weigh(&mut command, &file).with_context(|| format!("{} {pair}", app.name))?;
    let document: Value = serde_json::from_str(&document)?;
    let word = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let findings = document["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    let findings: Vec<(String, String)> = findings
        .iter()
        .map(|finding| (word(finding, "kind"), format!("{}: {}", word(finding, "place"), word(finding, "what"))))
        .collect();
    println!("{} {pair}: {} findings", app.name, findings.len());
    Ok(Rehearsed { app: app.name.to_owned(), pair: pair.to_owned(), findings })
}
