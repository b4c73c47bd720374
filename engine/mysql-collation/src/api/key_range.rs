//! Ranges of sort keys for prefixes and `LIKE` patterns.

use alloc::vec::Vec;
use core::ops::{Bound, RangeBounds};

use super::Collation;
use crate::dispatch;
use crate::operations::like::{Part, Parts, WrittenPattern, wildcards};
use crate::operations::prefix_range::PrefixRange;

/// A range of sort keys: all keys from `start` on that are less than `end`. Returned by
/// [`Collation::prefix_range`] and [`Collation::like_range`].
///
/// ```
/// use std::collections::BTreeMap;
/// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
///
/// let words = ["Maier", "Müller", "MULTI"];
/// let index: BTreeMap<Vec<u8>, &str> =
///     words.iter().map(|word| (UTF8MB4_0900_AI_CI.sort_key(word.as_bytes()), *word)).collect();
/// let found = index.range(UTF8MB4_0900_AI_CI.prefix_range("mü".as_bytes()));
/// assert_eq!(found.map(|(_, word)| *word).collect::<Vec<_>>(), ["Müller", "MULTI"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct KeyRange {
    /// Least bytes in the range. Not always the key of a string.
    pub start: Vec<u8>,
    /// Least bytes after the range. `None` if the range has no end.
    pub end: Option<Vec<u8>>,
}

impl KeyRange {
    /// Returns `true` if a key is in the range.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.start.as_slice() <= key && self.end.as_deref().is_none_or(|end| key < end)
    }
}

impl RangeBounds<Vec<u8>> for KeyRange {
    fn start_bound(&self) -> Bound<&Vec<u8>> {
        Bound::Included(&self.start)
    }

    fn end_bound(&self) -> Bound<&Vec<u8>> {
        // Ranges of a `BTreeMap` that end before their start panic.
        self.end.as_ref().map_or(Bound::Unbounded, |end| Bound::Excluded(end.max(&self.start)))
    }
}

impl Collation {
    /// Returns a range that contains the sort keys of all strings that begin with `prefix`, as
    /// `LIKE 'prefix%'` finds them. The range can contain other keys, too: check the strings with
    /// [`Collation::starts_with`].
    ///
    /// The key of `prefix` itself is no bound. Under `utf8mb4_czech_ci`, `ch` is a letter after
    /// `h`, so that `cha` begins with `c` and sorts after `hz`. Under PAD SPACE, `'a\t'` begins
    /// with `a` and sorts before it.
    ///
    /// The range is wider than need be after the first character of `prefix` that may begin a
    /// contraction. The range contains all keys for `latin2_czech_cs`, `cp1250_czech_cs`,
    /// `tis620_thai_ci` and `tis620_thai_nopad_ci`.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// let range = UTF8MB4_0900_AI_CI.prefix_range("Mü".as_bytes());
    /// assert!(range.contains(&UTF8MB4_0900_AI_CI.sort_key(b"MULLER")));
    /// assert!(!range.contains(&UTF8MB4_0900_AI_CI.sort_key(b"Meier")));
    /// assert!(!range.contains(&UTF8MB4_0900_AI_CI.sort_key(b"Mzz")));
    /// ```
    pub fn prefix_range(&self, prefix: &[u8]) -> KeyRange {
        let encoding = self.descriptor().encoding;
        let mut characters = Vec::new();
        let mut rest = prefix;
        while !rest.is_empty() {
            let (character, after) = rest.split_at(encoding.length(rest));
            characters.push(character);
            rest = after;
        }
        self.range_of(&characters)
    }

    /// Returns a range that contains the sort keys of all strings that match a `LIKE` pattern, from
    /// its characters before the first wildcard. Without a wildcard, the range is that of the
    /// pattern as a prefix. Otherwise like [`Collation::prefix_range`].
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// let range = UTF8MB4_0900_AI_CI.like_range(br"50\%_o%", Some('\\'));
    /// assert_eq!(range, UTF8MB4_0900_AI_CI.prefix_range(b"50%"));
    /// let all = UTF8MB4_0900_AI_CI.like_range(b"%ing", Some('\\'));
    /// assert!(all.start.is_empty() && all.end.is_none());
    /// ```
    pub fn like_range(&self, pattern: &[u8], escape: Option<char>) -> KeyRange {
        let mut buffer = [0; 4];
        let escape = escape.and_then(|escape| self.escape(escape, &mut buffer));
        self.range_of_parts(WrittenPattern { pattern, escape, wildcards: wildcards(self.charset()) })
    }

    /// Returns the range of the characters before the first wildcard.
    pub(super) fn range_of_parts<'p>(self, parts: impl Parts<'p>) -> KeyRange {
        let encoding = self.descriptor().encoding;
        let mut characters = Vec::new();
        let mut at = 0;
        while let Some((Part::Character(character), next)) =
            parts.part(at, |text, at| encoding.length(text.get(at..).unwrap_or_default()))
        {
            characters.push(character);
            at = next;
        }
        self.range_of(&characters)
    }

    fn range_of(self, characters: &[&[u8]]) -> KeyRange {
        let descriptor = self.descriptor();
        let (start, end) = dispatch::run(descriptor, PrefixRange { descriptor, characters });
        KeyRange { start, end }
    }
}
