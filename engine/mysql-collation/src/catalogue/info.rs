//! Attributes of a collation.

use super::Flavour;

/// The attributes of a collation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// Flavour whose servers have the collation.
    pub flavour: Flavour,
    /// Id in the client/server protocol.
    pub id: u16,
    /// Full name, such as `utf8mb4_general_ci`.
    pub name: &'static str,
    /// Name of the character set.
    pub charset: &'static str,
    /// Treatment of trailing spaces in comparisons.
    pub pad: Pad,
    /// Levels at which the collation compares.
    pub levels: Levels,
    /// `true` if the collation is the default of its character set in the newest version of its
    /// flavour: for utf8mb4, `utf8mb4_0900_ai_ci` of MySQL and `utf8mb4_uca1400_ai_ci` of MariaDB.
    pub is_default: bool,
    /// `true` if the collation compares the codes of bytes or characters instead of weights.
    pub is_binary: bool,
}

/// Treatment of trailing spaces when two strings are compared (MySQL's `PAD_ATTRIBUTE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pad {
    /// Strings compare as if followed by infinitely many spaces: `'a' = 'a  '`, and `'a\t' < 'a'`.
    PadSpace,
    /// Trailing spaces count like any other characters.
    NoPad,
}

/// The levels at which a collation compares: letters differ at the primary level, accents at the
/// secondary, case at the tertiary.
///
/// Collations with a single weight per character have only the primary level, even if the name ends
/// in `_cs`. Collations that compare keys of whole texts (`latin2_czech_cs`) have only the primary
/// level as well. The levels were determined by queries to servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Levels(u8);

impl Levels {
    /// The primary level alone.
    pub const PRIMARY: Self = Self(0b0001);
    /// Primary and secondary: accents count, case doesn't.
    pub const ACCENTS: Self = Self(0b0011);
    /// Primary and tertiary: case counts, accents don't.
    pub const CASE: Self = Self(0b0101);
    /// Primary, secondary and tertiary: accents and case count.
    pub const ACCENTS_CASE: Self = Self(0b0111);
    /// Primary, secondary, tertiary and quaternary. The quaternary level distinguishes hiragana
    /// from katakana.
    pub const KANA: Self = Self(0b1111);

    /// Returns `true` if the collation compares at this level: 0 is primary, 1 secondary, 2
    /// tertiary, 3 quaternary.
    pub const fn has(self, level: usize) -> bool {
        level < 4 && self.0 >> level & 1 == 1
    }

    /// Iterates over the levels in the order of comparison.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..4).filter(move |&level| self.has(level))
    }
}
