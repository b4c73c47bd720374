//! Compares the library with a server: weights, comparisons, LIKE.

use std::cmp::Ordering;

use anyhow::Result;
use mysql::prelude::Queryable;
use mysql_collation::{Charset, Collation};

use super::faults::{is_padded_in_wrong_place, is_unfollowed};
use super::session::{Session, TextPair, hex};
use crate::query;

#[derive(Default)]
pub struct Outcome {
    pub compared: usize,
    pub wrong: usize,
    pub examples: Vec<String>,
}

/// Maximum of examples per check.
const MAX_EXAMPLES: usize = 5;

impl Outcome {
    pub fn add(&mut self, other: Self) {
        self.compared += other.compared;
        self.wrong += other.wrong;
        self.examples.extend(other.examples);
    }

    /// Counts one comparison. An example names the instruction set in use.
    pub fn count(&mut self, agrees: bool, example: impl FnOnce() -> String) {
        self.compared += 1;
        if agrees {
            return;
        }
        self.wrong += 1;
        if self.examples.len() < MAX_EXAMPLES {
            self.examples.push(format!("{} ({})", example(), mysql_collation::instruction_set()));
        }
    }
}

/// Above this step, only the Basic Multilingual Plane is compared.
const BRIEF_STEP: u32 = 1000;

