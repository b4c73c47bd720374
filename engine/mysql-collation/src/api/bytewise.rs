//! Collations whose comparisons are comparisons of bytes.

use super::Collation;
use crate::charset::Charset;
use crate::dispatch::{ByteKind, CodePointKind, Kind};
use crate::simd::ByteTable;

impl Collation {
    /// Returns `true` if no two strings of different bytes are equal under the collation.
    /// `=` on a column may then be evaluated on its bytes, for example by a bloom filter, a
    /// dictionary or another engine.
    ///
    /// Both strings must be well-formed in [`Collation::charset`]: convert a literal of another
    /// character set first. `false` for all collations with PAD SPACE, where `'a' = 'a '`; see
    /// [`Collation::equality_is_bytewise_without_trailing_spaces`].
    ///
    /// ```
    /// use mysql_collation::mysql::{UTF8MB4_0900_AI_CI, UTF8MB4_0900_BIN, UTF8MB4_BIN};
    ///
    /// assert!(UTF8MB4_0900_BIN.equality_is_bytewise());
    /// assert!(!UTF8MB4_BIN.equality_is_bytewise() && !UTF8MB4_0900_AI_CI.equality_is_bytewise());
    /// ```
    pub fn equality_is_bytewise(&self) -> bool {
        !self.pads_any() && self.has_a_weight_of_its_own_per_character()
    }

    /// Returns `true` if no two strings are equal under the collation whose bytes differ after the
    /// trailing spaces (U+0020) of both are removed. `false` for the collations of
    /// [`Collation::equality_is_bytewise`], where trailing spaces count.
    ///
    /// ```
    /// use mysql_collation::mysql::{UTF8MB4_0900_BIN, UTF8MB4_BIN};
    ///
    /// assert!(UTF8MB4_BIN.equality_is_bytewise_without_trailing_spaces());
    /// assert!(!UTF8MB4_0900_BIN.equality_is_bytewise_without_trailing_spaces());
    /// ```
    pub fn equality_is_bytewise_without_trailing_spaces(&self) -> bool {
        self.descriptor().pads(0) && self.has_a_weight_of_its_own_per_character()
    }

    /// Returns `true` if two strings compare as their bytes do, so that `<`, `BETWEEN`, `MIN` and
    /// `ORDER BY` may be evaluated on bytes: minima and maxima of a Parquet file, a B-tree of
    /// bytes.
    ///
    /// Both strings must be well-formed, as for [`Collation::equality_is_bytewise`], which is
    /// `true` for all these collations. `utf16_nopad_bin` is not among them: it compares code
    /// points, and U+FFFF is less than U+10000, whose first byte is `D8`.
    ///
    /// ```
    /// use mysql_collation::mariadb::{UTF8MB4_BIN, UTF8MB4_NOPAD_BIN};
    ///
    /// assert!(UTF8MB4_NOPAD_BIN.order_is_bytewise());
    /// // PAD SPACE: 'a\t' < 'a', but the bytes of 'a' are a prefix.
    /// assert!(!UTF8MB4_BIN.order_is_bytewise());
    /// ```
    pub fn order_is_bytewise(&self) -> bool {
        if self.pads_any() {
            return false;
        }
        match self.descriptor().kind {
            Kind::Bytes(ByteKind::Identity) => true,
            Kind::Bytes(ByteKind::Table(table)) => is_increasing(table),
            // The order of UTF-8's bytes is the order of code points.
            Kind::Utf8(code_points) => matches!(code_points.kind, CodePointKind::Numbers(_)),
            Kind::Scalars(code_points) => {
                matches!(code_points.kind, CodePointKind::Numbers(_))
                    && matches!(self.charset(), Charset::Ucs2 | Charset::Utf32)
            }
            Kind::Bytes(ByteKind::Expansions(_) | ByteKind::Text(_)) | Kind::Characters(_) => false,
        }
    }

    /// Returns `true` if strings are padded with spaces at some level, or trailing spaces are
    /// ignored (`latin2_czech_cs`).
    fn pads_any(self) -> bool {
        self.info().pad == crate::catalogue::Pad::PadSpace
            || self.info().levels.iter().any(|level| self.descriptor().pads(level))
    }

