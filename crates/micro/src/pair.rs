//! Two strings to compare, and how they differ.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Text;

/// In what the second string of a pair differs from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Difference {
    /// In nothing.
    Equal,
    /// The last letter is in the other case.
    CaseEnd,
    /// Every letter is in the other case.
    Case,
    /// Every accent is gone.
    Accents,
    /// The last character is another one.
    Last,
}

/// There is no difference of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no difference `{given}`; there are: {}", Difference::ALL.map(Difference::name).join(", "))]
pub struct UnknownDifference {
    given: String,
}

impl Difference {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Equal, Self::CaseEnd, Self::Case, Self::Accents, Self::Last];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::CaseEnd => "case-end",
            Self::Case => "case",
            Self::Accents => "accents",
            Self::Last => "last",
        }
    }

    /// `text` with this difference; `None` where it has nothing that could differ so, such as case in Chinese.
    fn of(self, text: &str) -> Option<String> {
        let changed = match self {
            Self::Equal => return Some(text.to_owned()),
            Self::CaseEnd => end_in_other_case(text)?,
            Self::Case => text.chars().map(|c| other_case(c).unwrap_or(c)).collect(),
            Self::Accents => text.chars().map(|c| without_accent(c).unwrap_or(c)).collect(),
            Self::Last => other_end(text)?,
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
        let found = Self::ALL.into_iter().find(|difference| difference.name() == wanted);
        found.ok_or_else(|| UnknownDifference { given: given.to_owned() })
    }
}

/// Two strings of the same number of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Text of a kind.
    pub a: String,
    /// The same but for the difference.
    pub b: String,
}

/// So many characters of a kind of text, and the same with a difference; `None` where such text can't differ so.
pub fn pair(text: Text, difference: Difference, characters: usize) -> Option<Pair> {
    const SEED: u64 = 1;
    let a = text.sample(SEED, characters);
    let b = difference.of(&a)?;
    Some(Pair { a, b })
}

/// The other case of a letter, where that is one letter which leads back.
fn other_case(letter: char) -> Option<char> {
    let upper =
        only(letter.to_uppercase()).filter(|&upper| upper != letter && only(upper.to_lowercase()) == Some(letter));
    let lower =
        only(letter.to_lowercase()).filter(|&lower| lower != letter && only(lower.to_uppercase()) == Some(letter));
    upper.or(lower)
}

fn only(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

fn end_in_other_case(text: &str) -> Option<String> {
    let (at, letter, other) = text.char_indices().rev().find_map(|(at, c)| Some((at, c, other_case(c)?)))?;
    Some([&text[..at], other.encode_utf8(&mut [0; 4]), &text[at + letter.len_utf8()..]].concat())
}

/// The text with its last character replaced by one that stands earlier in it, takes as many bytes and is no other case of it.
fn other_end(text: &str) -> Option<String> {
    let mut earlier = text.chars().rev();
    let last = earlier.next()?;
    let unlike = |c: &char| c.len_utf8() == last.len_utf8() && *c != ' ' && *c != last && Some(*c) != other_case(last);
    let other = earlier.find(unlike)?;
    Some([&text[..text.len() - last.len_utf8()], other.encode_utf8(&mut [0; 4])].concat())
}

/// Letters of ISO 8859-1 without their accents.
fn without_accent(letter: char) -> Option<char> {
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
    LETTERS.iter().find(|(accented, _)| accented.contains(letter)).map(|(_, plain)| *plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At how many characters the two strings differ.
    fn unlike(pair: &Pair) -> usize {
        assert_eq!(pair.a.chars().count(), pair.b.chars().count());
        pair.a.chars().zip(pair.b.chars()).filter(|(a, b)| a != b).count()
    }

    #[test]
    fn every_text_differs_in_what_it_can() {
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
            let found: Vec<Difference> =
                Difference::ALL.into_iter().filter(|&difference| pair(text, difference, 119).is_some()).collect();
            assert_eq!(found, possible, "{text}");
        }
    }

    #[test]
    fn pairs_differ_as_they_say() {
        for text in Text::ALL {
            let pair = |difference| pair(text, difference, 119);
            assert_eq!(pair(Difference::Equal).map(|pair| unlike(&pair)), Some(0));
            assert_eq!(pair(Difference::Last).map(|pair| unlike(&pair)), Some(1));
            if let (Some(end), Some(all)) = (pair(Difference::CaseEnd), pair(Difference::Case)) {
                assert_eq!(unlike(&end), 1);
                assert!(unlike(&all) > 20 && all.a.to_lowercase() == all.b.to_lowercase(), "{all:?}");
            }
        }
        let accents = pair(Text::Latin, Difference::Accents, 119).unwrap();
        assert!(unlike(&accents) > 10, "{accents:?}");
    }

    #[test]
    fn strings_of_one_character_differ_too_or_not_at_all() {
        for text in Text::ALL {
            for difference in Difference::ALL {
                assert!(pair(text, difference, 1).is_none_or(|pair| unlike(&pair) <= 1));
            }
        }
    }

    #[test]
    fn names_are_read_back() {
        for difference in Difference::ALL {
            assert_eq!(difference.name().parse(), Ok(difference));
        }
        assert!("cases".parse::<Difference>().unwrap_err().to_string().contains("case-end"));
    }
}
