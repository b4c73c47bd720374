//! `weigh upgrade` on real servers: dumps that are rewritten, running servers that are compared,
//! and a large dump.

use std::fmt::Write as _;
use std::fs;
use std::thread;
use std::time::Duration;

use mysql::prelude::Queryable;
use serde_json::Value;
use server::{Address, Conn, NoProgress, Options, Server, open};

use crate::workspace::{Finished, Workspace};

fn start(name: &str) -> Server {
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
    open(&name.parse().unwrap(), &options, &NoProgress).unwrap()
}

fn load(conn: &mut Conn, text: &str) {
    for (_, statement) in sql::split_statements(text, sql::SqlMode::default()) {
        conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

fn upgrade(workspace: &Workspace, words: &[&str]) -> Finished {
    workspace.wait_for_end(workspace.weigh(&[&["upgrade"], words].concat()).spawn().unwrap())
}

/// Joins the lines of a text.
fn unwrap(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn json(finished: &Finished) -> Value {
    let report: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished}"));
    let schema = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/upgrade.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let faults: Vec<String> = schema.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    report
}

/// As mysqldump of MySQL 8 writes it, with bytes that are no UTF-8.
const DUMP: &[u8] = b"/*!40101 SET NAMES utf8mb4 */;\n\
    CREATE USER app1@'%' IDENTIFIED BY 'x';\n\
    CREATE ROLE reader;\n\
    /*!40101 SET @saved_cs_client = @@character_set_client */;\n\
    CREATE TABLE `parts` (`id` int NOT NULL, `code` varchar(20) COLLATE utf8mb4_0900_as_cs DEFAULT NULL, `raw` varbinary(9) DEFAULT NULL, PRIMARY KEY (`id`), UNIQUE KEY `code` (`code`)) \
    ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;\n\
    INSERT INTO `parts` VALUES (1,'a;',_binary '\xff\xfe'),(2,'A;',NULL);\n\
    /*!50003 SET collation_connection = utf8mb4_0900_ai_ci */;\n\
    DELIMITER ;;\n\
    /*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `x` BEFORE INSERT ON `parts` FOR EACH ROW BEGIN SET NEW.code = TRIM(NEW.code); SET NEW.raw = NULL; END */;;\n\
    DELIMITER ;\n";

#[test]
fn a_dump_is_rewritten_for_the_new_server() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("old.sql"), DUMP).unwrap();
    let words = ["--dump=old.sql", "--from=mysql@8.0", "--to=mariadb", "--rewrite=new.sql"];
    let report = json(&upgrade(&workspace, &[&words[..], &["--format=json"]].concat()));
    let rewritten = &report["rewritten"];
    assert_eq!(rewritten["left"], serde_json::json!([]), "{report:#}");
    let what: Vec<&str> =
        rewritten["changes"].as_array().unwrap().iter().map(|one| one["what"].as_str().unwrap()).collect();
    assert!(what.iter().any(|what| what.contains("utf8mb4_0900_as_cs → utf8mb4_uca1400_nopad_as_cs")), "{report:#}");
    let effects = rewritten["effects"].to_string();
    assert!(effects.contains("in place of utf8mb4_0900_ai_ci: "), "{report:#}");

    // The rewritten file loads by itself, with its bytes and its trigger.
    let text = fs::read(workspace.root().join("new.sql")).unwrap();
    assert!(text.windows(2).any(|two| two == b"\xff\xfe"));
    let server = start("mariadb");
    let mut conn = server.connect().unwrap();
    conn.query_drop("CREATE DATABASE app").unwrap();
    conn.query_drop("USE app").unwrap();
    load(&mut conn, &String::from_utf8_lossy(&text));
    let collation: Option<String> = conn
        .query_first(
            "SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'app' AND COLUMN_NAME = 'code'",
        )
        .unwrap();
    assert_eq!(collation.as_deref(), Some("utf8mb4_uca1400_nopad_as_cs"));
    conn.query_drop("INSERT INTO parts VALUES (3, ' b ', 'x')").unwrap();
    let code: Option<String> = conn.query_first("SELECT code FROM parts WHERE id = 3").unwrap();
    assert_eq!(code.as_deref(), Some("b"));
    server.stop().unwrap();

    let text = upgrade(&workspace, &words);
    let unwrapped = unwrap(&text.stdout);
    assert!(unwrapped.contains("It was loaded into the new server without an error."), "{text}");
    upgrade(&workspace, &["--from=mysql@8.0", "--to=mariadb", "--rewrite=new.sql"]).refuses_with(&["--dump"]);
    let words = ["--dump=old.sql", "--from=mysql@8.0", "--to=mariadb", "--rewrite=old.sql"];
    upgrade(&workspace, &words).refuses_with(&["cannot write old.sql", "weigh did not write it"]);
    assert_eq!(fs::read(workspace.root().join("old.sql")).unwrap(), DUMP);
}

