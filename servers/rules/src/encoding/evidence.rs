//! Tells sequences of characters that are UTF-8 decoded as latin1 from sequences of clean text.
//!
//! ```text
//! MÃ¼ller     Ã¼ is ü: no word has Ã behind a small letter
//! NESCAFÉ®    É® may be ɮ: a capital at the end of a word, and a sign behind it
//! zÅ‚oty      Å‚ is ł: no word has Å behind a small letter
//! 12 Å³       Å³ may be ų
//! Ð´Ð°        Ð´ and Ð° are д and а: two sequences of one script, one behind the other
//! été »       é, a no-break space and » may be a Chinese character: one sequence alone
//! â€™         â€™ is ’: no text has € behind â
//! ```

use mysql_collation::Charset;

use super::latin1_byte;

/// Characters whose latin1 bytes are one character of UTF-8.
pub struct Sequence {
    /// Position of the first character, and the number of characters.
    at: usize,
    length: usize,
    /// Character whose UTF-8 the bytes are.
    decoded: char,
    /// True if clean text has no such characters at such a place.
    pub is_evident: bool,
}

impl Sequence {
    /// True if the decoded character can be expected in a text with evidently double-encoded
    /// characters. False for rare Latin letters, such as `ɮ`.
    pub fn is_plausible(&self) -> bool {
        match Script::of(self.decoded) {
            // Without phonetic letters and those of few languages: ɮ, ə, Ʌ.
            Script::Latin => {
                matches!(u32::from(self.decoded), 0xA0..=0x17F | 0x1A0..=0x1A1 | 0x1AF..=0x1B0 | 0x218..=0x21B | 0x1E00..=0x1EFF)
            }
            _ => true,
        }
    }
}

/// Returns the sequences of a text that are more than one byte of UTF-8, in their order.
pub fn find_sequences(text: &str) -> Vec<Sequence> {
    let characters: Vec<char> = text.chars().collect();
    let bytes: Vec<u8> = characters.iter().map(|&character| latin1_byte(character).unwrap_or(0)).collect();
    let mut sequences = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match Charset::Utf8mb4.decode(&bytes[at..]) {
            Some((decoded, length)) if length > 1 => {
                sequences.push(Sequence { at, length, decoded, is_evident: false });
                at += length;
            }
            _ => at += 1,
        }
    }
    let evident: Vec<bool> = (0..sequences.len())
        .map(|index| is_evident_alone(&characters, &sequences[index]) || has_neighbour(&sequences, index))
        .collect();
    sequences.iter_mut().zip(evident).for_each(|(sequence, is_evident)| sequence.is_evident = is_evident);
    sequences
}

/// True if a sequence of the same script stands directly before or behind a sequence.
fn has_neighbour(sequences: &[Sequence], index: usize) -> bool {
    let own = &sequences[index];
    let script = Script::of(own.decoded);
    let is_neighbour = |other: &Sequence| {
        (other.at + other.length == own.at || own.at + own.length == other.at) && Script::of(other.decoded) == script
    };
    let before = index.checked_sub(1).and_then(|index| sequences.get(index));
    before.into_iter().chain(sequences.get(index + 1)).any(is_neighbour)
}

/// True if correctly encoded text hardly ever has these characters between these neighbours, so
/// that the sequence alone is evidence of double encoding.
fn is_evident_alone(characters: &[char], sequence: &Sequence) -> bool {
    let Sequence { at, length, decoded, .. } = *sequence;
    let (first, second) = (characters[at], characters[at + 1]);
    let behind = characters.get(at + length).copied();
    match length {
        // `Tiáº¿ng` for Tiếng.
        3 if first == 'á' => matches!(u32::from(decoded), 0x1EA0..=0x1EFF) && behind.is_some_and(is_small_letter),
        // `â€™` for ’, `â‚¬` for €, `â„¢` for ™.
        3 => first == 'â' && matches!(second, '€' | '‚' | '„') && is_common(decoded),
        // `ðŸ˜€` for an emoji.
        4 => first == 'ð' && second == 'Ÿ' && is_common(decoded),
        _ => is_evident_pair(&characters[..at], first, second, behind),
    }
}

