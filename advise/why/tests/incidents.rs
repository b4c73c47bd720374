//! Public incidents, reproduced with small schemas on real servers. The diagnosis names the cause,
//! each advised remedy works on a fresh schema, and clean schemas have no findings.
//!
//! A fixture is a file `fixtures/NAME.sql`: the schema, a line `-- statement`, the statements. Its
//! first lines are comments:
//!
//! - `-- breaks: A B`: servers on which something is found;
//! - `-- clean: A B`: servers on which nothing is found;
//! - `-- unknown: A B`: servers on which the verdict is "not known";
//! - `-- says: TEXT`: the finding contains TEXT, or one of `ONE|OTHER`;
//! - `-- never: TEXT`: the finding does not contain TEXT.
//!
//! The environment variable `FIXTURE` names the only fixtures that run, separated by commas.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mysql::prelude::Queryable;
use server::{Conn, LoadLimits, NoProgress, Options, Server, open};
use why::{
    Copy, Finding, Found, Given, Loaded, Remedy, Request, Scope, diagnose, diagnose_program, diagnose_view, load_dump,
};

/// Servers run one at a time.
static TURN: Mutex<()> = Mutex::new(());

struct Fixture {
    name: String,
    head: String,
    schema: String,
    statements: Vec<String>,
}

impl Fixture {
    fn options(&self, word: &str) -> Vec<String> {
        let mark = format!("-- {word}: ");
        self.head.lines().filter_map(|line| line.strip_prefix(&mark)).map(str::to_owned).collect()
    }

    fn servers(&self, word: &str) -> Vec<String> {
        self.options(word).iter().flat_map(|line| line.split(' ')).map(str::to_owned).collect()
    }
}

fn fixtures() -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let (head, statements) = text.split_once("-- statement\n").unwrap();
        let split = sql::split_statements(statements, sql::SqlMode::default());
        Fixture {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            head: head.to_owned(),
            schema: head.to_owned(),
            statements: split.map(|(_, text)| text.to_owned()).collect(),
        }
    };
    let all = files.iter().map(read);
    let named = std::env::var("FIXTURE").ok();
    let is_named = |fixture: &Fixture| named.as_ref().is_none_or(|all| all.split(',').any(|name| name == fixture.name));
    all.filter(is_named).collect()
}

/// Creates the fixture's schema anew.
fn load(server: &Server, fixture: &Fixture) {
    server.connect().unwrap().query_drop("DROP DATABASE IF EXISTS app").unwrap();
    let mut loaded = Loaded::default();
    load_dump(server, &fixture.name, fixture.schema.as_bytes(), LoadLimits::default(), &mut loaded).unwrap();
    assert!(loaded.refused.is_empty(), "{}: {:?}", fixture.name, loaded.refused);
}

fn diagnose_fixture(server: &Server, fixture: &Fixture) -> Found {
    load(server, fixture);
    let mut copy = Copy::new(server).unwrap();
    let given = |text: &String| Given { place: fixture.name.clone(), text: text.clone(), ..Given::default() };
    let request = Request {
        given: fixture.statements.iter().map(given).collect(),
        schema: Some("app".into()),
        first: Vec::new(),
    };
    diagnose(&mut copy, &request).unwrap_or_else(|error| panic!("{} on {}: {error}", fixture.name, server.label()))
}

fn findings(found: Found) -> Vec<Finding> {
    found.statements.into_iter().flat_map(|statement| statement.findings).collect()
}

/// True for definitions of tables and indexes, which a remedy replaces.
fn defines_table(statement: &str) -> bool {
    let statement = statement.to_uppercase();
    let begins = ["ALTER TABLE", "CREATE TABLE", "CREATE INDEX", "CREATE UNIQUE INDEX"];
    begins.iter().any(|word| statement.starts_with(word)) && !statement.contains("SELECT")
}

/// Applies a remedy to a fresh schema, and runs the statements.
fn apply(server: &Server, fixture: &Fixture, finding: &Finding, remedy: &Remedy) -> Result<(), String> {
    load(server, fixture);
    let mut conn = server.connect().unwrap();
    conn.query_drop("SET NAMES utf8mb4").unwrap();
    conn.query_drop("USE app").unwrap();
    let (setup, last) = fixture.statements.split_at(fixture.statements.len() - 1);
    let replaces = finding.kind == why::Kind::Unknown || defines_table(&last[0]);
    let in_place: Vec<String> = match remedy.scope {
        _ if replaces => setup.iter().chain(&remedy.sql).cloned().collect(),
        Scope::Statement if remedy.sql.len() == 1 => setup.iter().chain(&remedy.sql).cloned().collect(),
        Scope::Statement | Scope::Session => remedy.sql.clone(),
        _ => {
            let mut other = server.connect().unwrap();
            other.query_drop("USE app").unwrap();
            run_all(&mut other, &remedy.sql)?;
            setup.iter().chain(last).cloned().collect()
        }
    };
    run_all(&mut conn, &in_place)
}

