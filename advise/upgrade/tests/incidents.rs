//! Public incidents of upgrades, reproduced with small schemas on real servers of both versions.
//! The rehearsal names the cause. Advised settings work when the schema is loaded again; without
//! settings, every finding has a mend. Clean schemas have no findings.
//!
//! A fixture is a file `fixtures/NAME.sql`: the schema, a line `-- statement`, the statements that
//! follow the upgrade. Its first lines are comments:
//!
//! - `-- breaks: OLD>NEW OLD>NEW`: pairs on which something is found;
//! - `-- clean: OLD>NEW`: pairs on which nothing is found;
//! - `-- says: TEXT`: the findings contain TEXT, or one of `ONE|OTHER`;
//! - `-- never: TEXT`: the findings do not contain TEXT;
//! - `-- unchecked: TEXT`: a line of "Not checked" contains TEXT;
//! - `-- notes: TEXT`: a note contains TEXT;
//! - `-- unmended`: findings may have no mend;
//! - `-- app`: the statements are the application's, and stop no replica;
//! - `-- settings`: settings are advised, with which nothing is left.
//!
//! The environment variable `FIXTURE` names the only fixtures that run, separated by commas.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::Mutex;

use mysql::prelude::Queryable;
use server::{NoProgress, Options, Server, open};
use sql::{SqlMode, split_statements};
use upgrade::{Dump, Given, Report, Request, Schema, rehearse};

/// Servers run one pair at a time.
static TURN: Mutex<()> = Mutex::new(());

struct Fixture {
    name: String,
    schema: String,
    statements: String,
}

impl Fixture {
    fn options(&self, word: &str) -> Vec<&str> {
        let mark = format!("-- {word}");
        let lines = self.schema.lines().filter_map(|line| line.strip_prefix(mark.as_str()));
        lines.map(|rest| rest.trim_start_matches(':').trim()).collect()
    }

    fn names(&self, word: &str, pair: &str) -> bool {
        self.options(word).iter().flat_map(|line| line.split(' ')).any(|one| one == pair)
    }
}

fn fixtures() -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let named = std::env::var("FIXTURE").ok();
    let is_named = |fixture: &Fixture| named.as_ref().is_none_or(|all| all.split(',').any(|name| name == fixture.name));
    files
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let (schema, statements) = text.split_once("-- statement\n").unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            Fixture { name, schema: schema.to_owned(), statements: statements.to_owned() }
        })
        .filter(is_named)
        .collect()
}

