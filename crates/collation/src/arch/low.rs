//! What the vectors know of a level: the weights of the code points of one and two bytes of UTF-8.

use crate::table::{Pairs, Variants};

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::rows::{Classes, Row};

/// The entries of U+0000 to U+07FF on one level: 0 for an ignorable character, a weight below [`Low::SEVERAL`], then numbers that
/// stand for several weights, equal ones for equal weights, and [`Low::MARK`].
#[derive(Debug)]
pub(crate) struct Low {
    entries: [u16; 0x800],
    /// Which bytes may be within a contraction, where the vectors have to look for these.
    pairs: Option<&'static Pairs>,
    variants: Variants,
    /// Whether upper and lower case of ASCII are one, contractions apart.
    folds: bool,
    /// The same again.
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

    pub(crate) fn new(mut entries: [u16; 0x800], pairs: Option<&'static Pairs>, variants: Variants) -> Self {
        for entry in entries.iter_mut().filter(|entry| **entry >= Self::MARK & 0xFF00) {
            *entry = Self::MARK;
        }
        let folds = (b'A'..=b'Z').all(|upper| entries[usize::from(upper)] == entries[usize::from(upper) + 0x20]);
        Self {
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            rows: Row::all_of(&entries),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            classes: Classes::of(&entries, folds),
            folds,
            entries,
            pairs,
            variants,
        }
    }

    /// Which bytes may be within a contraction, where the vectors have to look for these.
    #[inline(always)]
    pub(crate) const fn pairs(&self) -> Option<&'static Pairs> {
        self.pairs
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

    /// The entry of a code point below U+0800.
    #[inline(always)]
    pub(crate) const fn entry(&self, code_point: usize) -> u16 {
        self.entries[code_point]
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
