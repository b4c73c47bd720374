//! Double encoding: UTF-8 text that was decoded as latin1, once or several times ("mojibake").
//!
//! `Müller` becomes `MÃ¼ller`: each byte of UTF-8 becomes a character of MySQL's latin1, which is
//! code page 1252 plus control characters for the five bytes that the code page leaves undefined.
//! This happens when an application writes UTF-8 through a latin1 connection. [`classify`] takes
//! decoded text, so the column's own character set makes no difference.
//!
//! Clean text can have the same form: `NESCAFÉ®` is also `NESCAFɮ` decoded as latin1, and `Spaß…`
//! is `Spa߅`. A text counts as double-encoded only if it has a sequence that clean text doesn't
//! have (`evidence.rs`).

mod evidence;

use mysql_collation::Charset;

use evidence::{find_sequences, is_common};

/// Whether a text is double-encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EncodingVerdict {
    /// ASCII only, which is equal in both encodings.
    Ascii,
    /// Not ASCII only. The whole is no UTF-8 decoded as latin1, and no part evidently is.
    Clean,
    /// The whole text is UTF-8 decoded as latin1, this many times.
    Double(u8),
    /// Parts of the text evidently are UTF-8 decoded as latin1, and others are not.
    Mixed,
    /// Ambiguous: the text may be meant as it is, such as `NESCAFÉ®`, or decoding it yields unusual
    /// characters.
    Undecidable,
}

pub fn classify(text: &str) -> EncodingVerdict {
    if text.is_ascii() {
        return EncodingVerdict::Ascii;
    }
    let sequences = find_sequences(text);
    let is_evident = sequences.iter().any(|sequence| sequence.is_evident);
    match decode_once(text) {
        Some(decoded) => match classify(&decoded) {
            EncodingVerdict::Double(times) => EncodingVerdict::Double(times + 1),
            _ if !is_evident || !decoded.chars().all(is_common) => EncodingVerdict::Undecidable,
            _ if sequences.iter().all(|sequence| sequence.is_evident || sequence.is_plausible()) => {
                EncodingVerdict::Double(1)
            }
            _ => EncodingVerdict::Mixed,
        },
        None if is_evident => EncodingVerdict::Mixed,
        None => EncodingVerdict::Clean,
    }
}

/// Undoes double encoding of the whole text: `MÃ¼ller` → `Müller`. Returns other texts unchanged.
pub fn repair(text: &str) -> String {
    let mut text = text.to_owned();
    while let EncodingVerdict::Double(_) = classify(&text) {
        match decode_once(&text) {
            Some(decoded) => text = decoded,
            None => break,
        }
    }
    text
}

/// Encodes a text as latin1 and decodes the bytes as UTF-8. `None` if either is impossible.
fn decode_once(text: &str) -> Option<String> {
    String::from_utf8(encode_latin1(text)?).ok()
}

fn encode_latin1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(latin1_byte).collect()
}

/// Returns a character's byte in MySQL's latin1. `None` if latin1 lacks it.
fn latin1_byte(character: char) -> Option<u8> {
    let mut buffer = [0];
    Charset::Latin1.encode(character, &mut buffer).map(|_| buffer[0])
}

#[cfg(test)]
mod tests;
