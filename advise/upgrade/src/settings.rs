//! Settings under which the new server behaves like the old one.

use std::collections::BTreeMap;

use mysql::prelude::Queryable;
use server::{Flavour, Server, current_charset_name, is_same_collation};

use crate::Error;
use crate::model::{Finding, Kind};
use crate::side::{NON_STANDARD_KEYS, failed, read_charset_defaults, read_defaults, version};
use crate::timestamp;

/// A setting to try.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// `sql_mode = …`.
    pub assignment: String,
    /// Line of the option file. `None` if the server takes the setting by a statement only.
    pub my_cnf: Option<String>,
    pub statement: String,
    undo: String,
}

/// Defaults of both servers.
pub struct Defaults {
    pub source: BTreeMap<String, String>,
    pub target: BTreeMap<String, String>,
    pub source_charsets: BTreeMap<String, String>,
    pub target_charsets: BTreeMap<String, String>,
}

impl Defaults {
    pub fn read(source: &Server, target: &Server) -> Result<Self, Error> {
        Ok(Self {
            source: read_defaults(source)?,
            target: read_defaults(target)?,
            source_charsets: read_charset_defaults(source)?,
            target_charsets: read_charset_defaults(target)?,
        })
    }
}

/// Errors that `sql_mode` decides about.
const MODE_ERRORS: [&str; 7] = ["1055:", "1067:", "1140:", "1292:", "1364:", "1366:", "1406:"];

/// Errors of foreign keys to columns without a unique key.
const KEY_ERRORS: [&str; 2] = ["6124:", "6125:"];

/// Lists the settings that may help.
pub fn candidates(target: &Server, defaults: &Defaults, findings: &[Finding]) -> Vec<Candidate> {
    let here = version(target);
    let mut all = Vec::new();
    let mut changed: Vec<(String, String)> = Vec::new();
    for (charset, collation) in &defaults.source_charsets {
        let there = defaults.target_charsets.get(charset);
        let is_known = here.collation(collation).is_some();
        if is_known && there.is_some_and(|there| !is_same_collation(there, collation)) {
            changed.push((charset.clone(), collation.clone()));
        }
    }
    if let Some(old) = defaults.target.get("character_set_collations")
        && !changed.is_empty()
    {
        // A character set that the value leaves out means, without COLLATE, its general_ci.
        let is_kept = |pair: &&str| {
            let charset = pair.split('=').next().unwrap_or_default().trim();
            !charset.is_empty()
                && !changed.iter().any(|(one, _)| current_charset_name(one) == current_charset_name(charset))
        };
        let pairs = changed.iter().map(|(charset, collation)| format!("{charset}={collation}"));
        let pairs: Vec<String> = pairs.chain(old.split(',').filter(is_kept).map(str::to_owned)).collect();
        all.push(global("character_set_collations", &pairs.join(","), old, true));
    }
    if let Some(old) = defaults.target.get("default_collation_for_utf8mb4")
        && let Some((_, collation)) = changed.iter().find(|(charset, _)| charset == "utf8mb4")
        && matches!(collation.as_str(), "utf8mb4_general_ci" | "utf8mb4_0900_ai_ci")
    {
        // No option of the server has this name.
        all.push(global("default_collation_for_utf8mb4", collation, old, false));
    }
    if let (Some(own), Some(old)) = (defaults.source.get("collation_server"), defaults.target.get("collation_server"))
        && !is_same_collation(own, old)
        && here.collation(own).is_some()
    {
        all.push(global("collation_server", &here.written_collation(own), old, true));
    }
    let is_of_timestamps = |finding: &Finding| finding.reasons.iter().any(|one| one.contains(timestamp::SETTING));
    if let (true, Some(own), Some(old)) = (
        timestamp::differs(defaults) && findings.iter().any(is_of_timestamps),
        defaults.source.get(timestamp::SETTING),
        defaults.target.get(timestamp::SETTING),
    ) {
        all.push(global(timestamp::SETTING, own, old, true));
    }
    let has_error = |codes: &[&str]| {
        findings
            .iter()
            .filter_map(|finding| finding.error.as_ref())
            .any(|error| codes.iter().any(|code| error.starts_with(code)))
    };
    if let (true, Some(old)) = (has_error(&KEY_ERRORS), defaults.target.get(NON_STANDARD_KEYS)) {
        all.push(global(NON_STANDARD_KEYS, "OFF", old, true));
    }
    if let (true, Some(own), Some(old)) =
        (has_error(&MODE_ERRORS), defaults.source.get("sql_mode"), defaults.target.get("sql_mode"))
        && own != old
    {
        let kept: Vec<&str> = own.split(',').filter(|mode| *mode != "NO_AUTO_CREATE_USER").collect();
        all.push(global("sql_mode", &kept.join(","), old, true));
    }
    all
}

