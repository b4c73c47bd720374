//! The contractions of a block of text: those of two letters all at once, the others one by one.

use core::arch::x86_64::*;

use super::super::super::letter_pairs::LetterPairs;
use super::super::super::taken::Taken;
use super::super::super::{Low, ShortContractions};
use super::lanes;
use super::low::{Block, joined_lanes, table};

/// Puts the weights of contractions in the lanes of their characters. Those of two letters have their first weight, or what stands for both,
/// in the lane of the first letter, and none in the next one; answers the lanes of their first letters. `end` is where the block ends.
///
/// An instance for each caller, as in [`look_up`](super::low::look_up).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn take<'c, const HIGH_FIRST: bool, const WIDE: bool>(
    low: &Low,
    contractions: &'c ShortContractions,
    block: &mut Block,
    text: &[u8],
    at: usize,
    end: usize,
) -> (Taken<'c>, u64) {
    let next = text.get(end).copied().unwrap_or_default();
    let letters = low.letter_pairs().filter(|pairs| (block.rows | LetterPairs::row(next)) & pairs.rows == 0);
    let found = letters.map(|pairs| Found::of(pairs, block, lanes(end - at))).filter(|found| !found.overlap);
    let mut joined = match &found {
        Some(found) => found.others,
        None => joined_lanes(contractions.pairs(), block, text, at),
    };
    let mut taken = Taken::NONE;
    while let Some((lane, own, contraction)) = taken.next(contractions, &mut joined, text, at, (end - at) as u32) {
        let [_, high, low] = contraction.windows.each_ref().map(|window| window.at_lane(lane));
        // SAFETY: the lanes that are read are those of the contraction's bytes, from the first one on.
        unsafe {
            block.high = _mm512_mask_loadu_epi8(block.high, own, high.cast());
            block.low = _mm512_mask_loadu_epi8(block.low, own, low.cast());
        }
    }
    let Some(found) = found else { return (taken, 0) };
    let pairs = found.pairs & !taken.lanes;
    if pairs == 0 {
        return (taken, 0);
    }
    block.high = _mm512_mask_mov_epi8(block.high, pairs, found.high);
    block.low = _mm512_mask_mov_epi8(block.low, pairs, found.low);
    block.starts &= !(pairs << 1);
    (taken, pairs)
}

/// What begins in a block.
struct Found {
    /// The lanes of the first letters of contractions of two letters.
    pairs: u64,
    /// The lanes in which others may begin.
    others: u64,
    /// Whether one may begin in the second letter of a pair.
    overlap: bool,
    /// What stands for the weights of the pairs, in the lanes of their first letters.
    high: __m512i,
    low: __m512i,
}

impl Found {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn of(pairs: &LetterPairs, block: &Block, here: u64) -> Self {
        let splat = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
        let (bytes, next) = (block.bytes, block.next);
        // A lookup takes the lowest six bits, and so tells something of other bytes, too, which is masked off.
        let first = _mm512_permutexvar_epi8(bytes, table(&pairs.first));
        let numbers = _mm512_add_epi8(first, _mm512_permutexvar_epi8(next, table(&pairs.second)));
        let letters = _mm512_cmpgt_epi8_mask(bytes, splat(0x3F));
        let both = _mm512_mask_cmpgt_epi8_mask(letters, next, splat(0x3F));
        let high = _mm512_permutexvar_epi8(numbers, table(&pairs.high));
        let low = _mm512_permutexvar_epi8(numbers, table(&pairs.low));
        let known = _mm512_mask_cmplt_epu8_mask(both, high, splat(LetterPairs::LONGER));
        let uneven = _mm512_test_epi8_mask(_mm512_andnot_si512(next, bytes), splat(pairs.uneven));
        let mut others = _mm512_mask_cmpeq_epi8_mask(both, high, splat(LetterPairs::LONGER));
        if pairs.has_doubles {
            let same = _mm512_xor_si512(bytes, next);
            others |= (known | others) >> 1 & _mm512_mask_testn_epi8_mask(both, same, splat(!0x20));
        }
        if pairs.has_long {
            let before_long = _mm512_mask_cmpge_epu8_mask(letters, next, splat(0xC0));
            others |= _mm512_mask_test_epi8_mask(before_long, first, splat(LetterPairs::BEFORE_LONG));
        }
        let pairs = known & !uneven;
        let overlap = pairs << 1 & (pairs | others) != 0;
        // One that reaches over the end is left to the next block.
        let inside = here >> 1;
        Self { pairs: pairs & inside, others: (others | pairs & !inside) & here, overlap, high, low }
    }
}
