//! Why rows differ, by the collation's weights: texts of a call, of its rows and of the columns that it may be held against, which one collation
//! takes for equal and the other doesn't.

use mysql_collation::{Collation, Flavour};
use replay::Statement;
use sql::Value;

use crate::answer::{Answer, Field};
use crate::difference::only;

/// Reasons that are told of a call.
pub const MOST: usize = 3;
/// Texts that are held against each other.
const MOST_TEXTS: usize = 200;

/// The texts of a call's values: those that columns are held against.
pub fn values(statement: &Statement, sample: usize) -> Vec<String> {
    texts(statement, sample)
}

/// Texts of the rows that only one of two answers has.
pub fn of_rows(control: &Answer, treatment: &Answer) -> Vec<Vec<u8>> {
    let differing = only(&control.rows, &treatment.rows).into_iter().chain(only(&treatment.rows, &control.rows));
    differing.flatten().filter_map(Field::as_deref).take(MOST_TEXTS).map(<[u8]>::to_vec).collect()
}

/// Reasons such as `'straße' = 'strasse' under utf8mb4_0900_ai_ci: ß = ss`: a value of the call and a text of a column that are equal under the column's old
/// or its new collation only.
pub fn of_values(values: &[String], found: &[Vec<u8>], before: Collation, after: Collation) -> Vec<String> {
    let pairs = values.iter().flat_map(|value| found.iter().map(move |text| (value.as_bytes(), text.as_slice())));
    pairs.filter_map(|(value, text)| reason(value, text, before, after)).take(MOST).collect()
}

/// The same of two texts of rows that differ.
pub fn of_texts(texts: &[Vec<u8>], before: &[Collation], after: Collation) -> Vec<String> {
    let mut texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    texts.sort_unstable();
    texts.dedup();
    let pairs = texts.iter().enumerate().flat_map(|(at, one)| texts[at + 1..].iter().map(move |other| (*one, *other)));
    let any = |(one, other): (&[u8], &[u8])| before.iter().find_map(|old| reason(one, other, *old, after));
    pairs.filter_map(any).take(MOST).collect()
}

/// The texts among a sample's values.
fn texts(statement: &Statement, sample: usize) -> Vec<String> {
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

/// Two texts that are equal under one of two collations only.
fn reason(one: &[u8], other: &[u8], before: Collation, after: Collation) -> Option<String> {
    if one == other {
        return None;
    }
    let (equal, unequal) = match (before.equals(one, other), after.equals(one, other)) {
        (false, true) => (after, before),
        (true, false) => (before, after),
        _ => return None,
    };
    let why = explain::differences(equal, one, other).join(", ");
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(format!(
        "'{}' = '{}' under {}{why}; not under {}",
        text(one),
        text(other),
        equal.info().name,
        unequal.info().name
    ))
}

/// The collation of a server's column or of a target, where the engine has it for utf8mb4, in which answers come.
pub fn collation(name: &str, flavour: server::Flavour) -> Option<Collation> {
    let flavour = match flavour {
        server::Flavour::MySql => Flavour::MySql,
        server::Flavour::MariaDb => Flavour::MariaDb,
    };
    let found = Collation::lookup(flavour, name).ok()?;
    (found.info().charset == "utf8mb4").then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_equal_on_one_side_only_is_a_reason() {
        let of = |name: &str| collation(name, server::Flavour::MySql).unwrap();
        let found = [b"Strasse".to_vec(), b"Weg".to_vec()];
        let (old, new) = (of("utf8mb4_general_ci"), of("utf8mb4_0900_ai_ci"));
        let values = ["Stra\u{df}e".to_owned()];
        let why = of_values(&values, &found, old, new);
        assert_eq!(why.len(), 1, "{why:?}");
        assert!(why[0].starts_with("'Stra\u{df}e' = 'Strasse' under utf8mb4_0900_ai_ci: \u{df} = ss"), "{why:?}");
        assert_eq!(of_values(&values, &found, new, new), [""; 0]);
        let texts = [found.as_slice(), &[values[0].clone().into_bytes()]].concat();
        assert_eq!(of_texts(&texts, &[old], new).len(), 1, "a pair once");
    }
}
