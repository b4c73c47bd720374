//! `weigh audit` on real servers: output, exit status, privileges, and that it only reads.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

use audit::{Audit, Severity};
use flate2::Compression;
use flate2::write::GzEncoder;
use mysql::prelude::Queryable;
use server::{Address, NoProgress, Options, Server, open};

use crate::workspace::{Finished, Workspace};

fn start_shop() -> (Server, PathBuf) {
    start_shop_on("mariadb", Vec::new())
}

fn start_shop_on(name: &str, settings: Vec<server::Setting>) -> (Server, PathBuf) {
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, settings, ..Options::default() };
    let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
    let mut conn = server.connect().unwrap();
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

fn run_audit(socket: &std::path::Path, words: &[&str]) -> Finished {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("app.sql"), "SELECT 1 FROM t WHERE a = 'x' COLLATE utf8mb4_0900_ai_ci;\n").unwrap();
    let login = ["audit", "--no-defaults", "--user=root", "--socket", socket.to_str().unwrap()];
    workspace.wait_for_end(workspace.weigh(&[&login, words].concat()).spawn().unwrap())
}

#[test]
fn findings_are_printed_in_every_format() {
    let (server, socket) = start_shop();
    let text = run_audit(&socket, &["--schema=shop"]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(1), ""), "{text}");
    for part in
        ["✗ 1 error   ! ", "[join-mismatch]", "shop.orders.part_code = shop.parts.part_code: ", "Fix: ", "Not seen: "]
    {
        assert!(text.stdout.contains(part), "{part}: {text}");
    }
    assert!(text.stdout.lines().count() <= 24, "{text}");
    let all = run_audit(&socket, &["--schema=shop", "--all"]).stdout;
    let listed = run_audit(&socket, &["--schema=shop", "--all", "--by=table"]).stdout;
    assert!(all.lines().count() > text.stdout.lines().count() && listed.contains("\nshop.parts   "), "{all}\n{listed}");
    let json = run_audit(&socket, &["--schema=shop", "--format=json", "--sql=app.sql", "--target=mysql-5.7"]);
    assert_eq!(json.code, Some(1), "{json}");
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/audit.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&value).unwrap();
    let audit: Audit = serde_json::from_value(value).unwrap();
    let findings_of =
        |check: &str| audit.findings.iter().filter(move |finding| finding.check == check).collect::<Vec<_>>();
    assert_eq!(findings_of("double-encoded")[0].object.name, "shop.parts.part_code");
    assert_eq!(findings_of("statement-collate")[0].severity, Severity::Error, "the server has no such collation");
    let place = &findings_of("double-encoded")[0].details;
    let names = [&place.schema, &place.table, &place.column].map(|name| name.as_deref().unwrap_or_default());
    assert_eq!((names, place.id.as_str()), (["shop", "parts", "part_code"], "double-encoded: shop.parts.part_code"));
    assert_eq!(audit.counts.errors, audit.count(Severity::Error));
    assert!(audit.findings.is_sorted_by_key(|finding| std::cmp::Reverse(finding.severity)));
    let csv = run_audit(&socket, &["--schema=shop", "--format=csv"]);
    assert!(csv.stdout.starts_with("severity,check,kind,schema,table,column,object,what,why,action\n"), "{csv}");
    let markdown = run_audit(&socket, &["--schema=shop", "--format=markdown"]);
    assert!(markdown.stdout.starts_with("## ") && markdown.stdout.contains("### join-mismatch"), "{markdown}");
    let page = run_audit(&socket, &["--schema=shop", "--format=html"]);
    assert!(page.stdout.contains("<h1 class=\"error\">") && page.stdout.contains("shop.parts.part_code"), "{page}");
    server.stop().unwrap();
}

#[test]
fn selects_checks_and_sets_exit_status() {
    let (server, socket) = start_shop();
    let clean = run_audit(&socket, &["--schema=clean", "--check=utf8mb3,join-mismatch"]);
    assert_eq!(clean.code, Some(0), "{clean}");
    assert!(clean.stdout.contains("✓ Nothing found by 2 checks"), "{clean}");
    let failing = |severity| {
        run_audit(&socket, &["--schema=shop", "--skip=join-mismatch,double-encoded", "--fail-on", severity]).code
    };
    assert_eq!([failing("error"), failing("note")], [Some(0), Some(1)]);
    let only = run_audit(&socket, &["--schema=shop", "--least=error", "--skip=join-mismatch,double-encoded"]);
    assert_eq!(only.code, Some(0), "{only}");
    run_audit(&socket, &["--check=join-mismach"]).refuses_with(&["join-mismach", "nearest is join-mismatch"]);
    run_audit(&socket, &["--schema=nothing"]).refuses_with(&["no schema nothing", "shop"]);
    run_audit(&socket, &["--sql=absent.sql"]).refuses_with(&["absent.sql"]);
    run_audit(&socket, &["--target=oracle-19"]).refuses_with(&["oracle-19"]);
    let list = run_audit(&socket, &["--list"]);
    assert_eq!(list.stdout.lines().count(), audit::CHECKS.len(), "{list}");
    let explained = run_audit(&socket, &["--list", "--check=utf8mb3"]);
    assert!(explained.stdout.contains("Reads: tables") && explained.stdout.contains("1366"), "{explained}");
    server.stop().unwrap();
}

