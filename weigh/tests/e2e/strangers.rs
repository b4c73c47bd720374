//! Names, definitions and statements of others: they act neither on the terminal, nor in scripts,
//! nor on other folders and schemas.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use mysql::prelude::Queryable;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use server::Conn;
use server::{Address, NoProgress, Options, Server, open};
use sql::SqlMode;

use crate::workspace::{Finished, Workspace, find_by_prefixes};

fn start(name: &str) -> Server {
    let options = Options { buffer_pool: Some(64 << 20), threads: 2, ..Options::default() };
    open(&name.parse().unwrap(), &options, &NoProgress).unwrap()
}

fn weigh(workspace: &Workspace, server: &Server, words: &[&str]) -> Finished {
    let Address::Socket(socket) = &server.endpoint().address else { panic!() };
    let login = ["--no-defaults", "--user=root", "--socket", socket.to_str().unwrap()];
    let child = workspace.weigh(&[&words[..1], &login[..], &words[1..]].concat()).spawn().unwrap();
    Finished::from_output(child.wait_with_output().unwrap())
}

/// Names of tables that have broken a context.
pub const NAMES: [&str; 13] = [
    "a(b",
    "a/*b",
    "a*/b",
    "a`b",
    "$(touch x)",
    ";touch y",
    ",h=evil",
    "x\nDROP DATABASE victim;-- x",
    "line\nNOTHING BREAKS",
    "\u{1b}[2J\u{1b}]0;owned\u{7}",
    "../../x",
    "=1+1\u{202e}",
    "<img src=x onerror=alert(1)>",
];

fn create_nasty_tables(conn: &mut Conn) {
    conn.query_drop("CREATE DATABASE victim").unwrap();
    conn.query_drop("CREATE DATABASE d CHARACTER SET latin1").unwrap();
    conn.query_drop("USE d").unwrap();
    for name in NAMES {
        let quoted = sql::quote_identifier(name);
        conn.query_drop(format!(
            "CREATE TABLE {quoted} (id INT PRIMARY KEY, {quoted} VARCHAR(20) NOT NULL DEFAULT 'x', UNIQUE (`{}`))",
            name.replace('`', "``")
        ))
        .unwrap_or_else(|error| panic!("{name}: {error}"));
        conn.query_drop(format!("INSERT INTO {quoted} VALUES (1, '=1+1\n\u{1b}[2J'), (2, 'b')")).unwrap();
    }
    conn.query_drop("CREATE PROCEDURE p() BEGIN SELECT '$$' COLLATE latin1_bin; SELECT 'DROP DATABASE victim;'; END")
        .unwrap();
}

fn count_schemas(conn: &mut Conn, name: &str) -> u64 {
    let query = format!("SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = '{name}'");
    conn.query_first(query).unwrap().unwrap()
}

#[test]
fn names_are_data_in_every_output() {
    let server = start("mariadb");
    let mut conn = server.connect().unwrap();
    create_nasty_tables(&mut conn);
    let workspace = Workspace::new();
    let to = ["--schema=d", "--to=utf8mb4_unicode_ci", "--trial=none"];
    let commands: [&[&str]; 6] = [
        &["audit", "--schema=d"],
        &["audit", "--schema=d", "--format=markdown"],
        &["audit", "--schema=d", "--format=csv"],
        &[&["preflight"][..], &to].concat(),
        &[&["preflight", "--format=markdown"][..], &to].concat(),
        &["capture", "--schema=d", "--out=inner/w"],
    ];
    for words in commands {
        let done = weigh(&workspace, &server, words);
        assert!(matches!(done.code, Some(0 | 1)), "{words:?}: {done}");
        assert_text_is_data(&done);
    }
    check_documents(&workspace, &server, &to);
    // Nothing is written but the captured folder and the folders of results.
    let entries: HashSet<_> = fs::read_dir(workspace.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries, HashSet::from(["tmp", "inner", "weigh-results"].map(OsString::from)));
    assert_eq!(fs::read_dir(workspace.root().join("inner")).unwrap().count(), 1);
    let (_, checked) = workload_folder::check(&workspace.root().join("inner/w"));
    assert_eq!(checked.rows, 2 * NAMES.len() as u64, "{checked:?}");
    run_plan(&workspace, &server, &mut conn);
    server.stop().unwrap();
}

