//! The tables of the code points of one and two bytes, derived from the full ones when the library is compiled.

use super::contractions::Contractions;
use super::level::{Level, POOL, RULES};
use crate::arch::Low;

/// A derived table, with what it tells of ASCII.
#[derive(Debug)]
pub(crate) struct LowOf {
    pub low: Low,
    /// Whether upper and lower case of ASCII are one.
    pub folds: bool,
}

impl LowOf {
    /// Of a table of one weight a code point.
    pub const fn simple(bmp: &[u16; 0x1_0000]) -> Self {
        let mut low = [0; 0x800];
        let mut i = 0;
        while i < low.len() {
            // Nothing is ignorable here: a weight of zero is left to the full table.
            low[i] = if bmp[i] == 0 || bmp[i] >= Low::SEVERAL { Low::MARK } else { bmp[i] };
            i += 1;
        }
        Self::new(low)
    }

    /// Of a level of a Unicode table.
    pub const fn level(level: &Level, contractions: Option<&Contractions>) -> Self {
        let mut low = [0; 0x800];
        let mut i = 0;
        while i < low.len() {
            let entry = level.entry(i as u32);
            let goes_on = match contractions {
                Some(contractions) => contractions.later.may_have(i as u32),
                None => false,
            };
            // Offsets into the pool: equal sequences are there once.
            low[i] = if entry >= RULES || goes_on { Low::MARK } else { entry };
            i += 1;
        }
        Self::new(low)
    }

    const fn new(low: [u16; 0x800]) -> Self {
        const { assert!(POOL == Low::SEVERAL) }
        let mut folds = true;
        let mut upper = b'A';
        while upper <= b'Z' {
            folds &= low[upper as usize] == low[upper as usize + 0x20];
            upper += 1;
        }
        Self { low: Low::new(low), folds }
    }
}
