//! The weight tables: their formats, and how a code point's weights are looked up.
//!
//! A [`Table`] is a file of `data/` and, for a language, the table that it is a tailoring of: the file then holds only
//! what differs. A level is made from both when it is first asked for; its pages stay where they are, in the files.
//!
//! A file is a row of words, in sections:
//! ```text
//! number of levels · for each: its length in words (two words, high first)
//! for each level (level.rs):
//!     6 words            what implicit weights begin with, one for each kind
//!     S · W              number of sequences of weights, words of all of them
//!     S words            where each sequence ends
//!     W words            the weights of all sequences, numbered after those of the parent
//!     P · P × 256 words  pages
//!     R · R × 3 words    runs of the page directory: first page, last page, which of the P pages
//!     Q                  number of patched pages, then for each: page · N · N × (code point's low byte, entry)
//!     L · L × 257 words  only if there are any, or what follows: pages of listed weights, each after its number
//!     T · T × 4 words    only if there are any: ranges of the parent's weights that move (reordering.rs)
//! contractions (contractions.rs)
//! ```
//! A table without a parent has a directory for all pages; one with a parent starts from the parent's.

mod byte_order;
mod contractions;
pub(crate) mod data;
mod folding;
mod gb18030;
mod lazy;
pub(crate) mod legacy;
mod level;
mod low;
mod pairs;
mod reordering;
mod simple;
mod words;

pub(crate) use byte_order::ByteOrder;
pub(crate) use contractions::{CODE_POINTS, Contraction, Contractions};
pub(crate) use folding::{Folding, FoldingTable};
pub(crate) use gb18030::Gb18030;
pub(crate) use lazy::Lazy;
pub(crate) use legacy::MultiByte;
pub(crate) use level::{LONGEST, Level, ZERO};
pub(crate) use low::LowOf;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use pairs::Classes;
#[cfg(any(test, target_arch = "x86_64"))]
pub(crate) use pairs::Kind;
pub(crate) use pairs::{Pairs, Variants};
pub(crate) use simple::{Simple, SimpleTable};

use words::Reader;

/// What is written by `cargo xtask tables`, and read here.
#[cfg(feature = "oracle")]
pub mod format {
    pub use super::LEVELS;
    pub use super::contractions::{CODE_POINTS, REMOVED};
    pub use super::level::{
        HAN, HAN_EXTENSION, HANGUL, KHITAN, LEADS, LISTED, LONGEST, NUSHU, PAGES, POOL, REORDERED, RULES, TANGUT,
        UNASSIGNED, ZERO, hangul, implicit,
    };
    pub use super::reordering::{Range, reordered};
}

/// The most levels that a collation has.
pub const LEVELS: usize = 4;

/// Weights of the Unicode Collation Algorithm: none, one or several a code point and level.
pub(crate) struct Table {
    /// The table that this one is a tailoring of.
    parent: Option<&'static Table>,
    bytes: &'static [u8],
    levels: [Lazy<Option<Level>>; LEVELS],
    contractions: Lazy<Option<Contractions>>,
}

impl Table {
    pub const fn new(parent: Option<&'static Table>, bytes: &'static [u8]) -> Self {
        Self { parent, bytes, levels: [const { Lazy::new() }; LEVELS], contractions: Lazy::new() }
    }

    /// Whether it is told from another table: a language's is.
    pub const fn is_tailoring(&self) -> bool {
        self.parent.is_some()
    }

    /// A level, primary first; `None` for one that the table lacks.
    #[inline(always)]
    pub fn level(&'static self, index: usize) -> Option<&'static Level> {
        self.levels.get(index)?.get(|| self.make_level(index)).as_ref()
    }

    /// The sequences with weights of their own; `None` where there are none.
    #[inline(always)]
    pub fn contractions(&'static self) -> Option<&'static Contractions> {
        self.contractions.get(|| self.make_contractions()).as_ref()
    }

    #[cold]
    fn make_level(&'static self, index: usize) -> Option<Level> {
        let parent = self.parent.and_then(|parent| parent.level(index));
        let mut reader = self.section(index).filter(|_| index < self.level_count())?;
        Some(Level::read(parent, &mut reader, self.contractions(), index))
    }

    #[cold]
    fn make_contractions(&'static self) -> Option<Contractions> {
        let parent = self.parent.and_then(Table::contractions);
        let mut reader = self.section(self.level_count())?;
        Contractions::read(parent, &mut reader, self.level_count())
    }

    fn level_count(&self) -> usize {
        Reader::new(self.bytes).count()
    }

    /// The section with this number: levels, then contractions.
    fn section(&self, number: usize) -> Option<Reader> {
        let mut reader = Reader::new(self.bytes);
        let levels = reader.count();
        if number > levels {
            return None;
        }
        reader.words(2 * levels);
        reader.words((0..number).map(|level| self.length(level)).sum());
        Some(if number < levels { reader.part(self.length(number)) } else { reader })
    }

    /// The length of a level's section, in words.
    fn length(&self, level: usize) -> usize {
        let mut reader = Reader::new(self.bytes);
        let lengths = reader.count();
        let lengths = reader.words(2 * lengths).as_chunks::<2>().0;
        let of =
            |[high, low]: &[words::Word; 2]| usize::from(words::number(*high)) << 16 | usize::from(words::number(*low));
        lengths.get(level).map_or(0, of)
    }
}

/// One or two weights a byte; the second is 0 if there is one only.
pub(crate) type Expanding = [[u8; 2]; 256];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_complete() {
        for (name, table) in data::tables() {
            let levels = table.level_count();
            assert!((1..=LEVELS).contains(&levels), "{name}");
            let parent = table.parent.and_then(Table::contractions);
            for index in 0..levels {
                let mut reader = table.section(index).unwrap();
                let before = reader;
                let parent = table.parent.and_then(|parent| parent.level(index));
                Level::read(parent, &mut reader, table.contractions(), index);
                assert_eq!(before.length() - reader.length(), table.length(index), "level {index} of {name}");
            }
            let mut reader = table.section(levels).unwrap();
            Contractions::read(parent, &mut reader, levels);
            assert!(reader.is_done(), "{name}");
        }
    }

    #[test]
    fn contractions_are_found_by_their_code_points_and_no_others_are() {
        for (name, table) in data::tables() {
            let Some(contractions) = table.contractions() else { continue };
            for record in contractions.all() {
                let [one, other, rest @ ..] = record.code_points() else { panic!("one code point in {name}") };
                let found = contractions.longest(*one, *other, rest.iter().copied());
                assert_eq!(found.map(Contraction::code_points), Some(record.code_points()), "{name}");
                for pair in [[*one, *other], [*other, *one], [*one, *one], [*one, *other + 1], [*one + 1, *other]] {
                    let is_one = contractions.all().binary_search_by(|record| record.code_points().cmp(&pair)).is_ok();
                    let found = contractions.longest(pair[0], pair[1], core::iter::empty());
                    assert_eq!(found.is_some(), is_one, "{pair:X?} in {name}");
                }
            }
        }
    }
}
