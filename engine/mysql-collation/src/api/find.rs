//! Searches for strings in strings: `starts_with`, `LOCATE`, `REPLACE`.

use alloc::vec::Vec;
use core::ops::Range;

use super::Collation;
use crate::catalogue::{Flavour, Info};
use crate::dispatch;
use crate::operations::find::{Find, Rule};
use crate::operations::like::{Like, PrefixPattern};

impl Collation {
    /// Returns `true` if `text` begins with `prefix`, as `text LIKE 'prefix%'` with all characters
    /// of `prefix` taken literally. Characters are compared one by one.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// assert!(UTF8MB4_0900_AI_CI.starts_with("Müller".as_bytes(), b"MUL"));
    /// assert!(!UTF8MB4_0900_AI_CI.starts_with("Müller".as_bytes(), b"M%"));
    /// ```
    pub fn starts_with(&self, text: &[u8], prefix: &[u8]) -> bool {
        let descriptor = self.descriptor();
        dispatch::run(descriptor, Like { text, parts: PrefixPattern(prefix), descriptor })
    }

    /// Returns the byte offset of the first occurrence of `needle` in `text`, as `LOCATE` and
    /// `INSTR` of MySQL 9.7 and MariaDB 11.8 find it. `Some(0)` if `needle` is empty.
    ///
    /// `LOCATE` returns the number of characters before the offset
    /// ([`Charset::char_len`](crate::Charset::char_len)) plus one.
    ///
    /// - MySQL, in collations that weigh code points (UCA, `utf8mb4_general_ci`): at each level,
    ///   the weights from the offset on begin with the weights of `needle`. Under
    ///   `utf8mb4_0900_ai_ci`, a search for `é` finds `e`, and one for `f` finds `ﬁ`; under
    ///   `utf8mb4_0900_as_cs`, one for `e` finds `é`. `LOCATE` under `gb18030_unicode_520_ci` finds
    ///   less (no `é` in `è`), which is not followed.
    /// - MariaDB, and MySQL's other collations: an occurrence has the same number of bytes as
    ///   `needle`, and equal weights. Under `utf8mb4_general_ci`, a search for `É` finds `é`, one
    ///   for `e` doesn't: see [`Collation::find_equal_length`].
    ///
    /// ```
    /// use mysql_collation::{mariadb, mysql};
    ///
    /// let text = "Café au lait".as_bytes();
    /// assert_eq!(mysql::UTF8MB4_0900_AI_CI.find(text, b"E AU"), Some(3));
    /// assert_eq!(mariadb::UTF8MB4_UCA1400_AI_CI.find(text, b"E AU"), None);
    /// assert_eq!(mariadb::UTF8MB4_UCA1400_AI_CI.find(text, "É AU".as_bytes()), Some(3));
    /// ```
    pub fn find(&self, text: &[u8], needle: &[u8]) -> Option<usize> {
        self.find_range(text, needle).map(|place| place.start)
    }

    /// Returns the byte offset of the first occurrence of `needle` in `text` that has as many bytes
    /// as `needle` and equal weights, as `LOCATE` of MariaDB, and of MySQL up to 8.0.12, finds it.
    /// `Some(0)` if `needle` is empty.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_UNICODE_CI;
    ///
    /// assert_eq!(UTF8MB4_UNICODE_CI.find_equal_length(b"Strasse", "ß".as_bytes()), Some(4));
    /// assert_eq!(UTF8MB4_UNICODE_CI.find_equal_length("Café".as_bytes(), b"e"), None);
    /// ```
    pub fn find_equal_length(&self, text: &[u8], needle: &[u8]) -> Option<usize> {
        self.find_by(text, needle, Rule::EqualLength).map(|place| place.start)
    }

    /// Returns the byte range of the first occurrence of `needle`. The range begins at the offset
    /// of [`Collation::find`]. `Some(0..0)` if `needle` is empty.
    ///
    /// Under collations of MySQL that weigh code points, an occurrence can have another length than
    /// `needle`. It ends with the character that has the last weight of `needle`, or with
    /// characters without weights after it, such as combining accents in `ai` collations.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// let text = "in der Straße";
    /// let place = UTF8MB4_0900_AI_CI.find_range(text.as_bytes(), b"STRASSE").unwrap();
    /// assert_eq!(&text[place], "Straße");
    /// ```
    pub fn find_range(&self, text: &[u8], needle: &[u8]) -> Option<Range<usize>> {
        let is_mysql = self.info().flavour == Flavour::MySql;
        self.find_by(text, needle, if is_mysql { Rule::Weights } else { Rule::EqualLength })
    }

