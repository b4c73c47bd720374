//! What the vectors know of a level: the weights of the code points of one and two bytes of UTF-8.

/// The entries of U+0000 to U+07FF on one level: 0 for an ignorable character, a weight below [`Low::SEVERAL`], then numbers that
/// stand for several weights, equal ones for equal weights, and [`Low::MARK`].
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Low {
    entries: [u16; 0x800],
    /// The high and the low bytes of ASCII's entries, each row to be looked up by itself. What has not just one weight is all ones.
    ascii: [[u8; 128]; 2],
}

impl Low {
    /// Entries from here on are no weights.
    pub(crate) const SEVERAL: u16 = 0xC000;
    /// Ask the full table: the weights are computed, or the character may go on a contraction.
    pub(crate) const MARK: u16 = 0xFFFF;

    pub(crate) const fn new(entries: [u16; 0x800]) -> Self {
        let mut ascii = [[0xFF; 128]; 2];
        let mut i = 0;
        while i < 128 {
            if entries[i] != 0 && entries[i] < Self::SEVERAL {
                let [high, low] = entries[i].to_be_bytes();
                ascii[0][i] = high;
                ascii[1][i] = low;
            }
            i += 1;
        }
        Self { entries, ascii }
    }

    /// The entry of a code point below U+0800.
    #[inline(always)]
    pub(crate) const fn entry(&self, code_point: usize) -> u16 {
        self.entries[code_point]
    }

    /// 128 neighbouring entries.
    #[inline(always)]
    pub(crate) fn row(&self, from: usize) -> &[u16] {
        &self.entries[from..from + 128]
    }

    /// The bytes of ASCII's entries, high ones and low ones.
    #[inline(always)]
    pub(crate) fn ascii(&self) -> &[[u8; 128]; 2] {
        &self.ascii
    }

    /// The one weight of a code point below U+0800, if it has one and is of no contraction.
    #[inline(always)]
    pub(crate) fn weight(&self, code_point: usize) -> Option<u16> {
        let entry = self.entries[code_point];
        (entry != 0 && entry < Self::SEVERAL).then_some(entry)
    }
}
