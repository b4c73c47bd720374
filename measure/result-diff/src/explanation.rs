//! Explanations of different rows by collation weights: pairs of texts from a call, its rows and
//! its tables that are equal under only one of two collations.

use std::borrow::Cow;

use mysql_collation::{Charset, Collation, Flavour, Pad};
use sql::Value;
use workload_folder::Statement;

use crate::call::{CallResult, Field};
use crate::difference::rows_only_in;

/// Maximum number of explanations per call.
pub const MAX_REASONS: usize = 3;
/// Maximum number of texts that are compared pairwise.
const MAX_TEXTS: usize = 200;

/// Returns texts of rows that only one result has, up to [`MAX_TEXTS`].
pub fn differing_texts(control: &CallResult, treatment: &CallResult) -> Vec<Vec<u8>> {
    let differing =
        rows_only_in(&control.rows, &treatment.rows).into_iter().chain(rows_only_in(&treatment.rows, &control.rows));
    differing.flatten().filter_map(Field::as_deref).take(MAX_TEXTS).map(<[u8]>::to_vec).collect()
}

/// Explains pairs of a call's value and a text of a column:
/// `'straße' = 'strasse' under utf8mb4_0900_ai_ci: ß = ss`. `before` is the column's collation on
/// the control, `after` on the treatment.
pub fn explain_values(values: &[String], column_texts: &[Vec<u8>], before: Collation, after: Collation) -> Vec<String> {
    let pairs =
        values.iter().flat_map(|value| column_texts.iter().map(move |text| (value.as_bytes(), text.as_slice())));
    pairs.filter_map(|(value, text)| explain_pair(value, text, before, after)).take(MAX_REASONS).collect()
}

/// Explains pairs of `texts` that are equal under the treatment's collation `after` but not under
/// one of the control's, `before`, or the reverse.
pub fn explain_texts(texts: &[Vec<u8>], before: &[Collation], after: Collation) -> Vec<String> {
    let mut texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    texts.sort_unstable();
    texts.dedup();
    let pairs = texts.iter().enumerate().flat_map(|(at, one)| texts[at + 1..].iter().map(move |other| (*one, *other)));
    let any = |(one, other): (&[u8], &[u8])| before.iter().find_map(|old| explain_pair(one, other, *old, after));
    pairs.filter_map(any).take(MAX_REASONS).collect()
}

/// Returns the texts among a sample's values, members of lists included.
pub fn sample_texts(statement: &Statement, sample: usize) -> Vec<String> {
    let values = &statement.samples[sample % statement.samples.len()];
    let mut texts = Vec::new();
    for value in values.iter().flatten() {
        match value {
            Value::Text(text) => texts.push(text.clone()),
            Value::List(members) => texts.extend(members.iter().filter_map(|member| match member {
                Value::Text(text) => Some(text.clone()),
                _ => None,
            })),
            _ => {}
        }
    }
    texts
}

/// Explains two texts that are equal under only one of two collations; `None` for other pairs.
fn explain_pair(one: &[u8], other: &[u8], before: Collation, after: Collation) -> Option<String> {
    if one == other {
        return None;
    }
    let (equal, unequal) = match (are_equal(one, other, before)?, are_equal(one, other, after)?) {
        (false, true) => (after, before),
        (true, false) => (before, after),
        _ => return None,
    };
    let why = if is_padding_only(one, other) && equal.info().pad == Pad::PadSpace {
        ": trailing spaces do not count (PAD SPACE)".to_owned()
    } else if equal.info().charset == "utf8mb4" {
        let why = explain::explain_equality(equal, one, other).join(", ");
        if why.is_empty() { why } else { format!(": {why}") }
    } else {
        String::new()
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(format!(
        "'{}' = '{}' under {}{why}; not under {}",
        text(one),
        text(other),
        equal.info().name,
        unequal.info().name
    ))
}

/// Compares two texts in utf8mb4 under a collation of any character set. `None` if a text can't be
/// converted to that character set.
fn are_equal(one: &[u8], other: &[u8], collation: Collation) -> Option<bool> {
    Some(collation.equals(&encode_in_charset(one, collation)?, &encode_in_charset(other, collation)?))
}

fn encode_in_charset<'t>(text: &'t [u8], collation: Collation) -> Option<Cow<'t, [u8]>> {
    let charset = collation.info().charset;
    if charset == "utf8mb4" {
        return Some(text.into());
    }
    let charset = Charset::by_name(charset)?;
    let mut encoded = Vec::new();
    let mut buffer = [0; 4];
    for character in std::str::from_utf8(text).ok()?.chars() {
        let length = charset.encode(character, &mut buffer)?;
        encoded.extend_from_slice(&buffer[..length]);
    }
    Some(encoded.into())
}

/// True if the texts differ in trailing spaces only.
fn is_padding_only(one: &[u8], other: &[u8]) -> bool {
    let trim = |text: &[u8]| text.len() - text.iter().rev().take_while(|byte| **byte == b' ').count();
    one[..trim(one)] == other[..trim(other)]
}

/// Looks up a collation. `None` for collations that mysql-collation lacks.
pub fn find_collation(name: &str, flavour: server::Flavour) -> Option<Collation> {
    let flavour = match flavour {
        server::Flavour::MySql => Flavour::MySql,
        server::Flavour::MariaDb => Flavour::MariaDb,
    };
    Collation::lookup(flavour, name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explains_texts_that_are_equal_under_one_collation() {
        let collation = |name: &str| find_collation(name, server::Flavour::MySql).unwrap();
        let found = [b"Strasse".to_vec(), b"Weg".to_vec()];
        let (old, new) = (collation("utf8mb4_general_ci"), collation("utf8mb4_0900_ai_ci"));
        let values = ["Stra\u{df}e".to_owned()];
        let why = explain_values(&values, &found, old, new);
        assert_eq!(why.len(), 1, "{why:?}");
        assert!(why[0].starts_with("'Stra\u{df}e' = 'Strasse' under utf8mb4_0900_ai_ci: \u{df} = ss"), "{why:?}");
        assert_eq!(explain_values(&values, &found, new, new), [""; 0]);
        let texts = [found.as_slice(), &[values[0].clone().into_bytes()]].concat();
        assert_eq!(explain_texts(&texts, &[old], new).len(), 1, "a pair once");
    }

    #[test]
    fn explains_trailing_spaces_and_other_character_sets() {
        let collation = |name: &str| find_collation(name, server::Flavour::MySql).unwrap();
        let explain = |value: &str, found: &str, from: &str, to: &str| {
            explain_values(&[value.to_owned()], &[found.as_bytes().to_vec()], collation(from), collation(to))
        };
        let padded = "'a' = 'a ' under utf8mb4_general_ci: trailing spaces do not count (PAD SPACE); not under utf8mb4_0900_ai_ci";
        assert_eq!(explain("a", "a ", "utf8mb4_general_ci", "utf8mb4_0900_ai_ci"), [padded]);
        let latin1 = explain("Ä", "A", "latin1_german1_ci", "utf8mb4_bin");
        assert_eq!(latin1, ["'Ä' = 'A' under latin1_german1_ci; not under utf8mb4_bin"]);
        assert_eq!(explain("漢", "漢 ", "latin1_german1_ci", "utf8mb4_bin"), [""; 0]);
    }
}