/// True if hardly any word has such a pair between the characters before and after it.
fn is_evident_pair(before: &[char], first: char, second: char, behind: Option<char>) -> bool {
    let is_letter = |back: usize| before.iter().nth_back(back).is_some_and(|character| character.is_alphabetic());
    let is_one_letter_word = is_letter(0) && !is_letter(1);
    let before = before.last().copied();
    let is_after_small = before.is_some_and(is_small_letter);
    let is_after_capital = before.is_some_and(|before| before.is_uppercase());
    let is_sign = is_sign_after_words(second);
    match first {
        // The decoded characters are of latin1, too. No word ends with Â, and few end with Ã (in
        // Portuguese: MANHÃ).
        'Â' | 'Ã' if is_after_capital => {
            !is_sign || behind.is_some_and(char::is_alphabetic) && !is_sign_between_words(second)
        }
        'Â' | 'Ã' if before.is_some_and(is_small_or_digit) => true,
        'Â' => !matches!(second, '²' | '³' | '¹' | '°') || behind.is_some_and(char::is_alphanumeric),
        'Ã' => !is_sign || second == '\u{A0}' || behind.is_some_and(char::is_alphanumeric),
        // Å is the unit ångström as well: `12 Å³`, `eÅ²`.
        'Å' if is_sign && is_one_letter_word => false,
        // ß is no capital, and × no letter.
        _ if !first.is_uppercase() => false,
        _ if is_after_small => true,
        // `Å‚adny` for ładny, `Ä°stanbul` for İstanbul, `Å“uvre` for œuvre. Å and š are two
        // letters, though.
        _ => {
            before.is_none_or(|before| !before.is_alphanumeric())
                && behind.is_some_and(is_small_letter)
                && (!is_sign || matches!(second, '²' | '³' | '¹' | '°' | '“'))
                && !second.is_alphabetic()
        }
    }
}

fn is_small_letter(character: char) -> bool {
    character.is_lowercase() && !matches!(character, 'ª' | 'º')
}

fn is_small_or_digit(character: char) -> bool {
    is_small_letter(character) || character.is_ascii_digit()
}

fn is_superscript(character: char) -> bool {
    matches!(character, '²' | '³' | '¹' | '°' | 'ª' | 'º' | '·')
}

/// True for signs that stand between two words without a space.
fn is_sign_between_words(character: char) -> bool {
    matches!(character, '’' | '–' | '—' | '…' | '•' | '·' | '«' | '»' | '\u{A0}' | '\u{AD}')
}

/// True for signs that stand directly behind words, or between two.
fn is_sign_after_words(character: char) -> bool {
    let is_quote = matches!(character, '‘' | '’' | '“' | '”' | '«' | '»' | '‹' | '›');
    let is_mark = matches!(character, '…' | '•' | '–' | '—' | '™' | '©' | '®' | '¡' | '¿' | '\u{A0}' | '\u{AD}');
    is_quote || is_mark || is_superscript(character)
}

/// Script of a character, or group of scripts that texts mix.
#[derive(PartialEq, Eq)]
enum Script {
    Latin,
    /// Punctuation, currency signs, arrows, emoji.
    Symbols,
    /// Han characters, kana and their punctuation.
    EastAsian,
    Hangul,
    /// Another script, by the number of its block of 256 characters.
    Block(u32),
}

impl Script {
    fn of(character: char) -> Self {
        match u32::from(character) {
            0x80..=0x36F | 0x1E00..=0x1EFF => Self::Latin,
            0x2000..=0x2BFF | 0xFE00..=0xFE0F | 0x1F000..=0x1FAFF => Self::Symbols,
            0x2E80..=0xA4CF | 0xF900..=0xFAFF | 0xFE30..=0xFE4F | 0xFF00..=0xFFEF | 0x20000..=0x3FFFF => {
                Self::EastAsian
            }
            0x1100..=0x11FF | 0xAC00..=0xD7FF => Self::Hangul,
            // Greek with Coptic; Cyrillic with its supplement.
            0x370..=0x3FF | 0x1F00..=0x1FFF => Self::Block(3),
            0x400..=0x52F => Self::Block(4),
            // Arabic with its supplement.
            0x600..=0x6FF | 0x750..=0x77F => Self::Block(6),
            other => Self::Block(other >> 8),
        }
    }
}

/// True for ASCII, letters, digits, signs of vowels, and most punctuation, currency signs and
/// emoji. False for C1 controls, private use characters and noncharacters.
pub fn is_common(character: char) -> bool {
    character.is_ascii()
        || character.is_alphanumeric()
        || matches!(u32::from(character), 0xA0..=0xFF | 0x0300..=0x036F | 0x0591..=0x06FF | 0x0900..=0x10FF)
        || matches!(u32::from(character), 0x2000..=0x2BFF | 0x3000..=0x303F | 0xFE00..=0xFE0F | 0xFF00..=0xFFEF)
        || matches!(u32::from(character), 0x1F000..=0x1FAFF)
}