/// Without privileges the audit names what it can't see, and the grants to see it. With these
/// grants it names no more grants. On a read-only server it fails if it writes.
fn assert_named_grants_suffice(name: &str, read_only: &str) {
    let settings = vec![server::Setting::known("log_bin", "log")];
    let (server, socket) = start_shop_on(name, settings);
    let mut conn = server.connect().unwrap();
    let audit = |code: Option<i32>| {
        let workspace = Workspace::new();
        let words = ["audit", "--no-defaults", "--user=reader", "--format=json", "--socket", socket.to_str().unwrap()];
        let finished = workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap());
        assert_eq!(finished.code, code, "{finished}");
        serde_json::from_str::<Audit>(&finished.stdout).unwrap()
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
    let state = read_write_counters(&mut conn);
    let after = audit(Some(1));
    assert_eq!(read_write_counters(&mut conn), state);
    let still: Vec<_> = after.unseen.iter().filter(|unseen| unseen.remedy.is_some()).collect();
    assert!(still.is_empty(), "{still:#?}");
    server.stop().unwrap();
}

/// Returns what a write would change: the binary log position, the counters of writing statements,
/// the rows.
fn read_write_counters(conn: &mut server::Conn) -> Vec<String> {
    let status = |conn: &mut server::Conn, statement: &str| conn.query_first::<mysql::Row, _>(statement);
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
fn reads_mariadb_with_the_named_grants() {
    assert_named_grants_suffice("mariadb", "read_only");
}

#[test]
fn reads_mysql_with_the_named_grants() {
    assert_named_grants_suffice("mysql@sid", "super_read_only");
}

const DUMP: &str = "\
CREATE DATABASE `shop` DEFAULT CHARACTER SET latin1;
USE `shop`;
CREATE TABLE `parts` (
  `id` int NOT NULL,
  `part_code` varchar(36) CHARACTER SET latin1 DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `by_code` (`part_code`)
) ENGINE=InnoDB;
CREATE TABLE `orders` (
  `id` int NOT NULL,
  `part_code` varchar(36) CHARACTER SET utf8mb4 DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `by_code` (`part_code`)
) ENGINE=InnoDB;
CREATE TABLE `parts` (`id` int);
";

fn audit_dump(dump: &str, words: &[&str]) -> Finished {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("shop.sql"), dump).unwrap();
    workspace.wait_for_end(workspace.weigh(&[&["audit", "--dump", "shop.sql"], words].concat()).spawn().unwrap())
}

#[test]
fn a_dump_is_audited_on_a_private_server() {
    for name in ["mariadb", "mysql@sid"] {
        let finished = audit_dump(DUMP, &["--server", name, "--format=json"]);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(1), ""), "{finished}");
        let audit: Audit = serde_json::from_str(&finished.stdout).unwrap();
        assert!(audit.server.label.starts_with("shop.sql on "), "{}", audit.server.label);
        assert!(audit.findings.iter().any(|finding| finding.check == "join-mismatch"), "{finished}");
        let refused = audit.findings.iter().find(|finding| finding.check == "refused-statement").unwrap();
        assert_eq!((refused.object.name.as_str(), refused.severity), ("shop.sql:15", Severity::Error));
        assert!(refused.what.contains("1050: "), "{}", refused.what);
        let of_server = |name: &&str| audit.checks.iter().any(|check| check == name);
        assert_eq!(audit::RUNNING_SERVER_CHECKS.iter().copied().find(of_server), None);
    }
}

