//! `weigh why` on real servers: exit status, messages, formats, and that a running server is only
//! asked.

use std::fs;

use mysql::prelude::Queryable;
use serde_json::Value;
use server::{Address, Conn, NoProgress, Options, Server, open};

use crate::workspace::{Finished, Workspace};

const SCHEMA: &str = "\
CREATE TABLE orders (id INT PRIMARY KEY, code VARCHAR(20) NOT NULL, KEY ix_code (code)) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
CREATE TABLE parcels (id INT PRIMARY KEY, code VARCHAR(20) NOT NULL) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
";

const JOIN: &str = "SELECT o.id FROM orders o JOIN parcels p ON p.code = o.code";

fn ask(words: &[&str]) -> Finished {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("shop.sql"), SCHEMA).unwrap();
    workspace.wait_for_end(workspace.weigh(&[&["why", "--dump", "shop.sql"], words].concat()).spawn().unwrap())
}

#[test]
fn verdict_comes_first_and_lines_are_short() {
    let finished = ask(&[JOIN]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(1), ""), "{finished}");
    let first = finished.stdout.lines().next().unwrap();
    assert_eq!(first, "1 of 1 statement fails because of collations; remedies were tried and work.");
    for part in ["Error 1267", "orders.code", "parcels.code", "1. In the statement"] {
        assert!(finished.stdout.contains(part), "{part}: {finished}");
    }
    let is_sql = |line: &&str| ["SELECT ", "ALTER ", "SET "].iter().any(|word| line.trim_start().starts_with(word));
    for line in finished.stdout.lines().filter(|line| !is_sql(line)) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let (before, after) = (format!("  {JOIN};"), finished.stdout.lines().filter(is_sql));
    assert!(after.clone().all(|line| line.ends_with(';')), "statements are not broken: {finished}");
    assert!(after.clone().any(|line| line == before), "{finished}");
}

#[test]
fn nothing_found_is_exit_status_0() {
    let finished = ask(&["SELECT id FROM orders WHERE code = 'x'"]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{finished}");
    assert!(finished.stdout.starts_with("Nothing found"), "{finished}");
}

#[test]
fn a_function_that_hides_a_column_is_the_cause() {
    let finished = ask(&["SELECT id FROM orders WHERE LOWER(code) = 'c5'"]);
    let first = finished.stdout.lines().next().unwrap_or_default();
    assert!(first.starts_with("1 of 1 statement loses an index because of LOWER or UPPER; "), "{finished}");
}

#[test]
fn statements_of_one_argument_are_numbered() {
    let finished = ask(&["--format=json", &format!("SET @x = 'a'; SELECT id FROM orders; {JOIN}")]);
    let diagnosis: Value = serde_json::from_str(&finished.stdout).unwrap();
    let place = |at: usize| diagnosis["statements"][at]["place"].as_str().unwrap();
    assert_eq!((place(0), place(1)), ("statement 2", "statement 3"), "{finished}");
}

#[test]
fn names_that_do_not_exist_are_refused_with_the_nearest() {
    for (statement, message) in [
        ("SELECT * FROM ordes", "no table ordes in schema app; did you mean orders?"),
        ("SELECT cod FROM orders", "no column cod in the tables of the statement; did you mean code?"),
        ("CALL other.total(1)", "no routine total in schema other"),
        ("SELEC 1", "does not understand the statement near"),
    ] {
        let finished = ask(&[statement]);
        assert_eq!(finished.code, Some(2), "{finished}");
        assert!(finished.stderr.contains(message) && finished.stderr.trim().lines().count() == 1, "{finished}");
    }
}

/// A table is missing because its CREATE TABLE is refused, because the dump is empty, or because
/// its schema has another name.
#[test]
fn a_missing_table_is_explained_by_the_dump() {
    let workspace = Workspace::new();
    let ask = |dump: &str, words: &[&str]| {
        fs::write(workspace.root().join("shop.sql"), dump).unwrap();
        let words = [&["why", "--dump", "shop.sql", "--server=mariadb"], words].concat();
        workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap())
    };
    let header = "-- MySQL dump 10.13  Distrib 9.7.4, for Linux (x86_64)\n--\n-- Server version\t9.7.4\n\n";
    let table = "CREATE TABLE parcels (code VARCHAR(9)) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_as_ci;\n";
    let parts = ["no table parcels in schema app; shop.sql:5: ", "1273", "the dump is of MySQL 9.7.4: --server mysql@"];
    ask(&format!("{header}{table}"), &["SELECT code FROM parcels"]).refuses_with(&parts);
    ask("\n", &["SELECT code FROM parcels"]).refuses_with(&["no table parcels", "shop.sql is empty"]);
    let log = "# Time: 2026-11-21T10:00:00\n# User@Host: a[a] @ localhost []\n# Query_time: 1  Lock_time: 0\nuse rep;\n\
               SET timestamp=1;\nSELECT id FROM orders;\n";
    fs::write(workspace.root().join("slow.log"), log).unwrap();
    ask(SCHEMA, &["--slow-log=slow.log"]).refuses_with(&["slow.log:", "no schema rep; ", "--schema rep"]);
    assert_eq!(ask(SCHEMA, &["--slow-log=slow.log", "--schema=rep"]).code, Some(0));
}

