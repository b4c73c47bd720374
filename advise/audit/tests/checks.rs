//! Runs the checks on real servers: each finds the objects of its fixtures, and nothing in their
//! clean schemas. A few checks have no fixture, but tests of their own.
//!
//! A fixture is a file `fixtures/CHECK.sql` or `fixtures/CHECK.WORD.sql`: SQL of the bad schema, a
//! line `-- clean`, SQL of the clean schema. `{db}` is replaced by the schema's name, and
//! `{collation_server}` by the value of that variable. Comments are options:
//!
//! - `-- servers: A B`: run on these servers only;
//! - `-- expect: OBJECT`: a finding with this object is expected;
//! - `-- says: TEXT`: a finding, written as `SEVERITY OBJECT: WHAT WHY ACTION`, contains each part
//!   of TEXT between ` … `;
//! - `-- unseen: TEXT`: an entry of what was not seen, written as `WHAT: WHY`, contains the text;
//! - `-- fails: CODE|CODE STATEMENT`: the server refuses the statement with one of these errors;
//! - `-- runs: STATEMENT`: the server runs the statement;
//! - `-- target: VERSION`: the audit's target;
//! - `-- sql: STATEMENT`: statement of the application, one per line of `app.sql`;
//! - `-- global: STATEMENT` and `-- restore: STATEMENT`: run before and after the audit.
//!
//! The environment variable `FIXTURE` names the only check whose fixtures run.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use audit::{Audit, AuditInput, CHECKS, Request, Selection, Severity, gather, parse_sql_file, run};
use facts::Limits;
use mysql::prelude::Queryable;
use server::Conn;
use server::{NoProgress, Server};
use support::start_private;

struct Fixture {
    file: String,
    check: String,
    bad: Part,
    clean: Part,
}

struct Part(String);

impl Part {
    fn options(&self, word: &str) -> Vec<String> {
        let mark = format!("-- {word}: ");
        self.0.lines().filter_map(|line| line.strip_prefix(&mark)).map(str::to_owned).collect()
    }
}

fn read_fixtures() -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let fixture = |path: &std::path::PathBuf| {
        let file = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(path).unwrap();
        let (bad, clean) = text.split_once("-- clean\n").unwrap_or_else(|| panic!("{file} has no clean part"));
        let check = file.split('.').next().unwrap().to_owned();
        Fixture { file, check, bad: Part(bad.into()), clean: Part(clean.into()) }
    };
    files.iter().map(fixture).collect()
}

fn select(check: &str) -> Selection {
    Selection::named(CHECKS, &[check])
}

fn gather_input(
    server: &Server,
    replicas: &[Server],
    schemas: &[String],
    part: &Part,
    selection: &Selection,
) -> AuditInput {
    let statements = parse_sql_file("app.sql", part.options("sql").join(";\n").as_bytes()).unwrap().statements;
    let request = Request {
        schemas: schemas.to_vec(),
        target: part.options("target").first().map(|target| target.parse().unwrap()),
        statements,
        sample: 100,
        limits: Limits::default(),
        source: Vec::new(),
    };
    gather(server, replicas, request, selection, &NoProgress).unwrap()
}

/// Creates the part's schema, audits it by the fixture's check, and drops it. Returns the schema's
/// name, too.
fn audit_part(server: &Server, conn: &mut Conn, fixture: &Fixture, part: &Part) -> (Audit, String) {
    let db = format!("audit_{}", fixture.file.replace(['-', '.'], "_"));
    let collation: String = conn.query_first("SELECT @@GLOBAL.collation_server").unwrap().unwrap();
    let filled = part.0.replace("{db}", &db).replace("{collation_server}", &collation);
    let mut session = server.connect().unwrap();
    let statement = |conn: &mut Conn, text: &str| {
        conn.query_drop(text).unwrap_or_else(|error| panic!("{} on {}: {text}: {error}", fixture.file, server.label()));
    };
    statement(conn, &format!("CREATE DATABASE {db} CHARACTER SET utf8mb4"));
    statement(&mut session, &format!("USE {db}"));
    part.options("global").iter().for_each(|text| statement(conn, text));
    parse_sql_file(&fixture.file, filled.as_bytes())
        .unwrap()
        .statements
        .iter()
        .for_each(|parsed| statement(&mut session, &parsed.text));
    let names: Vec<String> = conn.query("SHOW DATABASES").unwrap();
    let schemas: Vec<String> = names.into_iter().filter(|name| name.starts_with(&db)).collect();
    let selection = select(&fixture.check);
    let audit = run(&gather_input(server, &[], &schemas, part, &selection), &selection, Severity::Note, "test");
    try_statements(server, &mut session, fixture, part);
    part.options("restore").iter().for_each(|text| statement(conn, text));
    schemas.iter().for_each(|name| statement(conn, &format!("DROP DATABASE {name}")));
    (audit, db)
}

