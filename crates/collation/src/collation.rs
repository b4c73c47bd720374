//! The operations of a collation.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

use crate::carried::{self, Carried};
use crate::descriptor::{Descriptor, Handle};
use crate::{
    Charset, Flavour, Info, LikePattern, Weights, arch, compare, dispatch, hash, like, sort, sort_key, weight_string,
    weights,
};

/// A collation of one flavour: a handle, cheap to copy, found by [`Collation::by_name`] or [`Collation::by_id`], or taken
/// from [`crate::mysql`] or [`crate::mariadb`].
///
/// Strings are bytes in the collation's character set ([`Collation::charset`]). Bytes that are ill-formed there have a
/// defined order, too:
/// - MariaDB's UCA collations: a byte that is no part of a character weighs more than any character, and as much as any
///   other such byte. This is what MariaDB answers.
/// - MySQL's UCA collations: the string ends at the first such byte. This is what MySQL answers.
/// - Collations of one weight a character, and those of code points: such a byte comes after all characters, by its value.
///   This is what MariaDB answers; MySQL's comparison of such strings is not transitive, so no order can equal it.
///
/// A surrogate's three bytes are ill-formed to MySQL, a character to MariaDB.
#[derive(Clone, Copy)]
pub struct Collation(Handle);

/// Bytes of a key that is copied to an allocation of its own size. Bench: `instruction_sets`, sort keys.
const SHORT_KEY: usize = 1024;

impl Collation {
    pub(crate) const fn new(descriptor: &'static Descriptor) -> Self {
        Self(Handle::new(descriptor))
    }