    /// Iterates over the byte ranges of all occurrences of `needle` ([`Collation::find_range`]).
    /// The search goes on at the end of each occurrence. There are none if `needle` is empty. A
    /// `needle` of characters without weights, such as U+00AD, is found only in characters without
    /// weights.
    pub fn find_iter<'t>(&self, text: &'t [u8], needle: &'t [u8]) -> FindIter<'t> {
        FindIter { collation: *self, text, needle, at: 0 }
    }

    /// Replaces all occurrences of `from` under the collation ([`Collation::find_iter`]). No server
    /// has this function: [`Collation::replace`] is `REPLACE`, which compares bytes.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// let text = "Straße, STRASSE, strass";
    /// let replaced = UTF8MB4_0900_AI_CI.replace_matches(text.as_bytes(), b"strasse", b"Weg");
    /// assert_eq!(replaced, b"Weg, Weg, strass");
    /// ```
    pub fn replace_matches(&self, text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
        let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
        for place in self.find_iter(text, from) {
            out.extend_from_slice(&text[at..place.start]);
            out.extend_from_slice(to);
            at = place.end;
        }
        out.extend_from_slice(&text[at..]);
        out
    }

    /// Replaces all occurrences of the bytes `from` in `text`, as `REPLACE` does: case counts under
    /// every collation. An empty `from` leaves the text as it is.
    ///
    /// Occurrences begin where a character begins. Under the `bin` collations of MariaDB, and of
    /// MySQL up to 5.7, they begin at any byte; this function does so for MariaDB's collations.
    ///
    /// ```
    /// use mysql_collation::{Collation, Flavour, mysql::UTF8MB4_0900_AI_CI};
    ///
    /// assert_eq!(UTF8MB4_0900_AI_CI.replace(b"aAa", b"a", b"--"), b"--A--");
    /// // The bytes of 啊 are B0 A1.
    /// let mysql = Collation::by_name(Flavour::MySql, "gbk_bin")?;
    /// assert_eq!(mysql.replace(b"\xB0\xA1a", b"\xA1", b"-"), b"\xB0\xA1a");
    /// let mariadb = Collation::by_name(Flavour::MariaDb, "gbk_bin")?;
    /// assert_eq!(mariadb.replace(b"\xB0\xA1a", b"\xA1", b"-"), b"\xB0-a");
    /// # Ok::<(), mysql_collation::LookupError>(())
    /// ```
    pub fn replace(&self, text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
        let Info { flavour, is_binary, .. } = *self.info();
        let encoding = self.descriptor().encoding;
        let mut out = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.first() {
            if !from.is_empty()
                && let Some(after) = rest.strip_prefix(from)
            {
                out.extend_from_slice(to);
                rest = after;
            } else if is_binary && flavour == Flavour::MariaDb {
                out.push(*first);
                rest = &rest[1..];
            } else {
                let (character, after) = rest.split_at(encoding.length(rest));
                out.extend_from_slice(character);
                rest = after;
            }
        }
        out
    }

    fn find_by(self, text: &[u8], needle: &[u8], rule: Rule) -> Option<Range<usize>> {
        if needle.is_empty() {
            return Some(0..0);
        }
        let descriptor = self.descriptor();
        dispatch::run(descriptor, Find { descriptor, text, needle, rule })
    }
}

/// An iterator over the occurrences of a string. Created by [`Collation::find_iter`].
#[derive(Clone, Debug)]
pub struct FindIter<'t> {
    collation: Collation,
    text: &'t [u8],
    needle: &'t [u8],
    at: usize,
}