#[test]
fn json_conforms_to_the_schema() {
    let finished = ask(&["--format=json", JOIN]);
    let diagnosis: Value = serde_json::from_str(&finished.stdout).unwrap();
    let schema = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/why.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let faults: Vec<String> = schema.iter_errors(&diagnosis).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(diagnosis["statements"][0]["findings"][0]["kind"], "refused");
}

/// Starts a server with a schema `shop`, which the returned connection uses.
fn start_shop(name: &str, schema: &str) -> (Server, Conn) {
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
    let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
    let mut conn = server.connect().unwrap();
    conn.query_drop("CREATE DATABASE shop CHARACTER SET utf8mb4").unwrap();
    conn.query_drop("USE shop").unwrap();
    for (_, statement) in sql::split_statements(schema, sql::SqlMode::default()) {
        conn.query_drop(statement).unwrap();
    }
    (server, conn)
}

const LATIN1: &str = "\
CREATE TABLE customers (id INT PRIMARY KEY, email VARCHAR(120) NOT NULL, name VARCHAR(80), UNIQUE KEY email (email)) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
CREATE TABLE orders (id INT PRIMARY KEY, mail VARCHAR(120) CHARACTER SET latin1 NOT NULL DEFAULT 'none' COMMENT 'billing', item VARCHAR(80), KEY mail (mail)) CHARACTER SET latin1;
";

