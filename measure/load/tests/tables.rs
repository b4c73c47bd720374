//! Schemas on real servers: rows are loaded unchanged, unsupported text is reported, foreign
//! schemas are not touched, and nothing is left behind.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lifecycle::interrupt;
use load::{Progress, SchemaOutcome, SchemaSpec, Schemas, TablesError};
use mysql::prelude::Queryable;
use rustix::process::{Pid, Signal, getpid, kill_process};
use server::{Address, Login, NoProgress, Server};
use workload::{Options, Table, Text, Workload, WorkloadKind, tables};

const ROWS: u32 = 3_000;

fn open(spec: &str) -> Server {
    let login = Login { no_defaults: true, ..Login::default() };
    let options = server::Options { threads: 8, login, ..server::Options::default() };
    server::open(&spec.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

/// URL of a private server. A server that is opened by URL counts as attached.
fn url(server: &Server, account: &str) -> String {
    match &server.endpoint().address {
        Address::Socket(socket) => format!("mysql://{account}@localhost/?socket={}", socket.display()),
        other => panic!("a private server listens on {other}"),
    }
}

fn rows(text: Text) -> Vec<Table> {
    let options = Options { text, table_size: ROWS, ..Options::default() };
    tables(&[Workload::from(WorkloadKind::OltpReadOnly), Workload::from(WorkloadKind::VarcharLookup)], &options)
}

fn wanted(collations: &[&str]) -> Vec<SchemaSpec> {
    let charset = |collation: &str| collation.split('_').next().unwrap().to_owned();
    collations.iter().map(|name| SchemaSpec { charset: charset(name), collation: (*name).to_owned() }).collect()
}

fn ignore_progress(_: Progress) {}

/// Names of all schemas that start with `weigh`.
fn weigh_schemas(server: &Server) -> Vec<String> {
    server.connect().unwrap().query("SHOW DATABASES LIKE 'weigh%'").unwrap()
}

fn name(loaded: &SchemaOutcome) -> &str {
    match loaded {
        SchemaOutcome::Schema { name } => name,
        SchemaOutcome::CannotHold { reason } => panic!("{reason}"),
    }
}

fn reason(loaded: &SchemaOutcome) -> &str {
    match loaded {
        SchemaOutcome::Schema { name } => panic!("{name} stands"),
        SchemaOutcome::CannotHold { reason } => reason,
    }
}

/// A row as stored on the server, in the generator's notation.
fn row(conn: &mut server::Conn, schema: &str, table: &Table, id: u32) -> String {
    let columns: Vec<String> =
        table.columns().iter().map(|column| format!("HEX(CONVERT({} USING utf8mb4))", column.name)).collect();
    let query = format!("SELECT CONCAT_WS(',', {}) FROM {schema}.{} WHERE id = {id}", columns.join(", "), table.name);
    let hex: String = conn.query_first(query).unwrap().unwrap();
    let value = |hex: &str| {
        let bytes = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
        String::from_utf8(bytes).unwrap()
    };
    let values: Vec<String> = hex
        .split(',')
        .zip(table.columns())
        .map(|(hex, column)| if column.is_text { format!("'{}'", value(hex)) } else { value(hex) })
        .collect();
    format!("({})", values.join(","))
}

#[test]
fn every_schema_holds_the_generated_rows() {
    for (spec, newest) in [
        ("mariadb", "utf8mb4_unicode_520_ci"),
        ("mysql@5.6", "utf8mb4_unicode_520_ci"),
        ("mysql@sid", "utf8mb4_0900_ai_ci"),
    ] {
        let server = open(spec);
        let wanted = wanted(&["latin1_swedish_ci", "utf8mb4_general_ci", "utf16_bin", newest, "latin1_swedish_ci"]);
        let tables = rows(Text::Latin);
        let seen: Mutex<Vec<Progress>> = Mutex::default();
        let schemas = Schemas::new(&server, "latin").unwrap();
        let loaded = schemas.load(&tables, &wanted, &|progress| seen.lock().unwrap().push(progress)).unwrap();

        let mut conn = server.connect().unwrap();
        conn.query_drop("SET NAMES utf8mb4").unwrap();
        assert_eq!(loaded.len(), wanted.len());
        for (loaded, wanted) in loaded.iter().zip(&wanted) {
            let schema = name(loaded);
            for table in &tables {
                let in_force =
                    server::read_layers(&mut conn, schema, &table.name, table.text_columns().next().unwrap()).unwrap();
                assert_eq!(in_force.database.collation, wanted.collation, "{spec}");
                assert_eq!(in_force.column.unwrap().collation, wanted.collation, "{spec}");
                for id in [1, ROWS / 2, ROWS] {
                    let mut expected = String::new();
                    table.insert_row(id, &mut expected);
                    assert_eq!(row(&mut conn, schema, table, id), expected, "{spec} {schema}");
                }
                let count: Option<u32> =
                    conn.query_first(format!("SELECT COUNT(*) FROM {schema}.{}", table.name)).unwrap();
                assert_eq!(count, Some(ROWS), "{spec} {schema}");
                let index: Option<String> = conn
                    .exec_first(
                        "SELECT index_name FROM information_schema.statistics \
                         WHERE table_schema = ? AND table_name = ? AND index_name <> 'PRIMARY'",
                        (schema, &table.name),
                    )
                    .unwrap();
                assert!(index.is_some(), "{spec} {schema}.{} has no index", table.name);
            }
        }
        let seen = seen.into_inner().unwrap();
        // The progress covers all requested schemas and the staging schema.
        let total = 2 * u64::from(ROWS) * (tables.len() * (wanted.len() + 1)) as u64;
        assert!(seen.iter().all(|progress| progress.total == total && progress.done <= total), "{spec}");
        assert_eq!(seen.iter().map(|progress| progress.done).max(), Some(total), "{spec}");

        assert_eq!(weigh_schemas(&server).len(), wanted.len(), "{spec}");
        schemas.remove().unwrap();
        assert_eq!(weigh_schemas(&server), [""; 0], "{spec}");
    }
}

#[test]
fn reports_and_omits_unsupported_text() {
    for spec in ["mariadb", "mysql@5.6", "mysql@sid"] {
        let server = open(spec);
        let schemas = Schemas::new(&server, "Cyrillic").unwrap();
        let wanted =
            wanted(&["latin1_swedish_ci", "koi8r_general_ci", "utf8mb4_bin", "gbk_chinese_ci", "latin7_bin", "binary"]);
        let loaded = schemas.load(&rows(Text::Cyrillic), &wanted, &ignore_progress).unwrap();
        for (at, charset) in [(0, "latin1"), (4, "latin7")] {
            let reason = reason(&loaded[at]);
            assert!(reason.starts_with(&format!("{charset} has no ")) && reason.contains("(U+04"), "{spec}: {reason}");
        }
        assert!(reason(&loaded[5]).starts_with("binary cannot hold this text"), "{spec}");
        let mut names = [1, 2, 3].map(|at| name(&loaded[at]).to_owned());
        names.sort_unstable();
        assert_eq!(weigh_schemas(&server), names, "{spec}");
    }
}

#[test]
fn text_fits_the_smallest_charset() {
    let server = open("mariadb");
    let schemas = Schemas::new(&server, "small").unwrap();
    let load = |text, collations: &[&str]| schemas.load(&rows(text), &wanted(collations), &ignore_progress).unwrap();

    assert!(reason(&load(Text::Emoji, &["latin1_bin"])[0]).starts_with("latin1 has no "));
    assert_eq!(weigh_schemas(&server), [""; 0]);

    // The rows are converted from a utf8mb4 staging schema, which is dropped afterwards.
    let loaded = load(Text::Cjk, &["latin1_bin", "gb2312_chinese_ci"]);
    reason(&loaded[0]);
    assert_eq!(weigh_schemas(&server), [name(&loaded[1])]);

    // Padding is noticed: digits fit in BINARY(120), but read back padded.
    assert!(reason(&load(Text::Digits, &["latin1_bin", "binary"])[1]).contains("not all of them unaltered"));
    assert_eq!(load(Text::Digits, &[]), []);
}

#[test]
fn keeps_schemas_without_marker() {
    let server = open("mariadb");
    let attached = open(&url(&server, "root"));
    let mut conn = server.connect().unwrap();
    conn.query_drop("CREATE DATABASE weigh_mine_1").unwrap();
    conn.query_drop("CREATE TABLE weigh_mine_1.precious (id INT)").unwrap();
    let unmarked = {
        let schemas = Schemas::new(&attached, "mine").unwrap();
        let error =
            schemas.load(&rows(Text::Digits), &wanted(&["latin1_bin"]), &ignore_progress).unwrap_err().to_string();
        assert!(error.contains("cannot create the schema weigh_mine_1") && error.contains("Start again"), "{error}");
        // The next schema numbers are free, so loading succeeds. Then the marker of one schema is
        // removed.
        let loaded =
            schemas.load(&rows(Text::Digits), &wanted(&["latin1_bin", "utf8mb4_bin"]), &ignore_progress).unwrap();
        let (unmarked, marked) = (name(&loaded[0]), name(&loaded[1]));
        conn.query_drop(format!("DROP TABLE {unmarked}.weigh_marker")).unwrap();
        let error = schemas.remove().unwrap_err();
        let TablesError::LeftBehind { schemas, .. } = &error else { panic!("{error}") };
        assert_eq!(schemas, unmarked);
        assert!(error.to_string().contains("carries no marker of this run"), "{error}");
        assert_ne!(unmarked, marked);
        unmarked.to_owned()
    };
    assert_eq!(weigh_schemas(&server), ["weigh_mine_1", &unmarked]);
    let precious: Vec<String> = conn.query("SHOW TABLES IN weigh_mine_1").unwrap();
    assert_eq!(precious, ["precious"]);
}

#[test]
fn panic_drops_schema_despite_open_transaction() {
    let server = open("mariadb");
    let attached = open(&url(&server, "root"));
    let mut open_transaction = None;
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let schemas = Schemas::new(&attached, "panic").unwrap();
        let loaded = schemas.load(&rows(Text::Digits), &wanted(&["latin1_bin"]), &ignore_progress).unwrap();
        let mut conn = attached.connect().unwrap();
        conn.query_drop(format!("USE {}", name(&loaded[0]))).unwrap();
        conn.query_drop("BEGIN").unwrap();
        conn.query_drop("UPDATE sbtest1 SET k = k + 1 WHERE id = 1").unwrap();
        open_transaction = Some(conn);
        panic!("on purpose");
    }));
    assert!(panicked.is_err());
    assert_eq!(weigh_schemas(&server), [""; 0]);
    assert!(open_transaction.unwrap().query_drop("DO 0").is_err(), "its connection was ended");
}

