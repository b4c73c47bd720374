//! The contractions of a block of text.
//!
//! A block is written as if each byte had at most one weight: the weights of a contraction take the
//! lanes of its bytes. One contraction of a block may have more weights than bytes. The surplus is
//! written between its lanes and the lanes after it.

use super::short_contractions::{ShortContraction, ShortContractions};

/// Lanes of the contractions of a block, one lane for each byte.
#[derive(Clone, Copy)]
pub(super) struct BlockContractions<'c> {
    /// Lanes of the contractions' characters, which have no weights of their own.
    pub(super) lanes: u64,
    /// Lane after the last contraction.
    next: u32,
    /// A contraction that has more weights than lanes, and the lane after it.
    surplus: Option<(u32, &'c ShortContraction)>,
    /// Bit of the lane at which the search stopped: a contraction begins there that the block does
    /// not include.
    pub(super) stop_bit: u64,
    /// Whether the next block includes the contraction at `stop_bit`. Otherwise only the full table
    /// has the weights.
    continues: bool,
}

impl<'c> BlockContractions<'c> {
    pub(super) const NONE: Self = Self { lanes: 0, next: 0, surplus: None, stop_bit: 0, continues: false };

    /// Finds the next contraction that begins in one of the lanes `contractible`. The block is at
    /// `at` and has `bytes` bytes, 64 at most. Returns its first lane, a mask of its lanes, and the
    /// contraction.
    #[inline(always)]
    pub(super) fn next(
        &mut self,
        contractions: &'c ShortContractions,
        contractible: &mut u64,
        text: &[u8],
        at: usize,
        bytes: u32,
    ) -> Option<(usize, u64, &'c ShortContraction)> {
        loop {
            let lane = (*contractible != 0).then(|| contractible.trailing_zeros())?;
            *contractible &= *contractible - 1;
            // A branch instead of a mask: it is predicted, so the next search need not wait for
            // this contraction.
            if lane < self.next {
                continue;
            }
            let Some(contraction) = contractions.find(text, at + lane as usize) else { continue };
            let length = u32::from(contraction.length);
            if lane + u32::from(contraction.span) > bytes && !self.try_include(lane, contraction, bytes) {
                self.stop_bit = 1 << lane;
                return None;
            }
            let own = ((1 << length) - 1) << lane;
            self.lanes |= own;
            self.next = lane + length;
            return Some((lane as usize, own, contraction));
        }
    }

    /// Decides on a contraction that reaches over the end of the block or has more weights than
    /// bytes.
    #[cold]
    fn try_include(&mut self, lane: u32, contraction: &'c ShortContraction, bytes: u32) -> bool {
        let end = lane + u32::from(contraction.length);
        let is_known = contraction.length > 0;
        let is_taken = is_known && end <= bytes && self.surplus.is_none();
        self.continues = is_known && !is_taken;
        if is_taken {
            self.surplus = Some((end, contraction));
        }
        is_taken
    }

    /// The lane after the contraction that has more weights than lanes, and its surplus weights, if
    /// it ends before lane `stop`.
    #[inline(always)]
    pub(super) fn surplus_before(&self, stop: usize) -> Option<(usize, &'c [u16])> {
        let (end, contraction) = self.surplus?;
        (end as usize <= stop).then(|| (end as usize, contraction.weights_beyond_lanes()))
    }

    /// Whether the block stopped at lane `stop` before a contraction that the next block includes.
    #[inline(always)]
    pub(super) const fn continues_at(&self, stop: usize) -> bool {
        self.continues && self.stop_bit >> stop & 1 == 1
    }
}

/// Writes weights to `out`, high byte first or in the byte order of the machine.
///
/// # Safety
/// `out` has room for them.
#[inline(always)]
pub(super) unsafe fn write<const HIGH_FIRST: bool>(weights: &[u16], out: *mut u8) {
    for (index, weight) in weights.iter().enumerate() {
        let bytes = if HIGH_FIRST { weight.to_be_bytes() } else { weight.to_ne_bytes() };
        // SAFETY: the caller guarantees the room.
        unsafe { out.add(2 * index).cast::<[u8; 2]>().write(bytes) };
    }
}
