//! Writing the weights of plain text.

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::super::super::codes::{CodedWeights, Codes};
use super::super::super::low::Expansions;
use super::super::super::taken::{Taken, write};
use super::super::super::{FILL_ROOM, Filled, Low};
use super::contractions::take;
use super::lanes;
use super::letters::fill_joined;
use super::low::{
    BLOCK, Block, Table, Two, after, joined_ends, joined_letters, look_up, look_up_two, next_bytes, table, whole_before,
};
use crate::table::{Kind, Pairs};

/// Entries whose high byte is this or above are no weights.
pub(super) const LIMIT: u8 = (Low::SEVERAL >> 8) as u8;

/// # Safety
/// The machine has this backend's instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn fill(low: &Low, text: &[u8], out: &mut [u16]) -> Filled {
    // SAFETY: the room is counted in weights, which is what is written.
    unsafe { fill_for::<false>(low, text, out.as_mut_ptr().cast(), out.len()) }
}

/// # Safety
/// The machine has this backend's instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn fill_key(low: &Low, text: &[u8], out: &mut [MaybeUninit<u8>]) -> Filled {
    // SAFETY: a weight is two bytes.
    unsafe { fill_for::<true>(low, text, out.as_mut_ptr().cast(), out.len() / 2) }
}

/// # Safety
/// There is room for `room` weights at `out`, which need not be aligned.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn fill_for<const HIGH_FIRST: bool>(low: &Low, text: &[u8], out: *mut u8, room: usize) -> Filled {
    // SAFETY: the caller's.
    unsafe {
        let is_joined = low.contractions().is_some();
        let ascii = if is_joined {
            fill_ascii::<HIGH_FIRST, true>(low, text, out, room)
        } else {
            fill_ascii::<HIGH_FIRST, false>(low, text, out, room)
        };
        if ascii == text.len() {
            return Filled { consumed: ascii, produced: ascii };
        }
        match (is_joined, low.codes().is_some()) {
            (false, false) => fill_after::<HIGH_FIRST, false, false>(low, text, out, room, ascii),
            (false, true) => fill_after::<HIGH_FIRST, false, true>(low, text, out, room, ascii),
            (true, false) => fill_joined::<HIGH_FIRST, false>(low, text, out, room, ascii),
            (true, true) => fill_joined::<HIGH_FIRST, true>(low, text, out, room, ascii),
        }
    }
}

