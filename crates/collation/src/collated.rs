//! Strings under a collation, as keys of maps and sets.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::hash::{Hash, Hasher};

use crate::Collation;

/// A string under a collation, borrowed: equal, ordered and hashed as the collation has it.
///
/// Keys of different collations are never equal; they are ordered by flavour and id of their collations.
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
#[derive(Clone, Copy, Debug)]
pub struct Collated<'a> {
    collation: Collation,
    text: &'a [u8],
}

impl<'a> Collated<'a> {
    /// A string, in the collation's character set.
    pub const fn new(collation: Collation, text: &'a [u8]) -> Self {
        Self { collation, text }
    }

    /// The string.
    pub const fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Its collation.
    pub const fn collation(&self) -> Collation {
        self.collation
    }

    /// The same with a string of its own.
    pub fn to_owned(&self) -> CollatedBuf {
        CollatedBuf { collation: self.collation, text: self.text.to_vec() }
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
        self.collation.hash_into(self.text, state);
    }
}

/// A string under a collation, owned: as [`Collated`].
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
#[derive(Clone, Debug)]
pub struct CollatedBuf {
    collation: Collation,
    text: Vec<u8>,
}

impl CollatedBuf {
    /// A string, in the collation's character set.
    pub const fn new(collation: Collation, text: Vec<u8>) -> Self {
        Self { collation, text }
    }

    /// The same, borrowed.
    pub fn as_collated(&self) -> Collated<'_> {
        Collated::new(self.collation, &self.text)
    }

    /// The string, without its collation.
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
