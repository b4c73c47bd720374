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