/// Goes on after the `ascii` characters of [`fill_ascii`]; by one block where contractions are mostly of two letters, as the next may be one
/// for [`fill_joined`] again.
///
/// By itself: ASCII, and texts without contractions, would wait for registers to be saved.
///
/// # Safety
/// As for [`fill_for`].
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn fill_after<const HIGH_FIRST: bool, const JOINED: bool, const WIDE: bool>(
    low: &Low,
    text: &[u8],
    out: *mut u8,
    room: usize,
    ascii: usize,
) -> Filled {
    const { assert!(FILL_ROOM >= 2 * BLOCK) }
    let (mut consumed, mut produced) = (ascii, ascii);
    let is_one_block = JOINED && low.letter_pairs().is_some();
    let until = if is_one_block { whole_before(low.pairs(), text, ascii) } else { text.len() };
    let rows = low.codes().filter(|_| WIDE).map_or(low.rows(), Codes::rows);
    loop {
        // Loaded again after a block of several weights: kept in registers only among those of one.
        let ascii = Table::of(low.row(0));
        let (expansions, of_two, taken, end) = loop {
            if consumed >= until || room - produced < FILL_ROOM {
                return Filled { consumed, produced };
            }
            // A character of one weight may reach over the end of the block.
            let (end, begin_before) = if JOINED || WIDE {
                let end = whole_before(low.pairs(), text, consumed);
                (end, end)
            } else {
                (after(text, consumed), text.len())
            };
            let mut block = look_up::<JOINED, HIGH_FIRST>(rows, &ascii, text, consumed, begin_before);
            let (mut taken, mut second) = (Taken::NONE, 0);
            if let Some(contractions) = low.contractions().filter(|_| JOINED) {
                taken = take::<HIGH_FIRST, WIDE>(contractions, &mut block, text, consumed, end);
            }
            let several = block.from(LIMIT) & !taken.lanes;
            // A code is not zero: this need not wait for what it stands for.
            let weighed = nonzero([block.high, block.low]);
            if let Some(codes) = low.codes().filter(|_| WIDE) {
                second = decode(codes.weights(), &mut block, !taken.lanes);
            }
            let stop = block.stop(several | taken.end) as usize;
            if stop < BLOCK
                && several >> stop & 1 == 1
                && let Some(expansions) = low.expansions()
            {
                let of_two = BlockOfTwo {
                    leads: block.leads,
                    own: block.starts & !taken.lanes,
                    several,
                    ends: block.strange | taken.end,
                    weights: [block.high, block.low],
                };
                break (expansions, of_two, taken, end);
            }
            let kept = ((block.starts | taken.lanes) & weighed | second) & lanes(stop);
            // SAFETY: there is room for what was written already.
            let to = unsafe { out.add(2 * produced) };
            // SAFETY: there is room for twice as many weights as a block has lanes; a contraction has at most twice as many as lanes.
            produced += unsafe { store_with::<HIGH_FIRST>(&block, kept, taken.long_before(stop), to) };
            if stop == BLOCK {
                consumed = end;
                continue;
            }
            consumed += stop;
            if !taken.is_cut_at(stop) {
                return Filled { consumed, produced };
            }
        };
        // SAFETY: there is room for what was written already.
        let to = unsafe { out.add(2 * produced) };
        // SAFETY: there is room for twice as many weights as a block has lanes.
        let (weights, stop) = unsafe { fill_two::<HIGH_FIRST>(expansions, &of_two, &taken, text, consumed, to) };
        produced += weights;
        match taken.long_before(stop) {
            Some((end, beyond)) => {
                // SAFETY: a contraction has at most twice as many weights as lanes, and so there is room.
                unsafe { write::<HIGH_FIRST>(beyond, out.add(2 * produced)) };
                (consumed, produced) = (consumed + end, produced + beyond.len());
            }
            None if stop == BLOCK => consumed = end,
            None => {
                consumed += stop;
                if !taken.is_cut_at(stop) {
                    return Filled { consumed, produced };
                }
            }
        }
    }
}

/// The lane before each.
static BEFORE: [u8; BLOCK] = {
    let mut lanes = [0; BLOCK];
    let mut lane = 0;
    while lane < BLOCK {
        lanes[lane] = (lane as u8).wrapping_sub(1);
        lane += 1;
    }
    lanes
};

/// Puts the weights that codes in these lanes stand for in the lanes of their characters: the first weight in that of the code, the second one
/// in the next. Answers the lanes of second weights.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn decode(weights: &CodedWeights, block: &mut Block, own: u64) -> u64 {
    // What is no weight is negative. Lanes in which no character begins have what ASCII has, and so no codes.
    let below = _mm512_set1_epi8(CodedWeights::BIT.cast_signed() - 1);
    let coded = _mm512_mask_cmpgt_epi8_mask(own, block.high, below);
    let second = coded << 1;
    let codes = block.high;
    // The first lane has the last one's, and is none of second weights.
    let before = _mm512_permutexvar_epi8(table(&BEFORE), codes);
    let [high, low] = weights.second.each_ref().map(|bytes| _mm512_permutexvar_epi8(before, table(bytes)));
    let first = _mm512_permutexvar_epi8(codes, table(&weights.first));
    block.low = _mm512_mask_mov_epi8(block.low, second, low);
    block.high = _mm512_mask_mov_epi8(_mm512_mask_mov_epi8(block.high, coded, first), second, high);
    second
}

/// A block in which there are characters of two weights.
struct BlockOfTwo {
    /// The lanes of lead bytes of two-byte characters.
    leads: u64,
    /// Those of characters that have weights of their own.
    own: u64,
    /// Those of characters of several weights.
    several: u64,
    /// Where the block ends, whatever the weights.
    ends: u64,
    /// The high bytes and the low bytes in the lanes of contractions.
    weights: [__m512i; 2],
}