/// Set in a child process of this test, which loads and then gets two signals in a row, so that it
/// cannot unwind.
const CHILD: &str = "WEIGH_TEST_SERVER";

#[test]
fn a_signal_leaves_no_schema() {
    if let Ok(url) = std::env::var(CHILD) {
        let server = open(&url);
        interrupt::install().unwrap();
        let schemas = Schemas::new(&server, "signal").unwrap();
        schemas.load(&rows(Text::Digits), &wanted(&["latin1_bin", "utf8mb4_bin"]), &ignore_progress).unwrap();
        assert_eq!(weigh_schemas(&server).len(), 2);
        for _ in 0..2 {
            kill_process(getpid(), Signal::TERM).unwrap();
            std::thread::sleep(Duration::from_millis(200));
        }
        std::thread::sleep(Duration::from_secs(60));
        unreachable!("the signal thread ends the process");
    }
    let server = open("mariadb");
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_signal_leaves_no_schema"])
        .env(CHILD, url(&server, "root"))
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(128 + Signal::TERM.as_raw()));
    assert_eq!(weigh_schemas(&server), [""; 0]);
}

#[test]
fn read_only_server_error_has_a_remedy() {
    let server = open("mariadb");
    let mut conn = server.connect().unwrap();
    conn.query_drop("CREATE USER nobody@localhost").unwrap();
    conn.query_drop("CREATE USER weigh@localhost").unwrap();
    conn.query_drop(r"GRANT ALL ON `weigh\_%`.* TO weigh@localhost").unwrap();
    let load = |account: &str| {
        let attached = open(&url(&server, account));
        let schemas = Schemas::new(&attached, account).unwrap();
        schemas.load(&rows(Text::Digits), &wanted(&["latin1_bin"]), &ignore_progress).map(drop)
    };

    load("weigh").expect("no privilege beyond its own schemas is needed");
    let denied = load("nobody").unwrap_err().to_string();
    assert!(denied.contains("cannot create the schema weigh_nobody_1") && denied.contains("GRANT ALL"), "{denied}");
    assert!(denied.contains(&server.endpoint().address.to_string()), "{denied} names no server");
    conn.query_drop("SET GLOBAL read_only = 1").unwrap();
    let read_only = load("weigh").unwrap_err().to_string();
    assert!(read_only.contains("such as the primary"), "{read_only}");
    assert_eq!(weigh_schemas(&server), [""; 0]);
}

