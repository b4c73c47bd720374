//! The operations of a collation.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

use crate::descriptor::Descriptor;
use crate::{Charset, Info, Weights, naive, weight_string};

/// A collation of one flavour: a handle, cheap to copy, found by [`Collation::lookup`] or [`Collation::by_id`].
///
/// Strings are bytes in the collation's character set ([`Collation::charset`]). Bytes that are ill-formed there have a
/// defined order, too: a byte that is no part of a character comes after all characters, by its value.
#[derive(Clone, Copy)]
pub struct Collation(pub(crate) &'static Descriptor);

impl Collation {
    /// Name, id and attributes.
    pub fn info(&self) -> &'static Info {
        self.0.info
    }

    /// The character set of its strings.
    pub fn charset(&self) -> Charset {
        self.0.charset
    }

    /// Whether this and another collation, of the other flavour for example, give the same order and the same equality to
    /// all strings, as they have the same weights, levels and padding.
    pub fn orders_like(&self, other: Self) -> bool {
        self.0.orders_like(other.0)
    }

    /// How `a` compares to `b`.
    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        naive::compare(*self, a, b)
    }

    /// Whether `a` equals `b`.
    pub fn eq(&self, a: &[u8], b: &[u8]) -> bool {
        self.compare(a, b).is_eq()
    }

    /// A key for `text`: keys compare bytewise as their strings do under [`Collation::compare`]. The format is this
    /// library's own and can change with its version; the server's is [`Collation::weight_string`].
    pub fn sort_key(&self, text: &[u8]) -> Vec<u8> {
        let mut key = Vec::new();
        self.sort_key_into(text, &mut key);
        key
    }

    /// Appends the key for `text` to `key`.
    pub fn sort_key_into(&self, text: &[u8], key: &mut Vec<u8>) {
        naive::sort_key(*self, text, key);
    }

    /// A hash: equal strings have equal hashes. It can change with the version of the library.
    pub fn hash(&self, text: &[u8]) -> u64 {
        // FNV-1a.
        self.sort_key(text)
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    /// The weights of `text`, character by character.
    pub fn weights<'a>(&self, text: &'a [u8]) -> Weights<'a> {
        Weights::new(self.0, text)
    }

    /// What the server answers to `WEIGHT_STRING(text)`, byte for byte.
    pub fn weight_string(&self, text: &[u8]) -> Vec<u8> {
        weight_string::weight_string(self.0, text)
    }

    /// Whether `text LIKE pattern ESCAPE escape`. The servers' default for `escape` is a backslash; `None` is none.
    pub fn like(&self, text: &[u8], pattern: &[u8], escape: Option<char>) -> bool {
        naive::like(*self, text, pattern, escape)
    }

    /// Sorts strings. The sort is stable: strings that are equal under the collation keep their order.
    pub fn sort<T: AsRef<[u8]>>(&self, strings: &mut [T]) {
        strings.sort_by(|a, b| self.compare(a.as_ref(), b.as_ref()));
    }

    /// Sorts items by a string of each. The sort is stable: items whose strings are equal under the collation keep their
    /// order.
    pub fn sort_by_key<T>(&self, items: &mut [T], key: impl Fn(&T) -> &[u8]) {
        items.sort_by(|a, b| self.compare(key(a), key(b)));
    }
}

impl fmt::Debug for Collation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Collation").field(&self.0.info.flavour).field(&self.0.info.name).finish()
    }
}

impl PartialEq for Collation {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.0, other.0)
    }
}

impl Eq for Collation {}
