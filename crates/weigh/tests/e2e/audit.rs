//! `weigh audit` on real servers: what it prints, how it ends, what it needs, and that it only reads.

use std::fs;
use std::path::PathBuf;

use audit::{Audit, Severity};
use mysql::prelude::Queryable;
use server::{Address, NoProgress, Options, Server, open};

use crate::place::{Done, Place};

/// A running server with a schema that has something to find.
fn shop() -> (Server, PathBuf) {
    shop_on("mariadb", Vec::new())
}

fn shop_on(name: &str, settings: Vec<(String, String)>) -> (Server, PathBuf) {
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, settings, ..Options::default() };
    let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
    let mut conn = server.control().unwrap();
    for statement in [
        "CREATE DATABASE shop CHARACTER SET utf8mb4",
        "CREATE TABLE shop.parts (id INT PRIMARY KEY, part_code VARCHAR(36) CHARACTER SET latin1, KEY by_code (part_code))",
        "CREATE TABLE shop.orders (id INT PRIMARY KEY, part_code VARCHAR(36) CHARACTER SET utf8mb4, KEY by_code (part_code))",
        "INSERT INTO shop.parts VALUES (1, X'4DC3BC'), (2, 'b'), (3, 'c')",
        "INSERT INTO shop.orders VALUES (1, 'a'), (2, 'b'), (3, 'c')",
        "CREATE DATABASE clean",
        "CREATE TABLE clean.t (id INT PRIMARY KEY)",
        "CREATE USER reader@localhost IDENTIFIED BY ''",
        "GRANT SELECT ON shop.* TO reader@localhost",
    ] {
        conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    let Address::Socket(socket) = &server.endpoint().address else { panic!() };
    let socket = socket.clone();
    (server, socket)
}

fn audited(socket: &std::path::Path, words: &[&str]) -> Done {
    let place = Place::new();
    fs::write(place.root().join("app.sql"), "SELECT 1 FROM t WHERE a = 'x' COLLATE utf8mb4_0900_ai_ci;\n").unwrap();
    let login = ["audit", "--no-defaults", "--user=root", "--socket", socket.to_str().unwrap()];
    place.end(place.weigh(&[&login, words].concat()).spawn().unwrap())
}

#[test]
fn findings_are_printed_in_every_format() {
    let (server, socket) = shop();
    let text = audited(&socket, &["--schema=shop"]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(1), ""), "{text}");
    for part in [
        "findings by",
        "join-mismatch",
        "columns shop.orders.part_code = shop.parts.part_code",
        "Why: ",
        "Do:  ",
        "cannot see",
    ] {
        assert!(text.stdout.contains(part), "{part}: {text}");
    }
    let json = audited(&socket, &["--schema=shop", "--format=json", "--sql=app.sql", "--target=mysql-5.7"]);
    assert_eq!(json.code, Some(1), "{json}");
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/audit.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&value).unwrap();
    let audit: Audit = serde_json::from_value(value).unwrap();
    let of = |check: &str| audit.findings.iter().filter(move |finding| finding.check == check).collect::<Vec<_>>();
    assert_eq!(of("double-encoded")[0].object.name, "shop.parts.part_code");
    assert_eq!(of("statement-collate")[0].severity, Severity::Error, "the server has no such collation");
    assert!(audit.findings.is_sorted_by_key(|finding| std::cmp::Reverse(finding.severity)));
    let csv = audited(&socket, &["--schema=shop", "--format=csv"]);
    assert!(csv.stdout.starts_with("severity,check,kind,object,what,why,action\n"), "{csv}");
    let markdown = audited(&socket, &["--schema=shop", "--format=markdown"]);
    assert!(markdown.stdout.starts_with("## ") && markdown.stdout.contains("### join-mismatch"), "{markdown}");
    let page = audited(&socket, &["--schema=shop", "--format=html"]);
    assert!(page.stdout.contains("<h1>Audit of ") && page.stdout.contains("shop.parts.part_code"), "{page}");
    server.stop().unwrap();
}

