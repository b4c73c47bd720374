//! `weigh capture` on real servers: captured tables, rows and statements, omissions, and that it
//! only reads.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use capture::{CaptureSummary, Reason};
use mysql::prelude::Queryable;
use server::{Address, NoProgress, Options, Server, open};
use sql::Value;

use crate::workspace::{Finished, Workspace};

/// Starts a server with a shop, whose logs are in the workspace's folder.
fn start_shop(name: &str, workspace: &Workspace) -> Server {
    let logs = workspace.root().join("logs");
    fs::create_dir(&logs).unwrap();
    // The server may run as another user.
    fs::set_permissions(workspace.root(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&logs, fs::Permissions::from_mode(0o777)).unwrap();
    let file = |name: &str| logs.join(name).display().to_string();
    let settings = [
        ("slow_query_log", "1".to_owned()),
        ("long_query_time", "0".to_owned()),
        ("slow_query_log_file", file("slow.log")),
        ("general_log", "1".to_owned()),
        ("general_log_file", file("general.log")),
        ("performance_schema", "ON".to_owned()),
    ];
    let settings = settings.map(|(name, value)| server::Setting::known(name, value)).to_vec();
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, settings, ..Options::default() };
    let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
    let mut conn = server.connect().unwrap();
    for statement in [
        "CREATE DATABASE shop CHARACTER SET utf8mb4",
        "CREATE DATABASE other",
        "USE shop",
        "CREATE TABLE regions (code VARCHAR(9) PRIMARY KEY, name VARCHAR(40))",
        "CREATE TABLE customers (id BIGINT UNSIGNED PRIMARY KEY AUTO_INCREMENT, mail VARCHAR(80), region VARCHAR(9), photo BLOB, seen TIMESTAMP NULL, \
         KEY (mail), FOREIGN KEY (region) REFERENCES regions (code))",
        "CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, customer BIGINT UNSIGNED, note VARCHAR(200), price DECIMAL(10,2), weight DOUBLE, \
         FOREIGN KEY (customer) REFERENCES customers (id))",
        "CREATE VIEW latest AS SELECT o.id, c.mail FROM shop.orders o JOIN shop.customers c ON c.id = o.customer",
        "CREATE USER reader@localhost IDENTIFIED BY ''",
        "GRANT SELECT, SHOW VIEW ON shop.* TO reader@localhost",
    ] {
        conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    for region in 0..10 {
        conn.query_drop(format!("INSERT INTO regions VALUES ('r{region}', 'Région {region}')")).unwrap();
    }
    let rows = |row: &dyn Fn(usize) -> String| (1..=1000).map(row).collect::<Vec<_>>().join(",");
    let customers =
        rows(&|n| format!("({n},'kunde{n}@example.org','r{}',X'00FF{:02X}','2026-11-22 01:02:03')", n % 10, n % 256));
    conn.query_drop(format!("INSERT INTO customers VALUES {customers}")).unwrap();
    // The first orders belong to the last customers, so that the samples of both tables share few
    // rows.
    let orders = rows(&|n| format!("({n},{},'it''s \\\\ {n}','{n}.50',1e-3)", 1001 - n));
    conn.query_drop(format!("INSERT INTO orders VALUES {orders}")).unwrap();
    server
}

/// Runs an application's day: text and prepared statements, another schema, a session variable.
fn run_application(server: &Server) {
    let mut conn = server.connect().unwrap();
    conn.query_drop("USE shop").unwrap();
    for n in 1..=20 {
        let query = format!("SELECT id FROM customers WHERE mail = 'kunde{n}@example.org' /* request {n} */");
        let _: Vec<u64> = conn.query(query).unwrap();
        let _: Vec<u64> =
            conn.query(format!("SELECT id\nFROM orders\nWHERE id IN ({n}, {})\nORDER BY id", n + 1)).unwrap();
    }
    let statement = conn.prep("SELECT note FROM orders WHERE customer = ? AND price > ?").unwrap();
    for n in 1..=10 {
        let _: Vec<String> = conn.exec(&statement, (n, 1)).unwrap();
    }
    let _: Vec<String> = conn.query("SELECT mail FROM latest WHERE id = 7").unwrap();
    conn.query_drop("UPDATE orders SET note = 'it''s; done' WHERE id = 3").unwrap();
    conn.query_drop("SET @x = 1").unwrap();
    let _: Vec<i64> = conn.query("SELECT id FROM orders WHERE id = @x").unwrap();
    conn.query_drop("USE other").unwrap();
    let _: Vec<i64> = conn.query("SELECT COUNT(*) FROM shop.regions").unwrap();
    conn.query_drop("CREATE TABLE t (a INT)").unwrap();
    let _: Vec<i64> = conn.query("SELECT a FROM t").unwrap();
}

fn capture_shop(workspace: &Workspace, server: &Server, words: &[&str]) -> Finished {
    let Address::Socket(socket) = &server.endpoint().address else { panic!() };
    let login = ["capture", "--no-defaults", "--user=reader", "--socket", socket.to_str().unwrap(), "--schema=shop"];
    let child = workspace.weigh(&[&login, words].concat()).spawn().unwrap();
    // Not `Workspace::wait_for_end`: the test's server has processes in this workspace, too.
    Finished::from_output(child.wait_with_output().unwrap())
}

fn read(finished: &Finished) -> CaptureSummary {
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/capture.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let value: serde_json::Value =
        serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished}"));
    jsonschema::validator_for(&schema).unwrap().validate(&value).unwrap();
    serde_json::from_value(value).unwrap()
}

