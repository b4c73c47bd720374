//! Orders of bytes: the weights of 8-bit character sets.

/// A weight for each byte. Vectors are loaded with these: none lies in two lines of the cache.
#[repr(C, align(64))]
pub(crate) struct ByteOrder {
    pub weights: [u8; 256],
    /// Which bytes weigh what the byte does that differs in [`Self::CASE`]: at their lowest four bits, the bit that [`Self::ROW`] has at their
    /// highest four.
    pub cases: [u8; 16],
}

impl ByteOrder {
    /// The bit in which the two cases of a letter differ: in ASCII, and of most letters of ISO 8859, Windows' code pages and KOI8.
    pub const CASE: u8 = 0x20;

    /// A bit for each sixteen bytes, the same for those that differ in [`Self::CASE`].
    pub const ROW: [u8; 16] = [1, 2, 1, 2, 4, 8, 4, 8, 16, 32, 16, 32, 64, 128, 64, 128];

    pub const fn of(weights: &[u8; 256]) -> Self {
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