fn global(name: &str, value: &str, old: &str, is_option: bool) -> Candidate {
    let set = |value: &str| format!("SET GLOBAL {name} = {}", sql::quote_string(value));
    let assignment = format!("{name} = {value}");
    Candidate { my_cnf: is_option.then(|| assignment.clone()), assignment, statement: set(value), undo: set(old) }
}

/// Applies settings. Returns the settings that the server takes.
pub fn apply(server: &Server, candidates: &[Candidate]) -> Result<Vec<Candidate>, Error> {
    let mut conn = server.connect()?;
    let mut taken = Vec::new();
    for candidate in candidates {
        match conn.query_drop(&candidate.statement) {
            Ok(()) => taken.push(candidate.clone()),
            Err(mysql::Error::MySqlError(_)) => {}
            Err(source) => return Err(failed(server, "change a setting", source)),
        }
    }
    Ok(taken)
}

pub fn undo(server: &Server, candidates: &[Candidate]) -> Result<(), Error> {
    let mut conn = server.connect()?;
    for candidate in candidates {
        conn.query_drop(&candidate.undo).map_err(|source| failed(server, "change a setting", source))?;
    }
    Ok(())
}

/// Returns other effects of the settings, which must be set on the server.
pub fn effects(server: &Server, candidates: &[Candidate]) -> Result<Vec<String>, Error> {
    let mut all = Vec::new();
    if candidates.iter().any(|one| one.statement.contains("default_collation_for_utf8mb4")) {
        let mut conn = server.connect()?;
        let asked: mysql::Result<Vec<mysql::Row>> = conn.query("SELECT query FROM sys.statement_analysis LIMIT 5");
        if let Err(mysql::Error::MySqlError(error)) = asked {
            all.push(format!(
                "With default_collation_for_utf8mb4, sys.statement_analysis (by way of sys.format_statement) fails: {}: {}. \
                 In sessions that read sys, SET SESSION default_collation_for_utf8mb4 = utf8mb4_0900_ai_ci",
                error.code, error.message
            ));
        }
        all.push("default_collation_for_utf8mb4 is deprecated, and no line of the option file sets it: SET PERSIST keeps it over restarts".into());
    }
    let sets_timestamps = candidates.iter().any(|one| one.statement.contains(timestamp::SETTING));
    if sets_timestamps && server.flavour() == Flavour::MySql {
        all.push(format!("{} is deprecated: write NULL, DEFAULT and ON UPDATE in definitions", timestamp::SETTING));
    }
    Ok(all)
}

/// Says that `collation_server` is the value that the old server is compiled with. `None` if the
/// settings do not have it.
pub fn describe_compiled_default(source: &Server, candidates: &[Candidate]) -> Option<String> {
    let setting = candidates.iter().find(|one| one.assignment.starts_with("collation_server = "))?;
    Some(format!(
        "{} is the default that {} is compiled with. If your old server's option file sets another, give it by --my-cnf",
        setting.assignment,
        source.label()
    ))
}

/// Counts the findings, without those that the old server has as well.
pub fn count_caused(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.kind != Kind::FailsAlready).count()
}
