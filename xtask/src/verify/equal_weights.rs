//! `LIKE` among characters of the same weights: most match one another, some only themselves.

use std::collections::HashMap;

use anyhow::{Context, Result};
use mysql::prelude::Queryable;
use mysql_collation::{Charset, Collation, Flavour};

use super::checks::{Outcome, quoted};
use super::faults::is_unfollowed;
use super::session::{Session, hex};

/// Pairs of one statement.
const BATCH: usize = 400;

/// Every `step`th pair of neighbours among the characters of the same weights.
pub fn check(session: &mut Session<'_>, collation: Collation, step: u32) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let name = quoted(session, collation);
    let charset = session.source().name_of(collation.charset().name());
    for pairs in pairs(collation, step).chunks(BATCH) {
        let escaped = |[a, b]: &[String; 2]| {
            // All characters but the special ones stand for themselves when escaped, and so do these.
            format!("_{charset} x'{}' LIKE _{charset} x'5c{}' COLLATE {name}", hex(a.as_bytes()), hex(b.as_bytes()))
        };
        let query = format!("SELECT {}", pairs.iter().map(escaped).collect::<Vec<_>>().join(", "));
        let row: mysql::Row = session.source().conn.query_first(query)?.context("no row")?;
        for ([a, b], theirs) in pairs.iter().zip(row.unwrap()) {
            let theirs = mysql::from_value_opt::<i32>(theirs)? == 1;
            let pattern = format!("\\{b}");
            let ours = || collation.like(a.as_bytes(), pattern.as_bytes(), Some('\\'));
            let agrees = session.agrees(|| ours() == theirs || ours() && is_unfollowed(collation, a.as_bytes()));
            outcome.note(agrees, || format!("{a} LIKE {b} is {} here, {theirs} there", ours()));
        }
    }
    Ok(outcome)
}

/// Neighbours among the characters of the same weights, as far as `LIKE` compares these, and each with the first of them, both ways.
fn pairs(collation: Collation, step: u32) -> Vec<[String; 2]> {
    if !matches!(collation.charset(), Charset::Utf8mb3 | Charset::Utf8mb4) || collation.info().is_binary {
        return Vec::new();
    }
    // The collation without the level that tells kana apart.
    let without_kana = collation.name().strip_suffix("_ks").map(|name| Collation::by_name(Flavour::MySql, name));
    let compared = without_kana.and_then(Result::ok).unwrap_or(collation);
    let mut classes: HashMap<Vec<u8>, Vec<char>> = HashMap::new();
    for character in ('\0'..=char::MAX).filter(|character| character.len_utf8() <= collation.charset().max_bytes()) {
        classes.entry(compared.weight_string(character.to_string().as_bytes())).or_default().push(character);
    }
    // The greatest classes are of ignorables, or of all beyond U+FFFF; some of these will do.
    let some = |class: &Vec<char>| class.iter().copied().take(400).collect::<Vec<_>>();
    let mut pairs = Vec::new();
    for class in classes.values().map(some) {
        for neighbours in class.windows(2) {
            pairs.push([neighbours[0], neighbours[1]]);
            pairs.push([class[0], neighbours[1]]);
            pairs.push([neighbours[1], class[0]]);
        }
    }
    pairs.sort_unstable();
    pairs.into_iter().step_by(step as usize).map(|pair| pair.map(String::from)).collect()
}