/// Runs the statements of `fails` and `runs`.
fn try_statements(server: &Server, session: &mut Conn, fixture: &Fixture, part: &Part) {
    let place = format!("{} on {}", fixture.file, server.label());
    for line in part.options("fails") {
        let (code, text) = line.split_once(' ').unwrap();
        match session.query_drop(text) {
            Err(mysql::Error::MySqlError(error)) => {
                assert!(code.split('|').any(|code| code == error.code.to_string()), "{place}: {text}: {error}");
            }
            other => panic!("{place}: {text}: {other:?}"),
        }
    }
    for text in part.options("runs") {
        session.query_drop(&text).unwrap_or_else(|error| panic!("{place}: {text}: {error}"));
    }
}

fn test_fixtures(name: &str) {
    let server = start_private(name, &[]);
    let mut conn = server.connect().unwrap();
    let mut wrong = Vec::new();
    let mut tried = 0;
    for fixture in read_fixtures() {
        let servers = fixture.bad.options("servers");
        let is_left_out = std::env::var("FIXTURE").is_ok_and(|check| check != fixture.check);
        if is_left_out {
            continue;
        }
        if servers.first().is_some_and(|servers| !servers.split(' ').any(|server| server == name)) {
            continue;
        }
        tried += 1;
        wrong.extend(disagreements(&server, &mut conn, &fixture));
    }
    if name == "mysql@sid" {
        test_sessions(&server, &mut conn);
        test_bin_sessions(&server, &mut conn);
    }
    server.stop().unwrap();
    assert!(wrong.is_empty(), "on {name}:\n{}", wrong.join("\n"));
    assert!(tried > 20 || std::env::var("FIXTURE").is_ok(), "{tried} fixtures for {name}");
}

/// Returns the differences between the check's findings and the fixture's expectations.
fn disagreements(server: &Server, conn: &mut Conn, fixture: &Fixture) -> Vec<String> {
    let (audit, db) = audit_part(server, conn, fixture, &fixture.bad);
    let found: BTreeSet<String> = audit.findings.iter().map(|finding| finding.object.to_string()).collect();
    let expected: Vec<String> =
        fixture.bad.options("expect").iter().map(|object| object.replace("{db}", &db)).collect();
    assert!(!expected.is_empty(), "{} expects nothing", fixture.file);
    let missing = expected.iter().filter(|object| !found.contains(*object));
    let mut wrong: Vec<String> =
        missing.map(|object| format!("{}: {object} is not in {:#?}", fixture.file, audit.findings)).collect();
    let written = audit.findings.iter().map(|finding| {
        format!("{} {}: {} {} {}", finding.severity, finding.object, finding.what, finding.why, finding.action)
    });
    let written: Vec<String> = written.collect();
    for text in fixture.bad.options("says").iter().map(|text| text.replace("{db}", &db)) {
        if !written.iter().any(|finding| text.split(" … ").all(|part| finding.contains(part))) {
            wrong.push(format!("{}: no finding says {text}: {written:#?} {:#?}", fixture.file, audit.unseen));
        }
    }
    for text in fixture.bad.options("unseen").iter().map(|text| text.replace("{db}", &db)) {
        if !audit.unseen.iter().any(|unseen| format!("{}: {}", unseen.what, unseen.why).contains(&text)) {
            wrong.push(format!("{}: {text} is not in {:#?}", fixture.file, audit.unseen));
        }
    }
    let (audit, _) = audit_part(server, conn, fixture, &fixture.clean);
    if !audit.findings.is_empty() {
        wrong.push(format!("{} finds in the clean schema {:#?}", fixture.file, audit.findings));
    }
    let is_of_fixture = |what: &str| what.starts_with("plans of") || what.starts_with("prepared statements");
    if let Some(unseen) = audit.unseen.iter().find(|unseen| is_of_fixture(&unseen.what)) {
        wrong.push(format!("{} has no plan for a clean statement, or does not read it: {unseen:?}", fixture.file));
    }
    wrong
}

