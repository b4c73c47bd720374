//! Strings between strings: split points of a range, and upper bounds of prefixes.

use alloc::vec;
use alloc::vec::Vec;

use super::Collation;

/// Characters in the order of a collation, from which strings between other strings are made.
///
/// ```
/// use mysql_collation::{Alphabet, mysql::UTF8MB4_0900_AI_CI};
///
/// let alphabet = Alphabet::from_chars(UTF8MB4_0900_AI_CI, 'a'..='z');
/// // Chunks of a table by its string key, for `WHERE name >= ? AND name < ?`.
/// assert_eq!(alphabet.split(b"a", b"z", 4), [b"g", b"m", b"s"]);
/// // Every name that begins with `Mü` is less.
/// assert_eq!(alphabet.prefix_upper_bound("Mü".as_bytes()).unwrap(), "Mv".as_bytes());
/// ```
///
/// Each character has weights at the primary level, which are greater than a space's and different
/// from those of all others. None is part of a contraction. Strings of these characters therefore
/// compare character by character: the first difference decides. Build an alphabet once and use it
/// for many strings.
#[derive(Clone, Debug)]
pub struct Alphabet {
    collation: Collation,
    /// In ascending order.
    letters: Vec<Letter>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Letter {
    /// Weights at the primary level.
    weights: Vec<u32>,
    bytes: Vec<u8>,
}

/// Maximum number of characters that a string between two strings has after their common beginning.
const MAX_DEPTH: usize = 16;

impl Alphabet {
    /// Chooses from all letters and digits of the Basic Multilingual Plane that the collation's
    /// character set has, and from ASCII punctuation. Takes some milliseconds for Unicode.
    ///
    /// Between `a` and `z`, most of these are letters that names rarely begin with. For even parts
    /// of real rows, use the characters that occur in them: [`Alphabet::from_chars`].
    pub fn new(collation: Collation) -> Self {
        let is_usual = |character: &char| character.is_alphanumeric() || character.is_ascii_punctuation();
        Self::from_chars(collation, ('\0'..='\u{FFFF}').filter(is_usual))
    }

    /// Chooses from these characters. Characters that the character set lacks, that weigh no more
    /// than a space, or that occur in a contraction are left out. Of characters whose primary
    /// weights are equal, or begin with those of another, only the least is kept.
    pub fn from_chars(collation: Collation, characters: impl IntoIterator<Item = char>) -> Self {
        let contractions = collation.contractions();
        let mut contracted: Vec<char> = contractions.iter().flat_map(|sequence| sequence.chars()).collect();
        contracted.sort_unstable();
        let space = collation.primary_weights_of(' ').map(|letter| letter.weights).unwrap_or_default();
        let mut letters: Vec<Letter> = characters
            .into_iter()
            .filter(|character| contracted.binary_search(character).is_err())
            .filter_map(|character| collation.primary_weights_of(character))
            .filter(|letter| letter.weights > space)
            .collect();
        letters.sort_by(|a, b| {
            a.weights.cmp(&b.weights).then_with(|| collation.compare(&a.bytes, &b.bytes)).then(a.bytes.cmp(&b.bytes))
        });
        // A letter whose weights begin with those of another would sort among its strings.
        letters.dedup_by(|next, kept| next.weights.starts_with(&kept.weights));
        Self { collation, letters }
    }

    /// Returns the collation that orders the characters.
    pub fn collation(&self) -> Collation {
        self.collation
    }

    /// Returns the number of characters.
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Returns `true` if the alphabet has no characters.
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// Returns a string that is greater than `a` and less than `b`, about halfway in the order of
    /// the alphabet. `None` if no such string is found: there may be one of other characters, or
    /// one that differs from `a` or `b` only by accents or case.
    ///
    /// ```
    /// use mysql_collation::{Alphabet, mysql::UTF8MB4_0900_AI_CI};
    ///
    /// let alphabet = Alphabet::from_chars(UTF8MB4_0900_AI_CI, ('0'..='9').chain('a'..='z'));
    /// let middle = alphabet.between(b"k1999", b"k2000").unwrap();
    /// assert_eq!(middle, b"k1m");
    /// assert_eq!(alphabet.between(b"a", b"A"), None);
    /// ```
    pub fn between(&self, a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
        self.split(a, b, 2).pop()
    }