/// Asserts that no name acts on a terminal, or makes a line of its own.
pub fn assert_text_is_data(done: &Finished) {
    let text = format!("{}{}", done.stdout, done.stderr);
    let acts = |character: char| escape::is_control(character) && !matches!(character, '\n' | '\t');
    assert!(!text.contains(acts), "{text:?}");
    assert!(!text.lines().any(|line| line.starts_with("NOTHING BREAKS")), "{text}");
    assert!(!text.lines().any(|line| line.starts_with(['=', '@'])), "{text}");
}

/// Asserts that a document for another program holds names as data.
pub fn assert_document_is_data(done: &Finished, format: &str) {
    let acts = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    assert!(!done.stdout.contains(acts), "{format}: {:?}", done.stdout);
    match format {
        "html" => assert!(!done.stdout.contains("<img src=x"), "{done}"),
        "junit" => drop(quick_junit::Report::deserialize_from_str(&done.stdout).unwrap()),
        _ => drop(serde_json::from_str::<serde_json::Value>(&done.stdout).unwrap()),
    }
}

/// Formats of documents for other programs.
pub const DOCUMENTS: [&str; 4] = ["html", "sarif", "junit", "json"];

/// Documents for other programs hold names as data: in HTML, XML and JSON.
fn check_documents(workspace: &Workspace, server: &Server, to: &[&str]) {
    for format in DOCUMENTS {
        let option = format!("--format={format}");
        for words in [&["audit", "--schema=d"][..], &[&["preflight"][..], to].concat()] {
            let done = weigh(workspace, server, &[words, &[&option]].concat());
            assert!(matches!(done.code, Some(0 | 1)), "{words:?} {format}: {done}");
            assert_document_is_data(&done, format);
        }
    }
}

/// Runs the plan as a client reads it, and its shell lines with empty programs.
fn run_plan(workspace: &Workspace, server: &Server, conn: &mut Conn) {
    let done = weigh(
        workspace,
        server,
        &["preflight", "--schema=d", "--to=utf8mb4_unicode_ci", "--trial=none", "--all-columns"],
    );
    let mut folders = find_by_prefixes(workspace.root(), &["weigh-results", "2"]);
    folders.sort_by_key(|folder| fs::metadata(folder).unwrap().modified().unwrap());
    let folder = folders.pop().unwrap_or_else(|| panic!("no plan: {done}"));
    let [script, tools] = ["plan.sql", "plan-online.sh"].map(|name| fs::read_to_string(folder.join(name)).unwrap());
    for (_, statement) in sql::split_statements(&script, SqlMode::default()) {
        let _ = conn.query_drop(statement);
    }
    assert_eq!(count_schemas(conn, "victim"), 1);
    let commands: String = tools
        .lines()
        .map(|line| line.trim_start_matches("# "))
        .filter(|line| line.starts_with("gh-ost") || line.starts_with("pt-"))
        .map(|line| format!("{line}\n"))
        .collect();
    // No command has a name with control characters or with marks that reorder text.
    let has_command = |name: &&&str| !name.contains(|one: char| one.is_control() || one == '\u{202e}');
    assert_eq!(commands.lines().count(), 2 * NAMES.iter().filter(has_command).count());
    let work = workspace.root().join("work");
    fs::create_dir(&work).unwrap();
    let script = format!("gh-ost() {{ :; }}\npt-online-schema-change() {{ :; }}\n{commands}");
    let run = std::process::Command::new("bash").args(["-c", &script]).current_dir(&work).output().unwrap();
    assert!(run.status.success() && run.stderr.is_empty(), "{run:?}");
    assert_eq!(fs::read_dir(&work).unwrap().count(), 0);
}