/// The command of a fix reads the dump that was audited.
#[test]
fn fixes_of_a_dump_run_on_it() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("shop.sql"), DUMP).unwrap();
    let weigh = |words: &[&str]| workspace.wait_for_end(workspace.weigh(words).spawn().unwrap());
    let audited = weigh(&["audit", "--dump=shop.sql", "--server=mariadb", "--format=json"]);
    let audit: Audit = serde_json::from_str(&audited.stdout).unwrap();
    let fixes: Vec<&str> = audit.findings.iter().filter_map(|finding| finding.details.fix.as_deref()).collect();
    let command = fixes.iter().find_map(|fix| fix.strip_prefix("weigh preflight --dump=shop.sql --flavour=mariadb "));
    let command = command.unwrap_or_else(|| panic!("{fixes:?}"));
    let words = ["preflight", "--dump=shop.sql", "--flavour=mariadb"].into_iter().chain(command.split(' '));
    let finished = weigh(&words.collect::<Vec<_>>());
    assert!(matches!(finished.code, Some(0 | 1)), "{command}: {finished}");
}

#[test]
fn packed_slow_logs_are_unpacked_and_empty_files_named() {
    let (workspace, join) =
        (Workspace::new(), "SELECT * FROM shop.orders o JOIN shop.parts p ON p.part_code = o.part_code");
    for (name, text) in [("shop.sql", DUMP), ("empty.sql", "-- nothing\n"), ("empty.log", "")] {
        fs::write(workspace.root().join(name), text).unwrap();
    }
    let log = format!("# Time: 2026-11-01T10:00:00Z\n# User@Host: a[a] @ localhost []\n# Query_time: 1.0\n{join};\n");
    let mut packed = GzEncoder::new(File::create(workspace.root().join("slow.log.gz")).unwrap(), Compression::fast());
    packed.write_all(log.as_bytes()).unwrap();
    packed.finish().unwrap();
    let audit = |words: &[&str]| {
        let words = [&["audit", "--dump=shop.sql", "--server=mariadb", "--check=statement-plan"], words].concat();
        workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap())
    };
    let finished = audit(&["--slow-log=slow.log.gz", "--all"]);
    assert!(finished.stdout.contains("slow.log.gz:4"), "{finished}");
    audit(&["--sql=empty.sql"]).refuses_with(&["empty.sql has no statement"]);
    audit(&["--slow-log=empty.log"]).refuses_with(&["empty.log has no statement of a slow query log"]);
}

#[test]
fn dumps_that_cannot_be_audited_are_refused() {
    audit_dump("SELECT 1;", &[]).refuses_with(&["shop.sql creates no table", "no CREATE TABLE is in it"]);
    audit_dump("CREATE TABLE t (a VARCHAR(9) COLLATE utf8mb4_none);", &[]).refuses_with(&["shop.sql:1", "1273"]);
    audit_dump(DUMP, &["--check=session-charset"]).refuses_with(&["session-charset is of a running server"]);
    audit_dump(DUMP, &["mysql://me@db.example"]).refuses_with(&["--dump takes a server that weigh starts"]);
    audit_dump(DUMP, &["--dump=absent.sql"]).refuses_with(&["cannot read absent.sql"]);
}

/// A migration of which the server refuses a statement: of a missing table, or before the schema.
#[test]
fn a_refused_statement_of_a_dump_is_an_error() {
    let workspace = Workspace::new();
    let table = "CREATE TABLE orders (id INT PRIMARY KEY, note VARCHAR(9)) CHARACTER SET utf8mb4;\n";
    fs::write(workspace.root().join("schema.sql"), table).unwrap();
    fs::write(workspace.root().join("move.sql"), "\nALTER TABLE ordersx ADD COLUMN a INT;\n").unwrap();
    fs::write(workspace.root().join("add.sql"), "ALTER TABLE orders ADD COLUMN a INT;\n").unwrap();
    fs::write(workspace.root().join("set.sql"), "SET SESSION no_such_variable = 1;\n").unwrap();
    let audit =
        |words: &[&str]| workspace.wait_for_end(workspace.weigh(&[&["audit"], words].concat()).spawn().unwrap());
    let failing = ["--dump=schema.sql", "--dump=move.sql"];
    let text = audit(&failing);
    assert_eq!(text.code, Some(1), "{text}");
    for part in ["✗ 1 error", "move.sql:2", "1146", "[refused-statement]"] {
        assert!(text.stdout.contains(part), "{part}: {text}");
    }
    let sarif = audit(&[&failing[..], &["--format=sarif", "--check=column-mismatch"]].concat());
    assert_eq!(sarif.code, Some(1), "{sarif}");
    let log: serde_json::Value = serde_json::from_str(&sarif.stdout).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"refused-statement".into(), &"error".into()), "{sarif}");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"move.sql".into(), &2.into()));
    assert_eq!(audit(&[&failing[..], &["--skip=refused-statement"]].concat()).code, Some(0));
    assert_eq!(audit(&["--dump=add.sql", "--dump=schema.sql"]).code, Some(1), "wrong order");
    assert_eq!(audit(&["--dump=schema.sql", "--dump=add.sql", "--dump=set.sql"]).code, Some(0), "a setting is a note");
}

