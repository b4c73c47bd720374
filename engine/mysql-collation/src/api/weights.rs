//! Hashes, keys of groups and of prefix indexes, and padded weight strings.

use alloc::vec::Vec;

use super::Collation;
use crate::catalogue::{Flavour, Pad};
use crate::dispatch::{self, ByteKind, Kind};
use crate::operations::feed::{Feed, Sink};
use crate::operations::group_key::{GroupKey, without_spaces};
use crate::operations::weight_string_char::{first_characters, weight_string_char};
use crate::operations::xxh64::Xxh64;

impl Collation {
    /// Returns a hash that no version of the library changes, for partitions, sharding and stored
    /// values. Equal strings have equal hashes. [`Collation::hash_one`] is several times faster.
    ///
    /// Not for maps with keys that strangers choose: XXH64 doesn't resist deliberate collisions,
    /// even with a secret seed. [`Collation::hash_weights_into`] does, with a hasher that resists.
    ///
    /// The hash is XXH64 with this seed, of these bytes:
    ///
    /// - `bin` of UCS-2, UTF-16 and UTF-32, and all collations that are not named below: the
    ///   weights of the first level, then for each further level 00 00 and its weights. A weight
    ///   has two bytes, the high byte first; a code point from U+FFFF on of these `bin` and of
    ///   `general1400_as_ci` is FFFF and the number in four bytes. Under PAD SPACE, and at further
    ///   levels of MariaDB, weights of spaces at the end of the level are left out.
    /// - Collations of 8-bit character sets, except `latin1_german2_ci` and the next four: the
    ///   weight of each byte, without weights of spaces at the end under PAD SPACE.
    /// - `latin2_czech_cs`, `cp1250_czech_cs`, `tis620_thai_ci`, `tis620_thai_nopad_ci`: the text's
    ///   key, without spaces at its end under `tis620_thai_ci`.
    /// - `bin` of other character sets: the text, without spaces at its end under PAD SPACE.
    ///
    /// The weights are those of [`Collation::sort_key`], without its marks of padding. A collation
    /// whose weights differ between the flavours has different hashes, too.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// // XXH64 of 1C 47 1C 60 1C 7A.
    /// assert_eq!(UTF8MB4_0900_AI_CI.stable_hash(b"abc", 0), 0xB5D5_7E1D_2ACC_8E09);
    /// let [one, other] = ["Straße", "STRASSE"].map(|text| UTF8MB4_0900_AI_CI.stable_hash(text.as_bytes(), 7));
    /// assert_eq!(one, other);
    /// ```
    pub fn stable_hash(&self, text: &[u8], seed: u64) -> u64 {
        let mut hash = Xxh64::new(seed);
        dispatch::run(self.descriptor(), Feed { text, sink: &mut hash });
        hash.finish()
    }

    /// Feeds all weights of `text` to a hasher. With a hasher that has a secret seed, such as those
    /// of [`RandomState`](https://doc.rust-lang.org/std/hash/struct.RandomState.html), strings
    /// that collide can't be constructed. [`Collation::hash_into`] is faster and feeds 64 bits, for
    /// which they can.
    ///
    /// ```
    /// use std::hash::{BuildHasher, Hasher, RandomState};
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// let state = RandomState::new();
    /// let hash = |text: &str| {
    ///     let mut hasher = state.build_hasher();
    ///     UTF8MB4_0900_AI_CI.hash_weights_into(text.as_bytes(), &mut hasher);
    ///     hasher.finish()
    /// };
    /// assert_eq!(hash("Straße"), hash("STRASSE"));
    /// ```
    pub fn hash_weights_into<H: core::hash::Hasher>(&self, text: &[u8], state: &mut H) {
        let mut sink = HasherSink { state, buffer: [0; _], length: 0 };
        dispatch::run(self.descriptor(), Feed { text, sink: &mut sink });
        sink.end();
    }

