//! Finds the contractions of a block of text.

use core::arch::x86_64::*;

use super::super::super::ShortContractions;
use super::super::super::block_contractions::BlockContractions;
use super::block::{Block, contractible_lanes};

/// Puts the weights of contractions in the lanes of their characters. `end` is the end of the
/// block.
///
/// The constant parameters give each instance of the caller an instance of its own, because a
/// function with several callers would not be inlined.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn put_contractions<'c, const HIGH_FIRST: bool, const FREQUENT_EXPANSIONS: bool>(
    contractions: &'c ShortContractions,
    block: &mut Block,
    text: &[u8],
    at: usize,
    end: usize,
) -> BlockContractions<'c> {
    let mut contractible = contractible_lanes(contractions.pairs(), block, text, at);
    let mut contracted = BlockContractions::NONE;
    while let Some((lane, own, contraction)) =
        contracted.next(contractions, &mut contractible, text, at, (end - at) as u32)
    {
        let [_, high, low] = contraction.windows.each_ref().map(|window| window.at_lane(lane));
        // SAFETY: only the lanes of the contraction's bytes are read, which are within the window.
        unsafe {
            block.high = _mm512_mask_loadu_epi8(block.high, own, high.cast());
            block.low = _mm512_mask_loadu_epi8(block.low, own, low.cast());
        }
    }
    contracted
}
