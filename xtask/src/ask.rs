//! Questions to a server about weights.

use anyhow::{Context, Result};
use mysql::prelude::Queryable;

use crate::servers::Source;

/// Unicode's planes.
pub const PLANES: u32 = 17;

/// A code point and its `WEIGHT_STRING`, `None` where the server says NULL.
pub type Weighed = (u32, Option<Vec<u8>>);

/// The characters of a plane, every `step`th, as a derived table `code_points` with one column, `n`.
fn plane(number: u32, step: u32) -> String {
    let digits = (1..16).fold("SELECT 0 d".to_owned(), |digits, digit| format!("{digits} UNION ALL SELECT {digit}"));
    format!(
        "(SELECT {} + a.d * 4096 + b.d * 256 + c.d * 16 + d.d AS n FROM ({digits}) a, ({digits}) b, ({digits}) c, \
         ({digits}) d HAVING n NOT BETWEEN 0xD800 AND 0xDFFF AND n % {step} = 0) code_points",
        number << 16
    )
}

/// The weights of every character of a plane. `level` asks MariaDB for one level alone.
pub fn weights(source: &mut Source, collation: &str, level: Option<usize>, number: u32) -> Result<Vec<Weighed>> {
    let level = level.map_or(String::new(), |level| format!(" LEVEL {}", level + 1));
    ask_weights(source, collation, &level, &plane(number, 1))
}

/// The weights of every character of a plane that another collation weighs otherwise.
pub fn changed_weights(
    source: &mut Source,
    collation: &str,
    other: &str,
    level: Option<usize>,
    number: u32,
) -> Result<Vec<Weighed>> {
    let level = level.map_or(String::new(), |level| format!(" LEVEL {}", level + 1));
    let character = "CONVERT(CAST(CHAR(n USING utf32) AS CHAR CHARACTER SET utf32) USING utf8mb4)";
    let weights = |collation: &str| format!("WEIGHT_STRING({character} COLLATE {collation}{level})");
    let query = format!(
        "SELECT n, {} w FROM {} WHERE NOT ({} <=> {})",
        weights(collation),
        plane(number, 1),
        weights(collation),
        weights(other)
    );
    source.conn.query(query).with_context(|| format!("asking {} for the weights of {collation}", source.title()))
}

/// The weights of every `step`th character of a plane.
pub fn some_weights(source: &mut Source, collation: &str, number: u32, step: u32) -> Result<Vec<Weighed>> {
    ask_weights(source, collation, "", &plane(number, step))
}

fn ask_weights(source: &mut Source, collation: &str, level: &str, code_points: &str) -> Result<Vec<Weighed>> {
    let name = source.name_of(collation);
    let charset = name.split('_').next().unwrap_or_default();
    let character = format!("CONVERT(CAST(CHAR(n USING utf32) AS CHAR CHARACTER SET utf32) USING {charset})");
    let query = format!("SELECT n, WEIGHT_STRING({character} COLLATE {name}{level}) FROM {code_points}");
    source.conn.query(query).with_context(|| format!("asking {} for the weights of {collation}", source.title()))
}

/// The first row of what a server answers.
pub fn first<T: mysql::prelude::FromRow>(source: &mut Source, query: &str) -> Result<Option<T>> {
    source.conn.query_first(query).with_context(|| format!("asking {}", source.title()))
}

/// A text as a literal.
pub fn literal(text: &str) -> String {
    let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("_utf8mb4 x'{digits}'")
}

/// The weights of each of 256 bytes in a collation of an 8-bit character set.
pub fn byte_weights(source: &mut Source, collation: &str) -> Result<Vec<Vec<u8>>> {
    let charset = collation.split('_').next().unwrap_or_default();
    let literal = |byte| format!("_{charset} 0x{byte:02x}");
    let weighed = |text: &str| format!("WEIGHT_STRING({text} COLLATE `{collation}`)");
    let query = if charset == "latin1" {
        let mut bytes: Vec<String> = (0..256).map(|byte| format!("SELECT {byte} n, {} b", literal(byte))).collect();
        // A longer string makes the column wide: MySQL 5.6 cuts the weights of a single byte to one.
        bytes.push("SELECT 256, _latin1 '    '".to_owned());
        let bytes = bytes.join(" UNION ALL ");
        format!("SELECT n, {} FROM ({bytes}) bytes WHERE n < 256 ORDER BY n", weighed("b"))
    } else {
        // MySQL refuses a column of bytes that are no ASCII, a literal it doesn't.
        let bytes: Vec<String> = (0..256).map(|byte| format!("SELECT {byte} n, {}", weighed(&literal(byte)))).collect();
        format!("{} ORDER BY n", bytes.join(" UNION ALL "))
    };
    let rows: Vec<(u32, Vec<u8>)> = source
        .conn
        .query(query)
        .with_context(|| format!("asking {} for the weights of {collation}", source.title()))?;
    Ok(rows.into_iter().map(|(_, weights)| weights).collect())
}

/// The weights of each byte below 80 in a collation of a multi-byte character set.
pub fn ascii_weights(source: &mut Source, collation: &str) -> Result<Vec<u8>> {
    let charset = collation.split('_').next().unwrap_or_default();
    let weighed = |byte| format!("SELECT {byte} n, WEIGHT_STRING(_{charset} 0x{byte:02x} COLLATE `{collation}`)");
    let query = (0..0x80).map(weighed).collect::<Vec<String>>().join(" UNION ALL ") + " ORDER BY n";
    let rows: Vec<(u32, Vec<u8>)> = source
        .conn
        .query(query)
        .with_context(|| format!("asking {} for the weights of {collation}", source.title()))?;
    Ok(rows.into_iter().flat_map(|(_, weights)| weights).collect())
}
