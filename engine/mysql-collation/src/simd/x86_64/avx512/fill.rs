//! Writes the weights of text.
//!
//! Written by hand instead of instantiating [`generic`](super::super::super::fill) for 64 lanes.
//! Compared with the generic algorithm on AVX2, on one Xeon (bench `instruction_sets`): sort keys
//! of 119 ASCII characters take 1 / 1.24 of the time, of 100 Russian characters 1 / 2.2. Tails are
//! masked, entries stay in registers between blocks, and codes ([`Codes`]) look up two weights at
//! once.

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::super::super::block_contractions::{BlockContractions, write};
use super::super::super::byte_pairs::{BytePairs, PairBytes};
use super::super::super::expansion_codes::{CodedWeights, Codes};
use super::super::super::short_weights::Expansions;
use super::super::super::{FILL_ROOM, Filled, ShortWeights};
use super::block::{
    BLOCK, Block, RowRegisters, TwoWeights, boundary_after, boundary_before, contractible_ends, contractible_letters,
    load_64, look_up, look_up_two, next_bytes,
};
use super::contractions::put_contractions;
use super::lanes;

/// Entries with this high byte or a greater one are not single weights.
pub(super) const LIMIT: u8 = (ShortWeights::MULTIPLE >> 8) as u8;

/// # Safety
/// The machine has the instruction set of this backend.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn fill(low: &ShortWeights, text: &[u8], out: &mut [u16]) -> Filled {
    // SAFETY: the room is counted in weights, which is what is written.
    unsafe { fill_for::<false>(low, text, out.as_mut_ptr().cast(), out.len()) }
}

/// # Safety
/// The machine has the instruction set of this backend.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn fill_key(low: &ShortWeights, text: &[u8], out: &mut [MaybeUninit<u8>]) -> Filled {
    // SAFETY: a weight is two bytes.
    unsafe { fill_for::<true>(low, text, out.as_mut_ptr().cast(), out.len() / 2) }
}

/// # Safety
/// `out` has room for `room` weights. It may be unaligned.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn fill_for<const HIGH_FIRST: bool>(low: &ShortWeights, text: &[u8], out: *mut u8, room: usize) -> Filled {
    // SAFETY: the caller guarantees it.
    unsafe {
        let may_contract_at = low.contractions().is_some();
        let ascii = if may_contract_at {
            fill_ascii::<HIGH_FIRST, true>(low, text, out, room)
        } else {
            fill_ascii::<HIGH_FIRST, false>(low, text, out, room)
        };
        if ascii == text.len() {
            return Filled { consumed: ascii, produced: ascii };
        }
        match (may_contract_at, low.codes().is_some()) {
            (false, false) => fill_after::<HIGH_FIRST, false, false>(low, text, out, room, ascii),
            (false, true) => fill_after::<HIGH_FIRST, false, true>(low, text, out, room, ascii),
            (true, false) => fill_after::<HIGH_FIRST, true, false>(low, text, out, room, ascii),
            (true, true) => fill_after::<HIGH_FIRST, true, true>(low, text, out, room, ascii),
        }
    }
}

