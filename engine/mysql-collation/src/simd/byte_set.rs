//! Sets of bytes, and the length of the run of such bytes at the end of a text.

/// A set of bytes, tested one at a time or eight at once.
pub(crate) trait ByteSet: Copy {
    fn has(self, byte: u8) -> bool;

    /// Returns eight bytes: 0x80 where a byte of `bytes` is in the set, else zero.
    fn members(self, bytes: u64) -> u64;
}

pub(super) const HIGHEST: u64 = repeat_byte(0x80);

const fn repeat_byte(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// A range of bytes within one half (below 0x80, or from there on), after some bits of each byte
/// are flipped.
///
/// Eight bytes are tested at once. Two sums with the lower seven bits of each byte carry into the
/// highest bit: one for bytes from the first on, the other for bytes above the last.
#[derive(Clone, Copy)]
pub(crate) struct ByteRange {
    pub(super) flip: u8,
    pub(super) first: u8,
    pub(super) last: u8,
    flip_each: u64,
    /// All bits of each byte if the range is beyond ASCII; else zero.
    high_each: u64,
    /// Addends that carry for bytes no less than the first.
    from_first: u64,
    /// Addends that carry for bytes above the last.
    beyond_last: u64,
}

impl ByteRange {
    /// Range from `first` to `last`, both included.
    pub(crate) const fn new(first: u8, last: u8) -> Self {
        Self::flipped(0, first, last)
    }

    /// Bytes that are in the range after the bits of `flip` are flipped.
    pub(crate) const fn flipped(flip: u8, first: u8, last: u8) -> Self {
        assert!(flip < 0x80 && first <= last && (first ^ last) < 0x80, "in one half");
        Self {
            flip,
            first,
            last,
            flip_each: repeat_byte(flip),
            high_each: repeat_byte(if first < 0x80 { 0 } else { 0xFF }),
            from_first: repeat_byte(0x80 - (first & 0x7F)),
            beyond_last: repeat_byte(0x7F - (last & 0x7F)),
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
    fn members(self, bytes: u64) -> u64 {
        let low = (bytes ^ self.flip_each) & !HIGHEST;
        let in_half = !(bytes ^ self.high_each);
        (low + self.from_first) & !(low + self.beyond_last) & in_half & HIGHEST
    }
}

/// Number of bytes at the end of a text that are in the set. Stops counting at about `most`.
#[inline(always)]
pub(crate) fn trailing_run(set: impl ByteSet, text: &[u8], most: usize) -> usize {
    let mut before = text;
    while text.len() - before.len() < most {
        let Some((rest, &bytes)) = before.split_last_chunk() else {
            return text.len() - before.len() + before.iter().rev().take_while(|&&byte| set.has(byte)).count();
        };
        let others = !set.members(u64::from_le_bytes(bytes)) & HIGHEST;
        if others != 0 {
            return text.len() - before.len() + others.leading_zeros() as usize / 8;
        }
        before = rest;
    }
    text.len() - before.len()
}
