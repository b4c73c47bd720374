//! The kinds of text that rows are filled with.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::name::{self, UnknownName};
use crate::random::{Purpose, Random};
use crate::vocabulary::{self, Vocabulary};

/// The text of the rows (`--text`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Text {
    /// sysbench's own pattern: groups of eleven digits, joined by hyphens.
    #[default]
    Digits,
    /// English words.
    Ascii,
    /// Western European words with accents, all of them within ISO 8859-1.
    Latin,
    /// Russian words.
    Cyrillic,
    /// Chinese words, written without spaces, all of them within GB 2312.
    Cjk,
    /// Emoji, with joined sequences, skin tones and flags.
    Emoji,
    /// Words of all the others, side by side.
    Mixed,
}

impl Text {
    /// All of them.
    pub const ALL: [Text; 7] =
        [Text::Digits, Text::Ascii, Text::Latin, Text::Cyrillic, Text::Cjk, Text::Emoji, Text::Mixed];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Text::Digits => "digits",
            Text::Ascii => "ascii",
            Text::Latin => "latin",
            Text::Cyrillic => "cyrillic",
            Text::Cjk => "cjk",
            Text::Emoji => "emoji",
            Text::Mixed => "mixed",
        }
    }

    /// The words that it is made of; digits are not made of words.
    fn vocabulary(self) -> Option<&'static Vocabulary> {
        match self {
            Text::Digits => None,
            Text::Ascii => Some(&vocabulary::ASCII),
            Text::Latin => Some(&vocabulary::LATIN),
            Text::Cyrillic => Some(&vocabulary::CYRILLIC),
            Text::Cjk => Some(&vocabulary::CJK),
            Text::Emoji => Some(&vocabulary::EMOJI),
            Text::Mixed => Some(&vocabulary::MIXED),
        }
    }

    /// So many characters of such text, no space at either end: the same for the same seed.
    pub fn sample(self, seed: u64, characters: usize) -> String {
        let mut out = String::new();
        self.fill(&mut Random::new(seed, Purpose::Sample, 0, 0), characters, &mut out);
        out
    }

    /// Appends `characters` characters of such text, no space at either end.
    pub(crate) fn fill(self, random: &mut Random, characters: usize, out: &mut String) {
        match self.vocabulary() {
            Some(words) => words.fill(random, characters, out),
            None => fill_digits(random, characters, out),
        }
    }

    /// Appends one word: for digits, one group of eleven.
    pub(crate) fn push_word(self, random: &mut Random, out: &mut String) {
        match self.vocabulary() {
            Some(words) => words.push_word(random, out),
            None => push_digits(random, DIGITS_A_GROUP, out),
        }
    }

    /// What stands between two words.
    pub(crate) fn separator(self) -> &'static str {
        self.vocabulary().map_or("-", Vocabulary::separator)
    }
}

const DIGITS_A_GROUP: usize = 11;

fn fill_digits(random: &mut Random, characters: usize, out: &mut String) {
    let mut left = characters;
    while left > DIGITS_A_GROUP + 1 {
        push_digits(random, DIGITS_A_GROUP, out);
        out.push('-');
        left -= DIGITS_A_GROUP + 1;
    }
    push_digits(random, left, out);
}

/// Appends up to 18 random digits.
fn push_digits(random: &mut Random, count: usize, out: &mut String) {
    let number = random.below(10u64.pow(count as u32));
    let _ = write!(out, "{number:0count$}");
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Text {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        name::find("text", given, Self::ALL, Self::name)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(text: Text, seed: u64, characters: usize) -> String {
        let mut out = String::new();
        text.fill(&mut Random::new(seed, Purpose::Thread, 0, 0), characters, &mut out);
        out
    }

    proptest! {
        #[test]
        fn text_has_the_length_asked_for_and_no_space_at_its_ends(seed: u64, kind in 0..Text::ALL.len(), characters in 1usize..300) {
            let text = filled(Text::ALL[kind], seed, characters);
            prop_assert_eq!(text.chars().count(), characters);
            prop_assert_eq!(text.trim(), text.as_str());
            prop_assert!(!text.contains("  "));
            prop_assert!(!text.contains(['\'', '"', '\\', '\0']));
            prop_assert_eq!(filled(Text::ALL[kind], seed, characters), text);
        }
    }

    #[test]
    fn digits_are_sysbenchs_groups() {
        for (characters, groups) in [(119, 10), (59, 5)] {
            let text = filled(Text::Digits, 1, characters);
            let found: Vec<&str> = text.split('-').collect();
            assert_eq!(found.len(), groups);
            assert!(found.iter().all(|group| group.len() == 11 && group.bytes().all(|b| b.is_ascii_digit())));
        }
    }

    #[test]
    fn words_come_in_lower_and_upper_case() {
        for text in [Text::Ascii, Text::Latin, Text::Cyrillic, Text::Mixed] {
            let text = filled(text, 3, 119);
            assert!(text.chars().any(char::is_lowercase) && text.chars().any(char::is_uppercase), "{text}");
        }
    }

    #[test]
    fn an_unknown_text_is_answered_with_the_nearest_first() {
        let error = "cyrilic".parse::<Text>().unwrap_err();
        assert_eq!(error.known[0], "cyrillic");
        assert_eq!(error.known.len(), Text::ALL.len());
        assert_eq!("CJK".parse(), Ok(Text::Cjk));
    }

    #[test]
    fn text_looks_like_what_it_is_called() {
        let samples: Vec<String> = Text::ALL.map(|text| format!("{text}: {}", filled(text, 1, 59))).into();
        insta::assert_snapshot!(samples.join("\n"));
    }
}
