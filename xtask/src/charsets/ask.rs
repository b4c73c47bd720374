//! Questions to a server about character sets.

use anyhow::{Context, Result};
use mysql::prelude::Queryable;

use crate::servers::Source;
use crate::verify::hex;

/// The byte sequences of one statement.
const BATCH: usize = 500;

/// A byte sequence that was taken for a string of a character set, and that string in UTF-32.
pub struct Read {
    /// The sequence.
    pub given: Vec<u8>,
    /// What the server took.
    pub taken: Vec<u8>,
    /// Its code points, 4 bytes each.
    pub utf32: Vec<u8>,
}

/// `bytes`, which are of the character set `from`, in another one.
pub fn convert(source: &mut Source, bytes: &[u8], from: &str, to: &str) -> Result<Vec<u8>> {
    let (from, to) = (source.name_of(from), source.name_of(to));
    let query = format!("SELECT CAST(CONVERT(CONVERT(x'{}' USING {from}) USING {to}) AS BINARY)", hex(bytes));
    let answer: Option<Vec<u8>> = source.conn.query_first(query).with_context(|| asking(source, &from))?;
    answer.with_context(|| format!("converting {from} to {to}"))
}

/// Every `step`th pair of bytes after `prefix`, or every byte, taken for strings of `charset`.
pub fn all(source: &mut Source, charset: &str, prefix: &[u8], width: usize, step: usize) -> Result<Vec<Read>> {
    let sequences = sequences(prefix, width, step);
    let charset = source.name_of(charset);
    let query = format!("SELECT b, {} FROM {sequences}", expressions("b", &charset));
    let rows: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)> = source.conn.query(query).with_context(|| asking(source, &charset))?;
    Ok(rows.into_iter().map(|(given, taken, utf32)| Read { given, taken, utf32 }).collect())
}

/// The weights of every pair of bytes that is one character of `charset`.
pub fn weights(source: &mut Source, charset: &str, collation: &str) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let text = format!("CONVERT(b USING {charset})");
    let query = format!(
        "SELECT b, WEIGHT_STRING({text} COLLATE {collation}) FROM {} WHERE CAST({text} AS BINARY) = b AND CHAR_LENGTH({text}) = 1",
        sequences(b"", 2, 1)
    );
    source.conn.query(query).with_context(|| format!("asking {} for the weights of {collation}", source.title()))
}

/// Every `step`th pair of bytes after `prefix`, or every byte, as a derived table `sequences` with one column, `b`.
fn sequences(prefix: &[u8], width: usize, step: usize) -> String {
    let digits = (1..16).fold("SELECT 0 d".to_owned(), |digits, digit| format!("{digits} UNION ALL SELECT {digit}"));
    let (tables, number) = match width {
        1 => (2, "a.d * 16 + b.d"),
        _ => (4, "a.d * 4096 + b.d * 256 + c.d * 16 + d.d"),
    };
    let tables: Vec<String> = ["a", "b", "c", "d"][..tables].iter().map(|name| format!("({digits}) {name}")).collect();
    let digits = 2 * width;
    format!(
        "(SELECT CONCAT(x'{}', UNHEX(LPAD(HEX(n), {digits}, '0'))) b FROM (SELECT {number} n FROM {}) numbers WHERE n % {step} = 0) \
         sequences",
        hex(prefix),
        tables.join(", ")
    )
}

/// These byte sequences, taken for strings of `charset`.
pub fn these(source: &mut Source, charset: &str, sequences: Vec<Vec<u8>>) -> Result<Vec<Read>> {
    let charset = source.name_of(charset);
    let mut reads = Vec::with_capacity(sequences.len());
    for batch in sequences.chunks(BATCH) {
        let columns: Vec<String> =
            batch.iter().map(|bytes| expressions(&format!("x'{}'", hex(bytes)), &charset)).collect();
        let row: mysql::Row = source
            .conn
            .query_first(format!("SELECT {}", columns.join(", ")))
            .with_context(|| asking(source, &charset))?
            .context("no row")?;
        let mut values = row.unwrap().into_iter().map(mysql::from_value_opt::<Vec<u8>>);
        for given in batch {
            let mut next = || values.next().context("no value")?.context("no bytes");
            reads.push(Read { given: given.clone(), taken: next()?, utf32: next()? });
        }
    }
    Ok(reads)
}

fn expressions(bytes: &str, charset: &str) -> String {
    let taken = format!("CONVERT({bytes} USING {charset})");
    format!("CAST({taken} AS BINARY), CAST(CONVERT({taken} USING utf32) AS BINARY)")
}

fn asking(source: &Source, charset: &str) -> String {
    format!("asking {} about {charset}", source.title())
}

/// The characters of a plane in UTF-32, surrogates apart.
pub fn plane(number: u32) -> Vec<u32> {
    let first = number << 16;
    (first..first + 0x1_0000).filter(|&code_point| char::from_u32(code_point).is_some()).collect()
}

/// Code points in UTF-32.
pub fn utf32(code_points: &[u32]) -> Vec<u8> {
    code_points.iter().flat_map(|code_point| code_point.to_be_bytes()).collect()
}