#[test]
fn reports_server_that_ends_while_loading() {
    let server = open("mariadb");
    let pid = Pid::from_raw(server.pid().unwrap().cast_signed()).unwrap();
    let killed = AtomicBool::new(false);
    let schemas = Schemas::new(&server, "dying").unwrap();
    let kill = |_| {
        if !killed.swap(true, Ordering::SeqCst) {
            kill_process(pid, Signal::KILL).unwrap();
        }
    };
    let error = schemas.load(&rows(Text::Digits), &wanted(&["latin1_bin", "utf8mb4_bin"]), &kill).unwrap_err();
    assert!(matches!(error, TablesError::Server(server::Error::Died(_))), "{error}");
}

#[test]
fn sizes_are_in_whole_pages_and_letters_of_two_bytes_take_more_room() {
    for spec in ["mariadb", "mysql@5.6", "mysql@sid"] {
        let server = open(spec);
        let rows = rows(Text::Cyrillic);
        // The charset koi8r has one byte per letter.
        let wide_and_narrow = wanted(&["utf8mb4_bin", "koi8r_bin"]);
        let schemas = Schemas::new(&server, "sizes").unwrap();
        let loaded = schemas.load(&rows, &wide_and_narrow, &ignore_progress).unwrap();
        let [wide, narrow] = [0, 1].map(|at| load::table_sizes(&server, name(&loaded[at]), &rows).unwrap());
        assert_eq!(wide.len(), rows.len(), "{spec}");
        for (wide, narrow) in wide.iter().zip(&narrow) {
            assert_eq!((wide.rows, wide.page_bytes), (u64::from(ROWS), 16_384), "{spec}");
            assert!([wide, narrow].iter().all(|size| size.data_bytes % size.page_bytes == 0), "{spec}: {wide:?}");
            assert!(narrow.data_bytes > 0 && wide.data_bytes >= narrow.data_bytes, "{spec}: {wide:?}, {narrow:?}");
            assert!(narrow.leaf_pages > Some(0) && wide.leaf_pages > narrow.leaf_pages, "{spec}: {wide:?}, {narrow:?}");
            assert!(wide.index_bytes > 0 && narrow.index_bytes > 0, "{spec}: {wide:?}, {narrow:?}");
        }
        schemas.remove().unwrap();
    }
}
