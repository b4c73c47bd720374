//! The words that text is made of, and text of an exact length from them.

use std::sync::LazyLock;

use crate::random::Random;

/// The longest word, in characters.
pub(crate) const LONGEST: usize = 12;

#[derive(Clone, Debug)]
struct Word {
    text: String,
    characters: usize,
}

/// The words of one kind of text.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    /// In order of length.
    words: Vec<Word>,
    /// `starts[n]` is the first word of at least `n` characters.
    starts: [usize; LONGEST + 2],
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
            .flat_map(cases)
            .filter(|w| w.characters <= LONGEST)
            .collect();
        words.sort_by_key(|word| word.characters);
        let starts = std::array::from_fn(|length| words.partition_point(|word| word.characters < length));
        Self { words, starts, separator }
    }

    /// What stands between two words.
    pub fn separator(&self) -> &'static str {
        self.separator
    }

    /// Appends any word.
    pub fn push_word(&self, random: &mut Random, out: &mut String) {
        out.push_str(&self.pick(random, 1, LONGEST).text);
    }

    /// Appends words, separated, of `characters` characters in all; neither the first nor the last one is a separator.
    pub fn fill(&self, random: &mut Random, characters: usize, out: &mut String) {
        // Every word takes its separator along; the last one's is taken off again.
        let gap = self.separator.chars().count();
        let mut left = characters + gap;
        while left > gap {
            // What a word leaves must be nothing or have room for another word of one character and its separator.
            let exact = left <= self.longest() + gap;
            let word = if exact {
                self.pick(random, left - gap, left - gap)
            } else {
                self.pick(random, 1, LONGEST.min(left - 2 * gap - 1))
            };
            out.push_str(&word.text);
            left -= word.characters + gap;
            if left > 0 {
                out.push_str(self.separator);
            }
        }
    }

    fn longest(&self) -> usize {
        self.words.last().map_or(0, |word| word.characters)
    }

    /// A word of `shortest` to `longest` characters.
    fn pick(&self, random: &mut Random, shortest: usize, longest: usize) -> &Word {
        let range = self.starts[shortest]..self.starts[longest + 1];
        &self.words[range.start + random.below(range.len() as u64) as usize]
    }
}

/// A word as it stands in running text: twice in lower case, once capitalised, once in capitals. Scripts without case get four copies,
/// which keeps the shares of the scripts in mixed text.
fn cases(word: &str) -> [Word; 4] {
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
    fn there_is_a_word_of_every_length_up_to_the_longest() {
        for (text, vocabulary) in vocabularies() {
            for length in 1..=vocabulary.longest() {
                assert!(
                    vocabulary.starts[length] < vocabulary.starts[length + 1],
                    "{text}: no word of {length} characters"
                );
            }
        }
    }

    #[test]
    fn words_need_no_quoting_in_any_sql_mode_and_no_escaping_in_a_pattern() {
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
    fn no_list_names_a_word_twice() {
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
