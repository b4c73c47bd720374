//! The weight tables: their formats, and how a code point's weights are looked up.

mod contractions;
pub(crate) mod data;
mod level;
mod low;
mod words;

pub(crate) use contractions::{CODE_POINTS as CONTRACTED, Contraction, Contractions};
pub(crate) use level::{HANGUL, LONGEST, Level, POOL, RULES, implicit};
pub(crate) use low::LowOf;

/// What is written by `cargo xtask tables`, and read here.
#[cfg(feature = "oracle")]
pub mod format {
    pub use super::level::{
        HAN, HAN_EXTENSION, HANGUL, KHITAN, LONGEST, NUSHU, POOL, RULES, TANGUT, UNASSIGNED, hangul, implicit,
    };
}

/// One weight for each code point of the Basic Multilingual Plane, and one for all beyond. No code point is ignorable:
/// a weight of 0 is a weight.
pub(crate) struct Simple {
    pub bmp: [u16; 0x1_0000],
    pub beyond: u16,
    pub low: LowOf,
}

impl Simple {
    /// The weight of a code point.
    #[inline(always)]
    pub const fn weight(&self, code_point: u32) -> u16 {
        if code_point < 0x1_0000 { self.bmp[code_point as usize] } else { self.beyond }
    }
}

/// Weights of the Unicode Collation Algorithm: none, one or several a code point and level.
pub(crate) struct Uca {
    /// Primary, secondary and tertiary weights; a table that is used at the primary level alone has no others.
    pub levels: [Option<&'static Level>; 3],
    /// Their first code points, for the fast path.
    pub lows: [Option<&'static LowOf>; 3],
    /// Sequences of code points with weights of their own.
    pub contractions: Option<&'static Contractions>,
    /// Whether WEIGHT_STRING puts a zero between the levels.
    pub separated: bool,
}

/// One or two weights a byte; the second is 0 if there is one only.
pub(crate) type Expanding = [[u8; 2]; 256];