fn start(name: &str) -> Server {
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
    open(&name.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn run(source: &Server, target: &Server, fixture: &Fixture) -> Report {
    let bytes = fixture.schema.clone().into_bytes();
    let dump = Dump { name: fixture.name.clone(), open: Box::new(move || Ok(Box::new(Cursor::new(bytes.clone())))) };
    let given = |(at, text): (usize, &str)| Given { place: format!("statement {at}"), text: text.into(), schema: None };
    let script = split_statements(&fixture.statements, SqlMode::default()).map(given).collect();
    let request = Request {
        schema: Schema::Dumps(vec![dump]),
        unseen: Vec::new(),
        default_schema: None,
        scripts: vec![script],
        migrations: usize::from(fixture.options("app").is_empty()),
        has_collation_server: false,
        first: Vec::new(),
        option_findings: None,
        rewrite: None,
    };
    rehearse(source, target, &request, &NoProgress).unwrap_or_else(|error| panic!("{}: {error}", fixture.name))
}

/// Applies the advised settings to the new server, loads the schema, and runs the statements.
fn apply_settings(target: &Server, fixture: &Fixture, report: &Report) -> Result<(), String> {
    let mut conn = target.connect().unwrap();
    for statement in &report.settings.statements {
        conn.query_drop(statement).map_err(|error| error.to_string())?;
    }
    conn.query_drop("DROP DATABASE IF EXISTS app").unwrap();
    let mut conn = target.connect().unwrap();
    conn.query_drop("CREATE DATABASE app").unwrap();
    conn.query_drop("USE app").unwrap();
    for text in [&fixture.schema, &fixture.statements] {
        for (_, statement) in split_statements(text, SqlMode::default()) {
            conn.query_drop(statement).map_err(|error| format!("{statement}: {error}"))?;
        }
    }
    Ok(())
}

fn complaints(source: &Server, target: &Server, pair: &str, fixture: &Fixture) -> Vec<String> {
    let report = run(source, target, fixture);
    let text = serde_json::to_string(&report.findings).unwrap();
    let mut wrong = Vec::new();
    for unchecked in fixture.options("unchecked") {
        if !report.unchecked.iter().any(|line| line.contains(unchecked)) {
            wrong.push(format!("does not name as unchecked {unchecked}: {:?}", report.unchecked));
        }
    }
    if fixture.names("clean", pair) {
        wrong.extend((!report.findings.is_empty()).then(|| format!("not silent: {text}")));
        return wrong;
    }
    if report.findings.is_empty() {
        return vec!["nothing found".into()];
    }
    for says in fixture.options("says") {
        if !says.split('|').any(|one| text.contains(one)) {
            wrong.push(format!("does not say {says}: {text}"));
        }
    }
    for never in fixture.options("never") {
        if text.contains(never) {
            wrong.push(format!("says {never}: {text}"));
        }
    }
    for note in fixture.options("notes") {
        if !report.notes.iter().any(|one| one.contains(note)) {
            wrong.push(format!("no note {note}: {:?}", report.notes));
        }
    }
    let stops_replica = report.replication.iter().any(|fault| fault.what.contains("refuses a statement"));
    if stops_replica && !fixture.options("app").is_empty() {
        wrong.push(format!("replication: {:?}", report.replication));
    }
    let settings = &report.settings;
    if settings.my_cnf.iter().any(|line| line.starts_with("collation_server"))
        && !settings.effects.iter().any(|effect| effect.contains("is compiled with"))
    {
        wrong.push(format!("the old server's default is the user's: {settings:?}"));
    }
    if fixture.options("settings").is_empty() {
        let is_mended =
            !fixture.options("unmended").is_empty() || report.findings.iter().all(|one| !one.mends.is_empty());
        return if is_mended { wrong } else { wrong.into_iter().chain([format!("no mend: {text}")]).collect() };
    }
    if report.settings.is_empty() || !report.settings.left.is_empty() {
        wrong.push(format!("settings: {:?}", report.settings));
    } else if let Err(error) = apply_settings(target, fixture, &report) {
        wrong.push(format!("the settings do not help: {error}"));
    }
    wrong
}

fn test_pair(pair: &str) {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (old, new) = pair.split_once('>').unwrap();
    let (source, mut target) = (start(old), start(new));
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for fixture in fixtures() {
        if fixture.names("breaks", pair) || fixture.names("clean", pair) {
            tried += 1;
            let found = complaints(&source, &target, pair, &fixture);
            wrong.extend(found.into_iter().map(|line| format!("{}: {line}", fixture.name)));
            if !fixture.options("settings").is_empty() {
                target.restart(&NoProgress).unwrap();
            }
        }
    }
    source.stop().unwrap();
    target.stop().unwrap();
    assert!(tried > 0 && wrong.is_empty(), "{pair}, {} of {tried} fixtures:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn mysql_5_7_to_9() {
    test_pair("mysql@5.7>mysql@sid");
}

#[test]
fn mariadb_11_8_to_mysql_9() {
    test_pair("mariadb@trixie>mysql@sid");
}

#[test]
fn mysql_8_0_to_mariadb_10_11() {
    test_pair("mysql@8.0>mariadb@bookworm");
}

#[test]
fn mysql_9_to_mariadb_11_8() {
    test_pair("mysql@sid>mariadb@trixie");
}

#[test]
#[ignore = "four other pairs are enough for every change"]
fn mariadb_10_11_to_11_8() {
    test_pair("mariadb@bookworm>mariadb@trixie");
}

#[test]
#[ignore = "four other pairs are enough for every change"]
fn mysql_8_0_to_9() {
    test_pair("mysql@8.0>mysql@sid");
}

#[test]
#[ignore = "four other pairs are enough for every change"]
fn mysql_5_7_to_8_0() {
    test_pair("mysql@5.7>mysql@8.0");
}

#[test]
#[ignore = "four other pairs are enough for every change"]
fn mysql_8_0_to_mariadb_11_8() {
    test_pair("mysql@8.0>mariadb@trixie");
}

#[test]
#[ignore = "four other pairs are enough for every change"]
fn mariadb_11_8_to_10_2() {
    test_pair("mariadb@trixie>mariadb@10.2");
}