fn write_workload(root: &Path, definition: &str, statement: &str) {
    fs::create_dir_all(root.join("statements")).unwrap();
    fs::write(root.join("workload.toml"), "format = 1\n").unwrap();
    fs::write(root.join("schema.sql"), format!("CREATE TABLE t (id INT PRIMARY KEY);\n{definition};\n")).unwrap();
    fs::write(root.join("statements/s.sql"), statement).unwrap();
}

#[test]
fn workloads_that_leave_their_schema_are_refused() {
    let workspace = Workspace::new();
    let own = "SELECT id FROM t";
    for (definition, statement) in [
        ("ALTER DATABASE other CHARACTER SET utf8mb4", own),
        ("CREATE /*!50000 USER evil */ /*!999999 TABLE x (a INT) */", own),
        ("CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW CALL other.p()", own),
        ("CREATE VIEW v AS SELECT id FROM t", "SELECT 1 FROM t INTO /*!50000 OUTFILE '/tmp/x' */"),
        ("CREATE VIEW v AS SELECT id FROM t", "SELECT id FROM t PARTITION (p0), other.t"),
        ("CREATE VIEW v AS SELECT id FROM t", "SELECT `sleep`(100) FROM t"),
        ("CREATE TABLE mid (a INT)", "INSERT INTO mid (SELECT a AS other FROM other.t)"),
        ("CREATE FUNCTION e() RETURNS INT RETURN 1", "SELECT id FROM t e WHERE sleep 1.e(1)"),
        ("CREATE VIEW v AS SELECT id FROM t", "SELECT s.k FROM t other JOIN t `where` ON where.id = 1, other.t s"),
        ("CREATE VIEW v AS SELECT id FROM t", "SELECT id FROM t AS other JOIN t u ON VALUES(id) IS NULL, other.t"),
        ("CREATE PROCEDURE p() SQL SECURITY INVOKER SET GLOBAL max_connections = 77", own),
        (
            "DELIMITER ;;\nCREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION \
             SET GLOBAL max_connections = 77; SIGNAL SQLSTATE '45000'; END;;\nDELIMITER ",
            own,
        ),
    ] {
        write_workload(&workspace.root().join("w"), definition, statement);
        let done = workspace.wait_for_end(workspace.weigh(&["workload", "check", "w"]).spawn().unwrap());
        assert_eq!(done.code, Some(1), "{definition} {statement}: {done}");
        assert!(done.stdout.contains("error: "), "{done}");
        workspace
            .wait_for_end(
                workspace.weigh(&["workload", "compare", "w", "--collation=as-is,utf8mb4_bin"]).spawn().unwrap(),
            )
            .refuses_with(&["can't be run"]);
    }
}

/// Servers read the bytes of the session's character set: U+00A5 is sent as a backslash by other
/// tables than theirs, U+00A0 is white space in latin1.
#[test]
fn workloads_in_other_charsets_have_one_reading() {
    let workspace = Workspace::new();
    let root = workspace.root().join("w");
    let out_of_quotes =
        |sign: &str| format!("UPDATE t JOIN (SELECT '{sign}' AS x) y SET t.id=' AS x) y JOIN other.t o SET o.k=0 -- '");
    let (yen, tie) = (out_of_quotes("\u{a5}"), out_of_quotes("\u{7e17}"));
    let white_space =
        "UPDATE t JOIN (SELECT id AS b, 1 --\u{a0}x' \n k FROM t) y JOIN other.t o SET o.k=0 -- ' FROM t) y SET t.id=1";
    for (charset, statement, value) in [
        ("sjis", yen.as_str(), None),
        ("cp932", &yen, None),
        ("ujis", &yen, None),
        ("gb2312", &tie, None),
        ("latin1", white_space, None),
        ("sjis", "SELECT id FROM t WHERE id = :v", Some("\u{a5}' UNION SELECT k FROM other.t -- ")),
        ("gb2312", "SELECT id FROM t WHERE id = :v", Some("\u{7e17}' UNION SELECT k FROM other.t -- ")),
    ] {
        write_workload(&root, "CREATE VIEW v AS SELECT id FROM t", statement);
        let session = format!("format = 1\n[session]\ncharset = '{charset}'\nsql_mode = ''\n");
        fs::write(root.join("workload.toml"), session).unwrap();
        let samples = root.join("statements/s.csv");
        match value {
            Some(value) => fs::write(&samples, format!("v\n{value}\n")).unwrap(),
            None => drop(fs::remove_file(&samples)),
        }
        let done = workspace.wait_for_end(workspace.weigh(&["workload", "check", "w"]).spawn().unwrap());
        assert_eq!(done.code, Some(1), "{charset} {statement}: {done}");
        assert!(done.stdout.contains("error: "), "{done}");
    }
}