fn run_all(conn: &mut Conn, statements: &[String]) -> Result<(), String> {
    for statement in statements {
        let mut result = conn.query_iter(statement).map_err(|error| format!("{statement}: {error}"))?;
        while let Some(set) = result.iter() {
            for row in set {
                row.map_err(|error| format!("{statement}: {error}"))?;
            }
        }
    }
    Ok(())
}

fn complaints(server: &Server, name: &str, fixture: &Fixture) -> Vec<String> {
    let found = diagnose_fixture(server, fixture);
    let (notes, is_unknown) = (found.notes.clone(), found.statements.iter().any(|statement| statement.is_unjudged));
    let findings = findings(found);
    let text = serde_json::to_string(&findings).unwrap();
    if std::env::var_os("SHOW").is_some() {
        eprintln!("{name} {}: {}", fixture.name, serde_json::to_string_pretty(&findings).unwrap());
    }
    let mut wrong = Vec::new();
    if fixture.servers("clean").iter().any(|one| one == name) {
        if !findings.is_empty() {
            wrong.push(format!("not silent: {text}"));
        }
        if is_unknown {
            wrong.push(format!("not known: {notes:?}"));
        }
        return wrong;
    }
    if fixture.servers("unknown").iter().any(|one| one == name) {
        if !is_unknown {
            wrong.push(format!("known: {text} {notes:?}"));
        }
        return wrong;
    }
    if findings.is_empty() {
        return vec![format!("nothing found: {notes:?}")];
    }
    for says in fixture.options("says") {
        if !says.split('|').any(|one| text.contains(one)) {
            wrong.push(format!("does not say {says}: {text}"));
        }
    }
    for never in fixture.options("never") {
        if text.contains(&never) {
            wrong.push(format!("says {never}: {text}"));
        }
    }
    for finding in &findings {
        if finding.remedies.is_empty() {
            wrong.push(format!("no remedy: {text}"));
        }
        for remedy in &finding.remedies {
            if let Err(error) = apply(server, fixture, finding, remedy) {
                wrong.push(format!("the remedy {} fails: {error}", remedy.what));
            }
        }
    }
    wrong
}

fn test_server(name: &str) {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
    let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut wrong = Vec::new();
    let mut tried = 0;
    for fixture in fixtures() {
        let named = ["breaks", "clean", "unknown"].map(|word| fixture.servers(word)).concat();
        if named.iter().any(|one| one == name) {
            tried += 1;
            wrong.extend(
                complaints(&server, name, &fixture).into_iter().map(|line| format!("{}: {line}", fixture.name)),
            );
        }
    }
    server.stop().unwrap();
    assert!(wrong.is_empty(), "on {name}, {} of {tried} fixtures:\n{}", wrong.len(), wrong.join("\n"));
}

/// A report names the statements of programs and views that cannot be judged.
#[test]
fn unjudged_programs_say_so_on_mysql_9() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
    let server = open(&"mysql@sid".parse().unwrap(), &options, &NoProgress).unwrap();
    let schema = "CREATE TABLE kinds (kind ENUM('a', 'b') NOT NULL PRIMARY KEY, name VARCHAR(100) NOT NULL, KEY name (name)) \
         CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;\n\
         CREATE PROCEDURE few_rows() SELECT kind FROM kinds WHERE name = 'x' COLLATE utf8mb4_general_ci;\n\
         CREATE PROCEDURE other_table() SELECT kind FROM kinds JOIN made_elsewhere USING (kind) WHERE name = word;\n\
         CREATE PROCEDURE judged() SELECT kind FROM kinds WHERE name = 'x';\n\
         CREATE VIEW few AS SELECT kind FROM kinds WHERE name = 'x' COLLATE utf8mb4_general_ci;\n\
         CREATE VIEW known AS SELECT kind FROM kinds WHERE name = 'x';";
    let fixture =
        Fixture { name: "unjudged".into(), head: String::new(), schema: schema.into(), statements: Vec::new() };
    load(&server, &fixture);
    let mut copy = Copy::new(&server).unwrap();
    let mut unjudged = |name: &str| {
        let judged = diagnose_program(&mut copy, "PROCEDURE", "app", name).unwrap();
        assert!(judged.findings.is_empty(), "{judged:?}");
        judged.unjudged
    };
    assert!(unjudged("few_rows").unwrap().contains("kinds has 2 rows"));
    assert!(unjudged("other_table").unwrap().contains("made_elsewhere"));
    assert_eq!(unjudged("judged"), None);
    let mut unjudged = |name: &str| diagnose_view(&mut copy, "app", name).unwrap().unjudged;
    assert!(unjudged("few").unwrap().contains("kinds has 2 rows"));
    assert_eq!(unjudged("known"), None);
    server.stop().unwrap();
}