/// Writes the weights after the `ascii` characters that [`fill_ascii`] wrote.
///
/// Not inlined: ASCII, and levels without contractions, would wait for registers to be saved.
///
/// # Safety
/// As for [`fill_for`].
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn fill_after<const HIGH_FIRST: bool, const CONTRACTS: bool, const FREQUENT_EXPANSIONS: bool>(
    low: &ShortWeights,
    text: &[u8],
    out: *mut u8,
    room: usize,
    ascii: usize,
) -> Filled {
    const { assert!(FILL_ROOM >= 2 * BLOCK) }
    let (mut consumed, mut produced) = (ascii, ascii);
    let rows = low.codes().filter(|_| FREQUENT_EXPANSIONS).map_or(low.rows(), Codes::rows);
    loop {
        // Loaded again after a block with characters of several weights, which needs the registers.
        let ascii = RowRegisters::new(low.row(0));
        let (expansions, of_two, contracted, end) = loop {
            if consumed >= text.len() || room - produced < FILL_ROOM {
                return Filled { consumed, produced };
            }
            // Without contractions and codes, a two-byte character may end after the block.
            let (end, begin_before) = if CONTRACTS || FREQUENT_EXPANSIONS {
                let end = boundary_before(low.pairs(), text, consumed);
                (end, end)
            } else {
                (boundary_after(text, consumed), text.len())
            };
            let mut block = look_up::<CONTRACTS, HIGH_FIRST>(rows, &ascii, text, consumed, begin_before);
            let (mut contracted, mut second) = (BlockContractions::NONE, 0);
            if let Some(contractions) = low.contractions().filter(|_| CONTRACTS) {
                contracted =
                    put_contractions::<HIGH_FIRST, FREQUENT_EXPANSIONS>(contractions, &mut block, text, consumed, end);
            }
            let several = block.lanes_at_least(LIMIT) & !contracted.lanes;
            // A code is not zero, so this need not wait for decoding.
            let weighted = nonzero([block.high, block.low]);
            if let Some(codes) = low.codes().filter(|_| FREQUENT_EXPANSIONS) {
                second = decode(codes.weights(), &mut block, !contracted.lanes);
            }
            let stop = block.first_stop_lane(several | contracted.stop_bit) as usize;
            if stop < BLOCK
                && several >> stop & 1 == 1
                && let Some(expansions) = low.expansions()
            {
                let of_two = TwoWeightBlock {
                    leads: block.leads,
                    own: block.starts & !contracted.lanes,
                    several,
                    ends: block.unsupported | contracted.stop_bit,
                    weights: [block.high, block.low],
                };
                break (expansions, of_two, contracted, end);
            }
            let kept = ((block.starts | contracted.lanes) & weighted | second) & lanes(stop);
            // SAFETY: there is room for what was written already.
            let to = unsafe { out.add(2 * produced) };
            // SAFETY: there is room for twice as many weights as a block has lanes; a contraction
            // has at most twice as many as lanes.
            produced += unsafe { store_with::<HIGH_FIRST>(&block, kept, contracted.surplus_before(stop), to) };
            if stop == BLOCK {
                consumed = end;
                continue;
            }
            consumed += stop;
            if !contracted.continues_at(stop) {
                return Filled { consumed, produced };
            }
        };
        // SAFETY: there is room for what was written already.
        let to = unsafe { out.add(2 * produced) };
        // SAFETY: there is room for twice as many weights as a block has lanes.
        let (weights, stop) = unsafe { fill_two::<HIGH_FIRST>(expansions, &of_two, &contracted, text, consumed, to) };
        produced += weights;
        match contracted.surplus_before(stop) {
            Some((end, beyond)) => {
                // SAFETY: a contraction has at most twice as many weights as lanes, and so there is
                // room.
                unsafe { write::<HIGH_FIRST>(beyond, out.add(2 * produced)) };
                (consumed, produced) = (consumed + end, produced + beyond.len());
            }
            None if stop == BLOCK => consumed = end,
            None => {
                consumed += stop;
                if !contracted.continues_at(stop) {
                    return Filled { consumed, produced };
                }
            }
        }
    }
}

/// For each lane, the index of the lane before it.
static BEFORE: [u8; BLOCK] = {
    let mut lanes = [0; BLOCK];
    let mut lane = 0;
    while lane < BLOCK {
        lanes[lane] = (lane as u8).wrapping_sub(1);
        lane += 1;
    }
    lanes
};

/// Replaces codes in these lanes by weights: the first weight in the lane of the code, the second
/// in the next lane. Returns the lanes of second weights.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn decode(weights: &CodedWeights, block: &mut Block, own: u64) -> u64 {
    // Entries from `MULTIPLE` on are negative. Lanes in which no character begins hold ASCII's
    // entries, which are never codes.
    let below = _mm512_set1_epi8(CodedWeights::BIT.cast_signed() - 1);
    let coded = _mm512_mask_cmpgt_epi8_mask(own, block.high, below);
    let second = coded << 1;
    let codes = block.high;
    // The first lane gets the last lane's value; no second weight is there.
    let before = _mm512_permutexvar_epi8(load_64(&BEFORE), codes);
    let [high, low] = weights.second.each_ref().map(|bytes| _mm512_permutexvar_epi8(before, load_64(bytes)));
    let first = _mm512_permutexvar_epi8(codes, load_64(&weights.first));
    block.low = _mm512_mask_mov_epi8(block.low, second, low);
    block.high = _mm512_mask_mov_epi8(_mm512_mask_mov_epi8(block.high, coded, first), second, high);
    second
}

/// A block with characters of two weights.
struct TwoWeightBlock {
    /// Lanes of the lead bytes of two-byte characters.
    leads: u64,
    /// Lanes of characters that are not in a contraction.
    own: u64,
    /// Lanes of characters of several weights, or deferred to the full table.
    several: u64,
    /// Lanes that end the block, independent of the weights.
    ends: u64,
    /// High bytes and low bytes in the lanes of contractions.
    weights: [__m512i; 2],
}

/// Writes the weights of a block with characters of two weights. Returns their number, and the lane
/// at which it stopped: at the latest after a contraction of more weights than lanes, without its
/// surplus.
///
/// Not inlined: blocks of single weights would wait for registers to be saved.
///
/// # Safety
/// `out` has room for twice [`BLOCK`] weights.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn fill_two<const HIGH_FIRST: bool>(
    expansions: &Expansions,
    block: &TwoWeightBlock,
    contracted: &BlockContractions,
    text: &[u8],
    at: usize,
    out: *mut u8,
) -> (usize, usize) {
    let mut two = look_up_two(expansions, block.leads, text, at);
    for (weights, of_contractions) in two.first.iter_mut().zip(block.weights) {
        *weights = _mm512_mask_blend_epi8(contracted.lanes, *weights, of_contractions);
    }
    let kept = [nonzero(two.first) & (block.own | contracted.lanes), nonzero(two.second) & block.own];
    let stop = (block.several & !kept[1] | block.ends).trailing_zeros() as usize;
    let stop = contracted.surplus_before(stop).map_or(stop, |(end, _)| end);
    let kept = kept.map(|kept| kept & lanes(stop));
    // SAFETY: the caller guarantees it.
    unsafe { store_two::<HIGH_FIRST>(&two, kept, out) };
    ((kept[0].count_ones() + kept[1].count_ones()) as usize, stop)
}