fn count_left_out(captured: &CaptureSummary, reason: Reason) -> u64 {
    captured.not_replayed.iter().filter(|one| one.reason == reason).map(|one| one.count).sum()
}

fn read_modes(folder: &Path) -> Vec<u32> {
    let mut modes = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            modes.extend(self::read_modes(&path));
        } else {
            modes.push(fs::metadata(&path).unwrap().permissions().mode() & 0o777);
        }
    }
    modes
}

/// The slow log and the general log of a day give the same classes. The sampled rows include all
/// that foreign keys need.
fn capture_a_day(name: &str) {
    let workspace = Workspace::new();
    let server = start_shop(name, &workspace);
    run_application(&server);
    let finished =
        capture_shop(&workspace, &server, &["--slow-log=logs/slow.log", "--out=slow", "--rows=30", "--format=json"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let slow = read(&finished);
    let class = |captured: &CaptureSummary, text: &str| {
        let found: Vec<_> = captured.classes.iter().filter(|class| class.text == text).cloned().collect();
        assert_eq!(found.len(), 1, "{text}: {:#?}", captured.classes);
        found[0].clone()
    };
    let by_mail = class(&slow, "SELECT id FROM customers WHERE mail = :mail");
    assert_eq!((by_mail.seen, by_mail.samples, by_mail.writes), (20, 20, false));
    assert!(by_mail.seconds.is_some_and(|seconds| seconds > 0.0));
    assert_eq!(class(&slow, "SELECT id\nFROM orders\nWHERE id IN (:id)\nORDER BY id").seen, 20);
    assert!(class(&slow, "UPDATE orders SET note = :note WHERE id = :id").writes);
    class(&slow, "SELECT mail FROM latest WHERE id = :id");
    class(&slow, "SELECT COUNT(*) FROM regions");
    // The log holds the executed statement with its values.
    let prepared =
        slow.classes.iter().find(|class| class.text.contains("price > ")).expect("the log has statements with a price");
    assert_eq!(prepared.seen, 10, "{prepared:#?}");
    assert!(
        count_left_out(&slow, Reason::Session) >= 1
            && count_left_out(&slow, Reason::OtherSchema) >= 1
            && count_left_out(&slow, Reason::NotRows) > 3
    );
    // MySQL logs protocol commands; MariaDB doesn't.
    assert_eq!(count_left_out(&slow, Reason::Command) > 0, name.starts_with("mysql"), "{:#?}", slow.not_replayed);
    assert_eq!(slow.replayed + slow.not_replayed.iter().map(|one| one.count).sum::<u64>(), slow.seen);

    // Thirty rows per table, and their parent rows.
    let rows = |name: &str| slow.tables.iter().find(|table| table.name == name).unwrap().clone();
    assert!(rows("regions").is_complete && rows("regions").rows == 10);
    assert!(
        !rows("orders").is_complete
            && rows("orders").rows == 30
            && rows("customers").rows > 30
            && rows("customers").parent_rows > 0
    );
    assert_eq!(slow.orphans, 0);

    let (workload, checked) = workload_folder::check(&workspace.root().join("slow"));
    assert_eq!(checked.faults, [], "{checked:#?}");
    let workload = workload.unwrap();
    assert_eq!(workload.schema.views, ["latest"]);
    let find = |table: &str| workload.rows.iter().find(|file| file.table == table).unwrap();
    let all = |table: &str| {
        let mut reader = find(table).open().unwrap();
        let (mut all, mut row) = (Vec::new(), Vec::new());
        while reader.read(&mut row).unwrap() {
            all.push(row.clone());
        }
        all
    };
    let column_index =
        |table: &str, column: &str| find(table).columns.iter().position(|one| one.name == column).unwrap();
    let customers: Vec<_> =
        all("customers").into_iter().map(|row| row[column_index("customers", "id")].clone()).collect();
    for order in all("orders") {
        assert!(customers.contains(&order[column_index("orders", "customer")]), "{order:?}");
        let id = match &order[0] {
            Some(Value::Int(id)) => *id,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            order[column_index("orders", "note")],
            Some(Value::Text(if id == 3 { "it's; done".to_owned() } else { format!("it's \\ {id}") }))
        );
        assert_eq!(order[column_index("orders", "price")], Some(Value::Decimal(format!("{id}.50"))));
    }
    let customer = &all("customers")[0];
    assert!(
        matches!(&customer[column_index("customers", "photo")], Some(Value::Bytes(bytes)) if bytes[..2] == [0, 0xFF]),
        "{customer:?}"
    );
    assert!(read_modes(&workspace.root().join("slow")).iter().all(|mode| *mode == 0o600));
    let origin = workload.manifest.origin.clone().unwrap();
    assert!(origin.identity.is_some_and(|identity| !identity.is_empty()) && origin.tables.len() == 3);

    // The general log has no times; the sampled rows are the same.
    let general = capture_shop(
        &workspace,
        &server,
        &["--general-log=logs/general.log", "--out=general", "--rows=30", "--format=json"],
    );
    let general = read(&general);
    for text in
        ["SELECT id FROM customers WHERE mail = :mail", "SELECT id\nFROM orders\nWHERE id IN (:id)\nORDER BY id"]
    {
        assert_eq!((class(&general, text).seen, class(&general, text).seconds), (20, None));
    }
    assert_eq!(
        general
            .classes
            .iter()
            .find(|class| class.text.contains("price > "))
            .expect("the log has statements with a price")
            .seen,
        10
    );
    for table in ["orders", "customers", "regions"] {
        let rows =
            |folder: &str| fs::read(workspace.root().join(folder).join("rows").join(format!("{table}.csv"))).unwrap();
        assert_eq!(rows("slow"), rows("general"), "{table}");
    }
    server.stop().unwrap();
}

#[test]
fn captures_a_day_of_mariadb() {
    capture_a_day("mariadb");
}

#[test]
fn captures_a_day_of_mysql() {
    capture_a_day("mysql@sid");
}

/// System-versioned tables are captured with their present rows; a sequence is named.
#[test]
fn captures_versioned_tables() {
    let workspace = Workspace::new();
    let server = start_shop("mariadb", &workspace);
    let mut conn = server.connect().unwrap();
    for statement in [
        "USE shop",
        "CREATE SEQUENCE numbers",
        "CREATE TABLE plain (id INT PRIMARY KEY, a VARCHAR(20)) WITH SYSTEM VERSIONING",
        "CREATE TABLE dated (id INT PRIMARY KEY, a VARCHAR(20), since TIMESTAMP(6) GENERATED ALWAYS AS ROW START, \
         until TIMESTAMP(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (since, until)) WITH SYSTEM VERSIONING",
        "INSERT INTO plain VALUES (1, 'old'), (2, 'gone')",
        "INSERT INTO dated (id, a) VALUES (1, 'old'), (2, 'gone')",
        "UPDATE plain SET a = 'new' WHERE id = 1",
        "UPDATE dated SET a = 'new' WHERE id = 1",
        "DELETE FROM plain WHERE id = 2",
        "DELETE FROM dated WHERE id = 2",
    ] {
        conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    let finished = capture_shop(&workspace, &server, &["--slow-log=logs/slow.log", "--out=versioned", "--format=json"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let captured = read(&finished);
    for name in ["plain", "dated"] {
        let table = captured.tables.iter().find(|table| table.name == name).unwrap_or_else(|| panic!("{finished}"));
        assert_eq!((table.rows, table.is_complete), (1, true), "{finished}");
    }
    assert_eq!(captured.other_objects, ["the sequence numbers"]);
    let (workload, checked) = workload_folder::check(&workspace.root().join("versioned"));
    assert_eq!(checked.faults, [], "{checked:#?}");
    let workload = workload.unwrap();
    let dated = workload.rows.iter().find(|file| file.table == "dated").unwrap();
    assert_eq!(dated.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["id", "a"]);
    let mut row = Vec::new();
    assert!(dated.open().unwrap().read(&mut row).unwrap());
    assert_eq!(row, [Some(Value::Int(1)), Some(Value::Text("new".to_owned()))]);
    // A copy takes the definitions.
    conn.query_drop("CREATE DATABASE copy").unwrap();
    conn.query_drop("USE copy").unwrap();
    let schema = fs::read_to_string(workspace.root().join("versioned/schema.sql")).unwrap();
    for create in schema.split(";\n\n").filter(|create| create.contains("VERSIONING")) {
        conn.query_drop(create).unwrap();
    }
    conn.query_drop("INSERT INTO dated (id, a) VALUES (1, 'new')").unwrap();
}

#[test]
fn captures_digests_and_history() {
    let workspace = Workspace::new();
    let server = start_shop("mysql@sid", &workspace);
    let mut conn = server.connect().unwrap();
    conn.query_drop("GRANT SELECT ON performance_schema.* TO reader@localhost").unwrap();
    let off = capture_shop(&workspace, &server, &["--history", "--out=h"]);
    assert_eq!(off.code, Some(2), "{off}");
    assert!(off.stderr.contains("setup_consumers"), "{off}");
    assert!(!workspace.root().join("h").exists(), "half a folder stayed");
    conn.query_drop(
        "UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME = 'events_statements_history_long'",
    )
    .unwrap();
    run_application(&server);
    for (option, times) in [("--digests", true), ("--history", true)] {
        let out = format!("--out=from{option}");
        let found = read(&capture_shop(&workspace, &server, &[option, &out, "--rows=5", "--format=json"]));
        let by_mail =
            found.classes.iter().find(|class| class.text == "SELECT id FROM customers WHERE mail = :mail").unwrap();
        assert_eq!((by_mail.seen, by_mail.seconds.is_some()), (20, times), "{option}: {by_mail:#?}");
        assert!(
            count_left_out(&found, Reason::NoValues) >= 1,
            "{option}: prepared statements have ? here: {:#?}",
            found.not_replayed
        );
    }
    server.stop().unwrap();
}

#[test]
fn rejects_bad_requests_and_leaves_nothing() {
    let workspace = Workspace::new();
    let server = start_shop("mariadb", &workspace);
    let text = capture_shop(&workspace, &server, &["--out=a"]);
    assert_eq!(text.code, Some(1), "{text}");
    fs::write(workspace.root().join("empty.log"), "").unwrap();
    assert!(
        text.stdout.contains("no statements: name logs by --slow-log") && text.stdout.contains("hold of people"),
        "{text}"
    );
    for (words, parts) in [
        (&["--out=a"][..], &["a exists and is not empty"][..]),
        (&["--out=b", "--table=custmers"], &["has no table custmers", "customers"]),
        (&["--out=b", "--schema=shp"], &["no schema shp", "shop"]),
        (&["--out=b", "--slow-log=none.log"], &["cannot read none.log"]),
        (&["--out=b", "--slow-log=empty.log"], &["no statement is in empty.log"]),
        (&["--out=b", "--digests", "--dump=x.sql"], &["--digests"]),
    ] {
        let finished = capture_shop(&workspace, &server, words);
        assert_eq!(finished.code, Some(2), "{finished}");
        assert!(parts.iter().all(|part| finished.stderr.contains(part)), "{finished}");
        assert!(!workspace.root().join("b").exists());
    }
    server.connect().unwrap().query_drop("REVOKE SHOW VIEW ON shop.* FROM reader@localhost").unwrap();
    let denied = capture_shop(&workspace, &server, &["--out=b"]).stderr;
    assert!(denied.contains("cannot read the definition of latest: SHOW VIEW command denied"), "{denied}");
    fs::write(
        workspace.root().join("dump.sql"),
        "CREATE TABLE `t` (\n  `id` int NOT NULL,\n  PRIMARY KEY (`id`)\n);\nINSERT INTO `t` VALUES (1),(2),(3);\n",
    )
    .unwrap();
    fs::write(workspace.root().join("app.sql"), "SELECT id FROM t WHERE id = 2;\nSELECT id FROM t WHERE id = 3;\n")
        .unwrap();
    let words = [
        "capture",
        "--schema=shop",
        "--dump=dump.sql",
        "--sql=app.sql",
        "--assume-schema",
        "--out=d",
        "--rows=2",
        "--format=json",
    ];
    let finished = Finished::from_output(workspace.weigh(&words).spawn().unwrap().wait_with_output().unwrap());
    let found = read(&finished);
    assert_eq!((found.classes.len(), found.classes[0].seen, found.tables[0].rows), (1, 2, 2));
    assert_eq!(workload_folder::check(&workspace.root().join("d")).1.faults, []);
    server.stop().unwrap();
}

/// A FLOAT that is loaded again equals the captured one: servers print six digits of it.
#[test]
fn captures_floats_as_they_are_stored() {
    for name in ["mysql@5.6", "mysql@sid", "mariadb@10.1", "mariadb@trixie"] {
        let workspace = Workspace::new();
        let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
        let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
        let mut conn = server.connect().unwrap();
        for statement in [
            "CREATE DATABASE shop",
            "USE shop",
            "CREATE TABLE f (id INT PRIMARY KEY, a FLOAT, b FLOAT(10,2), c FLOAT(7,3) UNSIGNED, d DOUBLE)",
            "INSERT INTO f VALUES (1, 1234567.8, 1234567.8, 1.1, 0.1e0 + 0.2e0), (2, 0.1, 16777217, 1234.567, 1e300), \
             (3, 3.4028234e38, 0, NULL, 5e-324), (4, -1e-45, 123.456, 0, NULL), (5, 16777216, 1, 1, 1e0 / 3)",
            "CREATE TABLE g LIKE f",
            "CREATE USER reader@localhost IDENTIFIED BY ''",
            "GRANT SELECT, SHOW VIEW ON shop.* TO reader@localhost",
        ] {
            conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        fs::write(workspace.root().join("app.sql"), "SELECT a FROM f WHERE id = 1;\n").unwrap();
        let finished = capture_shop(&workspace, &server, &["--sql=app.sql", "--out=w", "--table=f"]);
        assert_eq!(finished.code, Some(0), "{finished}");
        let (workload, checked) = workload_folder::check(&workspace.root().join("w"));
        assert_eq!(checked.faults, [], "{checked:#?}");
        let mut reader = workload.unwrap().rows[0].open().unwrap();
        let mut row = Vec::new();
        while reader.read(&mut row).unwrap() {
            let literal = |cell: &Option<Value>| {
                cell.as_ref().map_or("NULL".to_owned(), |value| value.to_literal(sql::SqlMode::default()))
            };
            let values = row.iter().map(literal).collect::<Vec<_>>().join(", ");
            conn.query_drop(format!("INSERT INTO g VALUES ({values})")).unwrap();
        }
        let equal: Option<u64> = conn
            .query_first("SELECT COUNT(*) FROM f JOIN g USING (id) WHERE f.a <=> g.a AND f.b <=> g.b AND f.c <=> g.c AND f.d <=> g.d")
            .unwrap();
        assert_eq!(equal, Some(5), "{name}");
    }
}
