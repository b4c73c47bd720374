//! Compares the limits of index keys with real servers: what `CONVERT TO CHARACTER SET utf8mb4`
//! does with indexes of latin1 columns.

mod common;

use common::SERVERS;
use facts::{Facts, Limits, Scope, Table};
use mysql::prelude::Queryable;
use rules::keys::{self, TooLong};
use server::{Conn, NoProgress, Options, Server, open};

/// Row formats by engine.
const FORMATS: [(&str, &str); 6] = [
    ("InnoDB", "COMPACT"),
    ("InnoDB", "REDUNDANT"),
    ("InnoDB", "DYNAMIC"),
    ("InnoDB", "COMPRESSED"),
    ("MyISAM", "DEFAULT"),
    ("Aria", "DEFAULT"),
];

const KEYS: [&str; 3] = ["KEY k", "UNIQUE KEY k", "PRIMARY KEY"];

/// Lengths of a key's columns in characters.
type Lengths = &'static [&'static [u32]];

/// Returns lengths at a limit in utf8mb4, and one more.
fn lengths(engine: &str, format: &str) -> Lengths {
    match (engine, format) {
        (_, "COMPACT" | "DYNAMIC") => &[&[191], &[192], &[768], &[769], &[384, 384], &[384, 385], &[700, 700]],
        (_, "REDUNDANT" | "COMPRESSED") => &[&[191], &[192], &[769]],
        ("MyISAM", _) => &[&[250], &[251], &[125, 125], &[125, 126]],
        _ => &[&[250], &[251], &[500], &[501], &[575], &[576], &[288, 288]],
    }
}

/// Returns lengths at the limits of InnoDB pages of 4 and 8 KiB.
fn lengths_of_pages(_engine: &str, format: &str) -> Lengths {
    match format {
        "COMPACT" | "DYNAMIC" => &[&[192], &[193], &[293], &[294], &[384], &[385], &[191, 191]],
        _ => &[],
    }
}

