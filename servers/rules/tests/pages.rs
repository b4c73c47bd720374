//! Compares the bytes of a row in its page with real servers: a table at the limit is created, and
//! one of one more byte is refused.

mod common;

use common::SERVERS;
use facts::{Facts, Limits, RowFormat, Scope, Table};
use mysql::prelude::Queryable;
use rules::pages::{CharacterBytes, hidden_period_bytes, max_page_row_bytes, page_row_bytes};
use server::{Conn, NoProgress, Options, Server, open};

const FORMATS: [&str; 3] = ["DYNAMIC", "COMPACT", "REDUNDANT"];

/// Columns, and the rest of the table definition. `#` is a number from 1 to 2, for which the
/// columns are repeated.
const TABLES: [(&str, &str); 44] = [
    ("i# INT NOT NULL", ""),
    ("i# INT NOT NULL", ", PRIMARY KEY (i1)"),
    ("i# INT NOT NULL", ", UNIQUE KEY (i2)"),
    ("i# INT", ", UNIQUE KEY (i2)"),
    ("a# INT, b# INT, c# INT, d# INT, e# INT", ""),
    ("v# VARCHAR(10) CHARACTER SET utf8mb4 NOT NULL", ""),
    ("v# VARCHAR(20) CHARACTER SET utf8mb4", ""),
    ("v# VARCHAR(63) CHARACTER SET utf8mb4 NOT NULL", ""),
    ("v# VARCHAR(64) CHARACTER SET utf8mb4 NOT NULL", ""),
    ("v# VARCHAR(64) CHARACTER SET utf8mb4 NOT NULL", ", PRIMARY KEY (v1)"),
    ("v# VARCHAR(192) CHARACTER SET utf8mb4 NOT NULL", ""),
    ("v# VARCHAR(300) CHARACTER SET utf8mb4", ""),
    ("v# VARCHAR(40) NOT NULL", ""),
    ("v# VARCHAR(41) NOT NULL", ""),
    ("v# VARCHAR(127) NOT NULL", ""),
    ("v# VARCHAR(255) NOT NULL", ""),
    ("v# VARCHAR(256) NOT NULL", ""),
    ("v# VARCHAR(787) NOT NULL", ""),
    ("v# VARCHAR(789) NOT NULL", ""),
    ("v# VARCHAR(700) NOT NULL", ", PRIMARY KEY (v1)"),
    ("v# VARCHAR(0) NOT NULL", ""),
    ("v# VARBINARY(300) NOT NULL", ""),
    ("c# CHAR(10) CHARACTER SET utf8mb4 NOT NULL", ""),
    ("c# CHAR(30) CHARACTER SET utf8mb4", ""),
    ("c# CHAR(64) CHARACTER SET utf8mb4 NOT NULL", ""),
    ("c# CHAR(192) CHARACTER SET utf8mb4 NOT NULL", ""),
    ("c# CHAR(200) CHARACTER SET utf8mb4 NOT NULL", ""),
    ("c# CHAR(200) NOT NULL", ""),
    ("c# CHAR(60) CHARACTER SET ucs2 NOT NULL", ""),
    ("c# CHAR(30) CHARACTER SET utf32", ""),
    ("c# CHAR(30) CHARACTER SET sjis NOT NULL", ""),
    ("b# BINARY(30), t# BIT(9) NOT NULL", ""),
    ("t# TINYTEXT NOT NULL, m# MEDIUMTEXT", ""),
    ("b# LONGBLOB NOT NULL, g# POINT", ""),
    ("t# TEXT NOT NULL", ", PRIMARY KEY (t1(100))"),
    ("t# TEXT NOT NULL", ", FULLTEXT KEY (t1)"),
    ("d# DECIMAL(20, 6), t# DATETIME(3) NOT NULL, y# YEAR, e# ENUM('a', 'b') NOT NULL", ""),
    ("v# VARCHAR(700) NOT NULL", ", n INT AS (1) VIRTUAL"),
    ("j# JSON NOT NULL", ""),
    ("u# VECTOR(8) NOT NULL, v# VECTOR(64) NOT NULL", ""),
    ("v# VARCHAR(254) COMPRESSED NOT NULL", ""),
    ("v# VARCHAR(255) COMPRESSED NOT NULL, t# TEXT COMPRESSED", ""),
    ("i# INET6, u# UUID NOT NULL", ""),
    ("v# VARCHAR(300) NOT NULL", ") WITH SYSTEM VERSIONING ("),
];