    /// Returns up to `parts - 1` strings, in ascending order, each greater than `a` and less than
    /// `b`. They divide the range into parts of about the same size, counted in strings of the
    /// alphabet. Fewer strings are returned if not enough are found, none if `a` isn't less than
    /// `b` or the alphabet has fewer than two characters.
    pub fn split(&self, a: &[u8], b: &[u8], parts: usize) -> Vec<Vec<u8>> {
        if parts < 2 || self.letters.len() < 2 || self.collation.compare(a, b).is_ge() {
            return Vec::new();
        }
        let [low, high] = [a, b].map(|text| self.digits(text));
        let common = low.iter().zip(&high).take_while(|(x, y)| x == y).count();
        let mut best = Vec::new();
        let mut depth = 1;
        while depth <= MAX_DEPTH {
            let found = self.split_at_depth(a, b, [&low, &high], common + depth, parts);
            if found.len() > best.len() {
                best = found;
            }
            if best.len() == parts - 1 {
                break;
            }
            depth += 1;
        }
        best
    }

    /// Returns a string that is greater than every string that begins with `prefix`, as
    /// [`Collation::starts_with`] defines it. `None` if no such string is found.
    ///
    /// A string between `prefix` and the result need not begin with `prefix`. Under PAD SPACE,
    /// strings that begin with `prefix` can be less than `prefix`: `'a\t' < 'a'`.
    pub fn prefix_upper_bound(&self, prefix: &[u8]) -> Option<Vec<u8>> {
        let end = self.collation.prefix_range(prefix).end?;
        let flavour = self.collation.info().flavour;
        let mut starts: Vec<usize> =
            self.collation.charset().characters(flavour, prefix).map(|character| character.bytes.start).collect();
        while let Some(start) = starts.pop() {
            let with = |letter: &Letter| [&prefix[..start], &letter.bytes].concat();
            let is_less = |letter: &Letter| self.collation.sort_key(&with(letter)) < end;
            if let Some(letter) = self.letters.get(self.letters.partition_point(is_less)) {
                return Some(with(letter));
            }
        }
        None
    }

    /// Returns a string that is not greater than any string that begins with `prefix`, as
    /// [`Collation::starts_with`] defines it. `None` if no such string is found, for example before
    /// the first letter of the alphabet.
    ///
    /// `prefix` itself is often no such bound: under PAD SPACE, `'a\t'` begins with `a` and is
    /// less. A string between the bounds need not begin with `prefix`, so keep the `LIKE`.
    ///
    /// ```
    /// use mysql_collation::{Alphabet, mysql::UTF8MB4_GENERAL_CI};
    ///
    /// let alphabet = Alphabet::from_chars(UTF8MB4_GENERAL_CI, 'a'..='z');
    /// // WHERE name >= 'malz' AND name < 'man' AND name LIKE 'mam%'
    /// assert_eq!(alphabet.prefix_lower_bound(b"mam").unwrap(), b"malz");
    /// assert_eq!(alphabet.prefix_upper_bound(b"mam").unwrap(), b"man");
    /// ```
    pub fn prefix_lower_bound(&self, prefix: &[u8]) -> Option<Vec<u8>> {
        let start = self.collation.prefix_range(prefix).start;
        let is_bound = |text: &[u8]| self.collation.sort_key(text) <= start;
        if is_bound(prefix) {
            return Some(prefix.to_vec());
        }
        let greatest = self.letters.last()?;
        let flavour = self.collation.info().flavour;
        let mut starts: Vec<usize> =
            self.collation.charset().characters(flavour, prefix).map(|character| character.bytes.start).collect();
        while let Some(at) = starts.pop() {
            let with = |letter: &Letter| [&prefix[..at], &letter.bytes].concat();
            let less = self.letters.partition_point(|letter| is_bound(&with(letter)));
            if let Some(letter) = less.checked_sub(1).and_then(|last| self.letters.get(last)) {
                let near = [with(letter).as_slice(), &greatest.bytes].concat();
                return Some(if is_bound(&near) { near } else { with(letter) });
            }
        }
        None
    }

    /// Splits with strings of at most `length` characters.
    fn split_at_depth(&self, a: &[u8], b: &[u8], range: [&[usize]; 2], length: usize, parts: usize) -> Vec<Vec<u8>> {
        let base = self.letters.len() as u64;
        let [low, high] = range.map(|digits| Number::new(digits, length, base));
        let difference = high.minus(&low);
        let mut found: Vec<Vec<u8>> = Vec::new();
        for part in 1..parts {
            let text = self.text(&low.plus(&difference.times_ratio(part as u64, parts as u64)));
            let is_between = {
                let before = found.last().map_or(a, Vec::as_slice);
                self.collation.compare(before, &text).is_lt() && self.collation.compare(&text, b).is_lt()
            };
            if is_between {
                found.push(text);
            }
        }
        found
    }

    /// Returns the indexes of a string's letters. Ends at a character that isn't a letter, with the
    /// index of the last letter before it, or 0.
    fn digits(&self, text: &[u8]) -> Vec<usize> {
        let weights: Vec<u32> = self.collation.weights(text).flat_map(|element| element.weights[0].clone()).collect();
        let (mut rest, mut digits) = (&weights[..], Vec::new());
        while !rest.is_empty() {
            let after = self.letters.partition_point(|letter| letter.weights.as_slice() <= rest);
            let index = after.saturating_sub(1);
            digits.push(index);
            match self.letters.get(index).and_then(|letter| rest.strip_prefix(letter.weights.as_slice())) {
                Some(next) => rest = next,
                None => break,
            }
        }
        digits
    }