impl Iterator for FindIter<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while !self.needle.is_empty() && self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let Some(place) = self.collation.find_range(rest, self.needle) else { break };
            let start = self.at + place.start;
            if !place.is_empty() {
                self.at += place.end;
                return Some(start..self.at);
            }
            // A needle without weights has an empty range before a character with weights.
            self.at = start + self.collation.descriptor().encoding.length(&rest[place.start..]);
        }
        self.at = self.text.len();
        None
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use super::*;
    use crate::mysql::{UTF8MB4_0900_AI_CI, UTF8MB4_CZECH_CI, UTF8MB4_GENERAL_CI, UTF8MB4_UNICODE_CI};

    /// As MySQL 9.7.4 returned them.
    #[test]
    fn finds_as_mysql_does() {
        for (collation, needle, text, expected) in [
            (UTF8MB4_UNICODE_CI, "ss", "xß", Some(1)),
            (UTF8MB4_UNICODE_CI, "f", "ﬁ", Some(0)),
            (UTF8MB4_UNICODE_CI, "ab", "a\u{ad}b", None),
            (UTF8MB4_0900_AI_CI, "ab", "xa\u{ad}b", Some(1)),
            (UTF8MB4_0900_AI_CI, "\u{ad}", "", None),
            (UTF8MB4_0900_AI_CI, "\u{ad}", "x", Some(0)),
            (UTF8MB4_0900_AI_CI, "a  ", "ba x", None),
            (UTF8MB4_CZECH_CI, "c", "ch", None),
            (UTF8MB4_CZECH_CI, "h", "ch", Some(1)),
            (UTF8MB4_GENERAL_CI, "ß", "ss", Some(0)),
            (UTF8MB4_GENERAL_CI, "ss", "ß", None),
            (UTF8MB4_GENERAL_CI, "", "", Some(0)),
        ] {
            assert_eq!(
                collation.find(text.as_bytes(), needle.as_bytes()),
                expected,
                "{collation}: {needle:?} {text:?}"
            );
        }
        let gbk = Collation::by_name(Flavour::MySql, "gbk_chinese_ci").unwrap();
        assert_eq!(gbk.find(b"\xB0\xA1B", b"\xA1B"), None);
        assert_eq!(gbk.find(b"\xB0\xA1B", b"b"), Some(2));
    }

    #[test]
    fn starts_with_equals_like() {
        for (text, prefix) in [("Müller", "mul"), ("a%b", "A%"), ("a%b", "a_"), ("a", "ab"), ("", ""), ("x", "")] {
            let escaped: String = prefix.chars().flat_map(|c| ['|', c]).chain(['%']).collect();
            let expected = UTF8MB4_0900_AI_CI.like(text.as_bytes(), escaped.as_bytes(), Some('|'));
            assert_eq!(UTF8MB4_0900_AI_CI.starts_with(text.as_bytes(), prefix.as_bytes()), expected, "{text} {prefix}");
        }
    }

    #[test]
    fn replaces_whole_characters() {
        let replace = |text: &[u8], from: &[u8]| UTF8MB4_0900_AI_CI.replace(text, from, b"<>");
        assert_eq!(replace(b"aaa", b"aa"), b"<>a");
        assert_eq!(replace(b"abc", b""), b"abc");
        assert_eq!(replace("éa".as_bytes(), b"\xA9"), "éa".as_bytes());
        assert_eq!(replace(b"", b"a"), b"");
    }

    #[test]
    fn occurrences_end_with_their_weights() {
        let mariadb = crate::mariadb::UTF8MB4_UCA1400_AI_CI;
        for (collation, text, needle, expected) in [
            (UTF8MB4_0900_AI_CI, "STRASSE Straße", "ß", &[[4, 6], [12, 14]][..]),
            (UTF8MB4_0900_AI_CI, "cafe\u{301}s", "E", &[[3, 6]]),
            (UTF8MB4_0900_AI_CI, "ﬁ", "f", &[[0, 3]]),
            (UTF8MB4_0900_AI_CI, "aAa", "aa", &[[0, 2]]),
            (UTF8MB4_0900_AI_CI, "x\u{ad}y", "\u{ad}", &[[1, 3]]),
            (UTF8MB4_0900_AI_CI, "", "a", &[]),
            (UTF8MB4_0900_AI_CI, "abc", "", &[]),
            (UTF8MB4_CZECH_CI, "chc", "c", &[[2, 3]]),
            (UTF8MB4_GENERAL_CI, "sß", "S", &[[0, 1], [1, 3]]),
            (mariadb, "CAFÉ café", "é", &[[3, 5], [9, 11]]),
        ] {
            let places = collation.find_iter(text.as_bytes(), needle.as_bytes());
            let found: Vec<[usize; 2]> = places.map(|place| [place.start, place.end]).collect();
            assert_eq!(found, expected, "{collation}: {needle:?} in {text:?}");
        }
        // An ill-formed byte ends the text.
        assert_eq!(UTF8MB4_0900_AI_CI.find_range(b"ab\xFFc", b"b"), Some(1..2));
        assert_eq!(UTF8MB4_0900_AI_CI.replace_matches("aÄa".as_bytes(), b"a", b"--"), b"------");
        assert_eq!(UTF8MB4_0900_AI_CI.replace_matches(b"abc", b"", b"-"), b"abc");
    }
}
