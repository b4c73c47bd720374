//! The weights of `general1400_as_ci`: one weight per code point, which is the code point with its
//! case folded.
//!
//! A file consists of 16-bit words. Code points and weights have only their low 16 bits:
//!
//! ```text
//! 1 word         N, the number of code points below U+10000 with weight ≠ code point
//! N × 2 words    code point, weight; ascending
//! 2 words each   the same for U+10000 to U+1FFFF, until the end of the file
//! ```
//!
//! From U+20000 on, a code point is its own weight.

use super::simple::Plane;
use super::words::Reader;

/// A map from each code point to its weight, a code point of the same plane.
pub(crate) struct FoldingTable {
    planes: [Plane; 2],
}

impl FoldingTable {
    pub fn read(bytes: &'static [u8]) -> Self {
        let mut reader = Reader::new(bytes);
        let count = reader.count();
        let first = Plane::read(reader.words(2 * count));
        let second = Plane::read(reader.words(reader.length()));
        Self { planes: [first, second] }
    }

    #[inline(always)]
    pub fn weight(&self, code_point: u32) -> u32 {
        let [first, second] = &self.planes;
        match code_point >> 16 {
            0 => first.weight(code_point as usize).map_or(code_point, u32::from),
            1 => second.weight(code_point as usize & 0xffff).map_or(code_point, |weight| 0x1_0000 | u32::from(weight)),
            _ => code_point,
        }
    }
}
