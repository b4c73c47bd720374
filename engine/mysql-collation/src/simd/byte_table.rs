//! Weights of bytes: the collations of 8-bit character sets.

/// One weight for each byte. Aligned to cache lines, as vectors load it.
#[repr(C, align(64))]
pub(crate) struct ByteTable {
    pub weights: [u8; 256],
    /// Bytes that weigh the same after bit [`Self::CASE`] is flipped.
    ///
    /// Entry: the low four bits of the byte. Bit in the entry: [`Self::ROW`] of the high four bits.
    pub cases: [u8; 16],
}

impl ByteTable {
    /// Bit in which the two cases of a letter differ in ASCII, and mostly in ISO 8859, Windows'
    /// code pages and KOI8.
    pub const CASE: u8 = 0x20;

    /// A bit for each value of the high four bits; values that differ in [`Self::CASE`] share one.
    pub const ROW: [u8; 16] = [1, 2, 1, 2, 4, 8, 4, 8, 16, 32, 16, 32, 64, 128, 64, 128];

    pub const fn new(weights: &[u8; 256]) -> Self {
        let mut cases = [0; 16];
        let mut byte = 0;
        while byte < 256 {
            if weights[byte] == weights[byte ^ Self::CASE as usize] {
                cases[byte & 0xF] |= Self::ROW[byte >> 4];
            }
            byte += 1;
        }
        Self { weights: *weights, cases }
    }

    #[inline(always)]
    pub const fn weight(&self, byte: u8) -> u8 {
        self.weights[byte as usize]
    }
}