/// Checks a latin1 session on utf8mb4 columns, and one whose client and result character sets
/// differ.
fn test_sessions(server: &Server, conn: &mut Conn) {
    conn.query_drop("CREATE DATABASE spoken").unwrap();
    conn.query_drop("CREATE TABLE spoken.t (a VARCHAR(10) CHARACTER SET utf8mb4)").unwrap();
    let selection = select("session-charset");
    let severities = || {
        let input = gather_input(server, &[], &["spoken".into()], &Part(String::new()), &selection);
        let audit = run(&input, &selection, Severity::Note, "test");
        audit.findings.iter().map(|finding| finding.severity).collect::<Vec<_>>()
    };
    assert_eq!(severities(), []);
    let mut session = server.connect().unwrap();
    session.query_drop("SET NAMES latin1").unwrap();
    assert_eq!(severities(), [Severity::Warning]);
    session.query_drop("SET character_set_results = utf8mb4").unwrap();
    assert_eq!(severities(), [Severity::Error]);
    session.query_drop("SET NAMES utf8mb4").unwrap();
    session.query_drop("SET character_set_results = utf8mb3").unwrap();
    assert_eq!(severities(), [Severity::Warning], "ordinary text comes back as it was written");
}

/// Checks that a session with `_bin` alone is no reason to report a view's literal: it compares the
/// literal without an error.
fn test_bin_sessions(server: &Server, conn: &mut Conn) {
    let mut session = server.connect().unwrap();
    conn.query_drop("CREATE DATABASE looked").unwrap();
    conn.query_drop("SET NAMES utf8mb4 COLLATE utf8mb4_spanish_ci").unwrap();
    conn.query_drop("CREATE VIEW looked.v AS SELECT 'x' AS kind").unwrap();
    session.query_drop("SET NAMES utf8mb4 COLLATE utf8mb4_bin").unwrap();
    session.query_drop("SELECT 1 FROM looked.v WHERE kind = 'x'").unwrap();
    let selection = select("view-column");
    let mut input = gather_input(server, &[], &["looked".into()], &Part(String::new()), &selection);
    let number = |input: &AuditInput| run(input, &selection, Severity::Note, "test").findings.len();
    assert_eq!(number(&input), 1, "new sessions have another collation");
    input.facts.server.handshake = None;
    input.facts.sessions.retain(|session| session.collation.as_deref() == Some("utf8mb4_bin"));
    assert_eq!((input.facts.sessions.len(), number(&input)), (1, 0));
}

#[test]
fn mariadb() {
    test_fixtures("mariadb");
}

#[test]
fn mariadb_trixie() {
    test_fixtures("mariadb@trixie");
}

#[test]
fn mysql() {
    test_fixtures("mysql@sid");
}

#[test]
fn mysql_5_6() {
    test_fixtures("mysql@5.6");
}

/// Checks findings that need a server option: an ignored handshake, logged statements, a replica
/// with other defaults.
#[test]
fn finds_settings_of_servers() {
    let settings = [
        ("skip-character-set-client-handshake", "ON"),
        ("character-set-server", "latin1"),
        ("log-bin", "log"),
        ("binlog-format", "STATEMENT"),
    ];
    let (server, replicas) =
        (start_private("mariadb", &settings), [start_private("mariadb", &[("character-set-server", "utf8mb4")])]);
    for (check, object) in [
        ("client-handshake", format!("server {}", server.label())),
        ("statement-replication", "variable binlog_format".to_owned()),
        ("replica-defaults", format!("replica {}", replicas[0].label())),
    ] {
        let selection = select(check);
        let findings = |server: &Server, replicas: &[Server]| {
            let input = gather_input(server, replicas, &[], &Part(String::new()), &selection);
            run(&input, &selection, Severity::Note, "test").findings
        };
        let found: Vec<String> =
            findings(&server, &replicas).iter().map(|finding| finding.object.to_string()).collect();
        assert!(found.contains(&object), "{check}: {found:?}");
        assert_eq!(findings(&replicas[0], &[]), [], "{check}");
    }
}

