//! Every check on real servers: in its fixture it finds and names the objects, in the clean schema it is silent.
//!
//! A fixture is `fixtures/CHECK.sql` or `fixtures/CHECK.WORD.sql`: SQL, `-- clean`, SQL. Comments tell the rest: `-- servers:` those that it is for
//! (all where it is missing), `-- expect:` an object that must be found, `-- target:`, `-- sql:` a statement of the application, `-- global:` and
//! `-- restore:` around it. `{db}` is the schema's name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use audit::{Audit, CHECKS, Evidence, Request, Selection, Severity, gather, run, sql_file};
use facts::Limits;
use mysql::Conn;
use mysql::prelude::Queryable;
use server::{NoProgress, Options, Server, open};

struct Fixture {
    file: String,
    check: String,
    bad: Part,
    clean: Part,
}

struct Part(String);

impl Part {
    fn told(&self, word: &str) -> Vec<String> {
        let mark = format!("-- {word}: ");
        self.0.lines().filter_map(|line| line.strip_prefix(&mark)).map(str::to_owned).collect()
    }
}

fn fixtures() -> Vec<Fixture> {
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

fn private(name: &str, settings: &[(&str, &str)]) -> Server {
    let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, settings, ..Options::default() };
    open(&name.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn select(check: &str) -> Selection {
    Selection::new(&[check.to_owned()], &[]).unwrap()
}

fn evidence(server: &Server, replicas: &[Server], schemas: &[String], part: &Part, selection: &Selection) -> Evidence {
    let statements = part.told("sql").iter().flat_map(|text| sql_file("app.sql", text)).collect();
    let request = Request {
        schemas: schemas.to_vec(),
        target: part.told("target").first().map(|target| target.parse().unwrap()),
        statements,
        sample: 100,
        limits: Limits::default(),
    };
    gather(server, replicas, request, selection, &NoProgress).unwrap()
}

/// Makes the part's schema, audits it by one check, and drops it.
fn audited(server: &Server, conn: &mut Conn, fixture: &Fixture, part: &Part) -> (Audit, String) {
    let db = format!("audit_{}", fixture.file.replace(['-', '.'], "_"));
    let collation: String = conn.query_first("SELECT @@GLOBAL.collation_server").unwrap().unwrap();
    let filled = part.0.replace("{db}", &db).replace("{collation_server}", &collation);
    let mut other = server.control().unwrap();
    let statement = |conn: &mut Conn, text: &str| {
        conn.query_drop(text).unwrap_or_else(|error| panic!("{} on {}: {text}: {error}", fixture.file, server.label()));
    };
    statement(conn, &format!("CREATE DATABASE {db} CHARACTER SET utf8mb4"));
    statement(&mut other, &format!("USE {db}"));
    part.told("global").iter().for_each(|text| statement(conn, text));
    sql_file(&fixture.file, &filled).iter().for_each(|one| statement(&mut other, &one.text));
    let names: Vec<String> = conn.query("SHOW DATABASES").unwrap();
    let schemas: Vec<String> = names.into_iter().filter(|name| name.starts_with(&db)).collect();
    let selection = select(&fixture.check);
    let audit = run(&evidence(server, &[], &schemas, part, &selection), &selection, Severity::Note, "test");
    part.told("restore").iter().for_each(|text| statement(conn, text));
    schemas.iter().for_each(|name| statement(conn, &format!("DROP DATABASE {name}")));
    (audit, db)
}

fn checks_hold(name: &str) {
    let server = private(name, &[]);
    let mut conn = server.control().unwrap();
    let mut wrong = Vec::new();
    let mut tried = 0;
    for fixture in fixtures() {
        let servers = fixture.bad.told("servers");
        if servers.first().is_some_and(|servers| !servers.split(' ').any(|one| one == name)) {
            continue;
        }
        tried += 1;
        wrong.extend(disagreements(&server, &mut conn, &fixture));
    }
    if name == "mysql@sid" {
        sessions(&server, &mut conn);
    }
    server.stop().unwrap();
    assert!(wrong.is_empty(), "on {name}:\n{}", wrong.join("\n"));
    assert!(tried > 20, "{tried} fixtures for {name}");
}

/// In what a fixture's check does not do what the fixture expects.
fn disagreements(server: &Server, conn: &mut Conn, fixture: &Fixture) -> Vec<String> {
    let (audit, db) = audited(server, conn, fixture, &fixture.bad);
    let found: BTreeSet<String> = audit.findings.iter().map(|finding| finding.object.to_string()).collect();
    let expected: Vec<String> = fixture.bad.told("expect").iter().map(|object| object.replace("{db}", &db)).collect();
    assert!(!expected.is_empty(), "{} expects nothing", fixture.file);
    let missing = expected.iter().filter(|object| !found.contains(*object));
    let mut wrong: Vec<String> =
        missing.map(|object| format!("{}: {object} is not in {:#?}", fixture.file, audit.findings)).collect();
    let (audit, _) = audited(server, conn, fixture, &fixture.clean);
    if !audit.findings.is_empty() {
        wrong.push(format!("{} finds in the clean schema {:#?}", fixture.file, audit.findings));
    }
    wrong
}

/// A session that speaks latin1 over utf8mb4 columns, and one that writes one thing and reads another.
fn sessions(server: &Server, conn: &mut Conn) {
    conn.query_drop("CREATE DATABASE spoken").unwrap();
    conn.query_drop("CREATE TABLE spoken.t (a VARCHAR(10) CHARACTER SET utf8mb4)").unwrap();
    let selection = select("session-charset");
    let severities = || {
        let evidence = evidence(server, &[], &["spoken".into()], &Part(String::new()), &selection);
        let audit = run(&evidence, &selection, Severity::Note, "test");
        audit.findings.iter().map(|finding| finding.severity).collect::<Vec<_>>()
    };
    assert_eq!(severities(), []);
    let mut speaking = server.control().unwrap();
    speaking.query_drop("SET NAMES latin1").unwrap();
    assert_eq!(severities(), [Severity::Warning]);
    speaking.query_drop("SET character_set_results = utf8mb4").unwrap();
    assert_eq!(severities(), [Severity::Error]);
}

#[test]
fn on_mariadb() {
    checks_hold("mariadb");
}

#[test]
fn on_mariadb_of_trixie() {
    checks_hold("mariadb@trixie");
}

#[test]
fn on_mysql() {
    checks_hold("mysql@sid");
}

#[test]
fn on_mysql_5_6() {
    checks_hold("mysql@5.6");
}

/// What only an option of the server brings about: handshakes ignored, statements logged, a replica that is set up otherwise.
#[test]
fn settings_of_servers_are_found() {
    let odd = [
        ("skip-character-set-client-handshake", "ON"),
        ("character-set-server", "latin1"),
        ("log-bin", "log"),
        ("binlog-format", "STATEMENT"),
    ];
    let (odd, plain) = (private("mariadb", &odd), [private("mariadb", &[("character-set-server", "utf8mb4")])]);
    for (check, object) in [
        ("client-handshake", format!("server {}", odd.label())),
        ("statement-replication", "variable binlog_format".to_owned()),
        ("replica-defaults", format!("replica {}", plain[0].label())),
    ] {
        let selection = select(check);
        let of = |server: &Server, replicas: &[Server]| {
            let evidence = evidence(server, replicas, &[], &Part(String::new()), &selection);
            run(&evidence, &selection, Severity::Note, "test").findings
        };
        let found: Vec<String> = of(&odd, &plain).iter().map(|finding| finding.object.to_string()).collect();
        assert!(found.contains(&object), "{check}: {found:?}");
        assert_eq!(of(&plain[0], &[]), [], "{check}");
    }
}

#[test]
fn every_check_has_a_fixture() {
    let elsewhere = ["session-charset", "client-handshake", "statement-replication", "replica-defaults"];
    let covered: BTreeSet<String> = fixtures().into_iter().map(|fixture| fixture.check).collect();
    for check in CHECKS {
        assert!(covered.contains(check.name) || elsewhere.contains(&check.name), "{} has no fixture", check.name);
    }
}
