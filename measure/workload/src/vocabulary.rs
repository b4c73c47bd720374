//! Vocabularies, and text of an exact length from their words.

use std::sync::LazyLock;

use crate::random::Random;

/// Maximum length of a word in characters. Longer words of the lists are not used.
pub(crate) const MAX_WORD_CHARACTERS: usize = 12;

#[derive(Clone, Debug)]
struct Word {
    text: String,
    characters: usize,
}

#[derive(Debug)]
pub(crate) struct Vocabulary {
    /// Words, sorted by length.
    words: Vec<Word>,
    /// `starts[n]` is the index of the first word with at least `n` characters.
    starts: [usize; MAX_WORD_CHARACTERS + 2],
    separator: &'static str,
}

pub(crate) static ASCII: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::new(&[include_str!("../assets/ascii.txt")], " "));
pub(crate) static LATIN: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::new(&[include_str!("../assets/latin.txt")], " "));
pub(crate) static CYRILLIC: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::new(&[include_str!("../assets/cyrillic.txt")], " "));
pub(crate) static CJK: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::new(&[include_str!("../assets/cjk.txt")], ""));
pub(crate) static EMOJI: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::new(&[include_str!("../assets/emoji.txt")], ""));
pub(crate) static MIXED: LazyLock<Vocabulary> = LazyLock::new(|| {
    let all = [
        include_str!("../assets/ascii.txt"),
        include_str!("../assets/latin.txt"),
        include_str!("../assets/cyrillic.txt"),
        include_str!("../assets/cjk.txt"),
        include_str!("../assets/emoji.txt"),
    ];
    Vocabulary::new(&all, " ")
});

impl Vocabulary {
    fn new(lists: &[&str], separator: &'static str) -> Self {
        let mut words: Vec<Word> = lists
            .iter()
            .flat_map(|list| list.split_whitespace())
            .flat_map(case_variants)
            .filter(|w| w.characters <= MAX_WORD_CHARACTERS)
            .collect();
        words.sort_by_key(|word| word.characters);
        let starts = std::array::from_fn(|length| words.partition_point(|word| word.characters < length));
        Self { words, starts, separator }
    }

    pub fn separator(&self) -> &'static str {
        self.separator
    }

    pub fn push_word(&self, random: &mut Random, out: &mut String) {
        out.push_str(&self.draw_word(random, 1, MAX_WORD_CHARACTERS).text);
    }

    /// Appends words with separators, `characters` characters in total. Neither end is a separator.
    pub fn fill(&self, random: &mut Random, characters: usize, out: &mut String) {
        // Each word counts with a separator; the last separator isn't written.
        let separator_length = self.separator.chars().count();
        let mut left = characters + separator_length;
        while left > separator_length {
            // After a word, zero characters must remain, or enough for a word of one character with
            // its separator.
            let exact = left <= self.max_characters() + separator_length;
            let word = if exact {
                self.draw_word(random, left - separator_length, left - separator_length)
            } else {
                self.draw_word(random, 1, MAX_WORD_CHARACTERS.min(left - 2 * separator_length - 1))
            };
            out.push_str(&word.text);
            left -= word.characters + separator_length;
            if left > 0 {
                out.push_str(self.separator);
            }
        }
    }

    fn max_characters(&self) -> usize {
        self.words.last().map_or(0, |word| word.characters)
    }

    /// Draws a word of `shortest` to `longest` characters.
    fn draw_word(&self, random: &mut Random, shortest: usize, longest: usize) -> &Word {
        let range = self.starts[shortest]..self.starts[longest + 1];
        &self.words[range.start + random.below(range.len() as u64) as usize]
    }
}

/// Returns a word in the letter cases of running text: twice in lower case, once capitalised, once
/// in capitals. Scripts without case get four copies, which keeps the shares of scripts in mixed
/// text.
fn case_variants(word: &str) -> [Word; 4] {
    let mut letters = word.chars();
    let capitalised: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    [word.to_owned(), word.to_owned(), capitalised, word.to_uppercase()]
        .map(|text| Word { characters: text.chars().count(), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabularies() -> [(&'static str, &'static Vocabulary); 6] {
        [
            ("ascii", &ASCII),
            ("latin", &LATIN),
            ("cyrillic", &CYRILLIC),
            ("cjk", &CJK),
            ("emoji", &EMOJI),
            ("mixed", &MIXED),
        ]
    }

    #[test]
    fn has_a_word_of_every_length() {
        for (text, vocabulary) in vocabularies() {
            for length in 1..=vocabulary.max_characters() {
                assert!(
                    vocabulary.starts[length] < vocabulary.starts[length + 1],
                    "{text}: no word of {length} characters"
                );
            }
        }
    }

    #[test]
    fn words_need_no_quoting_or_escaping() {
        for (text, vocabulary) in vocabularies() {
            for word in &vocabulary.words {
                assert!(!word.text.chars().any(|c| c.is_control() || c.is_whitespace()), "{text}: {:?}", word.text);
                assert!(!word.text.contains(['\'', '"', '`', '\\', '%', '_', '?', '-']), "{text}: {:?}", word.text);
            }
        }
    }

    #[test]
    fn latin_words_fit_iso_8859_1_and_ascii_words_ascii() {
        assert!(
            LATIN.words.iter().all(|word| word.text.chars().all(|c| matches!(c, 'A'..='Z' | 'a'..='z' | 'À'..='ÿ')))
        );
        assert!(ASCII.words.iter().all(|word| word.text.is_ascii()));
        assert!(CYRILLIC.words.iter().all(|word| word.text.chars().all(|c| matches!(c, 'А'..='я' | 'ё' | 'Ё'))));
        assert!(CJK.words.iter().all(|word| word.text.chars().all(|c| matches!(c, '\u{4E00}'..='\u{9FFF}'))));
    }

    #[test]
    fn lists_have_no_duplicates() {
        for list in [
            include_str!("../assets/ascii.txt"),
            include_str!("../assets/latin.txt"),
            include_str!("../assets/cyrillic.txt"),
            include_str!("../assets/cjk.txt"),
            include_str!("../assets/emoji.txt"),
        ] {
            let mut words: Vec<&str> = list.split_whitespace().collect();
            let count = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), count);
        }
    }

    #[test]
    fn emoji_include_joined_sequences_skin_tones_and_flags() {
        let any = |c: char| EMOJI.words.iter().any(|word| word.text.contains(c));
        assert!(any('\u{200D}') && any('\u{1F3FD}') && any('\u{1F1E9}') && any('\u{FE0F}'));
    }
}
