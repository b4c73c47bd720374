//! Weights of a level for short characters, which have one or two bytes in UTF-8.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::short_contractions::ShortContractions;
use super::{BytePairs, CaseVariants};

#[cfg(target_arch = "x86_64")]
use super::expansion_codes::Codes;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::entry_rows::{EntryClasses, Row};

/// Entries of U+0000 to U+07FF at one level.
///
/// An entry is 0 for an ignorable character, a single weight below [`ShortWeights::MULTIPLE`], a
/// number for several weights (equal numbers for equal weights), or [`ShortWeights::DEFER`].
#[derive(Debug)]
pub(crate) struct ShortWeights {
    entries: [u16; 0x800],
    /// Contractions that vector code searches for.
    contractions: Option<Box<ShortContractions>>,
    variants: CaseVariants,
    expansions: Option<Box<Expansions>>,
    #[cfg(target_arch = "x86_64")]
    codes: Option<Box<Codes>>,
    /// Whether two weights are frequent in Latin text, so that second weights are looked up with
    /// the first.
    has_frequent_expansions: bool,
    /// Whether both cases of ASCII are equal, outside contractions.
    folds: bool,
    /// Whether each printable ASCII character has one weight, the space the least, and contractions
    /// of ASCII weigh more than a space.
    spaces_are_least: bool,
    /// The entries, in rows for lookups.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    rows: [Row; 16],
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    classes: Option<EntryClasses>,
}

impl ShortWeights {
    /// Least entry above all single weights.
    pub(crate) const MULTIPLE: u16 = 0xC000;
    /// Entry of a character whose weights only the full table has, or which may continue a
    /// contraction. No other entry has this high byte.
    pub(crate) const DEFER: u16 = 0xFFFF;

    /// `weights` returns the weights of an entry from [`ShortWeights::MULTIPLE`] on; `None` if the
    /// entry is not the number of several weights.
    pub(crate) fn new(
        mut entries: [u16; 0x800],
        weights: impl Fn(u16) -> Option<Vec<u16>>,
        contractions: Option<ShortContractions>,
        variants: CaseVariants,
    ) -> Self {
        for entry in entries.iter_mut().filter(|entry| **entry >= Self::DEFER & 0xFF00) {
            *entry = Self::DEFER;
        }
        let expansions = Expansions::new(&entries, weights).map(Box::new);
        let folds = (b'A'..=b'Z').all(|upper| entries[usize::from(upper)] == entries[usize::from(upper) + 0x20]);
        let space = entries[usize::from(b' ')];
        let spaces_are_least = space != 0
            && contractions.as_ref().is_none_or(|contractions| contractions.are_above(space))
            && entries[0x21..0x7F].iter().all(|&entry| space < entry && entry < Self::MULTIPLE);
        let has_frequent_expansions = expansions.as_deref().is_some_and(Expansions::are_frequent);
        #[cfg(target_arch = "x86_64")]
        let codes = expansions
            .as_deref()
            .filter(|_| {
                has_frequent_expansions || contractions.as_ref().is_some_and(ShortContractions::have_two_weights)
            })
            .and_then(|expansions| Codes::new(&entries, expansions));
        Self {
            spaces_are_least,
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            rows: Row::all_of(&entries),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            classes: EntryClasses::new(&entries, folds),
            has_frequent_expansions,
            expansions,
            #[cfg(target_arch = "x86_64")]
            codes: codes.map(Box::new),
            folds,
            entries,
            contractions: contractions.map(Box::new),
            variants,
        }
    }

    /// Characters of two weights, if there are any.
    #[inline(always)]
    pub(crate) fn expansions(&self) -> Option<&Expansions> {
        self.expansions.as_deref()
    }

    /// Whether two weights are frequent in Latin text, so that second weights are looked up with
    /// the first.
    #[inline(always)]
    pub(super) const fn has_frequent_expansions(&self) -> bool {
        self.has_frequent_expansions
    }

    /// First and second weights of a row; `None` if two weights are rare there.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline(always)]
    pub(super) fn frequent_expansion_rows(&self, number: usize) -> Option<[&Row; 2]> {
        Some(self.expansions()?.rows(number)).filter(|_| number < LATIN / 128)
    }

