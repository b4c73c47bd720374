//! `LIKE` among characters of equal weights: most match one another, some only themselves.

use std::collections::HashMap;

use anyhow::{Context, Result};
use mysql::prelude::Queryable;
use mysql_collation::{Charset, Collation, Flavour};

use super::checks::{Outcome, quote_collation};
use super::faults::is_unfollowed;
use super::session::{Session, hex};

const PAIRS_PER_QUERY: usize = 400;

/// Compares `LIKE` of the library and of the server for every `step`th pair of characters with
/// equal weights. UTF-8 charsets only, without binary collations.
pub fn check(session: &mut Session<'_>, collation: Collation, step: u32) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let name = quote_collation(session, collation);
    let charset = session.server().local_name(collation.charset().name());
    for pairs in equal_weight_pairs(collation, step).chunks(PAIRS_PER_QUERY) {
        let like_escaped = |[a, b]: &[String; 2]| {
            // The escape before every character makes `%`, `_` and the escape itself literal.
            format!("_{charset} x'{}' LIKE _{charset} x'5c{}' COLLATE {name}", hex(a.as_bytes()), hex(b.as_bytes()))
        };
        let query = format!("SELECT {}", pairs.iter().map(like_escaped).collect::<Vec<_>>().join(", "));
        let row: mysql::Row = session.server().conn.query_first(query)?.context("no row")?;
        for ([a, b], theirs) in pairs.iter().zip(row.unwrap()) {
            let theirs = mysql::from_value_opt::<i32>(theirs)? == 1;
            let pattern = format!("\\{b}");
            let ours = || collation.like(a.as_bytes(), pattern.as_bytes(), Some('\\'));
            let agrees = session.holds_for_all_instruction_sets(|| {
                ours() == theirs || ours() && is_unfollowed(collation, a.as_bytes())
            });
            outcome.count(agrees, || format!("{a} LIKE {b} is {} here, {theirs} there", ours()));
        }
    }
    Ok(outcome)
}

/// Returns every `step`th of these pairs of characters that weigh the same under `LIKE`: each
/// character with the next one, and with the first one in both directions. Uses up to 400
/// characters per weight.
fn equal_weight_pairs(collation: Collation, step: u32) -> Vec<[String; 2]> {
    if !matches!(collation.charset(), Charset::Utf8mb3 | Charset::Utf8mb4) || collation.info().is_binary {
        return Vec::new();
    }
    // `LIKE` ignores the kana level of `_ks` collations.
    let without_kana = collation.name().strip_suffix("_ks").map(|name| Collation::by_name(Flavour::MySql, name));
    let compared = without_kana.and_then(Result::ok).unwrap_or(collation);
    let mut classes: HashMap<Vec<u8>, Vec<char>> = HashMap::new();
    for character in ('\0'..=char::MAX).filter(|character| character.len_utf8() <= collation.charset().max_bytes()) {
        classes.entry(compared.weight_string(character.to_string().as_bytes())).or_default().push(character);
    }
    // The largest classes hold ignorables, or everything beyond U+FFFF; a few of each suffice.
    let first_few = |class: &Vec<char>| class.iter().copied().take(400).collect::<Vec<_>>();
    let mut pairs = Vec::new();
    for class in classes.values().map(first_few) {
        for neighbours in class.windows(2) {
            pairs.push([neighbours[0], neighbours[1]]);
            pairs.push([class[0], neighbours[1]]);
            pairs.push([neighbours[1], class[0]]);
        }
    }
    pairs.sort_unstable();
    pairs.into_iter().step_by(step as usize).map(|pair| pair.map(String::from)).collect()
}
