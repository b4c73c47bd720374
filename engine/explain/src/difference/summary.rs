//! Summarises a difference in one sentence.

use mysql_collation::{Collation, Flavour};

use super::model::{CollationDifference, DifferenceExample, Position};

/// Maximum number of pairs that each part of a summary names.
const MAX_PAIRS: usize = 3;

impl CollationDifference {
    /// Summarises the change from A to B in one sentence without a full stop.
    ///
    /// Example: "3 characters become equal to others (a = ä); trailing spaces count in one and not
    /// in the other".
    pub fn summary(&self) -> String {
        if self.same {
            return "it orders all strings the same".into();
        }
        let counts = self.counts;
        let mut parts = Vec::new();
        if counts.equal_under_b_only > 0 {
            let pairs = self.list_pairs(|seen| (&seen.b, &seen.a));
            parts.push(format!("{} characters become equal to others{pairs}", counts.equal_under_b_only));
        }
        if counts.equal_under_a_only > 0 {
            let pairs = self.list_pairs(|seen| (&seen.a, &seen.b));
            parts.push(format!("{} cease to be{pairs}", counts.equal_under_a_only));
        }
        if self.padding_differs {
            parts.push("trailing spaces count in one and not in the other".into());
        }
        if parts.is_empty() {
            let order = match (counts.moved, self.contractions.total()) {
                (0, 0) => "it orders the characters of both character sets the same",
                (0, _) => "it orders single characters the same, but not all sequences",
                _ => "the same single characters are equal, but their order differs",
            };
            parts.push(order.into());
        }
        parts.join("; ")
    }

    /// Lists up to three pairs that are equal under one collation only: " (a = A, b = B, c = C)".
    ///
    /// `places` returns an example's position under that collation, then under the other. The list
    /// is empty if no example has such a pair.
    fn list_pairs<'s>(&'s self, places: impl Fn(&'s DifferenceExample) -> (&'s Position, &'s Position)) -> String {
        let all = self.scripts.iter().flat_map(|script| &script.examples);
        let pair = |seen: &'s DifferenceExample| {
            let (place, other) = places(seen);
            let equals = place.equals.as_ref().filter(|_| place.equals != other.equals)?;
            Some((equals.as_str(), seen.texts.first()?.as_str()))
        };
        let mut pairs: Vec<(&str, &str)> = all.filter_map(pair).collect();
        pairs.sort_by_key(|&(one, other)| (!(is_word(one) && is_word(other)), other, one));
        let displayed: Vec<String> =
            pairs.iter().take(MAX_PAIRS).map(|(one, other)| display_pair(one, other)).collect();
        if displayed.is_empty() { String::new() } else { format!(" ({})", displayed.join(", ")) }
    }
}

fn is_word(text: &str) -> bool {
    text.chars().all(char::is_alphanumeric)
}

/// Returns `a = ä`. Texts that look alike come with their code points: `U+0622 آ = U+FE81 ﺁ`.
pub(super) fn display_pair(one: &str, other: &str) -> String {
    let display = |text: &str| match (is_word(text), look_alike(one, other)) {
        (true, true) => format!("{} {text}", code_points(text)),
        (true, false) => text.to_owned(),
        (false, _) => code_points(text),
    };
    format!("{} = {}", display(one), display(other))
}

/// True for two forms of one character, such as that at the end of a word, or with and without a
/// combining mark: they are equal if case is ignored, and are not two cases of a letter.
fn look_alike(one: &str, other: &str) -> bool {
    let is_equal = |flavour, name: &str, one: &str, other: &str| {
        let collation = Collation::by_name(flavour, name);
        collation.is_ok_and(|collation| collation.compare(one.as_bytes(), other.as_bytes()).is_eq())
    };
    // MySQL's collation ignores marks, also where MariaDB's has a weight for a letter with its
    // mark.
    let is_letter = |text: &str| {
        let letter = text.chars().next().map(String::from).unwrap_or_default();
        is_equal(Flavour::MySql, "utf8mb4_0900_ai_ci", &letter, text)
    };
    one.to_lowercase() != other.to_lowercase()
        && is_letter(one)
        && is_letter(other)
        && is_equal(Flavour::MariaDb, "utf8mb4_uca1400_as_ci", one, other)
}

fn code_points(text: &str) -> String {
    text.chars().map(|character| format!("U+{:04X}", u32::from(character))).collect::<Vec<_>>().join(" ")
}