/// Rows as mysqldump writes them without `--hex-blob`. MySQL 8.0 reserves `groups`.
const ROWS: &[u8] = b"SET NAMES utf8mb4;\n\
    CREATE TABLE visits (id binary(16) NOT NULL, groups int, place point, raw blob, PRIMARY KEY (id));\n\
    INSERT INTO visits (id, groups, place, raw) VALUES \
    (_binary '\x80\x81\x82\x83\xc3\xa4\xf4\x8f\xbe\x80\xff\xfe\xfd\xfc\xfb\xfa',1,\
    _binary '\\0\\0\\0\\0\x01\x01\\0\\0\\0\\0\\0\\0\\0\\0\\0\xf0?\\0\\0\\0\\0\\0\\0\\0@',_binary '\xff\xd8\n\xff\xe0');\n";

/// The rows arrive on both servers and in the rewritten dump, also in a mended statement.
#[test]
fn a_dump_reaches_the_servers_byte_by_byte() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("rows.sql"), ROWS).unwrap();
    let again = "INSERT INTO visits (id) SELECT id FROM visits WHERE ST_X(place) = 1 AND HEX(raw) = 'FFD80AFFE0' \
                 AND HEX(id) = '80818283C3A4F48FBE80FFFEFDFCFBFA'";
    fs::write(workspace.root().join("app.sql"), again).unwrap();
    let words = ["--dump=rows.sql", "--sql=app.sql", "--from=mysql@5.7", "--to=mysql@sid"];
    let report = json(&upgrade(&workspace, &[&words[..], &["--rewrite=new.sql", "--format=json"]].concat()));
    let notes = report["notes"].to_string();
    assert_eq!(notes.matches("1062: Duplicate entry").count(), 2, "{report:#}");
    assert_eq!(report["rewritten"]["left"], serde_json::json!([]), "{report:#}");
    let findings = report["findings"].to_string();
    assert!(findings.contains("shown here as U+FFFD") && !findings.contains("1406"), "{report:#}");
    let text = fs::read(workspace.root().join("new.sql")).unwrap();
    for bytes in [&b"\xf4\x8f\xbe\x80\xff\xfe\xfd"[..], b"'\xff\xd8\n\xff\xe0')"] {
        assert!(text.windows(bytes.len()).any(|own| own == bytes), "{}", String::from_utf8_lossy(&text));
    }
    // Rows are shown by their beginning, in the statement and in the mend.
    let text = upgrade(&workspace, &words).stdout;
    assert_eq!(text.matches("… (--format json has more)\n").count(), 2, "{text}");
}