/// The conversion of the column comes before the rewritten statement, which loses characters. Rows
/// now and with a remedy are of one server; the running server's are in the JSON document only.
#[test]
fn one_column_is_converted_and_rows_are_of_one_server() {
    let (server, mut conn) = start_shop("mysql@8.0", LATIN1);
    conn.query_drop("INSERT INTO customers VALUES (7, 'a@b', 'Anna'), (8, 'b@b', 'Bo')").unwrap();
    conn.query_drop("INSERT INTO orders (id, mail) VALUES (1, 'a@b'), (2, 'b@b'), (3, 'b@b')").unwrap();
    let Address::Socket(socket) = &server.endpoint().address else { panic!() };
    let workspace = Workspace::new();
    let join = "SELECT c.name, o.item FROM customers c JOIN orders o ON o.mail = c.email WHERE c.id = 7";
    let login = ["why", "--no-defaults", "--user=root", "--socket", socket.to_str().unwrap(), "--schema=shop", join];
    let ask = |more: &[&str]| workspace.wait_for_end(workspace.weigh(&[&login[..], more].concat()).spawn().unwrap());
    let finished = ask(&["--format=json"]);
    let diagnosis: Value = serde_json::from_str(&finished.stdout).unwrap();
    let finding = &diagnosis["statements"][0]["findings"][0];
    assert_eq!(finding["kind"], "index_lost", "{finished}");
    assert_eq!(finding["remedies"][0]["scope"], "column", "{finished}");
    let expected = "ALTER TABLE `orders` MODIFY `mail` varchar(120) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci NOT NULL DEFAULT 'none' COMMENT 'billing'";
    assert_eq!(finding["remedies"][0]["sql"], serde_json::json!([expected]), "{finished}");
    assert!(
        finding["remedies"][0]["effects"].to_string().contains("Other text columns of orders keep latin1_swedish_ci.")
    );
    let (own, before) = (&finding["server_plan"]["rows"], &finding["plan"]["rows"]);
    assert!(own.as_u64() < before.as_u64(), "{finished}");
    let finished = ask(&[]);
    let text = finished.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "the smallest first, those that lose characters last:",
        "1. Convert orders.mail to utf8mb4_unicode_ci.",
        "Rows read, by EXPLAIN on mysql@8.0 with 2,000 made-up rows: ",
        " with this remedy; o: ALL → ref by mail.",
    ] {
        assert!(text.contains(part), "{part}: {finished}");
    }
    assert!(!text.contains("own plan") && !text.contains("CONVERT TO"), "{finished}");
    ask(&["--schema=shap"]).refuses_with(&[
        "no schema shap",
        "the account 'root'@'localhost' may not",
        "it sees",
        "shop",
    ]);
    fs::write(workspace.root().join("no.log"), "").unwrap();
    let log = ["why", "--no-defaults", "--user=root", "--socket", socket.to_str().unwrap(), "--slow-log=no.log"];
    workspace.wait_for_end(workspace.weigh(&log).spawn().unwrap()).refuses_with(&["no statement is in no.log"]);
    server.stop().unwrap();
}

/// The running server reads a whole index, which has the key and the length of the lookup that a
/// remedy makes.
#[test]
fn a_scan_of_an_index_is_no_lookup() {
    for name in ["mysql@sid", "mariadb@trixie"] {
        let schema = "CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(80) NOT NULL, KEY name (name)) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;";
        let (server, mut conn) = start_shop(name, schema);
        conn.query_drop(
            "INSERT INTO customers WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i, CONCAT('n', i) FROM n",
        )
        .unwrap();
        conn.query_drop("ANALYZE TABLE customers").unwrap();
        let Address::Socket(socket) = &server.endpoint().address else { panic!() };
        let workspace = Workspace::new();
        let lookup = "SELECT id FROM customers WHERE name = 'n7' COLLATE utf8mb4_unicode_ci";
        let login =
            ["why", "--no-defaults", "--user=root", "--socket", socket.to_str().unwrap(), "--schema=shop", lookup];
        let finished = workspace.wait_for_end(workspace.weigh(&login).spawn().unwrap());
        assert_eq!(finished.code, Some(1), "{finished}");
        assert!(finished.stdout.contains("Index name of customers cannot be used for a lookup"), "{finished}");
        server.stop().unwrap();
    }
}

const ORDERS: &str = "\
CREATE TABLE digits (d INT PRIMARY KEY);
INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
CREATE TABLE customers (id INT PRIMARY KEY, email VARCHAR(120) NOT NULL, name VARCHAR(80)) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
INSERT INTO customers SELECT n, CONCAT('c', n), 'x' FROM (SELECT a.d * 100 + b.d * 10 + c.d AS n FROM digits a, digits b, digits c) numbers WHERE n < 500;
CREATE TABLE members (id INT PRIMARY KEY, email VARCHAR(120) NOT NULL, name VARCHAR(80), KEY email (email)) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
INSERT INTO members SELECT * FROM customers;
CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, email VARCHAR(120) NOT NULL, created DATETIME NOT NULL, KEY created (created), KEY email (email)) CHARACTER SET latin1;
INSERT INTO orders (email, created) SELECT CONCAT('c', n * 37 % 500), '2025-01-01' + INTERVAL n * 10 MINUTE FROM (SELECT a.d * 10000 + b.d * 1000 + c.d * 100 + e.d * 10 + f.d AS n FROM digits a, digits b, digits c, digits e, digits f) numbers WHERE n < 60000;
ANALYZE TABLE customers, members, orders;
";

