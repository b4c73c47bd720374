//! Writing the weights of text in languages whose contractions are of two letters, mostly.

use core::arch::x86_64::*;

use super::super::super::codes::Codes;
use super::super::super::letter_pairs::LetterPairs;
use super::super::super::{FILL_ROOM, Filled, Low};
use super::fill::{LIMIT, decode, fill_after, nonzero, spread, store, unpack};
use super::low::{BLOCK, Block, Loaded, Table, look_up_loaded, table, whole_before};

/// Goes on after so many characters of ASCII, whose weights are written already, in text with contractions.
///
/// # Safety
/// There is room for `room` weights at `out`, which need not be aligned.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn fill_joined<const HIGH_FIRST: bool, const WIDE: bool>(
    low: &Low,
    text: &[u8],
    out: *mut u8,
    room: usize,
    ascii: usize,
) -> Filled {
    // SAFETY: the caller's.
    unsafe {
        let Some(pairs) = low.letter_pairs() else {
            return fill_after::<HIGH_FIRST, true, WIDE>(low, text, out, room, ascii);
        };
        let filled = fill_letters::<HIGH_FIRST, WIDE>(low, pairs, text, out, room, ascii);
        if filled.consumed == text.len() {
            filled
        } else {
            fill_mixed::<HIGH_FIRST, WIDE>(low, pairs, text, out, room, filled)
        }
    }
}

/// Goes on after what is written already, the next block being one that [`fill_letters`] leaves alone.
///
/// # Safety
/// As for [`fill_joined`].
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn fill_mixed<const HIGH_FIRST: bool, const WIDE: bool>(
    low: &Low,
    pairs: &LetterPairs,
    text: &[u8],
    out: *mut u8,
    room: usize,
    mut filled: Filled,
) -> Filled {
    while filled.consumed < text.len() {
        // SAFETY: there is room for what was written already.
        let rest = |filled: Filled| unsafe {
            (&text[filled.consumed..], out.add(2 * filled.produced), room - filled.produced)
        };
        let (text, out, room) = rest(filled);
        // SAFETY: the caller's.
        let block = unsafe { fill_after::<HIGH_FIRST, true, WIDE>(low, text, out, room, 0) };
        filled = filled.and(block);
        if block.consumed < whole_before(low.pairs(), text, 0) {
            break;
        }
        let (text, out, room) = rest(filled);
        // SAFETY: the caller's.
        filled = filled.and(unsafe { fill_letters::<HIGH_FIRST, WIDE>(low, pairs, text, out, room, 0) });
    }
    filled
}

/// Goes on after so many characters of ASCII by blocks with nothing but characters of one weight, or two for which there is a code, and
/// contractions of two letters and their plain doubles. Stops before the first other block.
///
/// By itself, and it calls nothing: so all that it needs stays in registers.
///
/// # Safety
/// As for [`fill_joined`].
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn fill_letters<const HIGH_FIRST: bool, const WIDE: bool>(
    low: &Low,
    pairs: &LetterPairs,
    text: &[u8],
    out: *mut u8,
    room: usize,
    ascii: usize,
) -> Filled {
    const { assert!(FILL_ROOM >= 2 * BLOCK) }
    let (mut consumed, mut produced) = (ascii, ascii);
    let codes = low.codes().filter(|_| WIDE);
    let rows = codes.map_or(low.rows(), Codes::rows);
    let ascii = Table::of(low.row(0));
    while consumed < text.len() && room - produced >= FILL_ROOM {
        let loaded = Loaded::whole_before(low.pairs(), text, consumed);
        let here = loaded.here;
        let mut block = look_up_loaded::<true>(rows, &ascii, text, consumed, loaded);
        let end = consumed + here.trailing_ones() as usize;
        let Some(doubles) = join(pairs, &mut block, here).filter(|_| !pairs.may_go_on(block.rows, text, end)) else {
            break;
        };
        let weighed = nonzero([block.high, block.low]);
        let second = codes.map_or(0, |codes| decode(codes.weights(), &mut block, u64::MAX));
        let kept = block.starts & weighed | second;
        let doubles = doubles & second >> 2;
        // SAFETY: there is room for what was written already, and for twice as many weights as a block has lanes.
        unsafe {
            let to = out.add(2 * produced);
            if doubles == 0 {
                store::<HIGH_FIRST>(&block, kept, to);
            } else {
                store_doubled::<HIGH_FIRST>(&block, kept, doubles, to);
            }
        }
        produced += (kept.count_ones() + doubles.count_ones()) as usize;
        consumed = end;
    }
    Filled { consumed, produced }
}