/// A script's statements see the tables that earlier ones create, and no made-up rows.
#[test]
fn statements_of_a_script_follow_each_other() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let schema = "ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;\n\
         CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(40), KEY ks (s)) COLLATE utf8mb4_general_ci;\n\
         CREATE TABLE b (id INT PRIMARY KEY, s VARCHAR(40), KEY ks (s)) COLLATE utf8mb4_unicode_ci;\n\
         CREATE TRIGGER written AFTER INSERT ON b FOR EACH ROW UPDATE a SET id = 0 WHERE s = NEW.s;";
    let script = [
        // Fills both tables.
        "SELECT * FROM a JOIN b ON a.s = b.s COLLATE utf8mb4_general_ci",
        "INSERT INTO b VALUES (9, 'x')",
        "CREATE TABLE copied AS SELECT id, s FROM b",
        "INSERT INTO copied VALUES (9, 'x')",
        "SELECT * FROM copied JOIN a ON a.s = copied.s",
        "CREATE TABLE child (s VARCHAR(40), FOREIGN KEY (s) REFERENCES copied (s)) COLLATE utf8mb4_unicode_ci",
    ];
    for name in ["mariadb@trixie", "mysql@sid"] {
        let server = open(&name.parse().unwrap(), &Options::default(), &NoProgress).unwrap();
        load_dump(&server, "d.sql", schema.as_bytes(), LoadLimits::default(), &mut Loaded::default()).unwrap();
        let given = script.map(|text| Given {
            place: text.split(' ').take(3).collect(),
            text: text.into(),
            ..Given::default()
        });
        let request = Request { given: given.to_vec(), schema: Some("app".into()), first: Vec::new() };
        let found = diagnose(&mut Copy::new(&server).unwrap(), &request).unwrap();
        let refused = found.statements.iter().filter(|one| one.findings.iter().any(|found| found.error.is_some()));
        let refused: Vec<&str> = refused.map(|one| one.text.as_str()).collect();
        assert_eq!(refused, [script[1], script[4]], "{name}: {found:?}");
        let failed: Vec<&String> = found.notes.iter().filter(|note| note.contains("refuses")).collect();
        // The referenced column has no index.
        assert!(failed.len() == 1 && failed[0].contains("CREATETABLEchild"), "{name}: {failed:?}");
        server.stop().unwrap();
    }
}

/// The statistics say that the tables have one row each. No remedy reads fewer rows, but the server
/// warns of the index.
#[test]
fn a_warning_is_no_all_clear_on_mysql_9() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
    let server = open(&"mysql@sid".parse().unwrap(), &options, &NoProgress).unwrap();
    let fixture = fixtures().into_iter().find(|fixture| fixture.name == "enabled-keys").unwrap();
    load(&server, &fixture);
    let mut conn = server.connect().unwrap();
    conn.query_drop("UPDATE mysql.innodb_table_stats SET n_rows = 1 WHERE database_name = 'app'").unwrap();
    conn.query_drop("FLUSH TABLES app.orders, app.shipments").unwrap();
    let mut copy = Copy::new(&server).unwrap();
    let given = Given { place: "statement".into(), text: fixture.statements[0].clone(), ..Given::default() };
    let request = Request { given: vec![given], schema: Some("app".into()), first: Vec::new() };
    let found = diagnose(&mut copy, &request).unwrap();
    let judged = &found.statements[0];
    assert!(judged.findings.is_empty() && judged.is_unjudged && !judged.warnings.is_empty(), "{found:?}");
    assert!(found.notes[0].contains("the server warns: Cannot use ref access on index 'ix_code'"), "{found:?}");
    server.stop().unwrap();
}

/// Equal comparisons are judged once, and of different ones a limited number.
#[test]
fn statements_of_many_comparisons_are_judged_in_part() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let server = open(&"mariadb@trixie".parse().unwrap(), &Options::default(), &NoProgress).unwrap();
    let schema =
        "CREATE TABLE t (a INT PRIMARY KEY, s VARCHAR(20) COLLATE utf8mb4_bin, u VARCHAR(20)) CHARSET=utf8mb4;";
    load_dump(&server, "d.sql", schema.as_bytes(), LoadLimits::default(), &mut Loaded::default()).unwrap();
    let mut conn = server.connect().unwrap();
    let mut questions =
        || -> u64 { conn.query_first::<(String, u64), _>("SHOW GLOBAL STATUS LIKE 'Questions'").unwrap().unwrap().1 };
    let mut copy = Copy::new(&server).unwrap();
    let equal = vec!["s = u"; 300].join(" OR ");
    let different = (0..5000).map(|n| format!("CONCAT(s, {n}) = u")).collect::<Vec<_>>().join(" OR ");
    for (conditions, most, note) in [(equal, 200, None), (different, 8000, Some("4,800 expressions"))] {
        let before = questions();
        let given =
            Given { place: "x".into(), text: format!("SELECT * FROM t WHERE {conditions}"), ..Given::default() };
        let request = Request { given: vec![given], schema: Some("app".into()), first: Vec::new() };
        let found = diagnose(&mut copy, &request).unwrap();
        let asked = questions() - before;
        assert!(asked < most, "{asked} questions: {:?}", found.notes);
        let has_note = found.notes.iter().find(|text| text.contains("not judged"));
        assert_eq!(has_note.is_some(), note.is_some(), "{:?}", found.notes);
        assert!(note.is_none_or(|note| has_note.unwrap().contains(note)), "{has_note:?}");
    }
}

