//! What the vectors know of a level: the weights of the code points of one and two bytes of UTF-8.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::contractions::ShortContractions;
use crate::table::{Pairs, Variants};

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
    expansions: Option<Box<Expansions>>,
    /// Whether upper and lower case of ASCII are one, contractions apart.
    folds: bool,
    /// Whether printable ASCII has one weight a character, the space the least of them, contractions none.
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
        let contractions = match expansions {
            Some(_) => contractions,
            None => contractions.map(ShortContractions::without_second_places),
        };
        let folds = (b'A'..=b'Z').all(|upper| entries[usize::from(upper)] == entries[usize::from(upper) + 0x20]);
        let space = entries[usize::from(b' ')];
        let spaces_are_least = space != 0
            && contractions.is_none()
            && entries[0x21..0x7F].iter().all(|&entry| space < entry && entry < Self::SEVERAL);
        Self {
            spaces_are_least,
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            rows: Row::all_of(&entries),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            classes: Classes::of(&entries, folds),
            expansions,
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

/// The weights of U+0000 to U+07FF where these are one or two.
#[derive(Debug)]
pub(crate) struct Expansions {
    /// Zeros for what has no weight, and for what has other numbers of weights.
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
            ..Low::SEVERAL => [entry, 0],
            // A weight of zero would be none.
            _ => two(entry).filter(|weights| entry != Low::MARK && !weights.contains(&0)).unwrap_or_default(),
        });
        weights.iter().any(|&[_, second]| second != 0).then(|| Self {
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            first: Row::all_of(&weights.map(|[first, _]| first)),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            second: Row::all_of(&weights.map(|[_, second]| second)),
            weights,
        })
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