/// Writes the weights of such a block. Answers how many, and where it stopped: after a contraction of more weights than lanes at the latest,
/// without those beyond its lanes.
///
/// By itself: blocks of characters of one weight would wait for registers to be saved.
///
/// # Safety
/// There is room for twice [`BLOCK`] weights at `out`.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn fill_two<const HIGH_FIRST: bool>(
    expansions: &Expansions,
    block: &BlockOfTwo,
    taken: &Taken,
    text: &[u8],
    at: usize,
    out: *mut u8,
) -> (usize, usize) {
    let mut two = look_up_two(expansions, block.leads, text, at);
    for (weights, of_contractions) in two.first.iter_mut().zip(block.weights) {
        *weights = _mm512_mask_blend_epi8(taken.lanes, *weights, of_contractions);
    }
    let kept = [nonzero(two.first) & (block.own | taken.lanes), nonzero(two.second) & block.own];
    let stop = (block.several & !kept[1] | block.ends).trailing_zeros() as usize;
    let stop = taken.long_before(stop).map_or(stop, |(end, _)| end);
    let kept = kept.map(|kept| kept & lanes(stop));
    // SAFETY: the caller's.
    unsafe { store_two::<HIGH_FIRST>(&two, kept, out) };
    ((kept[0].count_ones() + kept[1].count_ones()) as usize, stop)
}

/// Writes the weights of the blocks of ASCII at the start in which each character has one weight: nothing is counted there, nor
/// moved. How many characters, and so weights.
///
/// # Safety
/// As for [`fill_for`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn fill_ascii<const HIGH_FIRST: bool, const JOINED: bool>(
    rows: &Low,
    text: &[u8],
    out: *mut u8,
    room: usize,
) -> usize {
    let ascii = Table::of(rows.row(0));
    let mut at = 0;
    while at < text.len() && room - at >= FILL_ROOM {
        let here = lanes(text.len() - at);
        // SAFETY: `at` is within the text, and lanes past its end are not read: spaces stand for them, which have a weight.
        let bytes =
            unsafe { _mm512_mask_loadu_epi8(_mm512_set1_epi8(b' '.cast_signed()), here, text.as_ptr().add(at).cast()) };
        let (high, low) = ascii.choose(spread(bytes));
        let others = _mm512_cmpge_epu8_mask(high, _mm512_set1_epi8(LIMIT.cast_signed()))
            | _mm512_testn_epi8_mask(_mm512_or_si512(high, low), _mm512_set1_epi8(-1));
        if _mm512_movepi8_mask(bytes) | others != 0 {
            break;
        }
        if JOINED && rows.pairs().is_some_and(|pairs| may_join(pairs, bytes, next_bytes(text, at))) {
            break;
        }
        let [first, second] = unpack::<HIGH_FIRST>(high, low);
        // SAFETY: there is room for as many weights as a block has lanes.
        unsafe {
            _mm512_storeu_si512(out.add(2 * at).cast(), first);
            _mm512_storeu_si512(out.add(2 * at + BLOCK).cast(), second);
        }
        at = text.len().min(at + BLOCK);
    }
    at
}

/// Whether a contraction may begin in these bytes, of which all are ASCII.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn may_join(pairs: &Pairs, bytes: __m512i, next: __m512i) -> bool {
    match pairs.kind {
        Kind::Any => joined_ends(pairs, bytes, next) != 0,
        // The last byte may be followed by a lead byte.
        _ => joined_letters::<true>(pairs, bytes, next).letters | _mm512_movepi8_mask(next) != 0,
    }
}

/// The lanes in the order in which [`unpack`] wants them: it takes eight bytes of each quarter in turn.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn spread(lanes: __m512i) -> __m512i {
    _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), lanes)
}

/// Pairs of bytes, of the first 32 lanes and of the others, from lanes that were [`spread`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn unpack<const HIGH_FIRST: bool>(high: __m512i, low: __m512i) -> [__m512i; 2] {
    let (x, y) = if HIGH_FIRST { (high, low) } else { (low, high) };
    [_mm512_unpacklo_epi8(x, y), _mm512_unpackhi_epi8(x, y)]
}

