//! Strings with a collation, usable as keys of maps and sets.

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::Collation;

/// A borrowed string that is equal, ordered and hashed by its collation.
///
/// All weights are fed to the map's hasher ([`Collation::hash_weights_into`]): with one that has a
/// secret seed, such as the standard library's, users can't choose keys with equal hashes.
///
/// Strings of different collations are never equal. They are ordered by the flavours and ids of
/// their collations.
///
/// ```
/// use std::collections::BTreeMap;
/// use mysql_collation::{Collated, Collation, Flavour};
///
/// let collation = Collation::by_name(Flavour::MySql, "utf8mb4_0900_ai_ci")?;
/// let mut counts = BTreeMap::new();
/// for word in ["Müller", "MULLER", "Maier"] {
///     *counts.entry(Collated::new(collation, word.as_bytes())).or_insert(0) += 1;
/// }
/// assert_eq!(counts.into_values().collect::<Vec<_>>(), [1, 2]);
/// # Ok::<(), mysql_collation::LookupError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Collated<'a> {
    collation: Collation,
    text: &'a [u8],
}

impl<'a> Collated<'a> {
    /// Pairs a collation with a string in the collation's character set.
    pub const fn new(collation: Collation, text: &'a [u8]) -> Self {
        Self { collation, text }
    }

    /// Returns the string.
    pub const fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Returns the collation.
    pub const fn collation(&self) -> Collation {
        self.collation
    }

    /// Copies the string into a [`CollatedBuf`].
    pub fn to_buf(&self) -> CollatedBuf {
        CollatedBuf { collation: self.collation, text: self.text.to_vec() }
    }
}

/// Writes the bytes as an ASCII literal, and the collation's name: `b"Stra\xc3\x9fe" utf8mb4_bin`.
impl fmt::Debug for Collated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\" {}", self.text.escape_ascii(), self.collation)
    }
}

/// Like [`Collated`].
impl fmt::Debug for CollatedBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_collated().fmt(f)
    }
}

impl Ord for Collated<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_collation = || {
            let place = |key: &Self| (key.collation.info().flavour, key.collation.id());
            place(self).cmp(&place(other))
        };
        if self.collation == other.collation { self.collation.compare(self.text, other.text) } else { by_collation() }
    }
}

impl PartialOrd for Collated<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Collated<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Collated<'_> {}

impl Hash for Collated<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.collation.hash_weights_into(self.text, state);
    }
}

/// A string with a collation: [`Collated`] and [`CollatedBuf`]. Maps and sets with keys of type
/// [`CollatedBuf`] look borrowed strings up as `&dyn AsCollated`, without a copy.
///
/// ```
/// use std::collections::HashMap;
/// use mysql_collation::{AsCollated, Collated, CollatedBuf, mysql::UTF8MB4_0900_AI_CI};
///
/// let mut streets = HashMap::new();
/// streets.insert(CollatedBuf::new(UTF8MB4_0900_AI_CI, "Straße".into()), 7);
/// let given: &str = "STRASSE";
/// let key = Collated::new(UTF8MB4_0900_AI_CI, given.as_bytes());
/// assert_eq!(streets.get(&key as &dyn AsCollated), Some(&7));
/// ```
///
/// The trait is sealed: another implementation could break what maps rely on.
pub trait AsCollated: sealed::Sealed {
    /// Borrows the string and its collation.
    fn as_collated(&self) -> Collated<'_>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Collated<'_> {}
    impl Sealed for super::CollatedBuf {}
}

impl AsCollated for Collated<'_> {
    fn as_collated(&self) -> Collated<'_> {
        *self
    }
}

impl AsCollated for CollatedBuf {
    fn as_collated(&self) -> Collated<'_> {
        CollatedBuf::as_collated(self)
    }
}

impl<'a> Borrow<dyn AsCollated + 'a> for CollatedBuf {
    fn borrow(&self) -> &(dyn AsCollated + 'a) {
        self
    }
}

impl Ord for dyn AsCollated + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_collated().cmp(&other.as_collated())
    }
}

impl PartialOrd for dyn AsCollated + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for dyn AsCollated + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.as_collated() == other.as_collated()
    }
}

impl Eq for dyn AsCollated + '_ {}

impl Hash for dyn AsCollated + '_ {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_collated().hash(state);
    }
}

impl From<Collated<'_>> for CollatedBuf {
    fn from(text: Collated<'_>) -> Self {
        text.to_buf()
    }
}

