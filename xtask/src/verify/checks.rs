//! The library against a server: weights, comparisons, LIKE.

use std::cmp::Ordering;

use anyhow::Result;
use mysql::prelude::Queryable;
use mysql_collation::{Charset, Collation};

use super::faults::{is_unfollowed, pads_elsewhere};
use super::session::{Row, Session, hex};
use crate::ask;

/// What one check found.
#[derive(Default)]
pub struct Outcome {
    /// How much was compared.
    pub compared: usize,
    /// How much differed.
    pub wrong: usize,
    /// The first of what differed, in words.
    pub examples: Vec<String>,
}

/// So many examples are enough.
const EXAMPLES: usize = 5;

impl Outcome {
    /// What another check found, too.
    pub fn add(&mut self, other: Self) {
        self.compared += other.compared;
        self.wrong += other.wrong;
        self.examples.extend(other.examples);
    }

    /// Counts one comparison. An example is of the instruction set in use.
    pub fn note(&mut self, agrees: bool, example: impl FnOnce() -> String) {
        self.compared += 1;
        if agrees {
            return;
        }
        self.wrong += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(format!("{} ({})", example(), mysql_collation::instruction_set()));
        }
    }
}

/// From this step on only characters of the Basic Multilingual Plane are compared.
const BRIEF: u32 = 1000;

/// The weights of every `step`th code point, or byte.
pub fn code_points(session: &mut Session<'_>, collation: Collation, step: u32) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let name = collation.info().name;
    let charset = collation.charset();
    let planes = match charset {
        _ if charset.max_bytes() == 1 => return bytes(session, collation),
        Charset::Utf8mb4 | Charset::Gb18030 | Charset::Utf16 | Charset::Utf16le | Charset::Utf32 => ask::PLANES,
        _ => 1,
    };
    // A server counts through the whole of a plane: for a brief look the first will do.
    let planes = if step > BRIEF { 1 } else { planes };
    for plane in 0..planes {
        for (code_point, theirs) in ask::some_weights(session.source(), name, plane, step)? {
            let text = char::from_u32(code_point).map(String::from).unwrap_or_default();
            let text = Charset::Utf8mb4.convert(text.as_bytes(), charset, session.source().flavour()).bytes;
            let ours = || collation.weight_string(&text);
            outcome.note(session.agrees(|| theirs.as_ref() == Some(&ours())), || {
                format!(
                    "U+{code_point:04X} weighs {} here, {} there",
                    hex(&ours()),
                    theirs.map_or("NULL".into(), |all| hex(&all))
                )
            });
        }
    }
    Ok(outcome)
}

fn bytes(session: &mut Session<'_>, collation: Collation) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for (byte, theirs) in (0..=255_u8).zip(ask::byte_weights(session.source(), collation.info().name)?) {
        let ours = || collation.weight_string(&[byte]);
        let agrees = session.agrees(|| ours() == theirs);
        outcome.note(agrees, || format!("0x{byte:02x} weighs {} here, {} there", hex(&ours()), hex(&theirs)));
    }
    Ok(outcome)
}

/// The weights of whole strings.
pub fn texts(session: &mut Session<'_>, collation: Collation, table: &str, rows: &[Row]) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let name = collation.info().name;
    let expression = format!("WEIGHT_STRING(a COLLATE {})", quoted(session, collation));
    let answers: Vec<Option<Vec<u8>>> = session.ask(&expression, table, rows.len())?;
    for ((text, _), theirs) in rows.iter().zip(answers) {
        let ours = || collation.weight_string(text);
        // MariaDB cuts what is longer than it expects of so many characters: U+FDFA, which has as many weights as eighteen.
        let may_be_cut = name.ends_with("_w2") && text.len() <= 4;
        let is = |theirs: &Vec<u8>, ours: &Vec<u8>| theirs == ours || may_be_cut && ours.starts_with(theirs);
        outcome.note(session.agrees(|| theirs.as_ref().is_some_and(|theirs| is(theirs, &ours()))), || {
            let theirs = theirs.as_ref().map_or("NULL".into(), |all| hex(all));
            format!("x'{}' weighs {} here, {theirs} there", hex(text), hex(&ours()))
        });
    }
    Ok(outcome)
}

