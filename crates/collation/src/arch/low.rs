//! What the vectors know of a level: the weights of the code points of one and two bytes of UTF-8.

use crate::table::Pairs;

/// The entries of U+0000 to U+07FF on one level: 0 for an ignorable character, a weight below [`Low::SEVERAL`], then numbers that
/// stand for several weights, equal ones for equal weights, and [`Low::MARK`].
#[derive(Debug)]
pub(crate) struct Low {
    entries: [u16; 0x800],
    /// Which bytes may be within a contraction, where the vectors have to look for these.
    pairs: Option<&'static Pairs>,
    /// The same again.
    #[cfg(target_arch = "x86_64")]
    rows: [Row; 16],
}

/// The entries of 128 neighbouring code points, high bytes and low bytes each by themselves: vectors look up bytes.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Row {
    pub(crate) high: [u8; 128],
    pub(crate) low: [u8; 128],
}

#[cfg(target_arch = "x86_64")]
impl Row {
    const fn all_of(entries: &[u16; 0x800]) -> [Self; 16] {
        let mut rows = [Self { high: [0; 128], low: [0; 128] }; 16];
        let mut i = 0;
        while i < entries.len() {
            let [high, low] = entries[i].to_be_bytes();
            rows[i >> 7].high[i & 127] = high;
            rows[i >> 7].low[i & 127] = low;
            i += 1;
        }
        rows
    }
}

impl Low {
    /// Entries from here on are no weights.
    pub(crate) const SEVERAL: u16 = 0xC000;
    /// Ask the full table: the weights are computed, or the character may continue a contraction. No other entry has this high byte.
    pub(crate) const MARK: u16 = 0xFFFF;

    pub(crate) const fn new(mut entries: [u16; 0x800], pairs: Option<&'static Pairs>) -> Self {
        let mut i = 0;
        while i < entries.len() {
            if entries[i] >= Self::MARK & 0xFF00 {
                entries[i] = Self::MARK;
            }
            i += 1;
        }
        Self {
            #[cfg(target_arch = "x86_64")]
            rows: Row::all_of(&entries),
            entries,
            pairs,
        }
    }

    /// Which bytes may be within a contraction, where the vectors have to look for these.
    #[inline(always)]
    pub(crate) const fn pairs(&self) -> Option<&'static Pairs> {
        self.pairs
    }

    /// The entry of a code point below U+0800.
    #[inline(always)]
    pub(crate) const fn entry(&self, code_point: usize) -> u16 {
        self.entries[code_point]
    }

    /// The row with this number: its code points begin at 128 times that.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn row(&self, number: usize) -> &Row {
        &self.rows[number]
    }

    /// The one weight of a code point below U+0800, if it has one and is of no contraction.
    #[inline(always)]
    pub(crate) fn weight(&self, code_point: usize) -> Option<u16> {
        let entry = self.entries[code_point];
        (entry != 0 && entry < Self::SEVERAL).then_some(entry)
    }
}