/// The made-up rows of the copy have other dates than the statement. The running server's plan
/// decides whether the index is missed there, and its warnings are quoted.
#[test]
fn a_date_that_cuts_a_table_hides_no_lost_index() {
    for name in ["mysql@sid", "mysql@8.0", "mariadb@trixie"] {
        let (server, _conn) = start_shop(name, ORDERS);
        let Address::Socket(socket) = &server.endpoint().address else { panic!() };
        let workspace = Workspace::new();
        let ask = |statement: &str| {
            let socket = socket.to_str().unwrap();
            let words = [
                "why",
                "--no-defaults",
                "--user=root",
                "--socket",
                socket,
                "--schema=shop",
                "--format=json",
                statement,
            ];
            workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap())
        };
        let join = "SELECT c.name FROM orders o JOIN customers c ON c.email = o.email WHERE o.created >";
        let many = ask(&format!("{join} '2025-02-01'"));
        assert_eq!(many.code, Some(1), "{name}: {many}");
        for part in ["Index email of o cannot be used for a lookup", "many rows meet o.created > '2025-02-01'"] {
            assert!(many.stdout.contains(part), "{name}: {part}: {many}");
        }
        let few = ask(&format!("{join} '2026-02-20'"));
        assert_eq!(few.code, Some(0), "{name}: {few}");
        assert!(few.stdout.contains("the server reads few of its rows, by another index"), "{name}: {few}");
        let member = "SELECT c.name FROM orders o JOIN members c ON c.email = o.email WHERE c.name = 'y'";
        let other = ask(member);
        assert_eq!(other.code, Some(0), "{name}: {other}");
        // MySQL 8.0.12 has no warning.
        let warns = name != "mysql@8.0";
        assert_eq!(other.stdout.contains("the server warns: "), warns, "{name}: {other}");
        let diagnosis: Value = serde_json::from_str(&other.stdout).unwrap();
        assert_eq!(diagnosis["statements"][0]["warnings"].is_array(), warns, "{name}: {other}");
        server.stop().unwrap();
    }
}

/// The remedy of a procedure, as it is printed, is a script that creates the procedure again.
#[test]
fn the_remedy_of_a_procedure_can_be_copied_into_a_client() {
    let workspace = Workspace::new();
    let body = "CREATE PROCEDURE find_parcels()\nBEGIN\n  DECLARE found INT;\n  SELECT o.id, 'a; b' FROM orders o JOIN parcels p ON p.code = o.code;\nEND";
    fs::write(workspace.root().join("shop.sql"), format!("{SCHEMA}DELIMITER $$\n{body}$$\nDELIMITER ;\n")).unwrap();
    let call = ["why", "--dump", "shop.sql", "CALL find_parcels()"];
    let finished = workspace.wait_for_end(workspace.weigh(&call).spawn().unwrap());
    assert_eq!(finished.code, Some(1), "{finished}");
    assert!(finished.stdout.contains("DROP also takes away the privileges"), "{finished}");
    let begin = finished.stdout.find("DELIMITER").unwrap();
    let end = finished.stdout.find("DELIMITER ;").unwrap();
    let script = &finished.stdout[begin..end + "DELIMITER ;".len()];
    let statements: Vec<_> = sql::split_statements(script, sql::SqlMode::default()).collect();
    assert_eq!(statements.len(), 1, "{script}");
    assert!(statements[0].1.ends_with("END"), "{script}");
}

#[test]
fn a_page_has_the_remedies() {
    let finished = ask(&["--format=html", JOIN]);
    assert_eq!(finished.code, Some(1), "{finished}");
    let parts = ["<!doctype html>", "1 of 1 statement fails because of collations", "Remedy 1:", "COLLATE"];
    assert!(parts.iter().all(|part| finished.stdout.contains(part)), "{finished}");
}

