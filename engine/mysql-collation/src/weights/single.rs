//! Tables with one weight per code point, and their weights below U+0800 in the layout of SIMD
//! lookups.

use super::Lazy;
use crate::simd::{CaseVariants, ShortWeights};
use crate::tables::{FoldingTable, SimpleTable};

/// Reads a file of weights, and looks up the weights for [`ShortWeights`].
pub(crate) trait SingleWeightTable {
    fn read(file: &'static [u8]) -> Self;

    /// Returns the weight of a code point below U+0800.
    fn weight_below_800(&self, code_point: usize) -> u16;
}

impl SingleWeightTable for SimpleTable {
    fn read(file: &'static [u8]) -> Self {
        Self::read(file)
    }

    fn weight_below_800(&self, code_point: usize) -> u16 {
        self.weight(code_point as u32)
    }
}

impl SingleWeightTable for FoldingTable {
    fn read(file: &'static [u8]) -> Self {
        Self::read(file)
    }

    fn weight_below_800(&self, code_point: usize) -> u16 {
        self.weight(code_point as u32) as u16
    }
}

/// A file with one weight per code point, read at first use.
pub(crate) struct LazySingleWeightTable<T: 'static> {
    file: &'static [u8],
    prepared: Lazy<PreparedTable<T>>,
}

/// A table, and its weights below U+0800 in the layout of SIMD lookups.
pub(crate) struct PreparedTable<T> {
    pub table: T,
    pub short: ShortWeights,
}

impl<T: SingleWeightTable> LazySingleWeightTable<T> {
    pub const fn new(file: &'static [u8]) -> Self {
        Self { file, prepared: Lazy::new() }
    }

    #[inline(always)]
    pub fn get(&'static self) -> &'static PreparedTable<T> {
        self.prepared.get(|| {
            let table = T::read(self.file);
            // `ShortWeights` reads 0 as ignorable, and values from `MULTIPLE` on as markers. Here
            // both are weights, so these code points are looked up in the full table.
            let entry = |code_point| match table.weight_below_800(code_point) {
                0 | ShortWeights::MULTIPLE.. => ShortWeights::DEFER,
                weight => weight,
            };
            let short = ShortWeights::new(core::array::from_fn(entry), |_| None, None, CaseVariants::None);
            PreparedTable { table, short }
        })
    }
}
