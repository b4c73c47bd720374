use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

use super::LikePattern;
use crate::catalogue::{Flavour, Info};
use crate::charset::{Charset, Unencodable};
use crate::dispatch::{self, Descriptor, Handle};
use crate::operations::compare::Compare;
use crate::operations::elements::{self, Weights};
use crate::operations::hash::Hash;
use crate::operations::like::{self, Like, WrittenPattern};
use crate::operations::sort::{self, Prefixes};
use crate::operations::sort_key::SortKey;
use crate::operations::weight_string::weight_string;
use crate::simd;

/// A collation of one flavour. The type is a handle that is cheap to copy.
///
/// Collations are found by [`Collation::by_name`], [`Collation::by_id`] or [`Collation::of_name`],
/// or are constants of [`crate::mysql`] and [`crate::mariadb`].
///
/// Strings are bytes in the collation's character set ([`Collation::charset`]). Ill-formed bytes
/// have a defined order, too:
///
/// - UCA collations of MariaDB: an ill-formed byte weighs more than any character. All ill-formed
///   bytes have the same weight, as in MariaDB.
/// - UCA collations of MySQL: the string ends at the first ill-formed byte, as in MySQL.
/// - Collations with one weight per character, and collations by code point: ill-formed bytes come
///   after all characters, ordered by value, as in MariaDB's UTF-8. MySQL's comparison of such
///   strings is not transitive, so no order can equal it.
///
/// The three UTF-8 bytes of a surrogate are ill-formed in MySQL, and a character in MariaDB.
#[derive(Clone, Copy)]
pub struct Collation(Handle);

/// Maximum length in bytes of a key that is copied to an allocation of exact size. Bench:
/// `instruction_sets`, sort keys.
const SHORT_KEY: usize = 1024;

impl Collation {
    pub(crate) const fn new(descriptor: &'static Descriptor) -> Self {
        Self(Handle::new(descriptor))
    }

