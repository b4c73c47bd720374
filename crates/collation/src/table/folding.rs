//! One weight for each code point of all planes, a code point: `general1400_as_ci`, which compares characters with their case folded.
//!
//! A file is a row of words: how many code points of the Basic Multilingual Plane have a weight that is not their own number; these, in
//! ascending order, each with its weight; then those of U+10000 to U+1FFFF, of each the lower 16 bits and those of its weight. Beyond,
//! weights are numbers.

use super::simple::Plane;
use super::words::Reader;
use super::{Lazy, LowOf};

/// A file with one weight a code point of all planes.
pub(crate) struct FoldingTable {
    bytes: &'static [u8],
    made: Lazy<Folding>,
}

impl FoldingTable {
    pub const fn new(bytes: &'static [u8]) -> Self {
        Self { bytes, made: Lazy::new() }
    }

    /// The weights.
    #[inline(always)]
    pub fn get(&'static self) -> &'static Folding {
        self.made.get(|| Folding::read(self.bytes))
    }
}

/// The weight of each code point: another one, of the same plane.
pub(crate) struct Folding {
    planes: [Plane; 2],
    pub low: LowOf,
}

impl Folding {
    fn read(bytes: &'static [u8]) -> Self {
        let mut reader = Reader::new(bytes);
        let count = reader.count();
        let first = Plane::read(reader.words(2 * count));
        let second = Plane::read(reader.words(reader.length()));
        let low = LowOf::simple(|code_point| first.weight(code_point).unwrap_or_default());
        Self { planes: [first, second], low }
    }

    /// The weight of a code point.
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
