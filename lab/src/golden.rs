//! `cargo xtask golden`: writes digests of what servers return for a few thousand strings in every
//! collation. The library's tests compare with them without a server.
//!
//! `engine/mysql-collation/tests/golden.rs` defines the digests, and computes the library's own.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use crc32fast::Hasher;
use mysql::prelude::Queryable;
use mysql_collation::Charset;

use crate::servers::Source;
use crate::verify::{Texts, hex};

#[derive(clap::Args)]
pub struct Arguments {
    /// Servers to query
    #[arg(long, default_values = ["mysql@sid", "mariadb@trixie"])]
    server: Vec<String>,
}

/// Number of strings, which come in similar pairs.
const STRING_COUNT: usize = 2560;
const STRINGS_PER_DIGEST: usize = 128;
/// Maximum of characters per string. No server truncates the weights of so few.
const MAX_CHARACTERS: usize = 16;
const SEED: u64 = 20_261_122;

pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/mysql-collation/tests/golden");
    let mut texts = Texts::new(SEED, Charset::Utf8mb4);
    let mut strings = Vec::new();
    while strings.len() < STRING_COUNT {
        let (a, b) = texts.pair();
        strings
            .extend([a, b].map(|text| String::from_utf8_lossy(&text).chars().take(MAX_CHARACTERS).collect::<String>()));
    }
    let lines: Vec<String> = strings.iter().map(|text| hex(text.as_bytes())).collect();
    fs::write(folder.join("strings.txt"), lines.join("\n") + "\n").context("writing the strings")?;
    for spec in &arguments.server {
        let mut source = Source::open(spec)?;
        let file = format!("{}.txt", source.server.flavour().to_string().to_lowercase());
        let text = query_digests(&mut source, &lines)?;
        fs::write(folder.join(&file), text).with_context(|| format!("writing {file}"))?;
    }
    Ok(())
}

/// Returns one line per collation of a server: name, digests of weights, digests of orders.
fn query_digests(source: &mut Source, lines: &[String]) -> Result<String> {
    source.conn.query_drop("CREATE DATABASE weigh_golden")?;
    source.conn.query_drop("USE weigh_golden")?;
    let mut by_charset: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for collation in source.server.read_collations()? {
        by_charset.entry(collation.charset).or_default().push(collation.name);
    }
    let mut text = format!("# cargo xtask golden, from {}\n", source.title());
    for (charset, collations) in by_charset {
        load_strings(source, &charset, lines)?;
        for collation in collations {
            let weights: Vec<Option<Vec<u8>>> =
                source.conn.query(format!("SELECT WEIGHT_STRING(s COLLATE `{collation}`) FROM strings ORDER BY id"))?;
            let orders: Vec<i8> = source.conn.query(format!(
                "SELECT STRCMP(a.s COLLATE `{collation}`, b.s) FROM strings a JOIN strings b ON b.id = a.id + 1 ORDER BY a.id"
            ))?;
            let of_weights = weights.chunks(STRINGS_PER_DIGEST).map(|block| {
                digest(block.iter().map(|weights| {
                    let weights = weights.as_deref().unwrap_or_default();
                    [&(weights.len() as u32).to_le_bytes()[..], weights].concat()
                }))
            });
            let of_orders = orders
                .chunks(STRINGS_PER_DIGEST)
                .map(|block| digest(block.iter().map(|&order| vec![(order + 1) as u8])));
            let digests = of_weights.chain(of_orders).collect::<String>();
            writeln!(text, "{collation} {digests}")?;
        }
    }
    source.conn.query_drop("DROP DATABASE weigh_golden")?;
    Ok(text)
}

fn load_strings(source: &mut Source, charset: &str, lines: &[String]) -> Result<()> {
    source.conn.query_drop("DROP TABLE IF EXISTS strings")?;
    let kind = match charset {
        "binary" => "VARBINARY(255)".to_owned(),
        _ => format!("VARCHAR(64) CHARACTER SET {charset}"),
    };
    source.conn.query_drop(format!("CREATE TABLE strings (id INT PRIMARY KEY, s {kind} NOT NULL)"))?;
    let row = |(id, text): (usize, &String)| format!("({id}, CONVERT(_utf8mb4 x'{text}' USING {charset}))");
    for (number, some) in lines.chunks(512).enumerate() {
        let rows: Vec<String> = (512 * number..).zip(some).map(row).collect();
        source.conn.query_drop(format!("INSERT INTO strings VALUES {}", rows.join(",")))?;
    }
    Ok(())
}

fn digest(parts: impl Iterator<Item = Vec<u8>>) -> String {
    let mut hasher = Hasher::new();
    parts.for_each(|part| hasher.update(&part));
    format!("{:08x}", hasher.finalize())
}