fn start(spec: &str, page: &str) -> Server {
    let settings = vec![format!("innodb_page_size={page}").parse().unwrap()];
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, settings, ..Options::default() };
    open(&spec.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

fn read_facts(server: &Server) -> Facts {
    let scope = Scope { schemas: vec!["q".into()], ..Scope::default() };
    facts::read(server, &scope, &Limits::default(), &NoProgress).unwrap()
}

fn create_sql(name: &str, format: &str, (columns, rest): (&str, &str), filler: &[String]) -> String {
    let columns = [columns.replace('#', "1"), columns.replace('#', "2")].into_iter().chain(filler.iter().cloned());
    let columns = columns.collect::<Vec<_>>().join(", ");
    let (rest, end) = rest.split_once(") ").map_or((rest, ""), |(rest, end)| (rest, end.trim_end_matches(" (")));
    format!("CREATE TABLE q.{name} ({columns}{rest}) ENGINE=InnoDB CHARACTER SET latin1 ROW_FORMAT={format} {end}")
}

/// Returns columns of fixed length that take a number of bytes in the page.
fn fillers(mut bytes: u64, format: RowFormat) -> Vec<String> {
    let own = if format == RowFormat::Redundant { 2 } else { 0 };
    let mut columns = Vec::new();
    while bytes > 0 {
        let length = if bytes > 250 { 200 } else { bytes - own };
        columns.push(format!("f{} BINARY({length}) NOT NULL", columns.len()));
        bytes -= length + own;
    }
    columns
}

fn measure(facts: &Facts, table: &Table, rest: &str) -> u64 {
    let width = |column: &facts::Column| {
        let charset = column.charset.as_deref().and_then(|name| facts.server.charset(name));
        charset.map_or(CharacterBytes::BINARY, |set| CharacterBytes::new(&set.name, u64::from(set.max_bytes)))
    };
    let hidden = if rest.contains("VERSIONING") { hidden_period_bytes(table.row_format) } else { 0 };
    page_row_bytes(&facts.server, table, table.row_format, width).unwrap() + hidden
}

/// Tries all tables that the server knows the types of. Returns their number.
fn check_limit(server: &Server, conn: &mut Conn) -> usize {
    conn.query_drop("CREATE DATABASE q").unwrap();
    for setting in ["GLOBAL innodb_file_format = Barracuda", "GLOBAL innodb_file_per_table = ON"] {
        // Newer servers have no such settings.
        let _ = conn.query_drop(format!("SET {setting}"));
    }
    conn.query_drop("SET SESSION innodb_strict_mode = ON").unwrap();
    let mut made = Vec::new();
    for format in FORMATS {
        for (at, table) in TABLES.iter().enumerate() {
            let name = format!("{format}_{at}").to_lowercase();
            if conn.query_drop(create_sql(&name, format, *table, &[])).is_ok() {
                made.push((name, format, *table));
            }
        }
    }
    let facts = read_facts(server);
    let limit = max_page_row_bytes(&facts.server).unwrap();
    let mut failures = Vec::new();
    for (name, format, table) in &made {
        let facts_of_table = facts.table("q", name).unwrap();
        let missing = limit - measure(&facts, facts_of_table, table.1);
        for (bytes, fits) in [(missing, true), (missing + 1, false)] {
            let sql = create_sql("filled", format, *table, &fillers(bytes, facts_of_table.row_format));
            let created = conn.query_drop(&sql);
            let is_refused = created.as_ref().is_err_and(|error| error.to_string().contains("Row size too large"));
            if !(if fits { created.is_ok() } else { is_refused }) {
                failures.push(format!("{table:?} {format} on {}, {bytes} more bytes: {created:?}", server.label()));
            }
            conn.query_drop("DROP TABLE IF EXISTS q.filled").unwrap();
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    made.len()
}

#[test]
fn rows_fit_into_half_a_page_as_predicted() {
    for spec in SERVERS {
        let server = start(spec, "16384");
        let tried = check_limit(&server, &mut server.connect().unwrap());
        assert!(tried > 100, "{spec}: {tried}");
        server.stop().unwrap();
    }
}

#[test]
fn rows_fit_into_half_of_other_pages_as_predicted() {
    for (spec, page) in [("mysql@sid", "4096"), ("mysql@5.7", "32768"), ("mariadb@trixie", "8192")] {
        let server = start(spec, page);
        check_limit(&server, &mut server.connect().unwrap());
        server.stop().unwrap();
    }
}
