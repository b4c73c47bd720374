//! Pairs of strings with a given difference.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Text;

/// Difference of the second string of a pair from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Difference {
    /// No difference.
    Equal,
    /// The last letter that has two cases is in the other case.
    CaseEnd,
    /// Letters are in the other case: `a` becomes `A`. Letters whose other case is not one letter,
    /// such as `ß`, stay.
    Case,
    /// Accents of the letters of ISO 8859-1 are removed: `é` becomes `e`.
    Accents,
    /// The last character is replaced by a different character of as many UTF-8 bytes.
    Last,
}

/// A difference of this name does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no difference `{given}`; there are: {}", Difference::ALL.map(Difference::name).join(", "))]
pub struct UnknownDifference {
    given: String,
}

impl Difference {
    pub const ALL: [Self; 5] = [Self::Equal, Self::CaseEnd, Self::Case, Self::Accents, Self::Last];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::CaseEnd => "case-end",
            Self::Case => "case",
            Self::Accents => "accents",
            Self::Last => "last",
        }
    }

    /// Returns `text` with this difference. `None` if the text has no such difference, for example
    /// case in Chinese.
    fn apply(self, text: &str) -> Option<String> {
        let changed = match self {
            Self::Equal => return Some(text.to_owned()),
            Self::CaseEnd => swap_case_of_last_letter(text)?,
            Self::Case => text.chars().map(|c| swap_case(c).unwrap_or(c)).collect(),
            Self::Accents => text.chars().map(|c| strip_accent(c).unwrap_or(c)).collect(),
            Self::Last => replace_last_char(text)?,
        };
        (changed != text).then_some(changed)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Difference {
    type Err = UnknownDifference;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let wanted = given.to_ascii_lowercase().replace('_', "-");
        let matching = Self::ALL.into_iter().find(|difference| difference.name() == wanted);
        matching.ok_or_else(|| UnknownDifference { given: given.to_owned() })
    }
}

/// Two strings of the same number of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub a: String,
    /// `a` with a [`Difference`].
    pub b: String,
}

/// Returns sample text of `characters` characters, and the same text with the difference applied.
/// `None` if the text has no such difference, for example case in digits.
pub fn pair(text: Text, difference: Difference, characters: usize) -> Option<Pair> {
    const SEED: u64 = 1;
    let a = text.sample(SEED, characters);
    let b = difference.apply(&a)?;
    Some(Pair { a, b })
}

/// Returns the letter in the other case: `A` for `a`. `None` for a character without cases, and if
/// the other case has several letters or does not convert back, as for `ß`.
fn swap_case(letter: char) -> Option<char> {
    let upper = single_char(letter.to_uppercase())
        .filter(|&upper| upper != letter && single_char(upper.to_lowercase()) == Some(letter));
    let lower = single_char(letter.to_lowercase())
        .filter(|&lower| lower != letter && single_char(lower.to_uppercase()) == Some(letter));
    upper.or(lower)
}

fn single_char(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

fn swap_case_of_last_letter(text: &str) -> Option<String> {
    let (at, letter, other) = text.char_indices().rev().find_map(|(at, c)| Some((at, c, swap_case(c)?)))?;
    Some([&text[..at], other.encode_utf8(&mut [0; 4]), &text[at + letter.len_utf8()..]].concat())
}

/// Replaces the last character by an earlier character of the text. The new character has as many
/// UTF-8 bytes. It is neither a space nor the last character in the other case. `None` if the text
/// has no such character.
fn replace_last_char(text: &str) -> Option<String> {
    let mut earlier = text.chars().rev();
    let last = earlier.next()?;
    let is_replacement =
        |c: &char| c.len_utf8() == last.len_utf8() && *c != ' ' && *c != last && Some(*c) != swap_case(last);
    let other = earlier.find(is_replacement)?;
    Some([&text[..text.len() - last.len_utf8()], other.encode_utf8(&mut [0; 4])].concat())
}

/// Returns an accented letter of ISO 8859-1 without its accent: `e` for `é`. `None` for other
/// characters.
fn strip_accent(letter: char) -> Option<char> {
    const LETTERS: [(&str, char); 17] = [
        ("ÀÁÂÃÄÅ", 'A'),
        ("Ç", 'C'),
        ("ÈÉÊË", 'E'),
        ("ÌÍÎÏ", 'I'),
        ("Ñ", 'N'),
        ("ÒÓÔÕÖ", 'O'),
        ("ÙÚÛÜ", 'U'),
        ("Ý", 'Y'),
        ("àáâãäå", 'a'),
        ("ç", 'c'),
        ("èéêë", 'e'),
        ("ìíîï", 'i'),
        ("ñ", 'n'),
        ("òóôõö", 'o'),
        ("ùúûü", 'u'),
        ("ý", 'y'),
        ("ÿ", 'y'),
    ];
    LETTERS.iter().find(|(accented, _)| accented.contains(letter)).map(|(_, base)| *base)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of positions at which the strings differ.
    fn count_differences(pair: &Pair) -> usize {
        assert_eq!(pair.a.chars().count(), pair.b.chars().count());
        pair.a.chars().zip(pair.b.chars()).filter(|(a, b)| a != b).count()
    }

    #[test]
    fn texts_have_their_possible_differences() {
        use Difference::{Accents, Case, CaseEnd, Equal, Last};
        for (text, possible) in [
            (Text::Digits, &[Equal, Last][..]),
            (Text::Ascii, &[Equal, CaseEnd, Case, Last]),
            (Text::Latin, &[Equal, CaseEnd, Case, Accents, Last]),
            (Text::Cyrillic, &[Equal, CaseEnd, Case, Last]),
            (Text::Cjk, &[Equal, Last]),
            (Text::Emoji, &[Equal, Last]),
            (Text::Mixed, &[Equal, CaseEnd, Case, Accents, Last]),
        ] {
            let possible_differences: Vec<Difference> =
                Difference::ALL.into_iter().filter(|&difference| pair(text, difference, 119).is_some()).collect();
            assert_eq!(possible_differences, possible, "{text}");
        }
    }

    #[test]
    fn pairs_differ_in_the_expected_characters() {
        for text in Text::ALL {
            let pair = |difference| pair(text, difference, 119);
            assert_eq!(pair(Difference::Equal).map(|pair| count_differences(&pair)), Some(0));
            assert_eq!(pair(Difference::Last).map(|pair| count_differences(&pair)), Some(1));
            if let (Some(end), Some(all)) = (pair(Difference::CaseEnd), pair(Difference::Case)) {
                assert_eq!(count_differences(&end), 1);
                assert!(count_differences(&all) > 20 && all.a.to_lowercase() == all.b.to_lowercase(), "{all:?}");
            }
        }
        let accents = pair(Text::Latin, Difference::Accents, 119).unwrap();
        assert!(count_differences(&accents) > 10, "{accents:?}");
    }

    #[test]
    fn one_character_differs_at_most_once() {
        for text in Text::ALL {
            for difference in Difference::ALL {
                assert!(pair(text, difference, 1).is_none_or(|pair| count_differences(&pair) <= 1));
            }
        }
    }

    #[test]
    fn parses_each_name() {
        for difference in Difference::ALL {
            assert_eq!(difference.name().parse(), Ok(difference));
        }
        assert!("cases".parse::<Difference>().unwrap_err().to_string().contains("case-end"));
    }
}
