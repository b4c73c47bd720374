//! Queries servers for charset conversions.

use anyhow::{Context, Result};
use mysql::prelude::Queryable;

use crate::servers::Source;
use crate::verify::hex;

/// Byte sequences per statement.
const BATCH: usize = 500;

/// A byte sequence read as a string of a charset, and its conversion to UTF-32.
pub struct ConvertedSequence {
    pub given: Vec<u8>,
    /// `given` converted to the charset by the server. Equal to `given` if that is well-formed.
    pub accepted: Vec<u8>,
    /// UTF-32 of `accepted`, 4 bytes per code point.
    pub utf32: Vec<u8>,
}

pub fn convert(source: &mut Source, bytes: &[u8], from: &str, to: &str) -> Result<Vec<u8>> {
    let (from, to) = (source.local_name(from), source.local_name(to));
    let query = format!("SELECT CAST(CONVERT(CONVERT(x'{}' USING {from}) USING {to}) AS BINARY)", hex(bytes));
    let answer: Option<Vec<u8>> = source.conn.query_first(query).with_context(|| context(source, &from))?;
    answer.with_context(|| format!("converting {from} to {to}"))
}

/// Reads byte sequences as strings of `charset`: `prefix` followed by every `step`th sequence of
/// `width` bytes, 1 or 2.
pub fn read_pairs(
    source: &mut Source,
    charset: &str,
    prefix: &[u8],
    width: usize,
    step: usize,
) -> Result<Vec<ConvertedSequence>> {
    let sequences = sequences_table(prefix, width, step);
    let charset = source.local_name(charset);
    let query = format!("SELECT b, {} FROM {sequences}", expressions("b", &charset));
    let rows: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)> = source.conn.query(query).with_context(|| context(source, &charset))?;
    Ok(rows.into_iter().map(|(given, accepted, utf32)| ConvertedSequence { given, accepted, utf32 }).collect())
}

/// Queries the weights of every pair of bytes that is one character of `charset`.
pub fn query_pair_weights(source: &mut Source, charset: &str, collation: &str) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let text = format!("CONVERT(b USING {charset})");
    let query = format!(
        "SELECT b, WEIGHT_STRING({text} COLLATE {collation}) FROM {} WHERE CAST({text} AS BINARY) = b AND CHAR_LENGTH({text}) = 1",
        sequences_table(b"", 2, 1)
    );
    source.conn.query(query).with_context(|| format!("asking {} for the weights of {collation}", source.title()))
}

/// Returns a derived table `sequences` with one column, `b`: `prefix` followed by every `step`th
/// sequence of `width` bytes, 1 or 2.
fn sequences_table(prefix: &[u8], width: usize, step: usize) -> String {
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

pub fn read_sequences(source: &mut Source, charset: &str, sequences: Vec<Vec<u8>>) -> Result<Vec<ConvertedSequence>> {
    let charset = source.local_name(charset);
    let mut reads = Vec::with_capacity(sequences.len());
    for batch in sequences.chunks(BATCH) {
        let columns: Vec<String> =
            batch.iter().map(|bytes| expressions(&format!("x'{}'", hex(bytes)), &charset)).collect();
        let row: mysql::Row = source
            .conn
            .query_first(format!("SELECT {}", columns.join(", ")))
            .with_context(|| context(source, &charset))?
            .context("no row")?;
        let mut values = row.unwrap().into_iter().map(mysql::from_value_opt::<Vec<u8>>);
        for given in batch {
            let mut next = || values.next().context("no value")?.context("no bytes");
            reads.push(ConvertedSequence { given: given.clone(), accepted: next()?, utf32: next()? });
        }
    }
    Ok(reads)
}

fn expressions(bytes: &str, charset: &str) -> String {
    let accepted = format!("CONVERT({bytes} USING {charset})");
    format!("CAST({accepted} AS BINARY), CAST(CONVERT({accepted} USING utf32) AS BINARY)")
}

fn context(source: &Source, charset: &str) -> String {
    format!("asking {} about {charset}", source.title())
}

/// Returns the code points of a plane, without surrogates.
pub fn plane_code_points(number: u32) -> Vec<u32> {
    let first = number << 16;
    (first..first + 0x1_0000).filter(|&code_point| char::from_u32(code_point).is_some()).collect()
}

pub fn encode_utf32(code_points: &[u32]) -> Vec<u8> {
    code_points.iter().flat_map(|code_point| code_point.to_be_bytes()).collect()
}