    /// Returns the string of these letters. The first letter of the alphabet is left out at the
    /// end, like zeros at the end of a decimal fraction: it adds nothing to the number.
    fn text(&self, number: &Number) -> Vec<u8> {
        let end = number.digits.iter().rposition(|&digit| digit != 0).map_or(0, |last| last + 1);
        let letters = number.digits[..end].iter().filter_map(|&digit| self.letters.get(digit as usize));
        letters.flat_map(|letter| letter.bytes.iter().copied()).collect()
    }
}

impl Collation {
    /// Returns a character with its weights at the primary level; `None` if the character set lacks
    /// it or it has no weights.
    fn primary_weights_of(self, character: char) -> Option<Letter> {
        let mut buffer = [0; 4];
        let length = self.charset().encode(character, &mut buffer)?;
        let bytes = buffer.get(..length)?.to_vec();
        let mut elements = self.weights(&bytes);
        let element = elements.next().filter(|element| element.bytes.len() == length)?;
        let weights = element.weights.into_iter().next().filter(|weights| !weights.is_empty())?;
        Some(Letter { weights, bytes })
    }
}

/// A fraction in digits of a base, the most significant digit first.
#[derive(Clone, Debug)]
struct Number {
    digits: Vec<u64>,
    base: u64,
}

impl Number {
    fn new(digits: &[usize], length: usize, base: u64) -> Self {
        let mut all: Vec<u64> = digits.iter().take(length).map(|&digit| digit as u64).collect();
        all.resize(length, 0);
        Self { digits: all, base }
    }

    /// Adds a number of the same length. A carry out of the first digit is dropped.
    fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        let mut carry = 0;
        for (digit, other) in sum.digits.iter_mut().zip(&other.digits).rev() {
            *digit += other + carry;
            carry = *digit / self.base;
            *digit %= self.base;
        }
        sum
    }

    /// Subtracts a number of the same length. The result is 0 if `other` is greater.
    fn minus(&self, other: &Self) -> Self {
        if self.digits < other.digits {
            return Self { digits: vec![0; self.digits.len()], base: self.base };
        }
        let mut difference = self.clone();
        let mut borrow = 0;
        for (digit, other) in difference.digits.iter_mut().zip(&other.digits).rev() {
            let subtracted = other + borrow;
            borrow = u64::from(*digit < subtracted);
            *digit = *digit + borrow * self.base - subtracted;
        }
        difference
    }

