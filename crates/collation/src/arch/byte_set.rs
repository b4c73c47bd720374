//! Sets of bytes, and how many bytes at the end of a text are in one.

/// Bytes that are told from others one by one, or eight at once.
pub(crate) trait ByteSet: Copy {
    fn has(self, byte: u8) -> bool;

    /// The highest bit of each byte that is in the set, and no other bits.
    fn which(self, bytes: u64) -> u64;
}

/// The highest bit of each byte.
pub(super) const HIGHEST: u64 = each(0x80);

/// Eight times the same byte.
const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// A range of bytes in one half of all, once a bit of each byte is flipped.
///
/// Of eight bytes at once the lower seven bits of each are added to numbers that carry into its highest one.
#[derive(Clone, Copy)]
pub(crate) struct ByteRange {
    pub(super) flip: u8,
    pub(super) first: u8,
    pub(super) last: u8,
    flip_each: u64,
    /// All bits of each byte where the range is beyond ASCII.
    high_each: u64,
    /// What carries from the first byte of the range on.
    from_first: u64,
    /// What carries beyond the last one.
    beyond_last: u64,
}

impl ByteRange {
    /// From the first to the last of these.
    pub(crate) const fn of(first: u8, last: u8) -> Self {
        Self::flipped(0, first, last)
    }

    /// The bytes that are in this range once these bits are flipped.
    pub(crate) const fn flipped(flip: u8, first: u8, last: u8) -> Self {
        assert!(flip < 0x80 && first <= last && (first ^ last) < 0x80, "in one half");
        Self {
            flip,
            first,
            last,
            flip_each: each(flip),
            high_each: each(if first < 0x80 { 0 } else { 0xFF }),
            from_first: each(0x80 - (first & 0x7F)),
            beyond_last: each(0x7F - (last & 0x7F)),
        }
    }

    #[inline(always)]
    pub(crate) const fn contains(&self, byte: u8) -> bool {
        (byte ^ self.flip).wrapping_sub(self.first) <= self.last - self.first
    }
}

impl ByteSet for &ByteRange {
    #[inline(always)]
    fn has(self, byte: u8) -> bool {
        self.contains(byte)
    }

    #[inline(always)]
    fn which(self, bytes: u64) -> u64 {
        let low = (bytes ^ self.flip_each) & !HIGHEST;
        let in_half = !(bytes ^ self.high_each);
        (low + self.from_first) & !(low + self.beyond_last) & in_half & HIGHEST
    }
}

/// How many bytes at the end of a text are in the set; after `most` it need not look on.
#[inline(always)]
pub(crate) fn run_back(set: impl ByteSet, text: &[u8], most: usize) -> usize {
    let mut before = text;
    while text.len() - before.len() < most {
        let Some((rest, &bytes)) = before.split_last_chunk() else {
            return text.len() - before.len() + before.iter().rev().take_while(|&&byte| set.has(byte)).count();
        };
        let others = !set.which(u64::from_le_bytes(bytes)) & HIGHEST;
        if others != 0 {
            return text.len() - before.len() + others.leading_zeros() as usize / 8;
        }
        before = rest;
    }
    text.len() - before.len()
}