/// An account with SELECT only sees no programs: the report names them, and gives no all-clear.
#[test]
fn what_the_account_may_not_see_is_named() {
    let server = start("mysql@5.7");
    let mut conn = server.connect().unwrap();
    load(
        &mut conn,
        "CREATE DATABASE shop CHARACTER SET latin1; CREATE TABLE shop.t (id INT PRIMARY KEY);
         CREATE PROCEDURE shop.p() SELECT 1; CREATE USER reader@localhost; GRANT SELECT ON shop.* TO reader@localhost",
    );
    let Address::Socket(socket) = &server.endpoint().address else { panic!() };
    let from = |user: &str| format!("--from=u={user},S={}", socket.display());
    let workspace = Workspace::new();
    let finished = upgrade(&workspace, &[&from("reader"), "--schema=shop", "--to=mysql@8.0"]);
    let text = unwrap(&finished.stdout);
    let first = "Nothing that was tried breaks, gets slower or differs, but the account may not see events of shop, \
                 stored routines of shop, triggers of shop.";
    assert!(text.starts_with(first) && finished.code == Some(2), "{finished}");
    assert!(
        text.contains("stored routines of shop: the account 'reader'@'localhost' lacks SELECT (GRANT"),
        "{finished}"
    );
    upgrade(&workspace, &[&from("root"), "--schema=shopp", "--to=mysql@8.0"]).refuses_with(&["shopp", "shop"]);
    server.stop().unwrap();
}

/// Returns the findings as `FIELD place: what`.
fn describe_findings(report: &Value, field: &str) -> Vec<String> {
    let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    let describe = |one: &Value| format!("{} {}: {}", text(one, field), text(one, "place"), text(one, "what"));
    report["findings"].as_array().unwrap().iter().map(describe).collect()
}

/// MySQL 5.7 starts with this file. MySQL 8.0 has no query cache, and no mode NO_AUTO_CREATE_USER.
const OPTION_FILE: &str = "[client]\nport = 3306\n\n[mysqld]\nquery_cache_size = 1M\nmax_connections = 300\n\
    innodb-file-format=Barracuda\nsql_mode = NO_AUTO_CREATE_USER,STRICT_TRANS_TABLES\nloose-old = 1\n";

#[test]
fn options_that_the_new_server_lacks_are_findings() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("my.cnf"), OPTION_FILE).unwrap();
    fs::write(workspace.root().join("schema.sql"), "CREATE TABLE t (id INT PRIMARY KEY);").unwrap();
    let words = ["--dump=schema.sql", "--from=mysql@5.7", "--to=mysql@8.0"];
    let with_file = [&words[..], &["--my-cnf=my.cnf"]].concat();
    let finished = upgrade(&workspace, &[&with_file[..], &["--format=json"]].concat());
    assert_eq!(finished.code, Some(1), "{finished}");
    let report = json(&finished);
    let findings = describe_findings(&report, "area");
    assert_eq!(findings.len(), 3, "{findings:#?}");
    for (line, name) in [(5, "query_cache_size"), (7, "innodb_file_format"), (8, "sql_mode")] {
        let place = format!("option my.cnf:{line}: ");
        let is_named = |finding: &&String| finding.starts_with(&place) && finding.contains(name);
        assert_eq!(findings.iter().filter(is_named).count(), 1, "{place}{name}: {findings:#?}");
    }
    let unchecked = |report: &Value| report["unchecked"].to_string();
    assert!(unchecked(&report).contains("accounts") && !unchecked(&report).contains("--my-cnf"), "{report:#}");
    let text = upgrade(&workspace, &with_file).stdout;
    assert_eq!(text.matches("Not checked: ").count(), 1, "{text}");
    let unwrapped = unwrap(&text);
    for part in [
        "3 things break.",
        "Nothing takes its place: MySQL 8.0 and later have no query cache.",
        "In its place: sql_mode = STRICT_TRANS_TABLES; ",
        "1 statement to load the schema (1 table, no other object), no statement of the application, no setting.",
        "Upgrade in place: MySQL goes from 5.7 to 8.0 in one step.",
        "No setting was tried: ",
    ] {
        assert!(unwrapped.contains(part), "{part}: {text}");
    }

    fs::write(workspace.root().join("app.sql"), "SELECT VERSION(), id FROM t;").unwrap();
    let finished = upgrade(&workspace, &[&words[..], &["--sql=app.sql", "--format=json"]].concat());
    assert_eq!(finished.code, Some(0), "{finished}");
    let unchecked = unchecked(&json(&finished));
    assert!(unchecked.contains("no --my-cnf") && unchecked.contains("answers of 1 statement"), "{finished}");
}