fn start(spec: &str, page: &str) -> Server {
    let settings = vec![format!("innodb_page_size={page}").parse().unwrap()];
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, settings, ..Options::default() };
    open(&spec.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

fn read_facts(server: &Server) -> Facts {
    let scope = Scope { schemas: vec!["q".into()], ..Scope::default() };
    facts::read(server, &scope, &Limits::default(), &NoProgress).unwrap()
}

/// Creates a table for each key, and leaves out those that the server refuses.
fn create_tables(conn: &mut Conn, keys: &[&str], engine: &str, format: &str, lengths: Lengths) {
    for (at, lengths) in lengths.iter().enumerate() {
        for (kind, key) in keys.iter().enumerate() {
            let column = |(at, length): (usize, &u32)| format!("c{at} VARCHAR({length}) NOT NULL");
            let columns: Vec<String> = lengths.iter().enumerate().map(column).collect();
            let names: Vec<String> = (0..lengths.len()).map(|at| format!("c{at}")).collect();
            let _ = conn.query_drop(format!(
                "CREATE TABLE q.{engine}_{format}_{at}_{kind} ({}, {key} ({})) CHARACTER SET latin1 ENGINE={engine} ROW_FORMAT={format}",
                columns.join(", "),
                names.join(", ")
            ));
        }
    }
}

/// Outcome of a conversion for the only index of the table.
#[derive(Debug, PartialEq)]
enum Done {
    Failed(u16),
    Hash,
    Shortened,
    Kept,
}

fn convert(conn: &mut Conn, table: &Table) -> Done {
    match conn.query_drop(format!("ALTER TABLE q.{} CONVERT TO CHARACTER SET utf8mb4", table.name)) {
        Err(mysql::Error::MySqlError(error)) => return Done::Failed(error.code),
        other => other.unwrap(),
    }
    let query = "SELECT MAX(INDEX_TYPE), MAX(SUB_PART) FROM information_schema.STATISTICS \
                 WHERE TABLE_SCHEMA = 'q' AND TABLE_NAME = ?";
    let (kind, prefix): (String, Option<u64>) = conn.exec_first(query, (&table.name,)).unwrap().unwrap();
    match (kind.as_str(), prefix) {
        ("HASH", _) => Done::Hash,
        (_, Some(_)) => Done::Shortened,
        (_, None) => Done::Kept,
    }
}

fn agrees(predicted: Option<TooLong>, is_strict: bool, done: &Done) -> bool {
    match (predicted, done) {
        (None, done) => *done == Done::Kept,
        (Some(TooLong::Refused(error)), Done::Failed(code)) => error.contains(&code.to_string()),
        (Some(TooLong::ShortenedUnlessStrict), Done::Failed(code)) => is_strict && *code == 1071,
        (Some(TooLong::ShortenedUnlessStrict), Done::Shortened) => !is_strict,
        (Some(TooLong::Hash), done) => *done == Done::Hash,
        (Some(TooLong::Shortened), done) => *done == Done::Shortened,
        _ => false,
    }
}

/// Converts a table for every format, key and length, and adds the outcomes that were predicted to
/// `seen`.
fn check_limits(server: &Server, conn: &mut Conn, lengths: fn(&str, &str) -> Lengths, seen: &mut Vec<TooLong>) {
    for is_strict in [true, false] {
        conn.query_drop("DROP DATABASE IF EXISTS q").unwrap();
        conn.query_drop("CREATE DATABASE q").unwrap();
        conn.query_drop("SET SESSION innodb_strict_mode = ON").unwrap();
        conn.query_drop(format!("SET sql_mode = '{}'", if is_strict { "STRICT_ALL_TABLES" } else { "" })).unwrap();
        for (engine, format) in FORMATS {
            // Strict mode matters to indexes that are not unique.
            let keys = if is_strict { &KEYS[..] } else { &KEYS[..1] };
            create_tables(conn, keys, engine, format, lengths(engine, format));
        }
        let facts = read_facts(server);
        let label = server.label();
        // A table that the server makes of another engine or with a shorter index is left out.
        let is_whole = |table: &&Table| {
            table.name.to_lowercase().starts_with(&table.engine.as_deref().unwrap_or("").to_lowercase())
                && table.indexes[0].parts.iter().all(|part| part.prefix.is_none())
                && keys::has_limits(&table.indexes[0])
        };
        for table in facts.tables().filter(is_whole) {
            let index = &table.indexes[0];
            let bytes = keys::part_bytes(table, index, |_| 4);
            let limits = keys::find_limits(&facts.server, table).unwrap();
            let predicted = keys::judge_length(&facts.server, table, index, &bytes);
            let fits = bytes.iter().all(|bytes| *bytes <= limits.max_part_bytes)
                && bytes.iter().sum::<u64>() <= limits.max_key_bytes;
            assert_eq!(fits, predicted.is_none(), "{} on {label}", table.name);
            let done = convert(conn, table);
            assert!(
                agrees(predicted, is_strict, &done),
                "{} {bytes:?} on {label}, strict: {is_strict}: {predicted:?}, but {done:?}",
                table.name
            );
            seen.extend(predicted);
        }
    }
}

#[test]
fn servers_do_with_long_keys_what_is_predicted() {
    let mut seen = Vec::new();
    for spec in SERVERS {
        let server = start(spec, "16384");
        let mut conn = server.connect().unwrap();
        let has_setting = conn.query_drop("SET GLOBAL innodb_file_format = Barracuda").is_ok();
        for value in if has_setting { &["OFF", "ON"][..] } else { &[""] } {
            if has_setting {
                conn.query_drop(format!("SET GLOBAL innodb_large_prefix = {value}")).unwrap();
            }
            check_limits(&server, &mut conn, lengths, &mut seen);
        }
        server.stop().unwrap();
    }
    for outcome in [TooLong::Hash, TooLong::Shortened, TooLong::ShortenedUnlessStrict, TooLong::Refused("1709")] {
        assert!(seen.contains(&outcome), "{outcome:?}");
    }
}

#[test]
fn small_pages_hold_shorter_keys() {
    for (spec, page) in
        [("mysql@8.0", "4096"), ("mariadb@10.2", "4096"), ("mariadb@11.4", "4096"), ("mysql@5.7", "8192")]
    {
        let server = start(spec, page);
        check_limits(&server, &mut server.connect().unwrap(), lengths_of_pages, &mut Vec::new());
        server.stop().unwrap();
    }
}

/// With the settings of `lacking_settings`, `ROW_FORMAT=DYNAMIC` allows 3072 bytes; without one of
/// them it does not.
#[test]
fn settings_that_lack_allow_long_parts() {
    let mut lacking = Vec::new();
    for spec in ["mysql@5.6", "mysql@5.7", "mariadb@10.1", "mariadb@10.2", "mariadb@bullseye"] {
        let server = start(spec, "16384");
        let mut conn = server.connect().unwrap();
        conn.query_drop("CREATE DATABASE q").unwrap();
        conn.query_drop("SET sql_mode = 'STRICT_ALL_TABLES', SESSION innodb_strict_mode = ON").unwrap();
        for setting in ["innodb_file_format = Antelope", "innodb_file_per_table = OFF", "innodb_large_prefix = OFF"] {
            // MariaDB 10.5 has no such settings, or only reads them.
            let _ = conn.query_drop(format!("SET GLOBAL {setting}"));
        }
        let settings = keys::lacking_settings(&read_facts(&server).server);
        let makes_long_key = |conn: &mut Conn| {
            conn.query_drop("DROP TABLE IF EXISTS q.t").unwrap();
            let create = "CREATE TABLE q.t (a VARCHAR(768) CHARACTER SET utf8mb4, UNIQUE KEY k (a)) ENGINE=InnoDB ROW_FORMAT=DYNAMIC";
            conn.query_drop(create).is_ok()
        };
        for (name, value) in &settings {
            assert!(!makes_long_key(&mut conn), "{spec} without {name}");
            conn.query_drop(format!("SET GLOBAL {name} = {value}")).unwrap();
        }
        assert!(makes_long_key(&mut conn), "{spec}");
        assert_eq!(keys::lacking_settings(&read_facts(&server).server), []);
        lacking.push(settings.len());
        server.stop().unwrap();
    }
    assert_eq!(lacking, [3, 1, 3, 2, 0]);
}
