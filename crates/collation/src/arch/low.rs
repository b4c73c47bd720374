//! What the vectors know of a level: the weights of the code points of one and two bytes of UTF-8.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::contractions::ShortContractions;
use crate::table::{Pairs, Variants};

#[cfg(target_arch = "x86_64")]
use super::codes::Codes;
#[cfg(target_arch = "x86_64")]
use super::letter_pairs::LetterPairs;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::rows::{Classes, Row};

/// The entries of U+0000 to U+07FF on one level: 0 for an ignorable character, a weight below [`Low::SEVERAL`], then numbers that
/// stand for several weights, equal ones for equal weights, and [`Low::MARK`].
#[derive(Debug)]
pub(crate) struct Low {
    entries: [u16; 0x800],
    /// The contractions, where the vectors have to look for these.
    contractions: Option<Box<ShortContractions>>,
    variants: Variants,
    #[cfg(target_arch = "x86_64")]
    letter_pairs: Option<Box<LetterPairs>>,
    expansions: Option<Box<Expansions>>,
    #[cfg(target_arch = "x86_64")]
    codes: Option<Box<Codes>>,
    /// Whether texts mostly have characters of two weights, as far as Latin letters go.
    is_wide: bool,
    /// Whether upper and lower case of ASCII are one, contractions apart.
    folds: bool,
    /// Whether printable ASCII has one weight a character, the space the least of them, contractions of it greater ones.
    spaces_are_least: bool,
    /// The entries again.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    rows: [Row; 16],
    /// Which of them are equal.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    classes: Option<Classes>,
}

impl Low {
    /// Entries from here on are no weights.
    pub(crate) const SEVERAL: u16 = 0xC000;
    /// Ask the full table: the weights are computed, or the character may continue a contraction. No other entry has this high byte.
    pub(crate) const MARK: u16 = 0xFFFF;

    /// `weights` tells those of an entry from [`Low::SEVERAL`] on, where it numbers some.
    pub(crate) fn new(
        mut entries: [u16; 0x800],
        weights: impl Fn(u16) -> Option<Vec<u16>>,
        contractions: Option<ShortContractions>,
        variants: Variants,
    ) -> Self {
        for entry in entries.iter_mut().filter(|entry| **entry >= Self::MARK & 0xFF00) {
            *entry = Self::MARK;
        }
        let expansions = Expansions::of(&entries, weights).map(Box::new);
        let folds = (b'A'..=b'Z').all(|upper| entries[usize::from(upper)] == entries[usize::from(upper) + 0x20]);
        let space = entries[usize::from(b' ')];
        let spaces_are_least = space != 0
            && contractions.as_ref().is_none_or(|contractions| contractions.are_above(space))
            && entries[0x21..0x7F].iter().all(|&entry| space < entry && entry < Self::SEVERAL);
        let is_wide = expansions.as_deref().is_some_and(Expansions::are_frequent);
        #[cfg(target_arch = "x86_64")]
        let mut codes = expansions
            .as_deref()
            .filter(|_| is_wide || contractions.as_ref().is_some_and(ShortContractions::have_two_weights))
            .and_then(|expansions| Codes::of(&entries, expansions));
        #[cfg(target_arch = "x86_64")]
        let letter_pairs = contractions.as_ref().and_then(|contractions| {
            let code = |weights: [u16; 2]| match (&mut codes, weights) {
                (Some(codes), _) => codes.weights_mut().code(weights),
                (None, [..Self::SEVERAL, 0]) => Some(weights[0].to_be_bytes()[0]),
                _ => None,
            };
            LetterPairs::of(contractions, code, |letter| entries[usize::from(letter)])
        });
        Self {
            spaces_are_least,
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            rows: Row::all_of(&entries),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            classes: Classes::of(&entries, folds),
            is_wide,
            expansions,
            #[cfg(target_arch = "x86_64")]
            codes: codes.map(Box::new),
            #[cfg(target_arch = "x86_64")]
            letter_pairs: letter_pairs.map(Box::new),
            folds,
            entries,
            contractions: contractions.map(Box::new),
            variants,
        }
    }

    /// The characters of two weights, if there are any.
    #[inline(always)]
    pub(crate) fn expansions(&self) -> Option<&Expansions> {
        self.expansions.as_deref()
    }

    /// Whether texts mostly have characters of two weights, so that second weights are looked up with the first ones.
    #[inline(always)]
    pub(super) const fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// The first and the second weights of the row with this number, if such characters are frequent there.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline(always)]
    pub(super) fn wide_rows(&self, number: usize) -> Option<[&Row; 2]> {
        Some(self.expansions()?.rows(number)).filter(|_| number < LATIN / 128)
    }