/// An owned string that is equal, ordered and hashed by its collation, like [`Collated`].
///
/// ```
/// use std::collections::HashSet;
/// use mysql_collation::{CollatedBuf, Collation, Flavour};
///
/// let collation = Collation::by_name(Flavour::MariaDb, "utf8mb4_uca1400_ai_ci")?;
/// let mut seen = HashSet::new();
/// assert!(seen.insert(CollatedBuf::new(collation, "Straße".into())));
/// assert!(!seen.insert(CollatedBuf::new(collation, "STRASSE  ".into())));
/// # Ok::<(), mysql_collation::LookupError>(())
/// ```
#[derive(Clone)]
pub struct CollatedBuf {
    collation: Collation,
    text: Vec<u8>,
}

impl CollatedBuf {
    /// Pairs a collation with a string in the collation's character set.
    pub const fn new(collation: Collation, text: Vec<u8>) -> Self {
        Self { collation, text }
    }

    /// Borrows the string and its collation.
    pub fn as_collated(&self) -> Collated<'_> {
        Collated::new(self.collation, &self.text)
    }

    /// Returns the string.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the collation.
    pub const fn collation(&self) -> Collation {
        self.collation
    }

    /// Returns the string without its collation.
    pub fn into_text(self) -> Vec<u8> {
        self.text
    }
}

impl Ord for CollatedBuf {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_collated().cmp(&other.as_collated())
    }
}

impl PartialOrd for CollatedBuf {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for CollatedBuf {
    fn eq(&self, other: &Self) -> bool {
        self.as_collated() == other.as_collated()
    }
}

impl Eq for CollatedBuf {}

impl Hash for CollatedBuf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_collated().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap, HashSet};
    use std::format;
    use std::hash::{BuildHasher, RandomState};

    use super::*;
    use crate::mysql::{UTF8MB4_0900_AI_CI, UTF8MB4_BIN, UTF8MB4_GENERAL_CI};

    #[test]
    fn maps_find_owned_strings_by_borrowed_ones() {
        let own = |text: &str| CollatedBuf::new(UTF8MB4_0900_AI_CI, text.into());
        let hashed: HashMap<_, _> = [(own("Straße"), 1), (own("Müller"), 2)].into();
        let sorted: BTreeMap<_, _> = [(own("Straße"), 1), (own("Müller"), 2)].into();
        for (text, expected) in [("STRASSE", Some(&1)), ("muller", Some(&2)), ("Mueller", None)] {
            let key = Collated::new(UTF8MB4_0900_AI_CI, text.as_bytes());
            assert_eq!(hashed.get(&key as &dyn AsCollated), expected, "{text}");
            assert_eq!(sorted.get(&key as &dyn AsCollated), expected, "{text}");
            assert!(key.to_buf() == key.into());
        }
        assert_eq!(format!("{:?}", own("ß\t")), r#"b"\xc3\x9f\t" utf8mb4_0900_ai_ci"#);
        let other = Collated::new(UTF8MB4_GENERAL_CI, "Straße".as_bytes());
        assert_eq!(hashed.get(&other as &dyn AsCollated), None);
    }

    /// Texts with the same suffix have the same `hash_one`, whichever eight bytes or four
    /// characters precede it.
    #[test]
    fn chosen_keys_have_different_hashes() {
        let suffixes = [
            (UTF8MB4_GENERAL_CI, "\u{243F}\u{6A88}\u{85A3}\u{8D3}".as_bytes()),
            (UTF8MB4_BIN, b"\x24\x3F\x6A\x88\x85\xA3\x08\xD3"),
        ];
        let state = RandomState::new();
        for (collation, suffix) in suffixes {
            let length = if collation == UTF8MB4_BIN { 8 } else { 4 };
            let keys: Vec<_> = (0..2000_u32)
                .map(|number| [format!("{number:0length$}").as_bytes(), suffix].concat())
                .map(|text| CollatedBuf::new(collation, text))
                .collect();
            let weak: HashSet<u64> = keys.iter().map(|key| collation.hash_one(&key.text)).collect();
            assert_eq!(weak.len(), 1, "{collation}");
            let hashes: HashSet<u64> = keys.iter().map(|key| state.hash_one(key)).collect();
            assert!(hashes.len() > 1900, "{collation}: {}", hashes.len());
        }
    }
}
