//! Tests that every row is read once, with all types of keys and after an interruption.

use std::sync::atomic::{AtomicUsize, Ordering};

use mysql::prelude::Queryable;
use preflight::{
    Checkpoint, Error, Fields, Finding, Keyless, ReadOptions, RowSource, RowVisitor, ServerRows, Source, TableJob,
    read_definitions,
};

use crate::lab::{Lab, NoProgressBar, options};

const TABLES: [&str; 6] = [
    "CREATE TABLE by_text (k VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_german1_ci PRIMARY KEY, v VARCHAR(20))",
    "CREATE TABLE by_two (a CHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci, b DECIMAL(8,2), v VARCHAR(20), PRIMARY KEY (a, b))",
    "CREATE TABLE by_time (t DATETIME(3) PRIMARY KEY, v VARCHAR(20))",
    "CREATE TABLE by_bytes (b VARBINARY(20) NOT NULL, v VARCHAR(20), UNIQUE KEY (b))",
    "CREATE TABLE by_nothing (v VARCHAR(20), w DOUBLE)",
    "CREATE TABLE by_number (n BIGINT UNSIGNED PRIMARY KEY, v VARCHAR(20))",
];

fn fill(lab: &mut Lab, schema: &str) {
    lab.schema(schema, "latin1", &TABLES.map(str::to_owned));
    for table in ["by_text", "by_two", "by_time", "by_bytes", "by_nothing", "by_number"] {
        let row = |number: u32| {
            let letter = ["a", "B", "ä", "z", "Z1"][number as usize % 5];
            match table {
                "by_text" => format!("('{letter}{number}', 'é{number}')"),
                "by_two" => {
                    format!("('{}', {}.25, 'é{number}')", ["a", "B", "ö", "z", "Z1"][number as usize % 5], number / 5)
                }
                "by_time" => {
                    format!("('2026-01-01 00:00:00.{:03}' + INTERVAL {number} MINUTE, 'é{number}')", number % 1000)
                }
                "by_bytes" => format!("(UNHEX('{:08X}00FF'), 'é{number}')", number.wrapping_mul(2_654_435_761)),
                "by_number" => format!("(18446744073709551615 - {number}, 'é{number}')"),
                _ => format!("('é{number}', 0.5)"),
            }
        };
        let rows: Vec<String> = (0..2_500).map(row).collect();
        lab.conn.query_drop(format!("INSERT INTO {schema}.{table} VALUES {}", rows.join(","))).unwrap();
    }
}

/// Short times make many chunks.
fn in_small_chunks() -> ReadOptions {
    ReadOptions { chunk_time: std::time::Duration::from_micros(100), ..ReadOptions::default() }
}

fn test_reading(server: &str, target: &str) {
    let mut lab = Lab::new(server);
    fill(&mut lab, "fx_reading");
    let report = lab.report_with("fx_reading", &options(target), &in_small_chunks(), &Checkpoint::disabled()).unwrap();
    assert_eq!(report.tables.len(), TABLES.len());
    for table in &report.tables {
        let reading = table.reading.as_ref().unwrap();
        assert_eq!(reading.rows, 2_500, "{}", table.name);
        assert_eq!(
            reading.chunks > 3,
            table.name != "by_nothing",
            "{}: {} chunks {}",
            table.name,
            reading.chunks,
            reading.how
        );
        assert!(reading.from.starts_with("20") && reading.from <= reading.to, "{reading:?}");
    }
    let skipping = ReadOptions { keyless: Keyless::Skip, ..ReadOptions::default() };
    let report = lab.report_with("fx_reading", &options(target), &skipping, &Checkpoint::disabled()).unwrap();
    assert!(report.unchecked.iter().any(|line| line.contains("by_nothing: not read")), "{:?}", report.unchecked);
}

#[test]
fn mariadb() {
    test_reading("mariadb", "utf8mb4_unicode_ci");
}

#[test]
fn mysql() {
    test_reading("mysql@sid", "utf8mb4_0900_ai_ci");
}

/// A time zone with Berlin's changes of 2025, as `mysql_tzinfo_to_sql` writes one.
const ZONE: [&str; 5] = [
    "INSERT INTO mysql.time_zone VALUES (1, 'N')",
    "INSERT INTO mysql.time_zone_name VALUES ('Lab/Berlin', 1)",
    "INSERT INTO mysql.time_zone_transition_type VALUES (1, 0, 7200, 1, 'CEST'), (1, 1, 3600, 0, 'CET')",
    "INSERT INTO mysql.time_zone_transition VALUES (1, 1743296400, 0), (1, 1761440400, 1)",
    "SET GLOBAL time_zone = 'Lab/Berlin'",
];

/// A chunk ends within the hour that the server's time zone repeats.
fn test_repeated_hour(server: &str, target: &str) {
    let mut lab = Lab::new(server);
    for statement in ZONE {
        lab.conn.query_drop(statement).unwrap();
    }
    let create =
        "CREATE TABLE t (at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), v VARCHAR(20), PRIMARY KEY (at, v))";
    lab.schema("fx_hour", "latin1", &[create.to_owned(), "SET time_zone = '+00:00'".to_owned()]);
    let rows: Vec<String> =
        (0..2_500).map(|number| format!("('2025-10-26 00:00:00' + INTERVAL {} SECOND, 'x')", 3 * number)).collect();
    lab.conn.query_drop(format!("INSERT INTO t VALUES {}", rows.join(","))).unwrap();
    let report = lab.report_with("fx_hour", &options(target), &in_small_chunks(), &Checkpoint::disabled()).unwrap();
    assert_eq!(report.tables[0].reading.as_ref().unwrap().rows, 2_500);
    assert!(!report.has_problems(), "{:?}", report.findings);
}