/// Writes the weights of these lanes, and rubbish after them.
///
/// # Safety
/// There is room for [`BLOCK`] weights at `out`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn store<const HIGH_FIRST: bool>(block: &Block, kept: u64, out: *mut u8) {
    let mut halves = unpack::<HIGH_FIRST>(spread(block.high), spread(block.low));
    let mut first = BLOCK / 2;
    // Where no lane is left out between others, as in ASCII, there is nothing to close up.
    if kept & kept.wrapping_add(1) != 0 {
        let of_first = kept as u32;
        halves[0] = _mm512_maskz_compress_epi16(of_first, halves[0]);
        halves[1] = _mm512_maskz_compress_epi16((kept >> 32) as u32, halves[1]);
        first = of_first.count_ones() as usize;
    }
    // SAFETY: a half is 32 weights, and 32 of them at most come before the second one.
    unsafe {
        _mm512_storeu_si512(out.cast(), halves[0]);
        _mm512_storeu_si512(out.add(2 * first).cast(), halves[1]);
    }
}

/// Writes the weights of these lanes, in their place those of a contraction beyond its own lanes, the last of which is before lane `end`, and
/// rubbish after them. Answers how many.
///
/// # Safety
/// There is room for twice [`BLOCK`] weights at `out`. The contraction has no more weights beyond its lanes than it has lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn store_with<const HIGH_FIRST: bool>(
    block: &Block,
    kept: u64,
    long: Option<(usize, &[u16])>,
    out: *mut u8,
) -> usize {
    let count = kept.count_ones() as usize;
    let Some((end, beyond)) = long else {
        // SAFETY: the caller's.
        unsafe { store::<HIGH_FIRST>(block, kept, out) };
        return count;
    };
    let (before, after) = (kept & lanes(end), kept & !lanes(end));
    // SAFETY: up to `end` there are as many weights as lanes at most; a contraction of eight weights at most has four beyond its lanes. So the
    // others, of which the first is kept in no lane before `end`, begin at weight 67 at most; `store` closes them up, and writes no more than
    // their number and a half of a block.
    unsafe {
        store::<HIGH_FIRST>(block, before, out);
        let to = out.add(2 * before.count_ones() as usize);
        write::<HIGH_FIRST>(beyond, to);
        if after != 0 {
            store::<HIGH_FIRST>(block, after, to.add(2 * beyond.len()));
        }
    }
    count + beyond.len()
}

/// The lanes in which one of two bytes is not zero.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn nonzero([high, low]: [__m512i; 2]) -> u64 {
    let both = _mm512_or_si512(high, low);
    _mm512_test_epi8_mask(both, both)
}

/// Writes first and second weights of these lanes, one after the other, and rubbish after them.
///
/// # Safety
/// There is room for twice [`BLOCK`] weights at `out`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn store_two<const HIGH_FIRST: bool>(two: &Two, [mut of_first, mut of_second]: [u64; 2], out: *mut u8) {
    let halves = |[high, low]: [__m512i; 2]| unpack::<HIGH_FIRST>(spread(high), spread(low));
    let (first, second) = (halves(two.first), halves(two.second));
    let mut to = out;
    for half in 0..2 {
        // The lanes of a half in turn: its first sixteen, then the others.
        let (x, y) = (spread(first[half]), spread(second[half]));
        for weights in [_mm512_unpacklo_epi16(x, y), _mm512_unpackhi_epi16(x, y)] {
            let kept = _pdep_u32(of_first as u32, 0x5555_5555) | _pdep_u32(of_second as u32, 0xAAAA_AAAA);
            // SAFETY: 32 weights are written, and three times that at most come before them.
            unsafe { _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi16(kept, weights)) };
            // SAFETY: the same.
            to = unsafe { to.add(2 * kept.count_ones() as usize) };
            (of_first, of_second) = (of_first >> 16, of_second >> 16);
        }
    }
}