    /// Returns a key for the group of a string in `GROUP BY`, `SELECT DISTINCT` and `UNION`.
    /// Strings have equal keys if the server's temporary tables put them in one group. Differs from
    /// equality only for collations of MySQL with PAD SPACE in which other characters weigh as much
    /// as a space: UCA, `cp1250_general_ci`, `cp1251_ukrainian_ci` and `koi8u_general_ci`. The
    /// order of keys has no meaning.
    ///
    /// In UCA collations, `'a'` equals `'a\u{A0}'` because U+00A0 weighs as much as a space, but
    /// MySQL 8.0.12 and 9.7.4 make two groups of them; MySQL 5.6 and 5.7 make one or two, by the
    /// number of rows. `COUNT(DISTINCT …)`, joins, unique keys, and `GROUP BY` through an index or
    /// a sort take them as equal. Groups of `latin2_czech_cs` are not followed. MySQL 8.0.12 also
    /// makes two groups of `''` and the strings that equal it.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_UNICODE_CI;
    ///
    /// let [one, other] = ["a", "a\u{A0}"].map(str::as_bytes);
    /// assert!(UTF8MB4_UNICODE_CI.equals(one, other));
    /// assert_ne!(UTF8MB4_UNICODE_CI.group_key(one), UTF8MB4_UNICODE_CI.group_key(other));
    /// assert_eq!(UTF8MB4_UNICODE_CI.group_key(b"A  "), UTF8MB4_UNICODE_CI.group_key(b"a"));
    /// ```
    pub fn group_key(&self, text: &[u8]) -> Vec<u8> {
        let mut key = Vec::new();
        self.group_key_into(text, &mut key);
        key
    }

    /// Appends the key of a string's group ([`Collation::group_key`]) to `key`.
    pub fn group_key_into(&self, text: &[u8], key: &mut Vec<u8>) {
        let descriptor = self.descriptor();
        if !self.groups_by_hash() {
            return self.sort_key_into(text, key);
        }
        dispatch::run(descriptor, GroupKey { text: without_spaces(descriptor, text), key });
    }

    /// Returns `true` if a server's groups can differ from equality.
    pub(super) fn groups_by_hash(self) -> bool {
        let info = self.info();
        let weighs_whole_texts = matches!(self.descriptor().kind, Kind::Bytes(ByteKind::Text(_)));
        info.flavour == Flavour::MySql && info.pad == Pad::PadSpace && !weighs_whole_texts
    }

    /// Returns the sort key of the first `characters` characters of a string, as in a prefix index:
    /// `KEY (name(10))`, `UNIQUE KEY (name(10))`. A character of `binary` is a byte.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// let [one, other] = ["Müller", "MULTI"].map(|text| UTF8MB4_0900_AI_CI.prefix_index_key(text.as_bytes(), 3));
    /// assert_eq!(one, other);
    /// ```
    pub fn prefix_index_key(&self, text: &[u8], characters: usize) -> Vec<u8> {
        self.sort_key(first_characters(self.descriptor(), text, characters).0)
    }

    /// Returns the server's `WEIGHT_STRING(text AS CHAR(characters))`.
    ///
    /// MySQL from 8.0 on cuts the string after this many characters, and under PAD SPACE pads it
    /// with spaces. MariaDB, and MySQL up to 5.7, cut and pad the weights of each level instead:
    /// this function does so for MariaDB's collations.
    ///
    /// MariaDB 11.8 cuts the weights of collations with several levels short if `characters` is
    /// small; this function returns all, as MariaDB 10.11 does.
    ///
    /// ```
    /// use mysql_collation::mysql::{UTF8MB4_0900_AI_CI, UTF8MB4_GENERAL_CI};
    ///
    /// assert_eq!(UTF8MB4_GENERAL_CI.weight_string_as_char(b"ab", 3), b"\0A\0B\0 ");
    /// assert_eq!(UTF8MB4_0900_AI_CI.weight_string_as_char(b"ab", 3), [0x1C, 0x47, 0x1C, 0x60]);
    /// ```
    pub fn weight_string_as_char(&self, text: &[u8], characters: usize) -> Vec<u8> {
        weight_string_char(self.descriptor(), text, characters)
    }
}

/// Passes bytes to a hasher in pieces of equal size, because the result of a hasher may depend on
/// how bytes are divided into calls.
struct HasherSink<'h, H> {
    state: &'h mut H,
    buffer: [u8; 64],
    length: usize,
}

impl<H: core::hash::Hasher> HasherSink<'_, H> {
    fn end(self) {
        self.state.write(&self.buffer[..self.length]);
        // As for `str`: no value is a prefix of another.
        self.state.write_u8(0xFF);
    }
}

