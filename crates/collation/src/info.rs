//! What a collation is, apart from its weights.

use crate::Flavour;

/// A collation as its server describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The flavour whose catalogue it is in.
    pub flavour: Flavour,
    /// Its id on the wire.
    pub id: u16,
    /// Its full name, such as `utf8mb4_general_ci`.
    pub name: &'static str,
    /// The name of its character set.
    pub charset: &'static str,
    /// Whether trailing spaces count.
    pub pad: Pad,
    /// The levels at which it compares.
    pub levels: Levels,
    /// Whether it is its character set's default.
    pub is_default: bool,
    /// Whether it compares the codes of bytes or characters, not weights.
    pub is_binary: bool,
}

/// What becomes of trailing spaces when two strings are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pad {
    /// A string counts as followed by endlessly many spaces: `'a' = 'a  '`, and `'a\t' < 'a'`.
    PadSpace,
    /// Trailing spaces are characters like any others.
    NoPad,
}

/// The levels at which a collation compares: at the primary one letters differ, at the secondary one accents, at the
/// tertiary one case. Collations of a single weight a character have the primary level only, whatever their name says, and so have those
/// that compare keys of whole texts (`latin2_czech_cs`). Servers are asked which levels a collation has.
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
    /// All of these, and the quaternary level, which tells hiragana from katakana.
    pub const KANA: Self = Self(0b1111);

    /// Whether it compares at this level: 0 is primary, 1 secondary, 2 tertiary, 3 quaternary.
    pub const fn has(self, level: usize) -> bool {
        level < 4 && self.0 >> level & 1 == 1
    }

    /// The levels, in the order in which they are compared.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..4).filter(move |&level| self.has(level))
    }
}