    /// Entries with codes for two weights (expansion_codes.rs); `None` if characters and
    /// contractions of two weights are rare, or a single weight is too great.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn codes(&self) -> Option<&Codes> {
        self.codes.as_deref()
    }

    /// Contractions that vector code searches for.
    #[inline(always)]
    pub(super) fn contractions(&self) -> Option<&ShortContractions> {
        self.contractions.as_deref()
    }

    /// Pairs of bytes within contractions.
    #[inline(always)]
    pub(crate) fn pairs(&self) -> Option<&'static BytePairs> {
        self.contractions().map(ShortContractions::pairs)
    }

    #[inline(always)]
    pub(crate) const fn variants(&self) -> CaseVariants {
        self.variants
    }

    /// Whether both cases of ASCII are equal, outside contractions.
    #[inline(always)]
    pub(crate) const fn folds(&self) -> bool {
        self.folds
    }

    /// Whether all other printable ASCII characters, and contractions of them, weigh more than a
    /// space.
    #[inline(always)]
    pub(crate) const fn spaces_are_least(&self) -> bool {
        self.spaces_are_least
    }

    /// Entry of a code point below U+0800.
    #[inline(always)]
    pub(crate) const fn entry(&self, code_point: usize) -> u16 {
        self.entries[code_point]
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) const fn rows(&self) -> &[Row; 16] {
        &self.rows
    }

    /// A row: its code points begin at 128 times `number`.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline(always)]
    pub(super) fn row(&self, number: usize) -> &Row {
        &self.rows[number]
    }

    /// Classes of equal entries; `None` if an ASCII character other than NUL is deferred to the
    /// full table.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline(always)]
    pub(super) const fn classes(&self) -> Option<&EntryClasses> {
        self.classes.as_ref()
    }

    /// The weight of a code point below U+0800, if it has exactly one.
    #[inline(always)]
    pub(crate) fn weight(&self, code_point: usize) -> Option<u16> {
        let entry = self.entries[code_point];
        (entry != 0 && entry < Self::MULTIPLE).then_some(entry)
    }
}

/// Code point after the rows of Latin letters. Letters of later scripts seldom have two
/// weights; `й` has them at the secondary level.
const LATIN: usize = 0x280;
/// Maximum number of characters from U+0080 to U+017F with two weights at the primary level of a
/// root table. Bench: `languages`.
const LIGATURES: usize = 8;

/// Weights of U+0000 to U+07FF for characters of one or two weights.
#[derive(Debug)]
pub(crate) struct Expansions {
    /// The two weights of each character that has two. For other characters, the entry and zero.
    weights: [[u16; 2]; 0x800],
    /// First weights, in rows.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    first: [Row; 16],
    /// Second weights, in rows.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    second: [Row; 16],
}

impl Expansions {
    fn new(entries: &[u16; 0x800], weights: impl Fn(u16) -> Option<Vec<u16>>) -> Option<Self> {
        let two = |entry| <[u16; 2]>::try_from(weights(entry)?).ok();
        let weights = entries.map(|entry| match entry {
            ..ShortWeights::MULTIPLE | ShortWeights::DEFER => [entry, 0],
            // A weight of zero would be dropped, and one above the limit mistaken for the number of
            // several weights.
            _ => two(entry)
                .filter(|weights| weights.iter().all(|weight| (1..ShortWeights::MULTIPLE).contains(weight)))
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

    /// Whether more Latin letters have two weights than the ligatures (`æ`, `œ`, `ß`), as in a
    /// tailored table or at the secondary level. Texts beyond ASCII mostly have some of them.
    fn are_frequent(&self) -> bool {
        self.weights[0x80..0x180].iter().filter(|&&[_, second]| second != 0).count() > LIGATURES
    }

    /// Both weights of a code point below U+0800; zeros if it has not exactly two.
    #[inline(always)]
    pub(crate) const fn weights(&self, code_point: usize) -> [u16; 2] {
        match self.weights[code_point] {
            [_, 0] => [0; 2],
            weights => weights,
        }
    }

    /// First and second weights of a row.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline(always)]
    pub(super) fn rows(&self, number: usize) -> [&Row; 2] {
        [&self.first[number], &self.second[number]]
    }
}
