//! The contractions of a block of text, which are written in the place of their characters.
//!
//! A block is written as if each of its bytes had at most one weight, and a contraction's weights take the lanes of its bytes. One of a block
//! may have more weights than bytes, which are written between its lanes and those after it.

use super::contractions::{ShortContraction, ShortContractions};

/// The lanes that the contractions of a block of text take: a byte has a lane.
#[derive(Clone, Copy)]
pub(super) struct Taken<'c> {
    /// The lanes of their characters, which have no weights of their own.
    pub(super) lanes: u64,
    /// The lane after the last one.
    next: u32,
    /// One that has more weights than lanes, and the lane after it.
    long: Option<(u32, &'c ShortContraction)>,
    /// The lane of the first one that is not taken, after which none was looked for.
    pub(super) end: u64,
    /// Whether another block begins with that one; else it is left to the full table.
    is_cut: bool,
}

impl<'c> Taken<'c> {
    pub(super) const NONE: Self = Self { lanes: 0, next: 0, long: None, end: 0, is_cut: false };

    /// Takes the next contraction that begins in one of the lanes `joined`, of a block at `at` that has so many bytes, 64 at most. Answers
    /// its first lane, all of its lanes, and which it is.
    #[inline(always)]
    pub(super) fn next(
        &mut self,
        contractions: &'c ShortContractions,
        joined: &mut u64,
        text: &[u8],
        at: usize,
        bytes: u32,
    ) -> Option<(usize, u64, &'c ShortContraction)> {
        loop {
            let lane = (*joined != 0).then(|| joined.trailing_zeros())?;
            *joined &= *joined - 1;
            // A branch, which is guessed: the next contraction is looked for before this one is known.
            if lane < self.next {
                continue;
            }
            let Some(contraction) = contractions.find(text, at + lane as usize) else { continue };
            let length = u32::from(contraction.length);
            if lane + u32::from(contraction.span) > bytes && !self.may_take(lane, contraction, bytes) {
                self.end = 1 << lane;
                return None;
            }
            let own = ((1 << length) - 1) << lane;
            self.lanes |= own;
            self.next = lane + length;
            return Some((lane as usize, own, contraction));
        }
    }

    /// Whether a contraction is taken that is not one of so many lanes as bytes, all in the block.
    #[cold]
    fn may_take(&mut self, lane: u32, contraction: &'c ShortContraction, bytes: u32) -> bool {
        let end = lane + u32::from(contraction.length);
        let is_known = contraction.length > 0;
        let is_taken = is_known && end <= bytes && self.long.is_none();
        self.is_cut = is_known && !is_taken;
        if is_taken {
            self.long = Some((end, contraction));
        }
        is_taken
    }

    /// The lane after the contraction that has more weights than lanes, and those that have none, if it stands before lane `stop`.
    #[inline(always)]
    pub(super) fn long_before(&self, stop: usize) -> Option<(usize, &'c [u16])> {
        let (end, contraction) = self.long?;
        (end as usize <= stop).then(|| (end as usize, contraction.weights_beyond_lanes()))
    }

    /// Whether another block begins in lane `stop`, at which this one stopped.
    #[inline(always)]
    pub(super) const fn is_cut_at(&self, stop: usize) -> bool {
        self.is_cut && self.end >> stop & 1 == 1
    }
}

/// Writes weights to `out`.
///
/// # Safety
/// There is room.
#[inline(always)]
pub(super) unsafe fn write<const HIGH_FIRST: bool>(weights: &[u16], out: *mut u8) {
    for (index, weight) in weights.iter().enumerate() {
        let bytes = if HIGH_FIRST { weight.to_be_bytes() } else { weight.to_ne_bytes() };
        // SAFETY: the caller's.
        unsafe { out.add(2 * index).cast::<[u8; 2]>().write(bytes) };
    }
}