/// Compares the weights of every `step`th code point, or of every byte of a single-byte charset.
pub fn compare_code_points(session: &mut Session<'_>, collation: Collation, step: u32) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let name = collation.info().name;
    let charset = collation.charset();
    let planes = match charset {
        _ if charset.max_bytes() == 1 => return compare_bytes(session, collation),
        Charset::Utf8mb4 | Charset::Gb18030 | Charset::Utf16 | Charset::Utf16le | Charset::Utf32 => query::PLANES,
        _ => 1,
    };
    // The server generates all numbers of a plane, which is slow; a brief check needs the first
    // plane only.
    let planes = if step > BRIEF_STEP { 1 } else { planes };
    for plane in 0..planes {
        for (code_point, theirs) in query::query_sampled_weights(session.server(), name, plane, step)? {
            let text = char::from_u32(code_point).map(String::from).unwrap_or_default();
            let text = Charset::Utf8mb4.convert(text.as_bytes(), charset, session.server().flavour()).bytes;
            let ours = || collation.weight_string(&text);
            outcome.count(session.holds_for_all_instruction_sets(|| theirs.as_ref() == Some(&ours())), || {
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

fn compare_bytes(session: &mut Session<'_>, collation: Collation) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for (byte, theirs) in (0..=255_u8).zip(query::query_byte_weights(session.server(), collation.info().name)?) {
        let ours = || collation.weight_string(&[byte]);
        let agrees = session.holds_for_all_instruction_sets(|| ours() == theirs);
        outcome.count(agrees, || format!("0x{byte:02x} weighs {} here, {} there", hex(&ours()), hex(&theirs)));
    }
    Ok(outcome)
}

pub fn compare_texts(
    session: &mut Session<'_>,
    collation: Collation,
    table: &str,
    rows: &[TextPair],
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let name = collation.info().name;
    let expression = format!("WEIGHT_STRING(a COLLATE {})", quote_collation(session, collation));
    let answers: Vec<Option<Vec<u8>>> = session.query(&expression, table, rows.len())?;
    for ((text, _), theirs) in rows.iter().zip(answers) {
        let ours = || collation.weight_string(text);
        // In `_w2` collations, MariaDB truncates weights that exceed its estimate per character, so
        // the first of ours suffice for a short text: U+FDFA has as many weights as eighteen
        // characters.
        let may_be_cut = name.ends_with("_w2") && text.len() <= 4;
        let is = |theirs: &Vec<u8>, ours: &Vec<u8>| theirs == ours || may_be_cut && ours.starts_with(theirs);
        outcome.count(
            session.holds_for_all_instruction_sets(|| theirs.as_ref().is_some_and(|theirs| is(theirs, &ours()))),
            || {
                let theirs = theirs.as_ref().map_or("NULL".into(), |all| hex(all));
                format!("x'{}' weighs {} here, {theirs} there", hex(text), hex(&ours()))
            },
        );
    }
    Ok(outcome)
}

pub fn compare_pairs(
    session: &mut Session<'_>,
    collation: Collation,
    table: &str,
    rows: &[TextPair],
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let name = quote_collation(session, collation);
    // One number holds the results of STRCMP and `=`, so that a contradiction between them is
    // found, too.
    let expression = format!("2 * STRCMP(a COLLATE {name}, b COLLATE {name}) + (a = b COLLATE {name})");
    let answers: Vec<i32> = session.query(&expression, table, rows.len())?;
    for ((a, b), theirs) in rows.iter().zip(answers) {
        let ours = || match collation.compare(a, b) {
            Ordering::Less => -2,
            Ordering::Equal => 1,
            Ordering::Greater => 2,
        };
        let agrees = session
            .holds_for_all_instruction_sets(|| ours() == theirs && collation.equals(a, b) == (theirs == 1))
            || is_padded_in_wrong_place(collation, a, b);
        outcome.count(agrees, || format!("x'{}' to x'{}' is {} here, {theirs} there", hex(a), hex(b), ours()));
    }
    Ok(outcome)
}

/// Checks that keys have the order of the strings, that strings have equal hashes if and only if
/// they are equal, and that all instruction sets agree. No server returns such keys;
/// [`compare_pairs`] checks the order of the strings.
pub fn check_keys(session: &Session<'_>, collation: Collation, rows: &[TextPair]) -> Outcome {
    let mut outcome = Outcome::default();
    let both = |text: &[u8]| (collation.sort_key(text), collation.hash_one(text));
    for (a, b) in rows {
        let order = collation.compare(a, b);
        let (of_a, of_b) = (both(a), both(b));
        let is_ordered = of_a.0.cmp(&of_b.0) == order && (of_a.1 == of_b.1) == order.is_eq();
        let agrees = is_ordered && session.holds_for_all_instruction_sets(|| both(a) == of_a && both(b) == of_b);
        outcome.count(agrees, || {
            let ((a_key, _), (b_key, _)) = (both(a), both(b));
            format!("x'{}' to x'{}' is {order:?}, their keys are {} and {}", hex(a), hex(b), hex(&a_key), hex(&b_key))
        });
    }
    outcome
}

/// Compares whether strings match patterns (`LIKE`).
pub fn compare_likes(
    session: &mut Session<'_>,
    collation: Collation,
    table: &str,
    rows: &[TextPair],
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let expression = format!("a LIKE b COLLATE {}", quote_collation(session, collation));
    let answers: Vec<i32> = session.query(&expression, table, rows.len())?;
    let is_5 = session.server().server.version().starts_with("5.");
    for ((text, pattern), theirs) in rows.iter().zip(answers) {
        let ours = || collation.like(text, pattern, Some('\\'));
        let mut theirs = theirs == 1;
        if is_5 && ours() != theirs {
            // MySQL 5 reads beyond the pattern's end, where bytes of the previous row can be, so
            // the match is asked for again with literals.
            theirs = query_like(session, collation, text, pattern)?;
        }
        let agrees = session.holds_for_all_instruction_sets(|| {
            let ours = ours();
            // In MySQL 5's UCA collations an escape at the end of a pattern matches nothing; the
            // library follows later versions.
            ours == theirs || is_5 && ours && pattern.ends_with(b"\\") || ours && is_unfollowed(collation, text)
        });
        outcome
            .count(agrees, || format!("x'{}' LIKE x'{}' is {} here, {theirs} there", hex(text), hex(pattern), ours()));
    }
    Ok(outcome)
}

/// Queries whether a string matches a pattern, both as literals.
pub fn query_like(session: &mut Session<'_>, collation: Collation, text: &[u8], pattern: &[u8]) -> Result<bool> {
    let name = quote_collation(session, collation);
    let charset = session.server().local_name(collation.charset().name());
    let (text, pattern) = (hex(text), hex(pattern));
    let query = format!("SELECT _{charset} x'{text}' LIKE _{charset} x'{pattern}' COLLATE {name}");
    let answer: Option<i32> = session.server().conn.query_first(query)?;
    Ok(answer == Some(1))
}

/// Returns the collation's name on this server, quoted.
pub fn quote_collation(session: &mut Session<'_>, collation: Collation) -> String {
    format!("`{}`", session.server().local_name(collation.info().name))
}