/// MySQL 9.7 doesn't start with `default_collation_for_utf8mb4` in its option file.
#[test]
fn replicas_get_no_unknown_option() {
    let [server, replica] = ["mysql@sid"; 2].map(|name| start_private(name, &[]));
    server.connect().unwrap().query_drop("SET GLOBAL default_collation_for_utf8mb4 = utf8mb4_general_ci").unwrap();
    let selection = select("replica-defaults");
    let input = gather_input(&server, &[replica], &[], &Part(String::new()), &selection);
    let audit = run(&input, &selection, Severity::Note, "test");
    let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
    assert!(finding.action.starts_with("SET PERSIST default_collation_for_utf8mb4"), "{}", finding.action);
}

#[test]
fn other_statements_of_init_connect_stay() {
    let server = start_private("mariadb", &[]);
    let mut conn = server.connect().unwrap();
    let selection = select("init-connect");
    let mut fix = |value: &str| {
        conn.query_drop(format!("SET GLOBAL init_connect = '{value}'")).unwrap();
        let input = gather_input(&server, &[], &[], &Part(String::new()), &selection);
        run(&input, &selection, Severity::Note, "test").findings[0].details.fix.clone()
    };
    assert_eq!(fix("SET NAMES latin1;").as_deref(), Some("SET GLOBAL init_connect = '';"));
    for both in ["SET NAMES latin1; SET autocommit = 0", "SET NAMES latin1, autocommit = 0"] {
        assert_eq!(fix(both), None, "{both}");
    }
}

/// MariaDB 10.5 writes `utf8_general_nopad_ci` into dumps.
#[test]
fn collations_of_a_dump_have_the_names_of_their_server() {
    let server = start_private("mariadb@bullseye", &[]);
    let mut conn = server.connect().unwrap();
    conn.query_drop("CREATE DATABASE old CHARACTER SET utf8mb4").unwrap();
    conn.query_drop("CREATE TABLE old.t (a VARCHAR(9) CHARACTER SET utf8 COLLATE utf8_general_nopad_ci)").unwrap();
    let selection = select("target-collation");
    let input = gather_input(&server, &[], &["old".into()], &Part("-- target: mysql-9\n".into()), &selection);
    let audit = run(&input, &selection, Severity::Note, "test");
    let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
    assert_eq!(finding.object.name, "utf8mb3_general_nopad_ci");
    let advice = "Write utf8mb3_general_ci instead of utf8_general_nopad_ci in the dump";
    assert!(finding.action.starts_with(advice), "{}", finding.action);
}

#[test]
fn reads_servers_without_grant_tables() {
    for name in ["mariadb@trixie", "mysql@sid", "mysql@5.6"] {
        let server = start_private(name, &[("skip-grant-tables", "ON")]);
        let mut conn = server.connect().unwrap();
        conn.query_drop("CREATE DATABASE open").unwrap();
        conn.query_drop("CREATE TABLE open.t (id INT PRIMARY KEY, a VARCHAR(9) CHARACTER SET latin1)").unwrap();
        let selection = Selection::all(CHECKS);
        let audit =
            run(&gather_input(&server, &[], &[], &Part(String::new()), &selection), &selection, Severity::Note, "test");
        assert_eq!(audit.server.tables, 1, "{name}");
        let lacks = audit.unseen.iter().filter(|unseen| unseen.why.contains("lacks")).count();
        assert_eq!(lacks, 0, "{name}: {:?}", audit.unseen);
    }
}

/// Returns the words that follow `mark` in a text.
fn words_after<'t>(text: &'t str, mark: &str) -> Vec<&'t str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let after = text.split(mark).skip(1);
    after.map(|rest| &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())]).collect()
}

