//! Kinds of text in rows.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::lookup::{UnknownName, find_by_name};
use crate::random::{Purpose, Random};
use crate::vocabulary::{self, Vocabulary};

/// Kind of text in rows (`--text`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Text {
    /// sysbench's pattern: groups of eleven digits, joined by hyphens.
    #[default]
    Digits,
    /// English words.
    Ascii,
    /// Western European words with accents, all within ISO 8859-1.
    Latin,
    /// Russian words.
    Cyrillic,
    /// Chinese words without spaces, all within GB 2312.
    Cjk,
    /// Emoji, with joined sequences, skin tones and flags.
    Emoji,
    /// Words of all other kinds except digits, mixed.
    Mixed,
}

impl Text {
    pub const ALL: [Text; 7] =
        [Text::Digits, Text::Ascii, Text::Latin, Text::Cyrillic, Text::Cjk, Text::Emoji, Text::Mixed];

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

    /// Returns the words of this kind; `None` for digits.
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

    /// Returns text of this many characters, without spaces at its ends. Depends only on kind, seed
    /// and length.
    pub fn sample(self, seed: u64, characters: usize) -> String {
        let mut out = String::new();
        self.fill(&mut Random::new(seed, Purpose::Sample, 0, 0), characters, &mut out);
        out
    }

    /// Appends text of this many characters, without spaces at its ends.
    pub(crate) fn fill(self, random: &mut Random, characters: usize, out: &mut String) {
        match self.vocabulary() {
            Some(words) => words.fill(random, characters, out),
            None => fill_digits(random, characters, out),
        }
    }

    /// Appends one word; for digits, a group of eleven.
    pub(crate) fn push_word(self, random: &mut Random, out: &mut String) {
        match self.vocabulary() {
            Some(words) => words.push_word(random, out),
            None => push_digits(random, DIGITS_PER_GROUP, out),
        }
    }

    pub(crate) fn separator(self) -> &'static str {
        self.vocabulary().map_or("-", Vocabulary::separator)
    }
}

const DIGITS_PER_GROUP: usize = 11;

fn fill_digits(random: &mut Random, characters: usize, out: &mut String) {
    let mut left = characters;
    while left > DIGITS_PER_GROUP + 1 {
        push_digits(random, DIGITS_PER_GROUP, out);
        out.push('-');
        left -= DIGITS_PER_GROUP + 1;
    }
    push_digits(random, left, out);
}

/// Appends `count` random digits, up to 19.
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
        find_by_name("text", given, Self::ALL, Self::name)
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
        fn fills_exact_lengths_without_outer_spaces(seed: u64, kind in 0..Text::ALL.len(), characters in 1usize..300) {
            let text = filled(Text::ALL[kind], seed, characters);
            prop_assert_eq!(text.chars().count(), characters);
            prop_assert_eq!(text.trim(), text.as_str());
            prop_assert!(!text.contains("  "));
            prop_assert!(!text.contains(['\'', '"', '\\', '\0']));
            prop_assert_eq!(filled(Text::ALL[kind], seed, characters), text);
        }
    }

    #[test]
    fn digits_are_grouped_as_by_sysbench() {
        for (characters, groups) in [(119, 10), (59, 5)] {
            let text = filled(Text::Digits, 1, characters);
            let found: Vec<&str> = text.split('-').collect();
            assert_eq!(found.len(), groups);
            assert!(found.iter().all(|group| group.len() == 11 && group.bytes().all(|b| b.is_ascii_digit())));
        }
    }

    #[test]
    fn words_have_both_cases() {
        for text in [Text::Ascii, Text::Latin, Text::Cyrillic, Text::Mixed] {
            let text = filled(text, 3, 119);
            assert!(text.chars().any(char::is_lowercase) && text.chars().any(char::is_uppercase), "{text}");
        }
    }

    #[test]
    fn unknown_names_list_the_nearest_first() {
        let error = "cyrilic".parse::<Text>().unwrap_err();
        assert_eq!(error.known[0], "cyrillic");
        assert_eq!(error.known.len(), Text::ALL.len());
        assert_eq!("CJK".parse(), Ok(Text::Cjk));
    }

    #[test]
    fn generated_text_matches_its_kind() {
        let samples: Vec<String> = Text::ALL.map(|text| format!("{text}: {}", filled(text, 1, 59))).into();
        insta::assert_snapshot!(samples.join("\n"));
    }
}