/// The commands of docs/how-to/ci.md: a baseline, and migrations behind the schema.
#[test]
fn a_migration_that_mixes_collations_fails_the_build() {
    let workspace = Workspace::new();
    let write = |name: &str, text: &str| fs::write(workspace.root().join(name), text).unwrap();
    let options = "CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
    write(
        "schema.sql",
        &format!(
            "CREATE TABLE orders (id INT PRIMARY KEY, region VARCHAR(20), old VARCHAR(9) COLLATE utf8mb4_unicode_ci) {options};\n\
             CREATE TABLE customers (code VARCHAR(20) PRIMARY KEY) {options};\n"
        ),
    );
    let audit = |words: &[&str]| {
        let first = ["audit", "--dump=schema.sql", "--server=mysql@9"];
        workspace.wait_for_end(workspace.weigh(&[&first, words].concat()).spawn().unwrap())
    };
    let baseline = audit(&["--format=json"]);
    assert_eq!(baseline.code, Some(1), "the old column is a warning: {baseline}");
    write("audit.json", &baseline.stdout);
    let add = |column: &str, words: &[&str]| {
        write("migration.sql", &format!("ALTER TABLE orders ADD COLUMN tracking VARCHAR(40) {column};\n"));
        audit(&[&["--dump=migration.sql", "--baseline=audit.json"], words].concat())
    };
    let plain = add("", &[]);
    assert_eq!(plain.code, Some(0), "{plain}");
    for collation in ["utf8mb4_unicode_ci", "utf8mb4_general_ci"] {
        let mixed = add(&format!("COLLATE {collation}"), &[]);
        assert_eq!(mixed.code, Some(1), "{mixed}");
        assert!(mixed.stdout.contains("tracking"), "{mixed}");
    }
    let german = "COLLATE utf8mb4_de_pb_0900_ai_ci";
    assert_eq!(add(german, &[]).code, Some(0), "a note");
    let strict = ["--check=column-mismatch,table-mismatch,join-mismatch", "--fail-on=note"];
    assert_eq!([add(german, &strict).code, add("", &strict).code], [Some(1), Some(0)]);
}

/// A finding about several tables is known only with each of them.
#[test]
fn a_table_beside_known_ones_is_new() {
    let workspace = Workspace::new();
    let write = |name: &str, text: &str| fs::write(workspace.root().join(name), text).unwrap();
    let old = "CREATE DATABASE shop CHARACTER SET utf8mb4; USE shop;\n\
         CREATE TABLE a (id INT PRIMARY KEY) CHARACTER SET latin1;\n\
         CREATE TABLE b (id INT PRIMARY KEY) CHARACTER SET latin1;\n";
    write("schema.sql", old);
    let audit = |words: &[&str]| {
        let first = ["audit", "--dump=schema.sql", "--check=table-mismatch", "--server=mysql@9"];
        workspace.wait_for_end(workspace.weigh(&[&first, words].concat()).spawn().unwrap())
    };
    let baseline = audit(&["--format=json"]);
    assert_eq!(baseline.code, Some(1), "{baseline}");
    write("audit.json", &baseline.stdout);
    let migrate = |statement: &str| {
        write("migration.sql", &format!("USE shop; {statement};\n"));
        audit(&["--dump=migration.sql", "--baseline=audit.json"])
    };
    for known in ["CREATE TABLE c (id INT PRIMARY KEY)", "DROP TABLE a"] {
        let finished = migrate(known);
        assert_eq!(finished.code, Some(0), "{known}: {finished}");
        assert!(finished.stdout.ends_with("1 of 1 finding is known from audit.json; 0 new\n"), "{finished}");
    }
    let new = migrate("CREATE TABLE c (id INT PRIMARY KEY) CHARACTER SET latin1");
    assert_eq!(new.code, Some(1), "{new}");
    let line = "New in what is known in part: table-mismatch: shop: c (latin1_swedish_ci)\n";
    assert!(new.stdout.ends_with(line), "{new}");
    assert_eq!(migrate("ALTER TABLE a CHARACTER SET utf8mb3").code, Some(1), "another collation");
}