/// Runs what an action names: collations, variables, and statements from `SET GLOBAL` to "would".
fn follow_advice(server: &Server, conn: &mut Conn, action: &str, wrong: &mut Vec<String>) -> usize {
    let mut statements: Vec<String> = Vec::new();
    for mark in ["COLLATE ", "Write "] {
        let names = words_after(action, mark).into_iter().filter(|name| name.contains('_'));
        statements.extend(names.map(|name| format!("CREATE TEMPORARY TABLE advised (a VARCHAR(5) COLLATE {name})")));
    }
    for name in ["character_set_server", "collation_server"] {
        let values = words_after(action, &format!("{name} = "));
        statements.extend(values.into_iter().map(|value| format!("SET GLOBAL {name} = {value}")));
    }
    let collations = action.split("character_set_collations = '").nth(1).and_then(|rest| rest.split('\'').next());
    statements.extend(collations.map(|value| format!("SET GLOBAL character_set_collations = '{value}'")));
    let whole = action.split("SET GLOBAL ").nth(1).and_then(|rest| rest.split(" would").next());
    statements.extend(whole.map(|rest| format!("SET GLOBAL {rest}")));
    for statement in &statements {
        if let Err(error) = conn.query_drop(statement) {
            wrong.push(format!("{action}: {statement} on {}: {error}", server.label()));
        }
        conn.query_drop("DROP TEMPORARY TABLE IF EXISTS advised").unwrap();
    }
    statements.len()
}

/// Runs advice on the target: the nearest collation of every collation, and the defaults to set for
/// columns of some.
#[test]
fn advice_runs_on_its_target() {
    let targets = [
        ("mysql-9.7", "mysql@sid"),
        ("mariadb-11.8", "mariadb@trixie"),
        ("mariadb-10.11", "mariadb"),
        ("mysql-5.6", "mysql@5.6"),
    ];
    let servers = targets.map(|(_, name)| start_private(name, &[]));
    let selection = select("target-defaults");
    for source in &servers {
        let mut conn = source.connect().unwrap();
        let names = collation_names(&mut conn);
        let common: Vec<&String> =
            names.iter().filter(|name| name.starts_with("utf") || name.starts_with("ucs2")).collect();
        let (mut advised, mut wrong) = (0, Vec::new());
        for ((target, _), server) in targets.iter().zip(&servers) {
            let mut there = server.connect().unwrap();
            there.query_drop("CREATE DATABASE advised").unwrap();
            there.query_drop("USE advised").unwrap();
            let target: audit::Target = target.parse().unwrap();
            for info in names.iter().filter_map(|name| target.collation(name).or_else(|| target.nearest(name))) {
                advised += follow_advice(
                    server,
                    &mut there,
                    &format!("COLLATE {}", target.written_collation(info.name)),
                    &mut wrong,
                );
            }
            for name in common.iter().step_by(29) {
                conn.query_drop("CREATE DATABASE common").unwrap();
                conn.query_drop(format!("CREATE TABLE common.t (a VARCHAR(5) COLLATE {name})")).unwrap();
                let part = Part(format!("-- target: {}\n", target.to_string().to_lowercase().replace(' ', "-")));
                let input = gather_input(source, &[], &["common".to_owned()], &part, &selection);
                for finding in run(&input, &selection, Severity::Note, "test").findings {
                    advised += follow_advice(server, &mut there, &finding.action, &mut wrong);
                }
                conn.query_drop("DROP DATABASE common").unwrap();
            }
            there.query_drop("DROP DATABASE advised").unwrap();
        }
        assert!(wrong.is_empty(), "from {}:\n{}", source.label(), wrong.join("\n"));
        assert!(advised > 500, "{advised} from {}", source.label());
    }
}

/// Returns the full names of a server's collations.
fn collation_names(conn: &mut Conn) -> Vec<String> {
    let full = "SELECT FULL_COLLATION_NAME FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY";
    match conn.query(full) {
        Ok(names) => names,
        Err(_) => conn.query("SELECT COLLATION_NAME FROM information_schema.COLLATIONS").unwrap(),
    }
}

#[test]
fn every_check_has_a_fixture() {
    let tested_elsewhere =
        ["refused-statement", "session-charset", "client-handshake", "statement-replication", "replica-defaults"];
    let checks_with_fixtures: BTreeSet<String> = read_fixtures().into_iter().map(|fixture| fixture.check).collect();
    for check in CHECKS {
        assert!(
            checks_with_fixtures.contains(check.name) || tested_elsewhere.contains(&check.name),
            "{} has no fixture",
            check.name
        );
    }
}

