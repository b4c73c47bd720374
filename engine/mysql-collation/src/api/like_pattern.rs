//! Parsed `LIKE` patterns.

use alloc::vec::Vec;

use super::{Collation, KeyRange};
use crate::dispatch;
use crate::operations::like::{Like, ReadPart, ReadPattern, read_parts};

/// A `LIKE` pattern that is parsed once and matched many times. Created by
/// [`Collation::like_pattern`].
///
/// ```
/// use mysql_collation::{Collation, Flavour};
///
/// let collation = Collation::by_name(Flavour::MySql, "utf8mb4_0900_ai_ci")?;
/// let pattern = collation.like_pattern(b"m_ller%", Some('\\'));
/// assert!(pattern.matches("Müllerin".as_bytes()));
/// assert!(!pattern.matches("Mühle".as_bytes()));
/// # Ok::<(), mysql_collation::LookupError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LikePattern {
    collation: Collation,
    pattern: Vec<u8>,
    parts: Vec<ReadPart>,
}

impl LikePattern {
    pub(crate) fn new(collation: Collation, pattern: &[u8], escape: Option<&[u8]>) -> Self {
        let parts = read_parts(collation.descriptor(), pattern, escape);
        Self { collation, pattern: pattern.to_vec(), parts }
    }

    /// Returns `true` if the text matches the pattern.
    pub fn matches(&self, text: &[u8]) -> bool {
        let descriptor = self.collation.descriptor();
        let parts = ReadPattern { pattern: &self.pattern, parts: &self.parts };
        dispatch::run(descriptor, Like { text, parts, descriptor })
    }

    /// Returns a range that contains the sort keys of all strings that match
    /// ([`Collation::like_range`]).
    pub fn key_range(&self) -> KeyRange {
        self.collation.range_of_parts(ReadPattern { pattern: &self.pattern, parts: &self.parts })
    }

    /// Returns the collation under which the pattern matches.
    pub fn collation(&self) -> Collation {
        self.collation
    }
}