/// A small dump can keep the server busy, or fill its disk.
#[test]
fn loads_are_bounded_in_time_and_disk() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let table = "CREATE TABLE t (s LONGTEXT);\n";
    let row = "INSERT INTO t VALUES (REPEAT('x', 1000000));\n";
    let doubled = format!("{table}{row}{}", "INSERT INTO t SELECT s FROM t;\n".repeat(20));
    let short = Duration::from_secs(3);
    for (time, dump, reason) in [
        (short, format!("{table}DO SLEEP(3600);"), "more than 3 s"),
        (short, format!("{table}{}", "INSERT INTO t VALUES (SLEEP(0.3));\n".repeat(100)), "more than 3 s"),
        (Duration::from_secs(300), doubled, "more than 64 MiB"),
    ] {
        for name in ["mariadb@trixie", "mysql@sid"] {
            let server = open(&name.parse().unwrap(), &Options::default(), &NoProgress).unwrap();
            let limits = LoadLimits { time, bytes_per_second: 1 << 20, disk_bytes: 64 << 20, disk_factor: 0 };
            let loaded = load_dump(&server, "d.sql", dump.as_bytes(), limits, &mut Loaded::default());
            let error = loaded.unwrap_err().to_string();
            assert!(error.contains(reason), "{name}: {error}");
        }
    }
}

/// Also in columns with a default expression, and in invisible columns.
#[test]
fn refused_definition_keeps_the_rows_on_mysql_9() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
    let server = open(&"mysql@sid".parse().unwrap(), &options, &NoProgress).unwrap();
    let schema = "CREATE TABLE t (id INT PRIMARY KEY, w VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin UNIQUE, \
         made TIMESTAMP DEFAULT CURRENT_TIMESTAMP, word VARCHAR(9) DEFAULT (CONCAT('x', 'y')), \
         hidden INT DEFAULT 1 INVISIBLE, twice INT AS (id * 2) STORED);\n\
         INSERT INTO t (id, w, made, word, hidden) VALUES (1, 'a', '2001-02-03 04:05:06', 'own', 7), (2, 'A', NULL, 'b', 8);";
    let fixture = Fixture {
        name: "kept".into(),
        head: String::new(),
        schema: schema.into(),
        statements: vec!["ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci".into()],
    };
    let findings = findings(diagnose_fixture(&server, &fixture));
    assert_eq!(findings.len(), 1, "{findings:?}");
    let query = "SELECT id, w, CAST(made AS CHAR), word, hidden, twice FROM app.t ORDER BY id";
    let rows: Vec<(u32, String, Option<String>, String, u32, u32)> = server.connect().unwrap().query(query).unwrap();
    let made = Some("2001-02-03 04:05:06".to_owned());
    assert_eq!(rows, [(1, "a".into(), made, "own".into(), 7, 2), (2, "A".into(), None, "b".into(), 8, 4)]);
    server.stop().unwrap();
}

#[test]
#[ignore = "four other servers are enough for every change"]
fn incidents_on_mysql_5_6() {
    test_server("mysql@5.6");
}

#[test]
fn incidents_on_mysql_5_7() {
    test_server("mysql@5.7");
}

#[test]
#[ignore = "four other servers are enough for every change"]
fn incidents_on_mysql_8_0() {
    test_server("mysql@8.0");
}

#[test]
fn incidents_on_mysql_9() {
    test_server("mysql@sid");
}

#[test]
fn incidents_on_mariadb_10_2() {
    test_server("mariadb@10.2");
}

#[test]
#[ignore = "four other servers are enough for every change"]
fn incidents_on_mariadb_10_11() {
    test_server("mariadb@bookworm");
}

#[test]
#[ignore = "four other servers are enough for every change"]
fn incidents_on_mariadb_11_4() {
    test_server("mariadb@11.4");
}

#[test]
fn incidents_on_mariadb_11_8() {
    test_server("mariadb@trixie");
}