    #[inline(always)]
    pub(crate) fn descriptor(self) -> &'static Descriptor {
        self.0.get()
    }

    /// Returns name, id and attributes.
    pub fn info(&self) -> &'static Info {
        &self.descriptor().info
    }

    /// Returns the full name, such as `utf8mb4_0900_ai_ci`.
    pub fn name(&self) -> &'static str {
        self.descriptor().info.name
    }

    /// Returns the id in the client/server protocol.
    pub fn id(&self) -> u16 {
        self.descriptor().info.id
    }

    /// Returns the character set of the collation's strings.
    pub fn charset(&self) -> Charset {
        self.descriptor().charset
    }

    /// Returns `true` if both collations give the same order and equality for all strings,
    /// including ill-formed strings. This requires equal weights, levels and padding, and equal
    /// decoding of bytes. The two collations may belong to different flavours. `false` does not
    /// prove a difference: `gbk_chinese_ci` of the two flavours gives `false`.
    pub fn orders_like(&self, other: Self) -> bool {
        self.descriptor().orders_valid_text_like(other.descriptor()) && self.descriptor().reads_like(other.descriptor())
    }

    /// Returns `true` if both collations are known to give the same order and equality for all
    /// well-formed strings. `false` does not prove a difference.
    pub fn orders_valid_text_like(&self, other: Self) -> bool {
        self.descriptor().orders_valid_text_like(other.descriptor())
    }

    /// Returns `true` if the end of a string compares as spaces at a level, counted from 0: at all
    /// levels under PAD SPACE, and beyond the first under MariaDB's NO PAD collations. `false` for
    /// `latin2_czech_cs` and `cp1250_czech_cs`, whose weights omit spaces at the end.
    ///
    /// ```
    /// use mysql_collation::mariadb::UTF8MB4_UCA1400_NOPAD_AI_CS;
    ///
    /// // U+0301 weighs as a space at the third level, and nothing at the first.
    /// assert!(UTF8MB4_UCA1400_NOPAD_AI_CS.equals("e".as_bytes(), "e\u{301}".as_bytes()));
    /// assert_eq!([0, 2].map(|level| UTF8MB4_UCA1400_NOPAD_AI_CS.pads_level(level)), [false, true]);
    /// ```
    pub fn pads_level(&self, level: usize) -> bool {
        self.descriptor().pads(level)
    }

    /// Compares `a` with `b`.
    ///
    /// ```
    /// use core::cmp::Ordering;
    /// use mysql_collation::mariadb::UTF8MB4_CZECH_CI;
    ///
    /// assert_eq!(UTF8MB4_CZECH_CI.compare(b"hrad", b"chata"), Ordering::Less);
    /// ```
    #[inline]
    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        // Equal bytes are equal under every collation. The first bytes of most strings differ, so
        // they are compared before a search for the first difference.
        let mut mismatch = 0;
        if a.first() == b.first() {
            mismatch = simd::get().mismatch(a, b);
            if mismatch == a.len() && mismatch == b.len() {
                return Ordering::Equal;
            }
        }
        dispatch::run(self.descriptor(), Compare { a, b, mismatch })
    }

    /// Returns `true` if `a` equals `b`.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// assert!(UTF8MB4_0900_AI_CI.equals("Straße".as_bytes(), "STRASSE".as_bytes()));
    /// ```
    #[inline]
    pub fn equals(&self, a: &[u8], b: &[u8]) -> bool {
        self.compare(a, b).is_eq()
    }

    /// Returns a sort key for `text`. Keys compare bytewise as the strings compare under
    /// [`Collation::compare`].
    ///
    /// The format is specific to this library and can change with
    /// [`KEY_FORMAT`](crate::KEY_FORMAT). The servers' format is [`Collation::weight_string`]. For
    /// keys of several columns see [`RowKey`](crate::RowKey).
    ///
    /// The key of a prefix need not be a prefix of the key: the last characters can contract with
    /// the next, under PAD SPACE a mark ends the key, and further levels follow the first. For the
    /// keys of all strings with a prefix, use [`Collation::prefix_range`].
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// let mut words = ["Zug", "Ähre", "Apfel"];
    /// words.sort_by_cached_key(|word| UTF8MB4_0900_AI_CI.sort_key(word.as_bytes()));
    /// assert_eq!(words, ["Ähre", "Apfel", "Zug"]);
    /// ```
    pub fn sort_key(&self, text: &[u8]) -> Vec<u8> {
        let mut key = Vec::new();
        self.sort_key_into(text, &mut key);
        // Copying a short key is faster than shrinking its allocation.
        if key.len() <= SHORT_KEY {
            return Vec::from(key.as_slice());
        }
        key.shrink_to_fit();
        key
    }

    /// Appends the sort key for `text` to `key`.
    pub fn sort_key_into(&self, text: &[u8], key: &mut Vec<u8>) {
        dispatch::run(self.descriptor(), SortKey { text, key });
    }

    /// Compares two texts, encoded in the collation's character set. [`Collation::compare`] takes
    /// bytes of that character set: those of `latin1_swedish_ci` are no UTF-8.
    ///
    /// # Errors
    /// [`Unencodable`] if the character set lacks a character.
    ///
    /// ```
    /// use mysql_collation::{Collation, Flavour};
    ///
    /// let latin1 = Collation::by_name(Flavour::MySql, "latin1_swedish_ci")?;
    /// assert!(latin1.compare_str("ä", "Ä").unwrap().is_eq());
    /// assert!(latin1.compare_str("ä", "漢").is_err());
    /// # Ok::<(), mysql_collation::LookupError>(())
    /// ```
    pub fn compare_str(&self, a: &str, b: &str) -> Result<Ordering, Unencodable> {
        let charset = self.charset();
        Ok(self.compare(&charset.encode_str(a)?, &charset.encode_str(b)?))
    }

    /// Returns a hash. Equal strings have equal hashes. The hash can change between versions of the
    /// library, and doesn't resist deliberate collisions: a chosen suffix gives many texts one
    /// hash. For maps with keys from outside, use [`Collation::hash_weights_into`].
    pub fn hash_one(&self, text: &[u8]) -> u64 {
        dispatch::run(self.descriptor(), Hash { text })
    }

    /// Feeds [`Collation::hash_one`] of `text` to a hasher. Texts with equal `hash_one` collide in
    /// every hasher, also in one with a random seed. [`Collation::hash_weights_into`] resists
    /// deliberate collisions.
    ///
    /// ```
    /// use std::hash::{BuildHasher, RandomState};
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// let state = RandomState::new();
    /// let hash = |text: &str| {
    ///     let mut hasher = state.build_hasher();
    ///     UTF8MB4_0900_AI_CI.hash_into(text.as_bytes(), &mut hasher);
    ///     std::hash::Hasher::finish(&hasher)
    /// };
    /// assert_eq!(hash("Straße"), hash("STRASSE"));
    /// ```
    pub fn hash_into<H: core::hash::Hasher>(&self, text: &[u8], state: &mut H) {
        state.write_u64(self.hash_one(text));
    }

    /// Iterates over the weights of `text`, character by character.
    pub fn weights<'a>(&self, text: &'a [u8]) -> Weights<'a> {
        Weights::new(self.descriptor(), text)
    }

    /// Returns the contractions in ascending order: sequences of characters with their own weights.
    /// At this collation's levels, the weights of a contraction can equal those of its characters.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_CS_0900_AI_CI;
    ///
    /// assert!(UTF8MB4_CS_0900_AI_CI.contractions().iter().any(|sequence| sequence == "ch"));
    /// ```
    pub fn contractions(&self) -> Vec<String> {
        elements::contractions(self.descriptor())
    }

    /// Returns the server's `WEIGHT_STRING(text)`, byte for byte, for well-formed `text`.
    pub fn weight_string(&self, text: &[u8]) -> Vec<u8> {
        weight_string(self.descriptor(), text)
    }

    /// Returns `true` if `text LIKE pattern ESCAPE escape`. The servers' default for `escape` is a
    /// backslash, unless the SQL mode has `NO_BACKSLASH_ESCAPES`; `None` means no escape character.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// assert!(UTF8MB4_0900_AI_CI.like("Müller".as_bytes(), b"m_ll%", Some('\\')));
    /// ```
    pub fn like(&self, text: &[u8], pattern: &[u8], escape: Option<char>) -> bool {
        let mut buffer = [0; 4];
        let escape = escape.and_then(|escape| self.escape(escape, &mut buffer));
        let parts = WrittenPattern { pattern, escape, wildcards: like::wildcards(self.charset()) };
        dispatch::run(self.descriptor(), Like { text, parts, descriptor: self.descriptor() })
    }

    /// Returns a pattern that is parsed once, for matching many texts.
    pub fn like_pattern(&self, pattern: &[u8], escape: Option<char>) -> LikePattern {
        let mut buffer = [0; 4];
        LikePattern::new(*self, pattern, escape.and_then(|escape| self.escape(escape, &mut buffer)))
    }

    /// Encodes an escape character. In character sets with one-byte characters, the servers take an
    /// ASCII escape as the byte with its number. They do so even if the character set encodes the
    /// character differently (`sjis`). MySQL 9.7.4 does so with the default escape even if the byte
    /// encodes another character (`swe7`), but refuses to convert such a character of an `ESCAPE`
    /// clause (error 3854).
    pub(crate) fn escape(self, escape: char, buffer: &mut [u8; 4]) -> Option<&[u8]> {
        let Info { flavour, .. } = *self.info();
        let codec = self.descriptor().codec;
        let encoded = |character: char| codec.encode(Flavour::MySql, character.into());
        let encoded = match u8::try_from(escape) {
            Ok(byte @ ..0x80)
                if self.charset().min_bytes() == 1
                    && (flavour == Flavour::MySql || codec.code_point(&[byte]) == Some(byte.into())) =>
            {
                buffer[0] = byte;
                return buffer.get(..1);
            }
            // MariaDB converts the escape character to the character set, which can yield `?`.
            _ if flavour == Flavour::MariaDb => encoded(escape).or_else(|| encoded('?'))?,
            _ => encoded(escape)?,
        };
        let bytes = encoded.as_slice();
        let buffer = buffer.get_mut(..bytes.len())?;
        buffer.copy_from_slice(bytes);
        Some(buffer)
    }

    /// Sorts strings. The sort is stable: strings that are equal under the collation keep their
    /// order.
    pub fn sort<T: AsRef<[u8]>>(&self, strings: &mut [T]) {
        self.sort_by_key(strings, AsRef::as_ref);
    }

    /// Sorts items by a string of each item. The sort is stable: items whose strings are equal
    /// under the collation keep their order.
    pub fn sort_by_key<T>(&self, items: &mut [T], key: impl Fn(&T) -> &[u8]) {
        sort::sort(
            items,
            |items, places| dispatch::run(self.descriptor(), Prefixes { items, key: &key, places }),
            |a, b| self.compare(key(a), key(b)),
        );
    }
}

impl fmt::Debug for Collation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Collation").field(&self.descriptor().info.flavour).field(&self.descriptor().info.name).finish()
    }
}

impl fmt::Display for Collation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl core::hash::Hash for Collation {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        let Info { flavour, id, .. } = self.info();
        (flavour, id).hash(state);
    }
}

/// Compares flavour and id, so that a constant equals the collation that a lookup returns.
impl PartialEq for Collation {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (self.info(), other.info());
        one.id == other.id && one.flavour == other.flavour
    }
}

impl Eq for Collation {}