#[test]
fn repeated_hour_mariadb() {
    test_repeated_hour("mariadb", "utf8mb4_unicode_ci");
}

#[test]
fn repeated_hour_mysql() {
    test_repeated_hour("mysql@5.7", "utf8mb4_unicode_ci");
}

fn test_invisible_key(server: &str, target: &str, invisible: &str) {
    let mut lab = Lab::new(server);
    let create = format!(
        "CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, v VARCHAR(20), UNIQUE ab (a, b), UNIQUE hidden (b) {invisible})"
    );
    lab.schema("fx_hidden", "latin1", &[create, "INSERT INTO t VALUES (1, 1, 'x')".to_owned()]);
    let report = lab.report("fx_hidden", target);
    assert_eq!(report.tables[0].reading.as_ref().unwrap().how, "in chunks by ab");
}

#[test]
fn invisible_key_mariadb() {
    test_invisible_key("mariadb", "utf8mb4_unicode_ci", "IGNORED");
}

#[test]
fn invisible_key_mysql() {
    test_invisible_key("mysql@sid", "utf8mb4_0900_ai_ci", "INVISIBLE");
}

/// Source of rows that is interrupted within one of its tables, as by a signal.
struct Interrupted<'s> {
    rows: ServerRows<'s>,
    left: &'s AtomicUsize,
}

impl RowSource for Interrupted<'_> {
    fn key(&self, table: &TableJob<'_>) -> Vec<String> {
        self.rows.key(table)
    }

    fn read(
        &mut self,
        table: &TableJob<'_>,
        fields: &Fields,
        each: &mut RowVisitor<'_>,
    ) -> Result<Option<preflight::Reading>, Error> {
        let is_last = self.left.fetch_sub(1, Ordering::Relaxed) == 1;
        let mut seen = 0;
        self.rows.read(table, fields, &mut |values| {
            seen += 1;
            if is_last && seen == 700 { Err(server::Error::Interrupted.into()) } else { each(values) }
        })
    }
}

#[test]
fn resumed_report_equals_uninterrupted_one() {
    let mut lab = Lab::new("mariadb");
    fill(&mut lab, "fx_resumed");
    lab.conn
        .query_drop(
            "INSERT INTO fx_resumed.by_text SELECT CONCAT('ss', k), v FROM fx_resumed.by_text WHERE k LIKE 'a%'",
        )
        .unwrap();
    lab.conn.query_drop("INSERT INTO fx_resumed.by_text SELECT CONCAT('ß', SUBSTR(k, 3)), v FROM fx_resumed.by_text WHERE k LIKE 'ssa%'").unwrap();
    let options = options("utf8mb4_unicode_ci");
    let uninterrupted =
        lab.report_with("fx_resumed", &options, &ReadOptions::default(), &Checkpoint::disabled()).unwrap();
    assert!(uninterrupted.has_problems());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let facts = lab.facts("fx_resumed");
    let definitions = read_definitions(&lab.server, &facts).unwrap();
    let read = ReadOptions::default();
    let (mut runs, mut findings): (usize, Option<Vec<Finding>>) = (0, None);
    while findings.is_none() {
        runs += 1;
        let left = AtomicUsize::new(3);
        let open = || -> Result<Box<dyn RowSource + '_>, Error> {
            Ok(Box::new(Interrupted { rows: ServerRows::open(&lab.server, &facts, &read)?, left: &left }))
        };
        let source =
            Source { label: "lab".into(), facts: &facts, definitions: &definitions, open: &open, is_server: true };
        let checkpoint = Checkpoint::open(&path, "run 1").unwrap();
        match preflight::run(&source, &options, &checkpoint, &NoProgressBar) {
            Ok(report) => findings = Some(report.findings),
            Err(error) => assert_eq!(error.to_string(), "interrupted"),
        }
        assert!(runs < 10);
    }
    assert!(runs > 2, "it was interrupted");
    assert_eq!(findings.unwrap(), uninterrupted.findings);
    let refused = Checkpoint::open(&path, "run 2").err().unwrap().to_string();
    assert!(refused.contains("another run"), "{refused}");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn chunks_use_an_index() {
    let mut lab = Lab::new("mariadb");
    fill(&mut lab, "fx_index");
    lab.conn.query_drop("FLUSH STATUS").unwrap();
    let before: (String, u64) =
        lab.conn.query_first("SHOW GLOBAL STATUS LIKE 'Handler_read_rnd_next'").unwrap().unwrap();
    let mut options = options("utf8mb4_unicode_ci");
    options.request.tables = vec!["by_text".into(), "by_two".into()];
    lab.report_with("fx_index", &options, &in_small_chunks(), &Checkpoint::disabled()).unwrap();
    let after: (String, u64) =
        lab.conn.query_first("SHOW GLOBAL STATUS LIKE 'Handler_read_rnd_next'").unwrap().unwrap();
    // A full scan would read 2,500 rows per chunk. Scans of information_schema read a few hundred
    // in total.
    assert!(after.1 - before.1 < 5_000, "{} rows were read without an index", after.1 - before.1);
}