/// Pieces of statements that a generator puts together.
const PIECES: [&str; 93] = [
    "other.t",
    "`other`.`t`",
    "other . t",
    "(other.t)",
    "(other.t o)",
    "t",
    "t o",
    "t other",
    "t AS `other`",
    "other",
    "o",
    "k",
    "a",
    "other.k",
    "o.k",
    "other.t.k",
    "*",
    "o.*",
    "other.t.*",
    ",",
    "(",
    ")",
    "JOIN",
    "LEFT JOIN",
    "STRAIGHT_JOIN",
    "ON 1",
    "USING (a)",
    "PARTITION (p0)",
    "FOR UPDATE",
    "USE INDEX FOR ORDER BY (k)",
    "WHERE 1",
    "GROUP BY 1",
    "UNION SELECT k FROM",
    "FROM",
    "SELECT",
    "SELECT k FROM",
    "IN (SELECT k FROM",
    "EXISTS (SELECT 1 FROM",
    "LATERAL",
    "TABLE",
    "WITH x AS (SELECT k FROM",
    "/*!50000",
    "/*!80000",
    "/*M!100000",
    "*/",
    "/* x */",
    "-- x\n",
    "'x'",
    "\"x\"",
    "\"",
    "'",
    "\\",
    "`",
    "AS",
    "offset",
    "window",
    "INTO",
    "SET k = (SELECT k FROM",
    "NEXT VALUE FOR other.s",
    "DEFAULT(other.k)",
    "LIMIT 1",
    "HAVING 1",
    "DUAL",
    ";",
    "DROP DATABASE other",
    "UPDATE other.t SET k = 1",
    "DROP TABLE t",
    "SET @@global.sort_buffer_size = 65536",
    "--\x7f",
    "--\x7f'\n",
    "--\x01",
    "-- '\0",
    "\x0b",
    "\u{a0}",
    "/*!999999",
    "/*M!999999",
    "/*",
    "JOIN t `where`",
    "ON where.a = 1",
    "`order`",
    "order.a",
    "ON VALUES(a) IS NULL",
    "ON VALUES(a)",
    "VALUES(a)",
    ", other.t AS s",
    "mid (SELECT a AS other, k FROM",
    "TRIM(",
    "mid(k FROM 1)",
    "QUALIFY",
    "1.e",
    "other 1.e.f 1.e()",
    ".1E+(",
    ".t",
];

const BEGINNINGS: [&str; 14] = [
    "INSERT INTO `mid` (SELECT a AS other, k FROM",
    "INSERT INTO `mid` ((SELECT 1, 2) UNION SELECT a AS other, k FROM",
    "SELECT s.k FROM t other JOIN t `where`",
    "UPDATE t AS other JOIN t u",
    "SELECT k FROM",
    "SELECT k FROM t o",
    "SELECT (SELECT k FROM t)",
    "UPDATE t",
    "DELETE FROM",
    "DELETE",
    "INSERT INTO",
    "INSERT INTO t SELECT a, k FROM",
    "/*!80000 SELECT k FROM t */",
    "/*!50000 SELECT k FROM t */",
];