/// Results of `COLLATION(x)` depend on the text and are compared. Results of `VERSION()` are not.
#[test]
fn what_was_tried_is_counted_and_the_rest_is_named() {
    let workspace = Workspace::new();
    let schema = "CREATE TABLE t (id INT PRIMARY KEY, code VARCHAR(9)) CHARACTER SET utf8mb4; \
                  INSERT INTO t VALUES (1, 'a'); CREATE VIEW v AS SELECT id FROM t;";
    fs::write(workspace.root().join("schema.sql"), schema).unwrap();
    let statements = "SELECT CHARSET(code), COLLATION(code) FROM t; SELECT VERSION();";
    fs::write(workspace.root().join("app.sql"), statements).unwrap();
    let words = ["--dump=schema.sql", "--from=mysql@5.7", "--to=mysql@sid"];
    let report = json(&upgrade(&workspace, &[&words[..], &["--sql=app.sql", "--format=json"]].concat()));
    let tried =
        serde_json::json!({"servers": 2, "schema_statements": 3, "tables": 1, "other_objects": 1, "statements": 2});
    assert_eq!(report["tried"], tried, "{report:#}");
    assert_eq!(report["in_place"], serde_json::json!(["5.7", "8.0", "8.4", "9.7"]), "{report:#}");
    let findings = describe_findings(&report, "area");
    let differs = "statement app.sql:1: returns different rows: its row is (utf8mb4, utf8mb4_general_ci) on the old server, and \
                   (utf8mb4, utf8mb4_0900_ai_ci) on the new one";
    assert!(findings.iter().any(|finding| finding == differs), "{findings:#?}");
    assert!(report["unchecked"].to_string().contains("answers of 1 statement about the server itself"), "{report:#}");
    assert!(!report["settings"]["tried"].as_array().unwrap().is_empty(), "{report:#}");
    let phases: Vec<&str> =
        report["phases"].as_array().unwrap().iter().map(|phase| phase["name"].as_str().unwrap()).collect();
    assert_eq!(phases, ["starts", "the old server", "the new server", "settings", "replication", "ends"]);

    fs::write(workspace.root().join("schema.sql"), "CREATE TABLE t (id INT PRIMARY KEY, rank INT);").unwrap();
    let text = upgrade(&workspace, &words);
    let unwrapped = unwrap(&text.stdout);
    for part in [
        "1 thing breaks; the ",
        "Upgrade in place: MySQL takes one bugfix or LTS series after the other (its manual, Upgrade Paths): 5.7 → 8.0 → 8.4 → 9.7.",
        "Rehearsed again with default_collation_for_utf8mb4 = utf8mb4_general_ci",
        "as much was found.",
        " s: starts ",
    ] {
        assert!(unwrapped.contains(part), "{part}: {text}");
    }
}

#[test]
fn statements_that_end_the_server_are_left_out() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("schema.sql"), "CREATE TABLE t (id INT PRIMARY KEY); RESTART;").unwrap();
    let migration = "ALTER TABLE t ADD name VARCHAR(9);\n/* done */ SHUTDOWN;";
    fs::write(workspace.root().join("one.sql"), migration).unwrap();
    fs::write(workspace.root().join("two.sql"), "ALTER TABLE t ADD rank INT;").unwrap();
    let words =
        ["--dump=schema.sql", "--migrations=one.sql", "--migrations=two.sql", "--from=mysql@5.7", "--to=mysql@sid"];
    let report = json(&upgrade(&workspace, &[&words[..], &["--format=json"]].concat()));
    let notes = report["notes"].to_string();
    for part in ["schema.sql:1: left out of the private copy, as it ends the server: RESTART", "one.sql:2: left out"] {
        assert!(notes.contains(part), "{part}: {report:#}");
    }
    assert!(report["findings"].to_string().contains("two.sql:1"), "{report:#}");
}

