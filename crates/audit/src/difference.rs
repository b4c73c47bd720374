//! In what two collations differ, asked of the engine: every character is weighed by both.

use mysql_collation::{Charset, Collation};

/// In what a second collation differs from a first, character by character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Characters that both character sets have.
    pub characters: usize,
    /// Characters that become equal to another, from which the first tells them.
    pub merged: usize,
    /// Characters that cease to be equal to another.
    pub split: usize,
    /// Pairs that become equal.
    pub merged_examples: Vec<(char, char)>,
    /// Pairs that cease to be equal.
    pub split_examples: Vec<(char, char)>,
    /// Whether the two differ in what trailing spaces count for.
    pub padding: bool,
    /// Whether their order is the same throughout.
    pub same_order: bool,
}

/// How many examples are kept.
const EXAMPLES: usize = 3;

/// A character with its hash under both collations.
struct Weighed {
    first: u64,
    second: u64,
    character: char,
}

/// Weighs every character by both collations. Takes about a second.
pub fn difference(first: Collation, second: Collation) -> Difference {
    let padding = first.info().pad != second.info().pad;
    // Columns hold well-formed text; how the flavours order other bytes is no difference between columns.
    if first.orders_valid_text_like(second) {
        return Difference {
            characters: 0,
            merged: 0,
            split: 0,
            merged_examples: Vec::new(),
            split_examples: Vec::new(),
            padding,
            same_order: true,
        };
    }
    let mut all: Vec<Weighed> = ('\0'..=char::MAX)
        .filter_map(|character| {
            let first = hashed(first, character)?;
            Some(Weighed { first, second: hashed(second, character)?, character })
        })
        .collect();
    let characters = all.len();
    all.sort_unstable_by_key(|one| (one.second, one.first, one.character));
    let (merged, merged_examples) = regrouped(&all, |one| (one.second, one.first));
    all.sort_unstable_by_key(|one| (one.first, one.second, one.character));
    let (split, split_examples) = regrouped(&all, |one| (one.first, one.second));
    Difference { characters, merged, split, merged_examples, split_examples, padding, same_order: false }
}

fn hashed(collation: Collation, character: char) -> Option<u64> {
    let mut buffer = [0; 4];
    let charset: Charset = collation.charset();
    let length = charset.encode(character, &mut buffer)?;
    Some(collation.hash(&buffer[..length]))
}

/// How many characters are in groups (of equal first keys, side by side) that hold different second keys; with examples, letters first.
fn regrouped(all: &[Weighed], keys: impl Fn(&Weighed) -> (u64, u64)) -> (usize, Vec<(char, char)>) {
    let mut count = 0;
    let mut examples = Vec::new();
    for group in all.chunk_by(|a, b| keys(a).0 == keys(b).0) {
        let Some(other) = group.iter().find(|one| keys(one).1 != keys(&group[0]).1) else { continue };
        count += group.len();
        examples.push(example(group, other, &keys));
    }
    // The familiar comes first: letters and digits by code point, then the rest.
    examples.sort_by_key(|&(a, b)| (!(a.is_alphanumeric() && b.is_alphanumeric()), a.max(b), a.min(b)));
    examples.truncate(EXAMPLES);
    (count, examples)
}

/// The two characters of a group with the lowest code points that differ.
fn example(group: &[Weighed], other: &Weighed, keys: &impl Fn(&Weighed) -> (u64, u64)) -> (char, char) {
    let lowest = group.iter().min_by_key(|one| (!one.character.is_alphanumeric(), one.character)).unwrap_or(other);
    let different = group.iter().filter(|one| keys(one).1 != keys(lowest).1);
    let second = different.min_by_key(|one| (!one.character.is_alphanumeric(), one.character)).unwrap_or(other);
    (lowest.character, second.character)
}

impl Difference {
    /// In one sentence without a full stop.
    pub fn told(&self) -> String {
        if self.same_order {
            return "it orders all strings the same".into();
        }
        let pairs = |pairs: &[(char, char)]| {
            let shown = |c: char| if c.is_alphanumeric() { c.to_string() } else { format!("U+{:04X}", u32::from(c)) };
            pairs.iter().map(|&(a, b)| format!("{} = {}", shown(a), shown(b))).collect::<Vec<_>>().join(", ")
        };
        let mut parts = Vec::new();
        if self.merged > 0 {
            parts.push(format!("{} characters become equal to others ({})", self.merged, pairs(&self.merged_examples)));
        }
        if self.split > 0 {
            parts.push(format!("{} cease to be ({})", self.split, pairs(&self.split_examples)));
        }
        if self.padding {
            parts.push("trailing spaces count in one and not in the other".into());
        }
        if parts.is_empty() {
            parts.push("the same single characters are equal, but their order differs".into());
        }
        parts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mysql_collation::Flavour;

    fn between(first: &str, second: &str) -> Difference {
        let of = |name| Collation::lookup(Flavour::MySql, name).unwrap();
        difference(of(first), of(second))
    }

    #[test]
    fn what_merges_and_what_splits_is_counted() {
        // The two differ in every accent, and in nothing that becomes equal.
        let finer = between("utf8mb4_0900_ai_ci", "utf8mb4_0900_as_ci");
        assert_eq!(finer.merged, 0);
        assert!(finer.split > 1000, "{finer:?}");
        let coarser = between("utf8mb4_0900_as_ci", "utf8mb4_0900_ai_ci");
        assert_eq!((coarser.merged, coarser.split), (finer.split, finer.merged));
        assert_eq!(coarser.merged_examples, finer.split_examples);
    }

    #[test]
    fn every_character_beyond_the_plane_is_one_to_general_ci() {
        let difference = between("utf8mb4_bin", "utf8mb4_general_ci");
        assert!(difference.merged > 0x10_0000, "{difference:?}");
        assert!(difference.told().contains("become equal"), "{}", difference.told());
    }
}