    /// Returns `true` if each character has a weight that no other character has.
    fn has_a_weight_of_its_own_per_character(self) -> bool {
        match self.descriptor().kind {
            Kind::Bytes(ByteKind::Identity) => true,
            Kind::Bytes(ByteKind::Table(table)) => is_injective(table),
            Kind::Bytes(ByteKind::Expansions(_) | ByteKind::Text(_)) | Kind::Characters(_) => false,
            kind => matches!(kind.code_points(), Some(CodePointKind::Numbers(_))),
        }
    }
}

fn is_injective(table: &ByteTable) -> bool {
    let mut seen = [false; 256];
    (0..=u8::MAX).all(|byte| !core::mem::replace(&mut seen[usize::from(table.weight(byte))], true))
}

fn is_increasing(table: &ByteTable) -> bool {
    (1..=u8::MAX).all(|byte| table.weight(byte - 1) < table.weight(byte))
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::catalogue::{Flavour, catalogue};

    fn all() -> impl Iterator<Item = Collation> {
        let infos = Flavour::ALL.into_iter().flat_map(catalogue);
        infos.filter_map(|info| Collation::by_id(info.flavour, info.id).ok())
    }

    /// Characters of a character set, alone and in pairs, and the empty text.
    fn texts(charset: Charset) -> Vec<Vec<u8>> {
        let characters = ['\0', '\t', ' ', 'A', 'a', 'b', 'ß', 'ä', 'Ж', 'ж', '가', '\u{FFFD}', '\u{10000}', '😀'];
        let encoded = characters.map(|character| {
            let mut buffer = [0; 4];
            charset.encode(character, &mut buffer).map(|length| buffer[..length].to_vec())
        });
        let one: Vec<Vec<u8>> = encoded.into_iter().flatten().collect();
        let two = one.iter().flat_map(|a| one.iter().map(|b| [a.as_slice(), b].concat()));
        two.chain(one.iter().cloned()).chain([Vec::new()]).collect()
    }

    #[test]
    fn bytewise_collations_compare_as_bytes() {
        let (mut by_equality, mut by_order) = (0, 0);
        for collation in all().filter(Collation::equality_is_bytewise) {
            by_equality += 1;
            by_order += usize::from(collation.order_is_bytewise());
            let texts = texts(collation.charset());
            for (a, b) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
                let order = collation.compare(a, b);
                assert_eq!(order.is_eq(), a == b, "{collation}: {a:x?} {b:x?}");
                assert!(!collation.order_is_bytewise() || order == a.cmp(b), "{collation}: {a:x?} {b:x?}");
            }
        }
        assert!(by_equality > by_order && by_order > 10, "{by_equality} {by_order}");
    }

    #[test]
    fn other_collations_have_equal_strings_of_different_bytes() {
        for collation in all().filter(|collation| !collation.equality_is_bytewise()) {
            let texts = texts(collation.charset());
            let differs = |a: &[u8], b: &[u8]| a != b && collation.equals(a, b);
            let found = texts.iter().any(|a| texts.iter().any(|b| differs(a, b)));
            assert!(found || collation.charset().max_bytes() == 1, "{collation}");
        }
    }

    #[test]
    fn order_needs_equality() {
        assert!(all().all(|collation| !collation.order_is_bytewise() || collation.equality_is_bytewise()));
    }

    #[test]
    fn trailing_spaces_are_all_that_bin_ignores() {
        let bin = all().filter(Collation::equality_is_bytewise_without_trailing_spaces);
        let mut count = 0;
        for collation in bin {
            count += 1;
            let mut space = [0; 4];
            let length = collation.charset().encode(' ', &mut space).unwrap();
            let trim = |mut text: &[u8]| {
                while let Some(rest) = text.strip_suffix(&space[..length]) {
                    text = rest;
                }
                text.to_vec()
            };
            let texts = texts(collation.charset());
            for (a, b) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
                assert_eq!(collation.equals(a, b), trim(a) == trim(b), "{collation}: {a:x?} {b:x?}");
            }
        }
        assert!(count > 40, "{count}");
    }
}