/// Puts what stands for the weights of contractions of two letters in the lanes of the first ones; the second ones begin nothing then. Answers
/// the lanes of letters that begin plain doubles; `None` if there are other contractions, or characters of several weights that have no code.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn join(pairs: &LetterPairs, block: &mut Block, here: u64) -> Option<u64> {
    let splat = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
    let is_letter = |bytes| _mm512_cmpgt_epi8_mask(bytes, splat(0x3F));
    let (bytes, next) = (block.bytes, block.next);
    let letters = is_letter(bytes);
    let first = _mm512_maskz_permutexvar_epi8(letters, bytes, table(&pairs.first));
    let second = _mm512_maskz_permutexvar_epi8(is_letter(next), next, table(&pairs.second));
    let numbers = _mm512_add_epi8(first, second);
    let high = _mm512_permutexvar_epi8(numbers, table(&pairs.high));
    let known = _mm512_cmpneq_epi8_mask(high, splat(LetterPairs::NONE));
    block.high = _mm512_mask_mov_epi8(block.high, known, high);
    block.low = _mm512_mask_permutexvar_epi8(block.low, known, numbers, table(&pairs.low));
    // What stands for a pair that may be longer is no weight.
    let mut others = block.strange | block.from(LIMIT);
    // Pairs that overlap, or reach over the end.
    others |= known << 1 & (known | !here);
    others |= _mm512_mask_test_epi8_mask(known, _mm512_andnot_si512(next, bytes), splat(pairs.uneven));
    if pairs.has_long {
        let before_long = _mm512_mask_cmpge_epu8_mask(letters, next, splat(0xC0));
        others |= before_long & _mm512_movepi8_mask(first);
    }
    let mut doubles = 0;
    if pairs.has_doubles {
        let same = _mm512_testn_epi8_mask(_mm512_xor_si512(bytes, next), splat(!0x20));
        doubles = same & known >> 1;
        if doubles != 0 {
            let small = _mm512_test_epi8_mask(bytes, splat(0x20));
            let mixed = small ^ small >> 1;
            // One half of the block has both weights of the pair.
            let is_plain = if pairs.has_plain_doubles { !(mixed | mixed >> 1 | 0b11 << 30) & here >> 2 } else { 0 };
            others |= doubles & (known << 1 | !is_plain);
        }
    }
    block.starts &= !(known << 1);
    (others == 0).then_some(doubles)
}

/// Writes the weights of these lanes, after those in `doubles` the second weight of the pair in the next lane, and rubbish after them.
///
/// # Safety
/// There is room for twice [`BLOCK`] weights at `out`. Doubles and the two lanes after each are kept.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn store_doubled<const HIGH_FIRST: bool>(block: &Block, kept: u64, doubles: u64, out: *mut u8) {
    let mut to = out;
    for (half, shift) in unpack::<HIGH_FIRST>(spread(block.high), spread(block.low)).into_iter().zip([0, BLOCK / 2]) {
        let (kept, mut left) = ((kept >> shift) as u32, (doubles >> shift) as u32);
        let weights = _mm512_maskz_compress_epi16(kept, half);
        // SAFETY: 32 weights are written, after 42 of the other half at most: of 32 lanes there are ten doubles.
        unsafe { _mm512_storeu_si512(to.cast(), weights) };
        while left != 0 {
            let before = (kept & (left ^ (left - 1))).count_ones();
            left &= left - 1;
            let order = _mm512_add_epi16(table_of(&SECOND_AND_ALL), _mm512_set1_epi16(before as i16));
            // SAFETY: 32 weights are written, after 32 and ten of this half at most.
            unsafe {
                _mm512_storeu_si512(to.add(2 * before as usize).cast(), _mm512_permutexvar_epi16(order, weights));
                to = to.add(2);
            }
        }
        // SAFETY: so many were written.
        to = unsafe { to.add(2 * kept.count_ones() as usize) };
    }
}

/// A second weight, and all from the first one on.
static SECOND_AND_ALL: [u16; BLOCK / 2] = {
    let mut order = [1; BLOCK / 2];
    let mut i = 1;
    while i < BLOCK / 2 {
        order[i] = i as u16 - 1;
        i += 1;
    }
    order
};

/// As [`table`].
#[inline]
#[target_feature(enable = "avx512f")]
fn table_of(lanes: &[u16; BLOCK / 2]) -> __m512i {
    // SAFETY: there are the 64 bytes that are read.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}
