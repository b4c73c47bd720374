//! Attacks on `weigh upgrade --live` and `--rewrite`: names and definitions of strangers, and
//! servers that freeze, or answer without an end.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use mysql::prelude::Queryable;
use rustix::process::Signal;
use sql::{SqlMode, quote_identifier};

use super::rogue::{Moment, Rogue};
use super::servers::ANSWERS;
use super::weigh;
use crate::attach::Foreign;
use crate::strangers::{DOCUMENTS, NAMES, assert_document_is_data, assert_text_is_data};
use crate::workspace::{Finished, Workspace, eventually, retry, send};

/// Creates tables, columns, indexes, views, routines and triggers with each name. `column` is the
/// definition of the column of text.
fn create_nasty_objects(server: &Foreign, column: &str) {
    server.run("CREATE DATABASE d CHARACTER SET utf8mb4");
    for (at, name) in NAMES.iter().enumerate() {
        let name = quote_identifier(name);
        server.run(&format!(
            "CREATE TABLE d.{name} (id INT PRIMARY KEY, {name} {column}, KEY {name} ({name})) CHARACTER SET utf8mb4 COMMENT '\x1b[2J*/'"
        ));
        let view = quote_identifier(&format!("v{}", NAMES[at]));
        server.run(&format!("CREATE VIEW d.{view} AS SELECT {name} FROM d.{name}"));
        server.run(&format!("CREATE PROCEDURE d.{name} ({name} VARCHAR(9)) BEGIN SELECT '*/\n\x1b[2J', {name}; END"));
        server.run(&format!("CREATE TRIGGER d.{name} BEFORE INSERT ON d.{name} FOR EACH ROW SET NEW.id = 1"));
    }
}

/// Makes a comparison of the servers with these sockets. Answers have a bound of 16 MiB.
fn compare(workspace: &Workspace, [from, to]: [&Path; 2], words: &[&str]) -> Command {
    let spec = |option: &str, socket: &Path| format!("--{option}=u=root,S={}", socket.display());
    let (from, to) = (spec("from", from), spec("to", to));
    let mut command = workspace.weigh(&["upgrade", "--live", &from, &to, "--schema=d", "--timeout=2s"]);
    command.args(words).env("WEIGH_MAX_ITEM", "1");
    command
}

fn live(workspace: &Workspace, sockets: [&Path; 2], words: &[&str]) -> Finished {
    workspace.wait_for_end(compare(workspace, sockets, words).spawn().unwrap())
}

#[test]
fn names_of_running_servers_are_data() {
    let (old, new) = (Foreign::start("mariadb"), Foreign::start("mysql@sid"));
    create_nasty_objects(&old, "VARCHAR(20) COLLATE utf8mb4_general_ci");
    // Half of the tables and procedures are missing on the new server; the other tables differ.
    create_nasty_objects(&new, "VARCHAR(30) COLLATE utf8mb4_bin");
    for name in NAMES.iter().step_by(2) {
        let name = quote_identifier(name);
        for kind in ["TABLE", "PROCEDURE"] {
            new.run(&format!("DROP {kind} d.{name}"));
        }
    }
    let workspace = Workspace::new();
    let mut script = String::new();
    for name in NAMES {
        let name = quote_identifier(name);
        let _ = writeln!(script, "SELECT {name}, '\x1b[2J' FROM d.{name};");
    }
    fs::write(workspace.root().join("app\u{1b}[2J.sql"), script).unwrap();
    let (from, to) = (old.socket(), new.socket());
    let run = |words: &[&str]| live(&workspace, [&from, &to], &[&["--sql=app\u{1b}[2J.sql"], words].concat());
    let text = run(&[]);
    assert_eq!(text.code, Some(1), "{text}");
    assert_text_is_data(&text);
    assert!(text.stdout.contains("a/*b") && text.stdout.contains("is missing on the new server"), "{text}");
    for format in DOCUMENTS {
        let done = run(&[&format!("--format={format}")]);
        assert_eq!(done.code, Some(1), "{format}: {done}");
        assert_document_is_data(&done, format);
    }
    old.assert_untouched();
    new.assert_untouched();
}

/// Every answer of either server ends with exit status 0, 1 or 2, without a panic, an abort, or a
/// wait without an end.
#[test]
fn any_answer_ends_a_comparison_in_order() {
    let (old, new) = (Foreign::start("mariadb"), Foreign::start("mysql@sid"));
    for server in [&old, &new] {
        server.run("CREATE DATABASE d CHARACTER SET utf8mb4");
        server.run("CREATE TABLE d.orders (id INT PRIMARY KEY, code VARCHAR(20), KEY (code))");
        server.run("INSERT INTO d.orders VALUES (1, 'a'), (2, 'b')");
    }
    let workspace = Workspace::new();
    let query = "SELECT id FROM orders";
    fs::write(workspace.root().join("app.sql"), query).unwrap();
    let attack = |text, what: &str, answer, from_old: bool| {
        let own = if from_old { &old } else { &new };
        let (old, new) = (old.socket(), new.socket());
        let is_reached = Rogue::reaches(workspace.root(), &own.socket(), Moment::Text(text), answer, |socket| {
            let sockets: [&Path; 2] = if from_old { [socket, &new] } else { [&old, socket] };
            let finished = live(&workspace, sockets, &["--sql=app.sql"]);
            assert!(matches!(finished.code, Some(0..=2)), "{what} for {text}: {finished}");
            assert!(!finished.stderr.contains("panicked"), "{what} for {text}: {finished}");
            assert_text_is_data(&finished);
        });
        assert!(is_reached, "{what}: the statement {text} was not reached");
    };
    for (what, answer) in ANSWERS {
        attack(query, what, answer, true);
        attack(query, what, answer, false);
        // Definitions may take a minute; `audit` is attacked with a shorter limit.
        if !matches!(what, "dripping rows" | "endless results") {
            attack("FROM information_schema.SCHEMATA", what, answer, false);
        }
    }
    old.assert_untouched();
    new.assert_untouched();
}