/// A view that the old server refuses, and that the new one takes without an index.
#[test]
fn what_fails_today_is_not_called_slower() {
    let workspace = Workspace::new();
    let rows: Vec<String> = (0..2000).map(|n| format!("({n}, 'c{n}')")).collect();
    let schema = format!(
        "CREATE TABLE a (id INT PRIMARY KEY, x VARCHAR(20), KEY (x)) CHARACTER SET utf8mb4;
         CREATE TABLE b (id INT PRIMARY KEY, y VARCHAR(20), KEY (y)) CHARACTER SET utf8mb4;
         CREATE TABLE c (id INT PRIMARY KEY, z VARCHAR(20), KEY (z)) CHARACTER SET latin1;
         CREATE VIEW v AS SELECT a.id FROM a JOIN b ON a.x = b.y JOIN c ON c.z = a.x WHERE a.id = 1;
         ALTER TABLE b MODIFY y VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci;
         INSERT INTO a VALUES (1, 'x'); INSERT INTO b VALUES (1, 'x'); INSERT INTO c VALUES {};",
        rows.join(",")
    );
    fs::write(workspace.root().join("schema.sql"), schema).unwrap();
    let words = ["--dump=schema.sql", "--from=mariadb@bookworm", "--to=mariadb@trixie"];
    let finished = upgrade(&workspace, &[&words[..], &["--format=json"]].concat());
    let report = json(&finished);
    let findings = describe_findings(&report, "kind");
    let today = "fails_already view app.v: fails on the old server already (Illegal mix of collations";
    assert!(findings.iter().any(|finding| finding.starts_with(today)), "{findings:#?}");
    assert!(!findings.iter().any(|finding| finding.starts_with("slower")), "{findings:#?}");

    // Character sets whose default differs are one fault of replication.
    let text = upgrade(&workspace, &words).stdout;
    assert!(unwrap(&text).starts_with("Nothing breaks, 1 differs, 1 fails today already"), "{text}");
    assert_eq!(unwrap(&text).matches("COLLATE in every definition").count(), 1, "{text}");
    assert!(unwrap(&text).contains("utf8mb4_general_ci instead of utf8mb4_uca1400_ai_ci"), "{text}");
}

/// Functions that MySQL 8.0 removed, in a query, an event and the argument of a CALL.
#[test]
fn every_missing_function_is_named() {
    let workspace = Workspace::new();
    let schema = "CREATE TABLE t (id INT PRIMARY KEY);
        CREATE PROCEDURE p(a TEXT) SELECT a;
        DELIMITER //
        CREATE PROCEDURE q() BEGIN CALL p(ENCRYPT('x')); END//
        CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO BEGIN DELETE FROM t WHERE id = LENGTH(ENCODE('a', 'b')); END//
        DELIMITER ;";
    fs::write(workspace.root().join("schema.sql"), schema).unwrap();
    fs::write(workspace.root().join("app.sql"), "SELECT AsText(POINT(1, 2)), PASSWORD('x'), DECODE('a', 'b') FROM t;")
        .unwrap();
    let words = ["--dump=schema.sql", "--from=mysql@5.7", "--to=mysql@8.0", "--sql=app.sql"];
    let text = unwrap(&upgrade(&workspace, &words).stdout);
    for part in [
        "procedure app.q: loads, and has a statement that the new server refuses when it is run ENCRYPT('x')",
        "event app.e: loads, and has a statement that the new server refuses when it is run DELETE FROM t",
        "The new server has no function ENCRYPT(); in its place: a hash",
        "The new server has no function ENCODE(); in its place: AES_ENCRYPT()",
        "The new server has none of the functions PASSWORD(), ASTEXT(), DECODE(); in place of PASSWORD(): ALTER USER",
        "; in place of ASTEXT(): ST_ASTEXT(); in place of DECODE(): AES_ENCRYPT()",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// A dump that broke off is no schema in which nothing breaks. Of a dump with a schema of its own,
/// the schema for tables without one is not reported.
#[test]
fn a_dump_that_makes_nothing_is_refused() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("empty.sql"), "-- MySQL dump\n/*!40101 SET NAMES utf8mb4 */;\n").unwrap();
    fs::write(workspace.root().join("app.sql"), "SELECT 1 FROM t;").unwrap();
    let pair = ["--from=mysql@sid", "--to=mysql@5.7"];
    upgrade(&workspace, &[&pair[..], &["--dump=empty.sql", "--sql=app.sql"]].concat())
        .refuses_with(&["empty.sql creates no table, view or program on mysql@sid", "no CREATE statement"]);

    let schema = "CREATE DATABASE shop CHARACTER SET latin1; USE shop; CREATE TABLE t (id INT PRIMARY KEY); \
                  CREATE TABLE u (id INT PRIMARY KEY, k INT AS (id), KEY ((id + 1), nothing));";
    fs::write(workspace.root().join("schema.sql"), schema).unwrap();
    let report = json(&upgrade(&workspace, &[&pair[..], &["--dump=schema.sql", "--format=json"]].concat()));
    assert!(!report["findings"].to_string().contains("schema app"), "{report:#}");
    assert!(
        report["unchecked"].to_string().contains("schema.sql:1: the old server refuses the statement: 1072"),
        "{report:#}"
    );
}