fn generate(random: &mut Xoshiro256PlusPlus) -> String {
    let mut pick = |count: usize| (random.next_u64() % count as u64) as usize;
    let mut text = BEGINNINGS[pick(BEGINNINGS.len())].to_owned();
    for _ in 0..=pick(6) {
        text += if pick(12) == 0 { "" } else { " " };
        text += PIECES[pick(PIECES.len())];
    }
    text += &")".repeat(text.matches('(').count().saturating_sub(text.matches(')').count()));
    text
}

/// Returns texts in which a comment begins or ends for the tokenizer, or does not.
fn comments_to_try() -> Vec<String> {
    // A line feed would end the comment at once.
    let bytes = (1..=0x7F_u8).filter(|byte| *byte != b'\n');
    let mut texts: Vec<String> = bytes.map(|byte| format!("SELECT 1 --{}2 '\n", char::from(byte))).collect();
    for mark in ["/*", "/*!999999"] {
        for inner in ["'", "/* */ '", "/* /* */", "/* /* */ */", "/* a */ /* b */ '", "/*/ '", "/*/ ' */", "'/*' */"] {
            texts.push(format!("SELECT 1 {mark} {inner} */ AS k"));
        }
    }
    texts
}

/// The tokenizer finds the same comments as servers.
#[test]
fn comments_begin_and_end_where_servers_end_them() {
    for name in ["mysql@5.6", "mysql@sid", "mariadb"] {
        let server = start(name);
        let mut conn = server.connect().unwrap();
        for text in comments_to_try() {
            let taken = conn.query_first::<f64, _>(&text).is_ok_and(|value| value == Some(1.0));
            let tokens: Vec<_> = sql::tokenize(&text, SqlMode::default()).collect();
            let is_comment = |token: &sql::Token<'_>| token.kind == sql::TokenKind::Comment;
            let rest: Vec<&str> = tokens.iter().filter(|token| !is_comment(token)).map(|token| token.text).collect();
            let is_read = tokens.iter().all(|token| token.is_closed)
                && matches!(rest[..], ["SELECT", "1"] | ["SELECT", "1", "AS", "k"]);
            assert_eq!(is_read, taken, "{name}: {text:?}");
        }
        server.stop().unwrap();
    }
}

