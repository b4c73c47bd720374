//! The committed weight tables: file formats and lookup by code point.
//!
//! A [`TableFile`] of a language holds the differences from the table that it tailors. Pages are
//! read in place from the file, except patched pages and pages with reordered weights up to
//! U+33FFF, which are copied.
//!
//! A file consists of 16-bit words. A table without a parent has a directory for all pages; a table
//! with a parent starts from the parent's directory.
//!
//! ```text
//! number of levels · length of each level in words (two words, high first)
//! for each level (level.rs):
//!     6 words            leads of implicit weights, one per rule
//!     S · W              number of sequences of weights, number of words in all sequences
//!     S words            end of each sequence
//!     W words            weights of all sequences, numbered after the parent's sequences
//!     P · P × 256 words  pages
//!     R · R × 3 words    runs of the page directory: first page, last page, index of the page
//!     Q                  number of patched pages, each: page · N · N × (low byte, entry)
//!     L · L × 257 words  listed weights: page number, page; absent if L and T are 0
//!     T · T × 4 words    ranges of reordered weights (reordering.rs); absent if T is 0
//! contractions (contractions.rs)
//! ```

mod contractions;
mod folding;
mod gb18030;
mod level;
mod multi_byte;
mod reordering;
mod simple;
mod words;

pub(crate) use contractions::{CODE_POINTS, Contraction, Contractions, is_short};
pub(crate) use folding::FoldingTable;
pub(crate) use gb18030::Gb18030;
pub(crate) use level::{LONGEST, Level, POOL, RULES, ZERO};
pub(crate) use multi_byte::MultiByte;
pub(crate) use simple::SimpleTable;

use words::Reader;

/// The file formats, for `cargo xtask tables`, which writes the files.
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

/// Maximum number of levels of a collation.
pub const LEVELS: usize = 4;

/// One or two weights for each byte. The second is 0 if the byte has one weight.
pub(crate) type ByteExpansions = [[u8; 2]; 256];

/// A file of weights of the Unicode Collation Algorithm.
#[derive(Clone, Copy)]
pub(crate) struct TableFile(pub &'static [u8]);

impl TableFile {
    /// Reads a level, 0 for the primary; `None` if the file lacks the level. `parent` is the same
    /// level of the tailored table.
    pub fn read_level(self, parent: Option<&'static Level>, index: usize) -> Option<Level> {
        let mut reader = self.section(index).filter(|_| index < self.level_count())?;
        Some(Level::read(parent, &mut reader))
    }

    /// Reads the contractions on top of the tailored table's contractions; `None` without
    /// contractions.
    pub fn read_contractions(self, parent: Option<&Contractions>) -> Option<Contractions> {
        let mut reader = self.section(self.level_count())?;
        Contractions::read(parent, &mut reader, self.level_count())
    }

    fn level_count(self) -> usize {
        Reader::new(self.0).count()
    }

    /// Returns a section: the levels come first, then the contractions.
    fn section(self, number: usize) -> Option<Reader> {
        let mut reader = Reader::new(self.0);
        let levels = reader.count();
        if number > levels {
            return None;
        }
        reader.words(2 * levels);
        reader.words((0..number).map(|level| self.length(level)).sum());
        Some(if number < levels { reader.part(self.length(number)) } else { reader })
    }

    /// Returns the length of a level's section in words.
    fn length(self, level: usize) -> usize {
        let mut reader = Reader::new(self.0);
        let lengths = reader.count();
        let lengths = reader.words(2 * lengths).as_chunks::<2>().0;
        let from_words =
            |[high, low]: &[words::Word; 2]| usize::from(words::number(*high)) << 16 | usize::from(words::number(*low));
        lengths.get(level).map_or(0, from_words)
    }

    /// Asserts that each level has the length that the file states, and that the contractions end
    /// the file.
    #[cfg(test)]
    pub fn assert_complete(self, name: &str, parents: [Option<&'static Level>; LEVELS], parent: Option<&Contractions>) {
        let levels = self.level_count();
        assert!((1..=LEVELS).contains(&levels), "{name}");
        for (index, parent) in parents.into_iter().enumerate().take(levels) {
            let mut reader = self.section(index).unwrap();
            let before = reader;
            Level::read(parent, &mut reader);
            assert_eq!(before.length() - reader.length(), self.length(index), "level {index} of {name}");
        }
        let mut reader = self.section(levels).unwrap();
        Contractions::read(parent, &mut reader, levels);
        assert!(reader.is_done(), "{name}");
    }
}