const OLD: &str = "\
CREATE DATABASE shop CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci; USE shop;
CREATE TABLE orders (id INT PRIMARY KEY, code VARCHAR(20) NOT NULL, n INT, KEY ix_code (code)) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE TABLE parcels (id INT PRIMARY KEY, code VARCHAR(20) NOT NULL, KEY ix_code (code)) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE PROCEDURE p (x VARCHAR(9)) SELECT x;
INSERT INTO orders VALUES (1, 'straße', 1), (2, 'strasse', 2);
INSERT INTO parcels VALUES (1, 'a');
";

/// Only definitions and the queries' tables are read, in sessions that can't write.
#[test]
fn running_servers_are_compared() {
    let (old, new) = (start("mysql@5.7"), start("mysql@sid"));
    load(&mut old.connect().unwrap(), OLD);
    let changed = OLD
        .replace(
            "n INT, KEY ix_code (code)) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
            "n BIGINT) COLLATE utf8mb4_0900_ai_ci",
        )
        .replace("CREATE PROCEDURE", "ALTER DATABASE shop COLLATE utf8mb4_0900_ai_ci; CREATE PROCEDURE");
    load(&mut new.connect().unwrap(), &changed);
    let workspace = Workspace::new();
    let queries = "SELECT id FROM orders WHERE code = 'strasse' ORDER BY id; SELECT n FROM orders WHERE code = 'x'; \
         SELECT COUNT(*) FROM parcels; DELETE FROM parcels";
    fs::write(workspace.root().join("app.sql"), queries).unwrap();
    let spec = |server: &Server| {
        let Address::Socket(socket) = &server.endpoint().address else { panic!() };
        format!("u=root,S={}", socket.display())
    };
    let (from, to) = (format!("--from={}", spec(&old)), format!("--to={}", spec(&new)));
    let words = ["--live", &from, &to, "--schema=shop", "--sql=app.sql"];
    let finished = upgrade(&workspace, &[&words[..], &["--format=json"]].concat());
    assert_eq!(finished.code, Some(1), "{finished}");
    let report = json(&finished);
    let findings = describe_findings(&report, "kind");
    for part in [
        "slower index shop.orders.ix_code: is missing",
        "differs schema shop: the default collation is utf8mb4_0900_ai_ci",
        "differs column shop.orders.code: the collation is utf8mb4_0900_ai_ci on the new server, and utf8mb4_general_ci",
        "differs column shop.orders.n: is bigint on the new server, and int on the old one",
        "differs procedure shop.p: the collation of parameter x is utf8mb4_0900_ai_ci",
        "differs app.sql:1: returns 1 row on the old server, and 2 on the new one",
        "differs CHARACTER SET utf8mb4 without COLLATE: means utf8mb4_0900_ai_ci",
    ] {
        assert!(findings.iter().any(|finding| finding.starts_with(part)), "{part}: {findings:#?}");
    }
    assert!(!findings.iter().any(|finding| finding.contains("parcels")), "{findings:#?}");
    assert!(report["notes"].to_string().contains("1 statement is no query, and was not run"), "{report:#}");
    let is_lost = |one: &&Value| one["kind"] == "slower" && one["area"] == "statement";
    let lost = report["findings"].as_array().unwrap().iter().find(is_lost).unwrap();
    let reasons = lost["reasons"].to_string();
    assert!(reasons.contains("does not have the index ix_code") && !reasons.contains("utf8mb4"), "{reasons}");
    let rows: Option<u64> = new.connect().unwrap().query_first("SELECT COUNT(*) FROM shop.parcels").unwrap();
    assert_eq!(rows, Some(1));
    let text = upgrade(&workspace, &words);
    let unwrapped = unwrap(&text.stdout);
    for part in ["Read from 2 running servers, ", ": 2 tables, 1 other object, 3 queries of the application."] {
        assert!(unwrapped.contains(part), "{part}: {text}");
    }
    upgrade(&workspace, &["--live", "--from=mysql@5.7", "--to=mysql@sid", "--schema=shop"])
        .refuses_with(&["two running servers"]);
    old.stop().unwrap();
    new.stop().unwrap();
}