/// The order and the equality of pairs.
pub fn pairs(session: &mut Session<'_>, collation: Collation, table: &str, rows: &[Row]) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let name = quoted(session, collation);
    // STRCMP and `=` are asked for in one number; that they agree is part of what is checked.
    let expression = format!("2 * STRCMP(a COLLATE {name}, b COLLATE {name}) + (a = b COLLATE {name})");
    let answers: Vec<i32> = session.ask(&expression, table, rows.len())?;
    for ((a, b), theirs) in rows.iter().zip(answers) {
        let ours = || match collation.compare(a, b) {
            Ordering::Less => -2,
            Ordering::Equal => 1,
            Ordering::Greater => 2,
        };
        let agrees = session.agrees(|| ours() == theirs && collation.equals(a, b) == (theirs == 1))
            || pads_elsewhere(collation, a, b);
        outcome.note(agrees, || format!("x'{}' to x'{}' is {} here, {theirs} there", hex(a), hex(b), ours()));
    }
    Ok(outcome)
}

/// Whether keys have the order of the strings, hashes are equal where these are, and both are the same with each instruction set. No server
/// gives such keys away: what strings' order is, [`pairs`] asks.
pub fn keys(session: &Session<'_>, collation: Collation, rows: &[Row]) -> Outcome {
    let mut outcome = Outcome::default();
    let both = |text: &[u8]| (collation.sort_key(text), collation.hash_one(text));
    for (a, b) in rows {
        let order = collation.compare(a, b);
        let (of_a, of_b) = (both(a), both(b));
        let is_ordered = of_a.0.cmp(&of_b.0) == order && (of_a.1 == of_b.1) == order.is_eq();
        let agrees = is_ordered && session.agrees(|| both(a) == of_a && both(b) == of_b);
        outcome.note(agrees, || {
            let ((a_key, _), (b_key, _)) = (both(a), both(b));
            format!("x'{}' to x'{}' is {order:?}, their keys are {} and {}", hex(a), hex(b), hex(&a_key), hex(&b_key))
        });
    }
    outcome
}

/// Which patterns strings match.
pub fn likes(session: &mut Session<'_>, collation: Collation, table: &str, rows: &[Row]) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let expression = format!("a LIKE b COLLATE {}", quoted(session, collation));
    let answers: Vec<i32> = session.ask(&expression, table, rows.len())?;
    let is_5 = session.source().server.version().starts_with("5.");
    for ((text, pattern), theirs) in rows.iter().zip(answers) {
        let ours = || collation.like(text, pattern, Some('\\'));
        let mut theirs = theirs == 1;
        if is_5 && ours() != theirs {
            // It reads past the pattern's end, where the row before has left its own.
            theirs = like_alone(session, collation, text, pattern)?;
        }
        let agrees = session.agrees(|| {
            let ours = ours();
            // To 5.6's UCA collations an escape at the very end matches nothing; the library follows later versions.
            ours == theirs || is_5 && ours && pattern.ends_with(b"\\") || ours && is_unfollowed(collation, text)
        });
        outcome
            .note(agrees, || format!("x'{}' LIKE x'{}' is {} here, {theirs} there", hex(text), hex(pattern), ours()));
    }
    Ok(outcome)
}

/// Whether a string matches a pattern, both as literals.
fn like_alone(session: &mut Session<'_>, collation: Collation, text: &[u8], pattern: &[u8]) -> Result<bool> {
    let name = quoted(session, collation);
    let charset = session.source().name_of(collation.charset().name());
    let (text, pattern) = (hex(text), hex(pattern));
    let query = format!("SELECT _{charset} x'{text}' LIKE _{charset} x'{pattern}' COLLATE {name}");
    let answer: Option<i32> = session.source().conn.query_first(query)?;
    Ok(answer == Some(1))
}

/// A collation's name on this server, quoted.
pub fn quoted(session: &mut Session<'_>, collation: Collation) -> String {
    format!("`{}`", session.source().name_of(collation.info().name))
}
