//! The contractions of a block of text, one by one.

use core::arch::x86_64::*;

use super::super::super::ShortContractions;
use super::super::super::taken::Taken;
use super::low::{Block, joined_lanes};

/// Puts the weights of contractions in the lanes of their characters. `end` is where the block ends.
///
/// An instance for each caller, as in [`look_up`](super::low::look_up).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn take<'c, const HIGH_FIRST: bool, const WIDE: bool>(
    contractions: &'c ShortContractions,
    block: &mut Block,
    text: &[u8],
    at: usize,
    end: usize,
) -> Taken<'c> {
    let mut joined = joined_lanes(contractions.pairs(), block, text, at);
    let mut taken = Taken::NONE;
    while let Some((lane, own, contraction)) = taken.next(contractions, &mut joined, text, at, (end - at) as u32) {
        let [_, high, low] = contraction.windows.each_ref().map(|window| window.at_lane(lane));
        // SAFETY: the lanes that are read are those of the contraction's bytes, from the first one on.
        unsafe {
            block.high = _mm512_mask_loadu_epi8(block.high, own, high.cast());
            block.low = _mm512_mask_loadu_epi8(block.low, own, low.cast());
        }
    }
    taken
}
