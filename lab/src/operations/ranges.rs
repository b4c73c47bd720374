//! Checks against a server: the key ranges of prefixes and of `LIKE` patterns, and the order of
//! strings made between two others.

use anyhow::Result;
use mysql_collation::{Alphabet, Charset, Collation, ServerVersion};

use super::rows::{Rows, pattern};
use crate::verify::{Outcome, Session, TextPair, hex, is_unfollowed, query_like, quote_collation};

/// Checks that the key of each string that matches a pattern is in the pattern's range.
pub fn compare_like_ranges(
    session: &mut Session<'_>,
    collation: Collation,
    version: ServerVersion,
    rows: &Rows,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for ((text, pattern), matches) in rows.likes.iter().zip(query_likes(session, collation, "likes", rows.likes.len())?)
    {
        if !matches {
            continue;
        }
        let is_inside = collation.like_range(pattern, Some('\\')).contains(&collation.sort_key(text));
        // In a table, MySQL 5 reads beyond the pattern's end, so the match is asked for again with
        // literals.
        let agrees = is_inside || version.major == 5 && !query_like(session, collation, text, pattern)?;
        outcome.count(agrees, || format!("x'{}' LIKE x'{}' is outside of the range", hex(text), hex(pattern)));
    }
    Ok(outcome)
}

/// Compares `starts_with` and `prefix_range` with the server's `LIKE 'prefix%'`.
pub fn compare_prefixes(
    session: &mut Session<'_>,
    collation: Collation,
    version: ServerVersion,
    rows: &Rows,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    // Skips swe7: 5C is `Ö` there, and the escape character only in some versions.
    if collation.charset() == Charset::Swe7 {
        return Ok(outcome);
    }
    let answers = query_likes(session, collation, "prefixes", rows.prefixes.len())?;
    for ((text, prefix), mut theirs) in rows.prefixes.iter().zip(answers) {
        let ours = collation.starts_with(text, prefix);
        if ours != theirs && version.major == 5 {
            theirs = query_like(session, collation, text, &pattern(collation.charset(), prefix))?;
        }
        let in_range = collation.prefix_range(prefix).contains(&collation.sort_key(text));
        let agrees = (ours == theirs || ours && is_unfollowed(collation, text)) && (in_range || !theirs);
        outcome.count(agrees, || format!("x'{}' starts with x'{}' there: {theirs}", hex(text), hex(prefix)));
    }
    Ok(outcome)
}

fn query_likes(session: &mut Session<'_>, collation: Collation, table: &str, count: usize) -> Result<Vec<bool>> {
    let expression = format!("a LIKE b COLLATE {}", quote_collation(session, collation));
    let answers: Vec<i32> = session.query(&expression, table, count)?;
    Ok(answers.into_iter().map(|answer| answer == 1).collect())
}

/// Maximum number of parts into which the range between two strings is split.
const PARTS: usize = 4;

/// Checks that the server sorts `a`, the strings made between `a` and `b`, and `b` in this order,
/// and each string between the bounds of its prefix.
pub fn check_split_order(
    session: &mut Session<'_>,
    collation: Collation,
    _: ServerVersion,
    rows: &Rows,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let characters = (' '..='\u{24F}').chain('\u{391}'..='\u{451}').chain('\u{4E00}'..='\u{4F00}');
    let alphabet = Alphabet::from_chars(collation, characters);
    let mut steps: Vec<TextPair> = Vec::new();
    for (a, b) in rows.pairs.iter().take(rows.pairs.len() / 4) {
        let (a, b) = if collation.compare(a, b).is_le() { (a, b) } else { (b, a) };
        let between = alphabet.split(a, b, PARTS);
        let chain: Vec<&Vec<u8>> = [a].into_iter().chain(&between).chain([b]).collect();
        let is_split = !between.is_empty();
        steps.extend(chain.windows(2).filter(|_| is_split).map(|pair| (pair[0].clone(), pair[1].clone())));
    }
    let mut lower: Vec<TextPair> = Vec::new();
    for (text, prefix) in rows.prefixes.iter().filter(|(text, prefix)| collation.starts_with(text, prefix)) {
        steps.extend(alphabet.prefix_upper_bound(prefix).map(|bound| (text.clone(), bound)));
        lower.extend(alphabet.prefix_lower_bound(prefix).map(|bound| (bound, text.clone())));
    }
    let lower_bounds = lower.len();
    steps.splice(0..0, lower);
    session.load("steps", collation.charset(), &steps)?;
    let expression = format!("STRCMP(a, b COLLATE {})", quote_collation(session, collation));
    let answers: Vec<i32> = session.query(&expression, "steps", steps.len())?;
    for (number, ((a, b), theirs)) in steps.iter().zip(answers).enumerate() {
        // A lower bound can equal the text.
        let agrees = theirs == -1 || theirs == 0 && number < lower_bounds;
        outcome.count(agrees, || format!("x'{}' to x'{}' is {theirs} there", hex(a), hex(b)));
    }
    Ok(outcome)
}
