//! Names that a user may have meant by an unknown name.

use alloc::string::String;
use alloc::vec::Vec;

/// Number of characters of a requested name that are compared with others.
const MAX_NAME: usize = 64;

/// Cost of an edit. A part of two or more characters that begins a longer one (`general` of
/// `general1`) costs less.
const EDIT: usize = 2;

/// Names that cost at most this much more than the best are returned, too.
const SPREAD: usize = 1;

/// Returns the names that `given` may mean, the most similar first. Empty if no name is similar.
///
/// Names are compared part by part, in any order: `de_pb` may mean `utf8mb4_de_pb_0900_ai_ci`. A
/// part may have typing errors or be the beginning of a longer one. Of equally similar names those
/// of `utf8mb4` are first, then those with the fewest edits.
///
/// ```
/// use mysql_collation::similar_names;
///
/// let names = ["dec8_bin", "latin1_german1_ci", "utf8mb4_de_pb_0900_as_cs", "utf8mb4_de_pb_0900_ai_ci"];
/// assert_eq!(similar_names("de_pb", names), ["utf8mb4_de_pb_0900_ai_ci", "utf8mb4_de_pb_0900_as_cs"]);
/// assert_eq!(similar_names("german", names), ["latin1_german1_ci"]);
/// assert!(similar_names("xyzzy", names).is_empty());
/// ```
pub fn similar_names<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let given: String = given.chars().map(|letter| letter.to_ascii_lowercase()).take(MAX_NAME).collect();
    if parts(&given).next().is_none() {
        return Vec::new();
    }
    let mut ranked: Vec<_> = names
        .into_iter()
        .map(|name| (cost(&given, name), !name.starts_with("utf8mb4_"), edits(&given, name), name))
        .filter(|(cost, ..)| *cost <= given.len() / 2)
        .collect();
    ranked.sort_unstable();
    ranked.dedup();
    let best = ranked.first().map_or(0, |(cost, ..)| *cost);
    ranked.into_iter().take_while(|(cost, ..)| *cost <= best + SPREAD).map(|(.., name)| name).collect()
}

/// Returns how far a name is from what was given: 0 if it has all given parts.
fn cost(given: &str, name: &str) -> usize {
    let cost_of_part = |part: &str| parts(name).map(|own| part_cost(part, own)).min().unwrap_or(EDIT * part.len());
    let by_parts: usize = parts(given).map(cost_of_part).sum();
    by_parts.min(EDIT * edits(given, name))
}

fn part_cost(given: &str, part: &str) -> usize {
    if given == part {
        0
    } else if given.len() > 1 && part.starts_with(given) {
        1
    } else {
        EDIT * edits(given, part).min(given.len())
    }
}

/// Returns the parts of a name: its sequences of letters and digits.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty())
}

/// Returns the least number of inserted, removed and replaced bytes between two names.
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = core::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 10] = [
        "dec8_bin",
        "gbk_bin",
        "latin1_general_ci",
        "latin1_german1_ci",
        "latin1_swedish_ci",
        "utf8mb3_general_ci",
        "utf8mb4_0900_ai_ci",
        "utf8mb4_bin",
        "utf8mb4_de_pb_0900_ai_ci",
        "utf8mb4_general_ci",
    ];

    #[test]
    fn finds_what_is_meant() {
        for (given, first) in [
            ("de_pb", "utf8mb4_de_pb_0900_ai_ci"),
            ("pb_de", "utf8mb4_de_pb_0900_ai_ci"),
            ("utf8mb4-0900-ai-ci", "utf8mb4_0900_ai_ci"),
            ("0900_ai_ci", "utf8mb4_0900_ai_ci"),
            ("general_ci", "utf8mb4_general_ci"),
            ("latin1_general", "latin1_general_ci"),
            ("UTF8MB4_GENRAL_CI", "utf8mb4_general_ci"),
            ("utf8mb4general_ci", "utf8mb4_general_ci"),
            ("latin_swedish_ci", "latin1_swedish_ci"),
            ("swedsh", "latin1_swedish_ci"),
            ("german", "latin1_german1_ci"),
            ("bin", "utf8mb4_bin"),
        ] {
            assert_eq!(similar_names(given, NAMES).first(), Some(&first), "{given}");
        }
    }

    #[test]
    fn counts_edits() {
        assert_eq!((edits("", "abc"), edits("kitten", "sitting"), edits("ab", "ab")), (3, 3, 0));
    }

    #[test]
    fn leaves_out_names_that_are_far_away() {
        assert_eq!(similar_names("utf8mb4_ban", NAMES), ["utf8mb4_bin"]);
        for given in ["", "x", "klingon", "___"] {
            assert!(similar_names(given, NAMES).is_empty(), "{given}");
        }
    }
}