/// The general log of the running server has every statement that it ran. A statement that it
/// refuses is not logged: preparing it fails.
#[test]
fn a_running_server_is_only_asked() {
    let (server, mut conn) = start_shop("mariadb", SCHEMA);
    conn.query_drop("CREATE USER one@localhost IDENTIFIED BY ''").unwrap();
    conn.query_drop("GRANT SELECT ON shop.orders TO one@localhost").unwrap();
    conn.query_drop("CREATE FUNCTION f() RETURNS INT BEGIN INSERT INTO parcels VALUES (1, 'x'); RETURN 1; END")
        .unwrap();
    conn.query_drop("SET GLOBAL log_output = 'TABLE'").unwrap();
    conn.query_drop("SET GLOBAL general_log = 1").unwrap();
    let Address::Socket(socket) = &server.endpoint().address else { panic!() };
    let workspace = Workspace::new();
    let login = ["why", "--no-defaults", "--user=root", "--socket", socket.to_str().unwrap(), "--schema=shop"];
    let script = format!(
        "SET @x := 'a'; {JOIN}; SELECT id FROM orders WHERE id = f(); UPDATE orders o JOIN parcels p ON p.code = o.code SET o.id = 2; \
         SET GLOBAL max_connections = 7; DELETE FROM parcels WHERE code = 'x'"
    );
    let finished = workspace.wait_for_end(workspace.weigh(&[&login[..], &[&script]].concat()).spawn().unwrap());
    assert_eq!(finished.code, Some(1), "{finished}");
    assert!(finished.stdout.contains("2 of "), "{finished}");
    conn.query_drop("SET GLOBAL general_log = 0").unwrap();
    let logged: Vec<String> = conn
        .query(
            "SELECT CONVERT(argument USING utf8mb4) FROM mysql.general_log WHERE command_type IN ('Query', 'Execute', 'Prepare')",
        )
        .unwrap();
    assert!(logged.iter().any(|text| text.starts_with("EXPLAIN EXTENDED DELETE")), "{logged:?}");
    let writes = ["INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "CALL", "SET GLOBAL"];
    for text in logged.iter().filter(|text| !text.contains("general_log")) {
        let upper = text.trim_start().to_uppercase();
        assert!(!writes.iter().any(|word| upper.starts_with(word)), "{text}");
        assert!(!upper.starts_with("SELECT ID FROM ORDERS") && !upper.contains("= F()"), "{text}");
    }
    let rows: Option<u64> = conn.query_first("SELECT COUNT(*) FROM shop.parcels").unwrap();
    assert_eq!(rows, Some(0));
    let login = ["why", "--no-defaults", "--user=one", "--socket", socket.to_str().unwrap(), "--schema=shop", JOIN];
    workspace
        .wait_for_end(workspace.weigh(&login).spawn().unwrap())
        .refuses_with(&["no table parcels in schema shop, or the account may not see it"]);
    server.stop().unwrap();
}

#[test]
fn slow_logs_are_judged_by_class() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("shop.sql"), SCHEMA).unwrap();
    let entry = |seconds: &str, text: &str| {
        format!(
            "# Time: 2026-11-21T10:00:00\n# User@Host: a[a] @ localhost []\n# Query_time: {seconds}  Lock_time: 0\nSET timestamp=1;\n{text};\n"
        )
    };
    let log =
        entry("9", "SELECT id FROM orders WHERE id = 5") + &entry("1", JOIN) + &entry("2", "SELECT 7 FROM orders");
    fs::write(workspace.root().join("slow.log"), log).unwrap();
    let words = ["why", "--dump", "shop.sql", "--slow-log", "slow.log", "--worst", "2", "--format=json"];
    let finished = workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap());
    assert_eq!(finished.code, Some(0), "the join is the third: {finished}");
    let words = ["why", "--dump", "shop.sql", "--slow-log", "slow.log", "--format=json"];
    let finished = workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap());
    assert_eq!(finished.code, Some(1), "{finished}");
    let diagnosis: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(diagnosis["statements"][0]["text"], JOIN, "findings come first: {finished}");
}
