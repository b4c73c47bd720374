//! Rows of a table that is read in chunks by a string key, as docs/how-to/cdc.md shows.

use lab::servers::Source;
use mysql::prelude::Queryable;
use mysql_collation::{Collation, Flavour};

const CHUNK: usize = 200;
const SYLLABLES: [&str; 14] = ["an", "Be", "ça", "DA", "é", "ñu", "Öl", "ß", "zu", "ЖУ", "мир", "日", "_", " "];

/// Returns the number of the chunk that has a key, from 0 on. Each bound is the first key of a
/// chunk.
fn chunk_of(bounds: &[String], key: &str, collation: Collation) -> usize {
    bounds.partition_point(|bound| collation.compare(bound.as_bytes(), key.as_bytes()).is_le())
}

#[test]
fn a_key_is_in_the_chunk_that_the_server_finds_it_in() {
    let mut source = Source::open("mysql@sid").unwrap();
    let conn = &mut source.conn;
    conn.query_drop("CREATE DATABASE cdc").unwrap();
    conn.query_drop("CREATE TABLE cdc.people (name VARCHAR(64) COLLATE utf8mb4_0900_ai_ci PRIMARY KEY)").unwrap();
    let syllable = |index: usize| SYLLABLES[index % SYLLABLES.len()];
    let name = |i: usize| (format!("{}{}{}{i}", syllable(i), syllable(i / SYLLABLES.len()), syllable(i / 7)),);
    conn.exec_batch("INSERT INTO cdc.people VALUES (?)", (0..3000).map(name)).unwrap();
    let rows: Vec<String> = conn.query("SELECT name FROM cdc.people ORDER BY name").unwrap();
    let bounds: Vec<String> = rows.iter().skip(CHUNK).step_by(CHUNK).cloned().collect();

    let collation = Collation::by_name(Flavour::MySql, "utf8mb4_0900_ai_ci").unwrap();
    let is_in_own_chunk = |(number, name): (usize, &String)| chunk_of(&bounds, name, collation) == number / CHUNK;
    assert!(rows.iter().enumerate().all(is_in_own_chunk));
    // The order of a connector that doesn't know the collation.
    let by_bytes = |name: &String| bounds.iter().filter(|bound| *bound <= name).count();
    let wrong = rows.iter().enumerate().filter(|(number, name)| by_bytes(name) != number / CHUNK).count();
    assert!(wrong > rows.len() / 10, "{wrong} of {}", rows.len());
}

/// The query of the page finds keys whose order differs between server and client, under `_bin`,
/// too.
#[test]
fn the_query_finds_affected_tables() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/how-to/cdc.md")).unwrap();
    let query = page.split("```sql\n").nth(1).unwrap().split("```").next().unwrap();
    let mut source = Source::open("mysql@sid").unwrap();
    let conn = &mut source.conn;
    conn.query_drop("CREATE DATABASE cdc_query").unwrap();
    conn.query_drop("USE cdc_query").unwrap();
    for (collation, names, utf8, utf16) in [
        ("utf8mb4_bin", ["a\t", "a"], 1, 1),
        ("utf8mb4_bin", ["\u{FFFD}", "😀"], 0, 1),
        ("latin1_bin", ["€", "ÿ"], 1, 1),
        ("utf8mb4_0900_bin", ["a\t", "a"], 0, 0),
        ("utf8mb4_0900_ai_ci", ["B", "a"], 1, 1),
    ] {
        let charset = collation.split('_').next().unwrap();
        conn.query_drop("DROP TABLE IF EXISTS people").unwrap();
        let key = format!("name VARCHAR(9) CHARACTER SET {charset} COLLATE {collation} PRIMARY KEY");
        conn.query_drop(format!("CREATE TABLE people ({key})")).unwrap();
        conn.exec_batch("INSERT INTO people VALUES (?)", names.map(|name| (name,))).unwrap();
        let mut count = |query: &str| conn.query_first::<u32, _>(query).unwrap().unwrap();
        assert_eq!(count(query), utf8, "{collation} {names:?}");
        assert_eq!(count(&query.replace("utf8mb4", "utf16")), utf16, "{collation} {names:?}");
    }
}