/// Columns that several checks give advice on: joined with columns of other collations, in utf8mb3,
/// and left behind by the default of their table.
const DISPUTED: &str = "\
CREATE TABLE a (id INT PRIMARY KEY, part_code VARCHAR(30) COLLATE utf8mb4_general_ci, KEY (part_code)) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE TABLE b (id INT PRIMARY KEY, part_code VARCHAR(30) COLLATE utf8mb4_unicode_ci, KEY (part_code)) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
CREATE TABLE c (id INT PRIMARY KEY, part_code VARCHAR(30), note VARCHAR(30), KEY (part_code)) CHARACTER SET utf8mb3 COLLATE utf8mb3_unicode_ci;
CREATE TABLE d (id INT PRIMARY KEY, part_code VARCHAR(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci, KEY (part_code)) CHARACTER SET latin1;
CREATE TABLE e (id INT PRIMARY KEY, note VARCHAR(30) CHARACTER SET utf8mb3) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci";

/// A schema with several collations in joined columns, in columns of old character sets in the same
/// tables, and in the tables' defaults.
const AT_ODDS: &str = "\
CREATE TABLE orders (id INT PRIMARY KEY, part_code VARCHAR(30) COLLATE utf8mb4_unicode_ci, note VARCHAR(30) CHARACTER SET latin1, KEY (part_code)) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE TABLE parts (id INT PRIMARY KEY, part_code VARCHAR(30) CHARACTER SET utf8mb3, maker_code VARCHAR(30) COLLATE utf8mb4_unicode_520_ci, KEY (part_code)) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;
CREATE TABLE stock (id INT PRIMARY KEY, part_code VARCHAR(30) COLLATE utf8mb4_unicode_ci, KEY (part_code)) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
CREATE TABLE makers (id INT PRIMARY KEY, code VARCHAR(30), name VARCHAR(30), KEY (code)) CHARACTER SET latin1;
CREATE TABLE tokens (id INT PRIMARY KEY, secret VARCHAR(30) COLLATE utf8mb4_bin) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";

/// Returns the collations that advice names, if they end in `_ci`.
fn advised_collations(finding: &audit::Finding) -> Vec<String> {
    let text = format!("{} {}", finding.action, finding.details.fix.as_deref().unwrap_or_default());
    let words = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    let names = words.filter(|word| word.ends_with("_ci"));
    names.map(str::to_owned).collect()
}

#[test]
fn connected_tables_get_one_collation() {
    for name in ["mariadb", "mysql@sid", "mysql@5.6"] {
        let server = start_private(name, &[]);
        let mut conn = server.connect().unwrap();
        for schema in ["at_odds", "apart"] {
            conn.query_drop(format!("CREATE DATABASE {schema} CHARACTER SET latin1")).unwrap();
        }
        conn.query_drop("CREATE TABLE apart.t (a VARCHAR(9) COLLATE utf8mb4_spanish_ci) CHARACTER SET utf8mb4")
            .unwrap();
        conn.query_drop("USE at_odds").unwrap();
        for statement in AT_ODDS.split(';') {
            conn.query_drop(statement).unwrap();
        }
        let selection = Selection::all(CHECKS);
        let schemas = ["at_odds".to_owned(), "apart".to_owned()];
        let input = gather_input(&server, &[], &schemas, &Part(String::new()), &selection);
        let audit = run(&input, &selection, Severity::Note, "test");
        let of = |schema: &str| -> BTreeSet<String> {
            let own = audit.findings.iter().filter(|finding| finding.details.schema.as_deref() == Some(schema));
            own.flat_map(advised_collations).collect()
        };
        assert_eq!(of("at_odds"), BTreeSet::from(["utf8mb4_unicode_ci".to_owned()]), "{name}: {:#?}", audit.findings);
        assert_eq!(of("apart"), BTreeSet::from(["utf8mb4_spanish_ci".to_owned()]), "{name}: {:#?}", audit.findings);
        let checks: BTreeSet<&str> = audit.findings.iter().map(|finding| finding.check.as_str()).collect();
        for check in ["column-mismatch", "join-mismatch", "legacy-charset", "table-mismatch"] {
            assert!(checks.contains(check), "{name}: no {check}: {checks:?}");
        }
    }
}

/// The view and the procedure of d2 work as long as both schemas fit; d3 is on its own.
const CONNECTED: &str = "\
CREATE DATABASE d1 CHARACTER SET latin1;
CREATE TABLE d1.customers (code VARCHAR(20) UNIQUE, email VARCHAR(50));
CREATE DATABASE d2 CHARACTER SET utf8mb4 COLLATE utf8mb4_spanish_ci;
CREATE TABLE d2.orders (id INT PRIMARY KEY, customer_code VARCHAR(20));
CREATE VIEW d2.vo AS SELECT o.id, c.email FROM d2.orders o JOIN d1.customers c ON c.code = o.customer_code;
USE d2;
CREATE PROCEDURE find(p VARCHAR(20)) SELECT * FROM d1.customers WHERE code = p;
CREATE DATABASE d3 CHARACTER SET latin1;
CREATE TABLE d3.customers (code VARCHAR(20) UNIQUE)";

#[test]
fn schemas_that_views_and_programs_connect_get_one_collation() {
    for name in ["mariadb@trixie", "mysql@sid"] {
        let server = start_private(name, &[]);
        let mut conn = server.connect().unwrap();
        CONNECTED.split(';').for_each(|statement| conn.query_drop(statement).unwrap());
        let selection = Selection::all(CHECKS);
        let input = gather_input(&server, &[], &[], &Part(String::new()), &selection);
        let audit = run(&input, &selection, Severity::Note, "test");
        let of = |schema: &str| -> BTreeSet<String> {
            let own = audit.findings.iter().filter(|finding| finding.details.schema.as_deref() == Some(schema));
            own.flat_map(advised_collations).filter(|collation| !collation.starts_with("latin1")).collect()
        };
        assert_eq!(of("d1"), BTreeSet::from(["utf8mb4_spanish_ci".to_owned()]), "{name}: {:#?}", audit.findings);
        assert!(!of("d3").contains("utf8mb4_spanish_ci"), "{name}: {:#?}", audit.findings);
        conn.query_drop("ALTER TABLE d1.customers CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_spanish_ci")
            .unwrap();
        conn.query_drop("SELECT * FROM d2.vo").unwrap();
        conn.query_drop("CALL d2.find('a')").unwrap();
    }
}

#[test]
fn a_column_gets_one_advice() {
    for name in ["mariadb", "mysql@sid"] {
        let server = start_private(name, &[]);
        let mut conn = server.connect().unwrap();
        conn.query_drop("CREATE DATABASE disputed CHARACTER SET latin1").unwrap();
        conn.query_drop("USE disputed").unwrap();
        for statement in DISPUTED.split(';') {
            conn.query_drop(statement).unwrap();
        }
        let selection = Selection::all(CHECKS);
        let input = gather_input(&server, &[], &["disputed".into()], &Part(String::new()), &selection);
        let audit = run(&input, &selection, Severity::Note, "test");
        let mut advised: BTreeSet<(String, String, String)> = BTreeSet::new();
        for finding in &audit.findings {
            let commands = finding.details.fix.iter().flat_map(|fix| fix.split("; "));
            for command in commands.filter(|command| command.starts_with("weigh preflight")) {
                let value = |option: &str| command.split(&format!(" --{option} ")).nth(1)?.split(' ').next();
                for name in value("table").unwrap().split(',') {
                    let table = input.facts.table("disputed", name).unwrap();
                    let is_named = |column: &str, given: &str| given == column || given == format!("{name}.{column}");
                    let is_meant = |column: &&facts::Column| {
                        let names = value("column");
                        column.collation.is_some()
                            && names.is_none_or(|names| names.split(',').any(|given| is_named(&column.name, given)))
                    };
                    let to = value("to").unwrap();
                    let columns = table.columns.iter().filter(is_meant);
                    advised.extend(columns.map(|one| (table.name.clone(), one.name.clone(), to.into())));
                }
            }
        }
        let columns: BTreeSet<_> = advised.iter().map(|(table, column, _)| (table, column)).collect();
        assert!(columns.len() >= 4, "{name}: {advised:#?}");
        assert_eq!(advised.len(), columns.len(), "{name}: {advised:#?}");
        let codes = advised.iter().filter(|(_, column, _)| column == "part_code");
        assert!(codes.clone().all(|(_, _, to)| to == "utf8mb4_unicode_ci"), "{name}: {advised:#?}");
    }
}