/// Writes the weights of the leading ASCII, block by block. Stops before the first block with a
/// character that does not have one weight, or may begin a contraction. Returns the number of
/// characters, which is the number of weights.
///
/// # Safety
/// As for [`fill_for`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn fill_ascii<const HIGH_FIRST: bool, const CONTRACTS: bool>(
    rows: &ShortWeights,
    text: &[u8],
    out: *mut u8,
    room: usize,
) -> usize {
    let ascii = RowRegisters::new(rows.row(0));
    let mut at = 0;
    while at < text.len() && room - at >= FILL_ROOM {
        let here = lanes(text.len() - at);
        // SAFETY: `at` is within the text. Lanes past its end are not read; they hold spaces, which
        // have a weight.
        let bytes =
            unsafe { _mm512_mask_loadu_epi8(_mm512_set1_epi8(b' '.cast_signed()), here, text.as_ptr().add(at).cast()) };
        let (high, low) = ascii.lookup_128(spread(bytes));
        let others = _mm512_cmpge_epu8_mask(high, _mm512_set1_epi8(LIMIT.cast_signed()))
            | _mm512_testn_epi8_mask(_mm512_or_si512(high, low), _mm512_set1_epi8(-1));
        if _mm512_movepi8_mask(bytes) | others != 0 {
            break;
        }
        if CONTRACTS && rows.pairs().is_some_and(|pairs| may_contract(pairs, bytes, next_bytes(text, at))) {
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

/// Whether a contraction may begin in these bytes, which are all ASCII.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn may_contract(pairs: &BytePairs, bytes: __m512i, next: __m512i) -> bool {
    match pairs.kind {
        PairBytes::Any => contractible_ends(pairs, bytes, next) != 0,
        // A lead byte may follow the last byte.
        _ => contractible_letters::<true>(pairs, bytes, next).letters | _mm512_movepi8_mask(next) != 0,
    }
}

/// Orders lanes for [`unpack`], which takes eight bytes of each quarter in turn.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn spread(lanes: __m512i) -> __m512i {
    _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), lanes)
}

/// Pairs of bytes of the first 32 lanes, and of the last 32, from [`spread`] lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn unpack<const HIGH_FIRST: bool>(high: __m512i, low: __m512i) -> [__m512i; 2] {
    let (x, y) = if HIGH_FIRST { (high, low) } else { (low, high) };
    [_mm512_unpacklo_epi8(x, y), _mm512_unpackhi_epi8(x, y)]
}

/// Writes the weights of the lanes `kept`, without gaps, and arbitrary bytes after them.
///
/// # Safety
/// `out` has room for [`BLOCK`] weights.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn store<const HIGH_FIRST: bool>(block: &Block, kept: u64, out: *mut u8) {
    let mut halves = unpack::<HIGH_FIRST>(spread(block.high), spread(block.low));
    let mut first = BLOCK / 2;
    // ASCII has no gaps between lanes to remove.
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

/// Writes the weights of the lanes `kept`, without gaps, and arbitrary bytes after them. Inserts
/// the surplus weights of a contraction before lane `end`. Returns the number of weights.
///
/// # Safety
/// `out` has room for twice [`BLOCK`] weights. The contraction has no more surplus weights than
/// lanes.
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
        // SAFETY: the caller guarantees it.
        unsafe { store::<HIGH_FIRST>(block, kept, out) };
        return count;
    };
    let (before, after) = (kept & lanes(end), kept & !lanes(end));
    // SAFETY: up to lane `end` there are at most as many weights as lanes; a contraction has at
    // most eight weights, four of them beyond its lanes. The weights after `end` therefore begin at
    // weight 67 at most. For these, `store` writes at most their number and half a block.
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

/// Lanes in which one of two bytes is not zero.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn nonzero([high, low]: [__m512i; 2]) -> u64 {
    let both = _mm512_or_si512(high, low);
    _mm512_test_epi8_mask(both, both)
}

/// Writes the first and second weights of these lanes, lane by lane, and arbitrary bytes after
/// them.
///
/// # Safety
/// `out` has room for twice [`BLOCK`] weights.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn store_two<const HIGH_FIRST: bool>(two: &TwoWeights, [mut of_first, mut of_second]: [u64; 2], out: *mut u8) {
    let halves = |[high, low]: [__m512i; 2]| unpack::<HIGH_FIRST>(spread(high), spread(low));
    let (first, second) = (halves(two.first), halves(two.second));
    let mut to = out;
    for half in 0..2 {
        // The lanes of a half: its first sixteen, then its last sixteen.
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