#[test]
fn checks_are_chosen_and_the_exit_status_tells() {
    let (server, socket) = shop();
    let clean = audited(&socket, &["--schema=clean", "--check=utf8mb3,join-mismatch"]);
    assert_eq!(clean.code, Some(0), "{clean}");
    assert!(clean.stdout.contains("Nothing found by 2 checks"), "{clean}");
    let only = audited(&socket, &["--schema=shop", "--least=error", "--skip=join-mismatch,double-encoded"]);
    assert_eq!(only.code, Some(0), "{only}");
    audited(&socket, &["--check=join-mismach"]).refuses_with(&["join-mismach", "nearest is join-mismatch"]);
    audited(&socket, &["--schema=nothing"]).refuses_with(&["no schema nothing", "shop"]);
    audited(&socket, &["--sql=absent.sql"]).refuses_with(&["absent.sql"]);
    audited(&socket, &["--target=oracle-19"]).refuses_with(&["oracle-19"]);
    let list = audited(&socket, &["--list"]);
    assert_eq!(list.stdout.lines().count(), audit::CHECKS.len(), "{list}");
    let one = audited(&socket, &["--list", "--check=utf8mb3"]);
    assert!(one.stdout.contains("Reads: tables") && one.stdout.contains("1366"), "{one}");
    server.stop().unwrap();
}

/// Without privileges the audit says what it doesn't see, and which grants would show it: once these are given, it asks for none.
/// With them it writes nothing, on a server that refuses whoever does.
fn reads_with_the_grants_that_it_names(name: &str, read_only: &str) {
    let settings = vec![("log_bin".to_owned(), "log".to_owned())];
    let (server, socket) = shop_on(name, settings);
    let mut conn = server.control().unwrap();
    let audit = |code: Option<i32>| {
        let place = Place::new();
        let words = ["audit", "--no-defaults", "--user=reader", "--format=json", "--socket", socket.to_str().unwrap()];
        let done = place.end(place.weigh(&words).spawn().unwrap());
        assert_eq!(done.code, code, "{done}");
        serde_json::from_str::<Audit>(&done.stdout).unwrap()
    };
    let before = audit(Some(1));
    assert!(before.findings.iter().any(|finding| finding.check == "join-mismatch"), "{before:#?}");
    let grants: Vec<&str> = before.unseen.iter().filter_map(|unseen| unseen.remedy.as_deref()).collect();
    assert!(grants.len() >= 4, "{:#?}", before.unseen);
    for grant in &grants {
        assert!(grant.starts_with("GRANT ") && grant.ends_with("TO 'reader'@'localhost'"), "{grant}");
        conn.query_drop(*grant).unwrap_or_else(|error| panic!("{grant}: {error}"));
    }
    conn.query_drop(format!("SET GLOBAL {read_only} = 1")).unwrap();
    let state = written(&mut conn);
    let after = audit(Some(1));
    assert_eq!(written(&mut conn), state);
    let still: Vec<_> = after.unseen.iter().filter(|unseen| unseen.remedy.is_some()).collect();
    assert!(still.is_empty(), "{still:#?}");
    server.stop().unwrap();
}

/// What a write would change: the end of the binary log, the counters of statements that write, the rows.
fn written(conn: &mut mysql::Conn) -> Vec<String> {
    let status = |conn: &mut mysql::Conn, statement: &str| conn.query_first::<mysql::Row, _>(statement);
    let status = status(conn, "SHOW BINARY LOG STATUS").or_else(|_| status(conn, "SHOW MASTER STATUS"));
    let position: u64 = status.unwrap().unwrap().get("Position").unwrap();
    let mut state = vec![format!("binary log at {position}")];
    let counters: Vec<(String, String)> = conn.query("SHOW GLOBAL STATUS LIKE 'Com\\_%'").unwrap();
    let writes = ["alter", "create", "delete", "drop", "grant", "insert", "replace", "truncate", "update"];
    let is_write = |name: &str| writes.iter().any(|write| name[4..].starts_with(write));
    let counted = counters.into_iter().filter(|(name, _)| is_write(name));
    state.extend(counted.map(|(name, count)| format!("{name} {count}")));
    let sums: Vec<(String, Option<u64>)> = conn.query("CHECKSUM TABLE shop.parts, shop.orders, clean.t").unwrap();
    state.push(format!("{sums:?}"));
    state
}

#[test]
fn a_reader_of_mariadb_needs_the_grants_that_are_named_and_writes_nothing() {
    reads_with_the_grants_that_it_names("mariadb", "read_only");
}

#[test]
fn a_reader_of_mysql_needs_the_grants_that_are_named_and_writes_nothing() {
    reads_with_the_grants_that_it_names("mysql@sid", "super_read_only");
}