fn fuzz_seconds() -> u64 {
    std::env::var("WEIGH_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(8)
}

/// Statements that pass the check bring no row out of another schema, and change none. Takes
/// `WEIGH_FUZZ_SECONDS` per server, 8 by default.
fn try_statements(name: &str) {
    let server = start(name);
    let mut conn = server.connect().unwrap();
    for statement in [
        "CREATE DATABASE other",
        "CREATE TABLE other.t (a INT, k VARCHAR(30))",
        "INSERT INTO other.t VALUES (7, 'other-secret')",
        "CREATE DATABASE weigh_own",
        "USE weigh_own",
        "CREATE TABLE t (a INT, k VARCHAR(30), KEY (k)) PARTITION BY HASH (a) PARTITIONS 2",
        "INSERT INTO t VALUES (1, 'own')",
        "CREATE TABLE `mid` (a INT, k VARCHAR(30))",
    ] {
        conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    let seconds = fuzz_seconds();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seconds);
    let (mut tried, mut passed, mut taken) = (0_u64, 0_u64, 0_u64);
    // On a busy machine, the loop goes on until the server has accepted six statements.
    while Instant::now() < end || (taken <= 5 && tried < 1_000_000) {
        let text = generate(&mut random);
        tried += 1;
        if workload_folder::check_scope(&text, SqlMode::default(), &HashSet::new()).is_err() {
            continue;
        }
        passed += 1;
        conn.query_drop("START TRANSACTION").unwrap();
        if let Ok(rows) = conn.query::<mysql::Row, _>(&text) {
            taken += 1;
            assert!(!format!("{rows:?}").contains("other-secret"), "{name}: {text}");
        }
        let query = "SELECT GROUP_CONCAT(a, k) FROM other.t UNION ALL SELECT SUM(k LIKE 'other%') \
                     FROM (SELECT k FROM t UNION ALL SELECT k FROM `mid`) d";
        let state: Vec<Option<String>> = conn.query(query).unwrap();
        assert_eq!(state[0].as_deref(), Some("7other-secret"), "{name}: {text}");
        assert!(matches!(state[1].as_deref(), None | Some("0")), "{name}: {text}");
        conn.query_drop("ROLLBACK").unwrap();
    }
    println!("{name}: {tried} statements, {passed} passed the check, the server took {taken}");
    assert!(taken > 5, "{name}: of {tried} statements {passed} passed, the server took only {taken}");
    server.stop().unwrap();
}

#[test]
fn statements_that_pass_the_check_stay_in_their_schema_on_mariadb() {
    try_statements("mariadb");
}

#[test]
fn statements_that_pass_the_check_stay_in_their_schema_on_mysql() {
    try_statements("mysql@sid");
}

/// Routines with `@` where a statement can begin. Loops have two ends, so that a changed word does
/// not make them endless.
const BODIES: [&str; 20] = [
    "() @",
    "() SQL SECURITY INVOKER @",
    "(IN s VARCHAR(9) CHARACTER SET latin1) NOT DETERMINISTIC COMMENT 'x' @",
    "() BEGIN @; END",
    "() l:BEGIN @; @; END l",
    "() IF 1 THEN @; END IF",
    "() IF CASE 1 WHEN 1 THEN 2 ELSE 3 END THEN @; ELSE @; END IF",
    "() IF (SELECT case.a FROM t AS `case`) THEN @; ELSEIF 1 THEN @; END IF",
    "() CASE 1 WHEN 1 THEN @; ELSE @; END CASE",
    "() CASE WHEN (SELECT CASE WHEN 1 THEN 1 END) THEN @; END CASE",
    "() l: LOOP @; LEAVE l; LEAVE l; END LOOP",
    "() REPEAT @; UNTIL 1 END REPEAT",
    "() BEGIN DECLARE do INT DEFAULT 1; WHILE 0 + do DO @; SET do = 0; SET do = 0; END WHILE; END",
    "() BEGIN DECLARE end INT DEFAULT 1; IF CASE WHEN end THEN 1 ELSE end END THEN @; END IF; END",
    "() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION @; SIGNAL SQLSTATE '45000'; END",
    "() BEGIN DECLARE EXIT HANDLER FOR NOT FOUND, 1051 @; SIGNAL SQLSTATE '02000'; END",
    "() BEGIN DECLARE after CONDITION FOR SQLSTATE '45000'; DECLARE EXIT HANDLER FOR after @; SIGNAL after; END",
    "() BEGIN DECLARE `close` CONDITION FOR SQLSTATE '45000'; DECLARE EXIT HANDLER FOR close @; SIGNAL close; END",
    "() BEGIN BEGIN DECLARE max_connections INT; @; END; @; END",
    "() BEGIN DECLARE a, b INT DEFAULT CASE WHEN 1 THEN 2 END; DECLARE c CURSOR FOR SELECT k FROM t; @; END",
];

const BODY_STATEMENTS: [&str; 14] = [
    "SET GLOBAL max_connections = 77",
    "SET @a = 1, GLOBAL max_connections = 77",
    "SET @@global.max_connections = 77",
    "SET max_connections = 77",
    "UPDATE (t AS other, other.t AS s) SET s.k = 'x'",
    "UPDATE t AS other JOIN t `where` ON where.a = 1, other.t AS s SET s.k = 'x'",
    "INSERT /*+ QB_NAME(x) */ INTO other.t VALUES ((SELECT 1 FROM t AS other), 'x')",
    "UPDATE t SET a = CASE WHEN 1 THEN 2 ELSE 3 END",
    "SET @a = 1",
    "SELECT k FROM t",
    "DO 1",
    "IF 1 THEN SET GLOBAL max_connections = 77; END IF",
    "BEGIN END",
    "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'x'",
];

/// Words that are put into a body, or take the place of one of its words.
const BODY_WORDS: [&str; 26] = [
    "IF", "THEN", "ELSE", "END", "end", "CASE", "WHEN", "DO", "do", "BEGIN", ";", "SET", "GLOBAL", "UPDATE", "after",
    "l:", "REPEAT", "UNTIL", "LOOP", "(", ")", "x", ".", "/*!50000", "*/", "SQL",
];

fn generate_body(random: &mut Xoshiro256PlusPlus) -> String {
    let mut pick = |count: usize| (random.next_u64() % count as u64) as usize;
    let mut body = BODIES[pick(BODIES.len())].to_owned();
    while body.contains('@') {
        let statement = BODY_STATEMENTS[pick(BODY_STATEMENTS.len())].replace('@', "\u{1}");
        body = body.replacen('@', &statement, 1);
    }
    let body = body.replace('\u{1}', "@");
    let mut words: Vec<&str> = body.split(' ').collect();
    for _ in 0..pick(3) {
        let (at, word) = (1 + pick(words.len() - 1), BODY_WORDS[pick(BODY_WORDS.len())]);
        match pick(3) {
            0 => words.insert(at, word),
            1 => words[at] = word,
            _ => drop(words.remove(at)),
        }
    }
    format!("CREATE PROCEDURE p{}", words.join(" "))
}

/// Routines that pass the check change no setting of the server and no other schema.
fn try_programs(name: &str) {
    let server = start(name);
    let mut conn = server.connect().unwrap();
    for statement in [
        "CREATE DATABASE other",
        "CREATE TABLE other.t (a INT, k VARCHAR(30))",
        "INSERT INTO other.t VALUES (7, 'other-secret')",
        "CREATE DATABASE weigh_own",
        "USE weigh_own",
        "CREATE TABLE t (a INT, k VARCHAR(30))",
        "INSERT INTO t VALUES (1, 'own')",
        "SET GLOBAL max_connections = 99",
    ] {
        conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    let end = Instant::now() + Duration::from_secs(fuzz_seconds());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(fuzz_seconds());
    let (mut tried, mut passed, mut taken) = (0_u64, 0_u64, 0_u64);
    while Instant::now() < end || (taken <= 5 && tried < 100_000) {
        let text = generate_body(&mut random);
        tried += 1;
        let schema = format!("CREATE TABLE t (a INT);\nDELIMITER ;;\n{text};;\n");
        if !workload_folder::SchemaSql::parse(&schema).1.is_empty() {
            continue;
        }
        passed += 1;
        conn.query_drop("DROP PROCEDURE IF EXISTS p").unwrap();
        if conn.query_drop(&text).is_err() {
            continue;
        }
        taken += 1;
        // Called without arguments, or not at all.
        let _ = conn.query_drop("CALL p()");
        let query = "SELECT CONCAT(@@global.max_connections, GROUP_CONCAT(a, k)) FROM other.t";
        let state: Option<String> = conn.query_first(query).unwrap();
        assert_eq!(state.as_deref(), Some("997other-secret"), "{name}: {text}");
    }
    println!("{name}: {tried} routines, {passed} passed the check, the server took {taken}");
    assert!(taken > 5, "{name}: of {tried} routines {passed} passed, the server took only {taken}");
    server.stop().unwrap();
}

#[test]
fn programs_that_pass_the_check_change_no_server_on_mariadb() {
    try_programs("mariadb");
}

#[test]
fn programs_that_pass_the_check_change_no_server_on_mysql() {
    try_programs("mysql@sid");
}

/// Statements and routines that pass the check stay in their schema on older servers, too, which
/// skip numbers such as `1.e`.
#[test]
fn statements_and_programs_stay_in_their_schema_on_older_servers() {
    for name in ["mysql@5.6", "mysql@8.0", "mariadb@10.2"] {
        try_statements(name);
        try_programs(name);
    }
}