    #[inline(always)]
    pub(crate) fn descriptor(self) -> &'static Descriptor {
        self.0.get()
    }

    /// Name, id and attributes.
    pub fn info(&self) -> &'static Info {
        &self.descriptor().info
    }

    /// Its full name, such as `utf8mb4_0900_ai_ci`.
    pub fn name(&self) -> &'static str {
        self.descriptor().info.name
    }

    /// Its id on the wire.
    pub fn id(&self) -> u16 {
        self.descriptor().info.id
    }

    /// The character set of its strings.
    pub fn charset(&self) -> Charset {
        self.descriptor().charset
    }

    /// Whether this and another collation, of the other flavour for example, give the same order and the same equality to
    /// all strings, ill-formed ones included: they have the same weights, levels and padding, and read bytes alike.
    pub fn orders_like(&self, other: Self) -> bool {
        self.descriptor().orders_valid_text_like(other.descriptor()) && self.descriptor().reads_like(other.descriptor())
    }

    /// The same for strings that are well-formed in the collation's character set.
    pub fn orders_valid_text_like(&self, other: Self) -> bool {
        self.descriptor().orders_valid_text_like(other.descriptor())
    }

    /// How `a` compares to `b`.
    ///
    /// ```
    /// use core::cmp::Ordering;
    /// use mysql_collation::mariadb::UTF8MB4_CZECH_CI;
    ///
    /// assert_eq!(UTF8MB4_CZECH_CI.compare(b"hrad", b"chata"), Ordering::Less);
    /// ```
    #[inline]
    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        // What is equal byte by byte is equal, whatever the weights. The first bytes of most strings tell that they differ.
        if a.first() != b.first() {
            return self.compare_from(a, b, 0);
        }
        let mismatch = arch::get().mismatch(a, b);
        if mismatch == a.len() && mismatch == b.len() { Ordering::Equal } else { self.compare_from(a, b, mismatch) }
    }

    #[inline]
    fn compare_from(&self, a: &[u8], b: &[u8], mismatch: usize) -> Ordering {
        if self.descriptor().compares_apart {
            compare::apart(self, a, b, mismatch)
        } else {
            compare::by_levels(self, a, b, mismatch)
        }
    }

    /// Whether `a` equals `b`.
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

    /// A key for `text`: keys compare bytewise as their strings do under [`Collation::compare`]. The format is this
    /// library's own and can change with [`KEY_FORMAT`](crate::KEY_FORMAT); the server's is
    /// [`Collation::weight_string`]. For keys of several columns see [`RowKey`](crate::RowKey).
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
        // To copy a short key takes less time than to give back the end of its allocation.
        if key.len() <= SHORT_KEY {
            return Vec::from(key.as_slice());
        }
        key.shrink_to_fit();
        key
    }

    /// Appends the key for `text` to `key`.
    pub fn sort_key_into(&self, text: &[u8], key: &mut Vec<u8>) {
        let descriptor = self.descriptor();
        match Carried::of(descriptor, text) {
            Some(_) => sort_key::put_levels(&carried::levels(descriptor, text), key),
            None => dispatch::with(descriptor, sort_key::SortKey { text, key }),
        }
    }

    /// A hash: equal strings have equal hashes. It can change with the version of the library, and does not withstand
    /// somebody who wants strings to collide.
    pub fn hash_one(&self, text: &[u8]) -> u64 {
        let descriptor = self.descriptor();
        match Carried::of(descriptor, text) {
            Some(_) => hash::of_levels(&carried::levels(descriptor, text)),
            None => dispatch::with(descriptor, hash::Hash { text }),
        }
    }

    /// Feeds a hasher: equal strings feed it the same.
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

    #[doc(hidden)]
    pub fn eq(&self, a: &[u8], b: &[u8]) -> bool {
        self.equals(a, b)
    }

    #[doc(hidden)]
    pub fn hash(&self, text: &[u8]) -> u64 {
        self.hash_one(text)
    }

    /// The weights of `text`, character by character.
    pub fn weights<'a>(&self, text: &'a [u8]) -> Weights<'a> {
        Weights::new(self.descriptor(), text)
    }

    /// The contractions: sequences of characters that have weights of their own, in ascending order. At the levels of this collation these
    /// may be the weights that the characters have one by one.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_CS_0900_AI_CI;
    ///
    /// assert!(UTF8MB4_CS_0900_AI_CI.contractions().iter().any(|sequence| sequence == "ch"));
    /// ```
    pub fn contractions(&self) -> Vec<String> {
        weights::contractions(self.descriptor())
    }

    /// What the server answers to `WEIGHT_STRING(text)`, byte for byte.
    pub fn weight_string(&self, text: &[u8]) -> Vec<u8> {
        weight_string::weight_string(self.descriptor(), text)
    }

    /// Whether `text LIKE pattern ESCAPE escape`. The servers' default for `escape` is a backslash; `None` is none.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// assert!(UTF8MB4_0900_AI_CI.like("Müller".as_bytes(), b"m_ll%", Some('\\')));
    /// ```
    pub fn like(&self, text: &[u8], pattern: &[u8], escape: Option<char>) -> bool {
        let mut buffer = [0; 4];
        let escape = escape.and_then(|escape| self.escape(escape, &mut buffer));
        let parts = like::Written { pattern, escape, wildcards: like::wildcards(self.charset()) };
        // Spaces at the end count, whatever the padding.
        dispatch::unpadded(self.descriptor(), like::Like { text, parts, descriptor: self.descriptor() })
    }

    /// The same pattern for many texts.
    pub fn like_pattern(&self, pattern: &[u8], escape: Option<char>) -> LikePattern {
        let mut buffer = [0; 4];
        LikePattern::new(*self, pattern, escape.and_then(|escape| self.escape(escape, &mut buffer)))
    }

    /// The bytes of an escape character. To the servers one of ASCII is the byte of its number, also where the character set writes
    /// another one for it (`sjis`); to MySQL also where that byte is another character (`swe7`).
    pub(crate) fn escape(self, escape: char, buffer: &mut [u8; 4]) -> Option<&[u8]> {
        let Info { flavour, .. } = *self.info();
        let characters = self.descriptor().characters;
        let encoded = |character: char| characters.encode(Flavour::MySql, character.into());
        let encoded = match u8::try_from(escape) {
            Ok(byte @ ..0x80)
                if self.charset().min_bytes() == 1
                    && (flavour == Flavour::MySql || characters.code_point(&[byte]) == Some(byte.into())) =>
            {
                buffer[0] = byte;
                return buffer.get(..1);
            }
            // MariaDB converts it as it does any character.
            _ if flavour == Flavour::MariaDb => encoded(escape).or_else(|| encoded('?'))?,
            _ => encoded(escape)?,
        };
        let bytes = encoded.as_slice();
        let buffer = buffer.get_mut(..bytes.len())?;
        buffer.copy_from_slice(bytes);
        Some(buffer)
    }

    /// Sorts strings. The sort is stable: strings that are equal under the collation keep their order.
    pub fn sort<T: AsRef<[u8]>>(&self, strings: &mut [T]) {
        self.sort_by_key(strings, AsRef::as_ref);
    }

    /// Sorts items by a string of each. The sort is stable: items whose strings are equal under the collation keep their
    /// order.
    pub fn sort_by_key<T>(&self, items: &mut [T], key: impl Fn(&T) -> &[u8]) {
        sort::sort(
            items,
            |items, places| dispatch::with(self.descriptor(), sort::Prefixes { items, key: &key, places }),
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

/// By flavour and id: a constant and what is found by name are the same.
impl PartialEq for Collation {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (self.info(), other.info());
        one.id == other.id && one.flavour == other.flavour
    }
}

impl Eq for Collation {}