impl<H: core::hash::Hasher> Sink for HasherSink<'_, H> {
    fn put(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (first, other) = rest.split_at(rest.len().min(self.buffer.len() - self.length));
            self.buffer[self.length..][..first.len()].copy_from_slice(first);
            self.length += first.len();
            rest = other;
            if self.length == self.buffer.len() {
                self.state.write(&self.buffer);
                self.length = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, Hasher, RandomState};
    use std::string::String;

    use proptest::prelude::*;

    use super::*;
    use crate::catalogue::catalogue;
    use crate::mysql::{UTF8MB4_0900_AI_CI, UTF8MB4_BIN, UTF8MB4_GENERAL_CI};

    fn sample() -> impl Iterator<Item = Collation> {
        let infos = Flavour::ALL.into_iter().flat_map(catalogue).filter(|info| info.id % 7 == 0 || info.is_default);
        infos.filter_map(|info| Collation::by_id(info.flavour, info.id).ok())
    }

    /// Fails if the stable hash changes.
    #[test]
    fn stable_hashes_are_those_of_their_first_version() {
        assert_eq!(UTF8MB4_BIN.stable_hash(b"abc", 0), 0x44BC_2CF5_AD77_0999);
        assert_eq!(UTF8MB4_BIN.stable_hash(b"abc  ", 0), 0x44BC_2CF5_AD77_0999);
        let mut hash = Xxh64::new(5);
        hash.put(b"\0A\0B");
        assert_eq!(UTF8MB4_GENERAL_CI.stable_hash(b"aB ", 5), hash.finish());
        let utf32 = Collation::by_name(Flavour::MySql, "utf32_bin").unwrap();
        let mut hash = Xxh64::new(0);
        hash.put(&[0xFF, 0xFE, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 0xF6, 0]);
        assert_eq!(utf32.stable_hash(&[0, 0, 0xFF, 0xFE, 0, 0, 0xFF, 0xFF, 0, 1, 0xF6, 0], 0), hash.finish());
        assert_eq!(UTF8MB4_0900_AI_CI.stable_hash(b"", 0), Xxh64::new(0).finish());
        assert_ne!(UTF8MB4_0900_AI_CI.stable_hash(b"a ", 0), UTF8MB4_0900_AI_CI.stable_hash(b"a", 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

        #[test]
        fn hashes_are_equal_if_strings_are(
            a in "[ -~äÄßéÉ\u{a0}\u{300}\t]{0,20}|[a-dA-D ]{60,200}",
            spaces in " {0,2}",
            upper in any::<bool>(),
        ) {
            let state = RandomState::new();
            let b: String = if upper { a.to_uppercase() + &spaces } else { a.to_lowercase() + &spaces };
            for collation in sample() {
                let [a, b] = [&a, &b].map(|text| crate::charset::Charset::Utf8mb4.convert(text.as_bytes(), collation.charset(), Flavour::MySql).bytes);
                let seeded = |text: &[u8]| {
                    let mut hasher = state.build_hasher();
                    collation.hash_weights_into(text, &mut hasher);
                    hasher.finish()
                };
                let equal = collation.equals(&a, &b);
                prop_assert_eq!(collation.stable_hash(&a, 3) == collation.stable_hash(&b, 3), equal, "{}: {:x?} {:x?}", collation, a, b);
                prop_assert_eq!(seeded(&a) == seeded(&b), equal, "{}: {:x?} {:x?}", collation, a, b);
                prop_assert!(equal || collation.group_key(&a) != collation.group_key(&b), "{}", collation);
            }
        }
    }

    #[test]
    fn prefixes_count_characters() {
        let keys = |text: &str| UTF8MB4_GENERAL_CI.prefix_index_key(text.as_bytes(), 2);
        assert_eq!(keys("äöü"), UTF8MB4_GENERAL_CI.sort_key(b"ao"));
        assert_eq!(keys("a"), UTF8MB4_GENERAL_CI.sort_key(b"a"));
    }

    /// As MySQL 9.7.4 and MariaDB 10.11.18 returned them.
    #[test]
    fn weight_strings_have_the_length_of_the_type() {
        let mariadb = |name| Collation::by_name(Flavour::MariaDb, name).unwrap();
        let mysql = |name| Collation::by_name(Flavour::MySql, name).unwrap();
        for (collation, text, count, expected) in [
            (mysql("utf8mb4_unicode_ci"), &b"ab"[..], 3, &b"\x0E\x33\x0E\x4A\x02\x09"[..]),
            (mysql("utf8mb4_unicode_ci"), b"ab", 1, b"\x0E\x33"),
            (mysql("latin2_czech_cs"), b"ab", 1, b"\x03\x01\x03\x01\x03\x01\x03\x00"),
            (mariadb("latin2_czech_cs"), b"ab", 1, b"\x03\x04\x01\x03\x09\x01\x03\x0F\x01\x03\x0F\x00"),
            (mariadb("utf8mb4_uca1400_as_cs"), b"ab", 1, b"\x20\x75\x00\x20\x00\x02"),
            (mariadb("utf8mb4_unicode_nopad_ci"), b"", 2, b"\x02\x00\x02\x00"),
            (mariadb("latin1_swedish_ci"), b"ab", 4, b"AB  "),
        ] {
            assert_eq!(collation.weight_string_as_char(text, count), expected, "{collation}");
        }
    }
}