/// A schema of 1,000 tables and 200 routines, as an application with a long history has it.
fn large_dump() -> String {
    let mut text = "SET NAMES utf8mb4;\n".to_owned();
    for table in 0..1000 {
        let collation = if table % 10 == 0 { "utf8mb4_unicode_ci" } else { "utf8mb4_general_ci" };
        let _ = writeln!(
            text,
            "CREATE TABLE `t{table}` (`id` int NOT NULL AUTO_INCREMENT, `code` varchar(40) NOT NULL, `name` varchar(100) DEFAULT NULL, \
             `note` text, `created` datetime DEFAULT NULL, `parent` varchar(40) DEFAULT NULL, PRIMARY KEY (`id`), UNIQUE KEY `code` (`code`), \
             KEY `parent` (`parent`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={collation};"
        );
        let _ = writeln!(
            text,
            "INSERT INTO `t{table}` VALUES (1,'a{table}','name','note',NULL,'b'),(2,'b{table}',NULL,NULL,NULL,'a');"
        );
    }
    text += "DELIMITER ;;\n";
    for routine in 0..200 {
        let (one, other) = (routine * 5, (routine * 5 + 7) % 1000);
        let _ = writeln!(
            text,
            "CREATE PROCEDURE `p{routine}` (IN c varchar(40)) BEGIN DECLARE n int; DECLARE v varchar(40) DEFAULT 'x'; \
             SELECT COUNT(*) INTO n FROM `t{one}` a JOIN `t{other}` b ON b.parent = a.code WHERE a.name LIKE CONCAT(c, '%'); \
             IF n > 0 THEN UPDATE `t{one}` SET note = CONCAT(note, v) WHERE code = 'k'; END IF; \
             SELECT id, name FROM `t{other}` WHERE name = 'n' ORDER BY name; END ;;"
        );
    }
    text += "DELIMITER ;\n";
    text
}

/// Largest resident memory of a process so far, in bytes.
fn peak_memory(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) << 10
}

#[test]
#[ignore = "takes minutes; prints the time of each phase"]
fn a_large_dump_needs_little_memory() {
    let pair = std::env::var("PAIR").unwrap_or_else(|_| "mysql@5.7>mysql@sid".to_owned());
    let (from, to) = pair.split_once('>').unwrap();
    let workspace = Workspace::new();
    fs::write(workspace.root().join("large.sql"), large_dump()).unwrap();
    let (from, to) = (format!("--from={from}"), format!("--to={to}"));
    let child = workspace.weigh(&["upgrade", "--dump=large.sql", &from, &to]).spawn().unwrap();
    let pid = child.id();
    let watcher = thread::spawn(move || {
        let mut peak = 0;
        loop {
            let now = peak_memory(pid);
            if now == 0 {
                return peak;
            }
            peak = peak.max(now);
            thread::sleep(Duration::from_millis(100));
        }
    });
    let finished = workspace.wait_for_end(child);
    let peak = watcher.join().unwrap();
    println!("{pair}: {} MiB\n{}", peak >> 20, finished.stdout);
    assert!(matches!(finished.code, Some(0 | 1)) && peak < 1 << 30, "{finished}");
}