    /// The entries with codes, if there are frequent characters, or contractions, of two weights.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn codes(&self) -> Option<&Codes> {
        self.codes.as_deref()
    }

    /// The contractions of two letters, where the others can be told from them.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn letter_pairs(&self) -> Option<&LetterPairs> {
        self.letter_pairs.as_deref()
    }

    /// The contractions, where the vectors have to look for these.
    #[inline(always)]
    pub(super) fn contractions(&self) -> Option<&ShortContractions> {
        self.contractions.as_deref()
    }

    /// Which bytes may be within one of these.
    #[inline(always)]
    pub(crate) fn pairs(&self) -> Option<&'static Pairs> {
        self.contractions().map(ShortContractions::pairs)
    }

    /// How texts may differ within a contraction and have equal weights.
    #[inline(always)]
    pub(crate) const fn variants(&self) -> Variants {
        self.variants
    }

    /// Whether upper and lower case of ASCII are one, contractions apart.
    #[inline(always)]
    pub(crate) const fn folds(&self) -> bool {
        self.folds
    }

    /// Whether in words of printable ASCII each single space is followed by a greater weight, and no weight is less.
    #[inline(always)]
    pub(crate) const fn spaces_are_least(&self) -> bool {
        self.spaces_are_least
    }

    /// The entry of a code point below U+0800.
    #[inline(always)]
    pub(crate) const fn entry(&self, code_point: usize) -> u16 {
        self.entries[code_point]
    }

    /// The entries, by rows.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) const fn rows(&self) -> &[Row; 16] {
        &self.rows
    }

    /// The row with this number: its code points begin at 128 times that.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline(always)]
    pub(super) fn row(&self, number: usize) -> &Row {
        &self.rows[number]
    }

    /// Which entries are equal, as far as one byte tells; `None` where ASCII other than NUL is marked.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline(always)]
    pub(super) const fn classes(&self) -> Option<&Classes> {
        self.classes.as_ref()
    }

    /// The one weight of a code point below U+0800, if it has one and is of no contraction.
    #[inline(always)]
    pub(crate) fn weight(&self, code_point: usize) -> Option<u16> {
        let entry = self.entries[code_point];
        (entry != 0 && entry < Self::SEVERAL).then_some(entry)
    }
}

/// Where Latin letters of two bytes end. Those of other scripts, of which a text has more, seldom have two weights (`й` does, where accents
/// count).
const LATIN: usize = 0x280;
/// How many characters from U+0080 to U+017F have two weights at the first level of a table that is no language's. Bench: `languages`.
const LIGATURES: usize = 8;

/// The weights of U+0000 to U+07FF where these are one or two.
#[derive(Debug)]
pub(crate) struct Expansions {
    /// Entries and zeros where there are not two.
    weights: [[u16; 2]; 0x800],
    /// The first weights again.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    first: [Row; 16],
    /// The second weights.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    second: [Row; 16],
}

impl Expansions {
    fn of(entries: &[u16; 0x800], weights: impl Fn(u16) -> Option<Vec<u16>>) -> Option<Self> {
        let two = |entry| <[u16; 2]>::try_from(weights(entry)?).ok();
        let weights = entries.map(|entry| match entry {
            ..Low::SEVERAL | Low::MARK => [entry, 0],
            // A weight of zero would be none, and a great one would be taken for an entry.
            _ => two(entry)
                .filter(|weights| weights.iter().all(|weight| (1..Low::SEVERAL).contains(weight)))
                .unwrap_or([entry, 0]),
        });
        weights.iter().any(|&[_, second]| second != 0).then(|| Self {
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            first: Row::all_of(&weights.map(|[first, _]| first)),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            second: Row::all_of(&weights.map(|[_, second]| second)),
            weights,
        })
    }

    /// Whether more of Latin's letters have two weights than the ligatures (`æ`, `œ`, `ß`): those of a language, or all with accents. Texts with
    /// letters beyond ASCII mostly have some of these, then.
    fn are_frequent(&self) -> bool {
        self.weights[0x80..0x180].iter().filter(|&&[_, second]| second != 0).count() > LIGATURES
    }

    /// Both weights of a code point below U+0800, zeros if it has not two.
    #[inline(always)]
    pub(crate) const fn weights(&self, code_point: usize) -> [u16; 2] {
        match self.weights[code_point] {
            [_, 0] => [0; 2],
            weights => weights,
        }
    }

    /// The first weights of the row with this number, and the second ones.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline(always)]
    pub(super) fn rows(&self, number: usize) -> [&Row; 2] {
        [&self.first[number], &self.second[number]]
    }
}