/// Texts of several statements, which the driver would let through.
const SEVERAL: [&str; 4] = [
    "SELECT 1; SET SESSION TRANSACTION READ WRITE; DROP DATABASE victim",
    "USE d; SET SESSION TRANSACTION READ WRITE; DROP DATABASE victim",
    "SET NAMES utf8mb4; SET SESSION TRANSACTION READ WRITE; DROP DATABASE victim",
    // One string with backslashes as escapes; without them, three statements.
    "SELECT '\\'; SET SESSION TRANSACTION READ WRITE; DROP DATABASE victim; -- '",
];

/// One string with backslashes as escapes; without them, a query that writes a file.
const WRITES_FILE: &str = r#"SELECT '\' INTO OUTFILE "written" -- '"#;

#[test]
fn scripts_change_nothing_on_running_servers() {
    let (old, new) = (Foreign::start("mariadb"), Foreign::start("mysql@sid"));
    for server in [&old, &new] {
        server.run("CREATE DATABASE d");
        server.run("CREATE DATABASE victim");
        server.run("SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES'");
    }
    let workspace = Workspace::new();
    let script = SEVERAL.map(|text| format!("{text}//\n")).concat() + WRITES_FILE;
    fs::write(workspace.root().join("app.sql"), format!("DELIMITER //\n{script}")).unwrap();
    let (from, to) = (old.socket(), new.socket());
    let finished = live(&workspace, [&from, &to], &["--sql=app.sql"]);
    assert!(matches!(finished.code, Some(0 | 1)), "{finished}");
    for server in [&old, &new] {
        let victims: Vec<String> = server.hold_session("USE d").query("SHOW DATABASES LIKE 'victim'").unwrap();
        assert_eq!(victims, ["victim"], "{finished}");
        let folder: Option<String> = server.hold_session("USE d").query_first("SELECT @@datadir").unwrap();
        assert!(!Path::new(&folder.unwrap()).join("d/written").exists(), "{finished}");
    }
}

#[test]
fn frozen_servers_end_a_comparison_in_time() {
    let (old, new) = (Foreign::start("mariadb"), Foreign::start("mysql@sid"));
    for server in [&old, &new] {
        server.run("CREATE DATABASE d CHARACTER SET utf8mb4");
    }
    let workspace = Workspace::new();
    fs::write(workspace.root().join("app.sql"), "SELECT 'query';\n").unwrap();
    fn freeze(_: &mut std::os::unix::net::UnixStream) {}
    for (from_old, own) in [(true, &old), (false, &new)] {
        for text in ["FROM information_schema.SCHEMATA", "SELECT 'query'"] {
            retry(|| {
                let rogue = Rogue::start(workspace.root(), &own.socket(), Moment::Text(text), freeze);
                let (old, new) = (old.socket(), new.socket());
                let sockets: [&Path; 2] = if from_old { [&rogue.socket, &new] } else { [&old, &rogue.socket] };
                let mut child = compare(&workspace, sockets, &["--sql=app.sql"]).spawn().unwrap();
                eventually("the statement is sent", || {
                    assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
                    rogue.has_answered()
                });
                send(Signal::STOP, own.pid());
                let finished = workspace.wait_for_end(child);
                send(Signal::CONT, own.pid());
                finished.refuses_with(&["no answer in time"]);
            });
        }
    }
}

/// A dump whose names would act in the rewritten file, had they not been data. The new server lacks
/// its collation, so that every definition is rewritten.
fn nasty_dump() -> String {
    let mut dump = "SET NAMES utf8mb4;\n".to_owned();
    for (at, name) in NAMES.iter().enumerate() {
        let name = quote_identifier(name);
        let _ = writeln!(
            dump,
            "CREATE TABLE {name} (id INT PRIMARY KEY, {name} VARCHAR(20) COLLATE utf8mb4_0900_as_cs COMMENT '*/\n-- ', KEY {name} ({name})) -- '\n;\n\
             DELIMITER //\nCREATE TRIGGER {name} BEFORE INSERT ON {name} FOR EACH ROW BEGIN SET NEW.id = {at}; SET @x = '$$\nDROP DATABASE victim;'; END//\n\
             INSERT INTO {name} VALUES (1, 'a; DROP DATABASE victim')//\nDELIMITER ;"
        );
    }
    dump
}

#[test]
fn a_rewritten_dump_does_what_the_dump_does() {
    let server = Foreign::start("mariadb");
    server.run("CREATE DATABASE victim");
    server.run("CREATE DATABASE app");
    let workspace = Workspace::new();
    fs::write(workspace.root().join("old.sql"), nasty_dump()).unwrap();
    let words = ["upgrade", "--dump=old.sql", "--from=mysql@8.0", "--to=mariadb", "--rewrite=new.sql"];
    let finished = weigh(&workspace, &words);
    assert_eq!(finished.code, Some(1), "{finished}");
    assert_text_is_data(&finished);
    let script = fs::read_to_string(workspace.root().join("new.sql")).unwrap();
    let mut conn = server.hold_session("USE app");
    for (_, statement) in sql::split_statements(&script, SqlMode::default()) {
        conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    let names: Vec<String> = conn.query("SHOW TABLES").unwrap();
    assert_eq!(names.len(), NAMES.len(), "{names:?}");
    let victims: Vec<String> = conn.query("SHOW DATABASES LIKE 'victim'").unwrap();
    assert_eq!(victims, ["victim"]);
}