    /// Multiplies by `part` and divides by `parts`, which must not be less than `part`.
    fn times_ratio(&self, part: u64, parts: u64) -> Self {
        let mut product = self.clone();
        // Division from the first digit on, of each digit times `part`.
        let (mut carry, base) = (0_u128, u128::from(self.base));
        let mut scaled: Vec<u128> = self.digits.iter().map(|&digit| u128::from(digit) * u128::from(part)).collect();
        for digit in &mut scaled {
            let value = *digit + carry * base;
            *digit = value / u128::from(parts);
            carry = value % u128::from(parts);
        }
        // A digit can be the base or greater after the multiplication.
        let mut over = 0_u128;
        for (slot, digit) in product.digits.iter_mut().zip(scaled).rev() {
            let value = digit + over;
            *slot = (value % base) as u64;
            over = value / base;
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use proptest::prelude::*;

    use super::*;
    use crate::catalogue::{Flavour, catalogue};
    use crate::mysql::{UTF8MB4_0900_AI_CI, UTF8MB4_CZECH_CI, UTF8MB4_GENERAL_CI, UTF8MB4_HU_0900_AI_CI};

    fn sample() -> impl Iterator<Item = Collation> {
        let infos = Flavour::ALL.into_iter().flat_map(catalogue).filter(|info| info.id % 23 == 0 || info.is_default);
        infos.filter_map(|info| Collation::by_id(info.flavour, info.id).ok())
    }

    #[test]
    fn numbers_count_in_their_base() {
        let number = |digits: &[usize]| Number::new(digits, 3, 10);
        assert_eq!(number(&[1, 2]).plus(&number(&[0, 9, 5])).digits, [2, 1, 5]);
        assert_eq!(number(&[1, 2]).minus(&number(&[0, 9, 5])).digits, [0, 2, 5]);
        assert_eq!(number(&[1]).minus(&number(&[2])).digits, [0, 0, 0]);
        assert_eq!(number(&[1]).times_ratio(3, 4).digits, [0, 7, 5]);
        assert_eq!(number(&[9, 9, 9]).times_ratio(6, 7).digits, [8, 5, 6]);
    }

    #[test]
    fn strings_of_letters_sort_like_words() {
        for collation in sample() {
            let alphabet = Alphabet::from_chars(collation, ' '..='\u{1FF}');
            assert!(alphabet.len() > 20, "{collation} has {}", alphabet.len());
            for pair in alphabet.letters.windows(2) {
                let [a, b] = [&pair[0].bytes, &pair[1].bytes];
                assert!(collation.compare(a, b).is_lt(), "{collation} {a:x?} {b:x?}");
                assert!(collation.compare(&[&a[..], b].concat(), b).is_lt(), "{collation} {a:x?} {b:x?}");
                assert!(collation.compare(a, &[&a[..], a].concat()).is_lt(), "{collation} {a:x?}");
            }
        }
    }

    #[test]
    fn splits_evenly() {
        let alphabet = Alphabet::from_chars(UTF8MB4_GENERAL_CI, '0'..='9');
        let text = |parts| -> Vec<String> {
            alphabet.split(b"1", b"9", parts).into_iter().map(|text| String::from_utf8(text).unwrap()).collect()
        };
        assert_eq!(text(2), ["5"]);
        assert_eq!(text(8), ["2", "3", "4", "5", "6", "7", "8"]);
        assert_eq!(text(16).len(), 15);
        assert_eq!(text(1000).len(), 999);
        assert!(text(1).is_empty() && alphabet.split(b"2", b"1", 4).is_empty());
        assert_eq!(alphabet.between(b"1", b"1"), None);
        assert_eq!(Alphabet::from_chars(UTF8MB4_GENERAL_CI, []).between(b"1", b"2"), None);
    }

    #[test]
    fn upper_bounds_are_after_contractions() {
        let czech = Alphabet::new(UTF8MB4_CZECH_CI);
        let bound = czech.prefix_upper_bound(b"c").unwrap();
        assert!(UTF8MB4_CZECH_CI.compare(b"chz", &bound).is_lt() && UTF8MB4_CZECH_CI.compare(&bound, b"iz").is_lt());
        let hungarian = Alphabet::new(UTF8MB4_HU_0900_AI_CI);
        let bound = hungarian.prefix_upper_bound(b"dz").unwrap();
        assert!(UTF8MB4_HU_0900_AI_CI.compare(b"dzsz", &bound).is_lt());
        let letters = Alphabet::from_chars(UTF8MB4_0900_AI_CI, 'a'..='z');
        assert_eq!(letters.prefix_upper_bound(b"azz"), Some(b"b".to_vec()));
        assert_eq!(letters.prefix_upper_bound(b"zz"), None);
        // Under NO PAD with one level, a prefix is its own lower bound.
        assert_eq!(letters.prefix_lower_bound(b"azz"), Some(b"azz".to_vec()));
        let padded = Alphabet::from_chars(UTF8MB4_GENERAL_CI, 'a'..='z');
        assert_eq!(padded.prefix_lower_bound(b"ba"), Some(b"b".to_vec()));
        assert_eq!(padded.prefix_lower_bound(b"a"), None);
        assert_eq!(letters.prefix_upper_bound(b""), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

        #[test]
        fn strings_are_between(a in "[ -~äöüßčřŁ\t]{0,6}", b in "[ -~äöüßčřŁ\t]{0,6}", parts in 2..9usize) {
            for collation in sample() {
                let alphabet = Alphabet::from_chars(collation, ' '..='\u{17F}');
                let [a, b] = [&a, &b].map(|text| crate::charset::Charset::Utf8mb4.convert(text.as_bytes(), collation.charset(), Flavour::MySql).bytes);
                let (a, b) = if collation.compare(&a, &b).is_gt() { (b, a) } else { (a, b) };
                let mut last = a.clone();
                for text in alphabet.split(&a, &b, parts).into_iter().chain([b.clone()]) {
                    prop_assert!(collation.compare(&last, &text).is_lt() || collation.compare(&a, &b).is_eq(), "{collation}");
                    prop_assert_eq!(collation.charset().validate(&text), Ok(()));
                    last = text;
                }
                if let Some(bound) = alphabet.prefix_lower_bound(&a) {
                    for text in [a.clone(), [&a[..], &b].concat()] {
                        prop_assert!(!collation.starts_with(&text, &a) || collation.compare(&bound, &text).is_le(), "{collation} {a:x?} {bound:x?}");
                    }
                }
                if let Some(bound) = alphabet.prefix_upper_bound(&a) {
                    for text in [a.clone(), [&a[..], &b].concat()] {
                        prop_assert!(!collation.starts_with(&text, &a) || collation.compare(&text, &bound).is_lt(), "{collation} {a:x?} {bound:x?}");
                    }
                }
            }
        }
    }
}
