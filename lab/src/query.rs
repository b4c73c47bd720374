//! Queries servers for weights.

use anyhow::{Context, Result};
use mysql::prelude::Queryable;

use crate::servers::Source;

pub const PLANES: u32 = 17;

/// A code point and its `WEIGHT_STRING`. `None` if the server returns NULL.
pub type WeighedCodePoint = (u32, Option<Vec<u8>>);

/// Returns a derived table `code_points` with one column, `n`: every `step`th character of a plane.
pub fn plane_table(number: u32, step: u32) -> String {
    let digits = (1..16).fold("SELECT 0 d".to_owned(), |digits, digit| format!("{digits} UNION ALL SELECT {digit}"));
    format!(
        "(SELECT {} + a.d * 4096 + b.d * 256 + c.d * 16 + d.d AS n FROM ({digits}) a, ({digits}) b, ({digits}) c, \
         ({digits}) d HAVING n NOT BETWEEN 0xD800 AND 0xDFFF AND n % {step} = 0) code_points",
        number << 16
    )
}

/// Queries the weights of all characters of a plane: of every level, or of `level` alone, from 0,
/// which only MariaDB can return.
pub fn query_weights(
    source: &mut Source,
    collation: &str,
    level: Option<usize>,
    number: u32,
) -> Result<Vec<WeighedCodePoint>> {
    let level = level.map_or(String::new(), |level| format!(" LEVEL {}", level + 1));
    run_weights_query(source, collation, &level, &plane_table(number, 1))
}

/// Queries the weights in `collation` of a plane's characters that it and `other` weigh
/// differently.
pub fn query_differing_weights(
    source: &mut Source,
    collation: &str,
    other: &str,
    level: Option<usize>,
    number: u32,
) -> Result<Vec<WeighedCodePoint>> {
    let level = level.map_or(String::new(), |level| format!(" LEVEL {}", level + 1));
    let character = "CONVERT(CAST(CHAR(n USING utf32) AS CHAR CHARACTER SET utf32) USING utf8mb4)";
    let weights = |collation: &str| format!("WEIGHT_STRING({character} COLLATE {collation}{level})");
    let query = format!(
        "SELECT n, {} w FROM {} WHERE NOT ({} <=> {})",
        weights(collation),
        plane_table(number, 1),
        weights(collation),
        weights(other)
    );
    source.conn.query(query).with_context(|| format!("asking {} for the weights of {collation}", source.title()))
}

/// Queries the weights of every `step`th character of a plane.
pub fn query_sampled_weights(
    source: &mut Source,
    collation: &str,
    number: u32,
    step: u32,
) -> Result<Vec<WeighedCodePoint>> {
    run_weights_query(source, collation, "", &plane_table(number, step))
}

fn run_weights_query(
    source: &mut Source,
    collation: &str,
    level: &str,
    code_points: &str,
) -> Result<Vec<WeighedCodePoint>> {
    let name = source.local_name(collation);
    let charset = name.split('_').next().unwrap_or_default();
    let character = format!("CONVERT(CAST(CHAR(n USING utf32) AS CHAR CHARACTER SET utf32) USING {charset})");
    let query = format!("SELECT n, WEIGHT_STRING({character} COLLATE {name}{level}) FROM {code_points}");
    source.conn.query(query).with_context(|| format!("asking {} for the weights of {collation}", source.title()))
}

pub fn query_first<T: mysql::prelude::FromRow>(source: &mut Source, query: &str) -> Result<Option<T>> {
    source.conn.query_first(query).with_context(|| format!("asking {}", source.title()))
}

/// Formats a text as a literal: `_utf8mb4 x'c3a4'`.
pub fn format_literal(text: &str) -> String {
    let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("_utf8mb4 x'{digits}'")
}

/// Queries the weights of each of 256 bytes in a collation of an 8-bit charset.
pub fn query_byte_weights(source: &mut Source, collation: &str) -> Result<Vec<Vec<u8>>> {
    let charset = collation.split('_').next().unwrap_or_default();
    let literal = |byte| format!("_{charset} 0x{byte:02x}");
    let weighed = |text: &str| format!("WEIGHT_STRING({text} COLLATE `{collation}`)");
    let query = if charset == "latin1" {
        let mut bytes: Vec<String> = (0..256).map(|byte| format!("SELECT {byte} n, {} b", literal(byte))).collect();
        // MySQL 5.6 truncates the weights of a column of single bytes to one byte, so a longer
        // string, which isn't read, widens the column.
        bytes.push("SELECT 256, _latin1 '    '".to_owned());
        let bytes = bytes.join(" UNION ALL ");
        format!("SELECT n, {} FROM ({bytes}) bytes WHERE n < 256 ORDER BY n", weighed("b"))
    } else {
        // In other character sets, MySQL rejects non-ASCII bytes in a derived column, but accepts
        // them as literals.
        let bytes: Vec<String> = (0..256).map(|byte| format!("SELECT {byte} n, {}", weighed(&literal(byte)))).collect();
        format!("{} ORDER BY n", bytes.join(" UNION ALL "))
    };
    let rows: Vec<(u32, Vec<u8>)> = source
        .conn
        .query(query)
        .with_context(|| format!("asking {} for the weights of {collation}", source.title()))?;
    Ok(rows.into_iter().map(|(_, weights)| weights).collect())
}

/// Queries the weights of each byte below 0x80 in a collation of a multi-byte charset.
pub fn query_ascii_weights(source: &mut Source, collation: &str) -> Result<Vec<u8>> {
    let charset = collation.split('_').next().unwrap_or_default();
    let weighed = |byte| format!("SELECT {byte} n, WEIGHT_STRING(_{charset} 0x{byte:02x} COLLATE `{collation}`)");
    let query = (0..0x80).map(weighed).collect::<Vec<String>>().join(" UNION ALL ") + " ORDER BY n";
    let rows: Vec<(u32, Vec<u8>)> = source
        .conn
        .query(query)
        .with_context(|| format!("asking {} for the weights of {collation}", source.title()))?;
    Ok(rows.into_iter().flat_map(|(_, weights)| weights).collect())
}
