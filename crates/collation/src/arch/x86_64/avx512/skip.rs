//! Skipping what two texts share: characters of the same entries, however many bytes each has in either text.

use core::arch::x86_64::*;

use super::super::super::generic::{differing_pairs, strictness};
use super::super::super::{Low, scalar};
use super::low::{BLOCK, Block, Table, after, bytes, joined_ends, joined_lanes, look_up, next_bytes};
use super::{V, lanes};
use crate::table::{Pairs, Variants};

/// # Safety
/// The machine has this backend's instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn skip_equal(low: &Low, longest: u8, a: &[u8], b: &[u8]) -> [usize; 2] {
    match low.pairs() {
        None => skip::<false, false>(low, longest, a, b, [0; 2]),
        Some(_) => skip::<true, false>(low, longest, a, b, [0; 2]),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn skip<const JOINED: bool, const LONG: bool>(
    low: &Low,
    longest: u8,
    a: &[u8],
    b: &[u8],
    [mut i, mut j]: [usize; 2],
) -> [usize; 2] {
    let ascii = Table::of(low.row(0));
    let limit = (Low::MARK >> 8) as u8;
    // The branches are predictable: the previous iteration's outcome repeats. So the next blocks need not wait for entries to be
    // compared.
    while i < a.len() && j < b.len() {
        let mut x = look_up(low, &ascii, a, i);
        let mut y = look_up(low, &ascii, b, j);
        if LONG && x.strange & y.strange != 0 {
            let here = x.strange & y.strange & lanes((x.starts ^ y.starts).trailing_zeros() as usize);
            let same = same_long(low.pairs().filter(|_| JOINED), longest, here, (a, i), (b, j));
            (x.strange, y.strange) = (x.strange & !same, y.strange & !same);
        }
        let [joined_x, joined_y] = match low.pairs() {
            Some(pairs) if JOINED => {
                // SAFETY: this backend's instruction set is there.
                unsafe { differing_lanes(pairs, low.variants(), (&x, a, i), (&y, b, j)) }
            }
            _ => [0; 2],
        };
        let stop_x = x.stop(x.from(limit) | joined_x) as usize;
        let stop_y = y.stop(y.from(limit) | joined_y) as usize;
        if stop_x.min(stop_y) == BLOCK {
            // Characters of the same lengths are compared in their lanes.
            if x.starts == y.starts && x.starts & mismatched_lanes(x.high, x.low, y.high, y.low) == 0 {
                (i, j) = (after(a, i), after(b, j));
                continue;
            }
            let (of_x, of_y) = (x.starts.count_ones(), y.starts.count_ones());
            let count = of_x.min(of_y);
            if mismatches(&x, x.starts, &y, y.starts) & lanes(count as usize) == 0 {
                i = if of_x == count { after(a, i) } else { i + lane(x.starts, count) };
                j = if of_y == count { after(b, j) } else { j + lane(y.starts, count) };
                continue;
            }
        }
        // A character stands in the way, or two differ.
        let (of_x, of_y) = (x.starts & lanes(stop_x), y.starts & lanes(stop_y));
        let count = mismatches(&x, of_x, &y, of_y).trailing_zeros().min(of_x.count_ones()).min(of_y.count_ones());
        let (all_x, all_y) = (count == of_x.count_ones(), count == of_y.count_ones());
        i = if all_x { end(a, i, stop_x) } else { i + lane(of_x, count) };
        j = if all_y { end(b, j, stop_y) } else { j + lane(of_y, count) };
        let stopped_x = all_x && stop_x < BLOCK;
        let stopped_y = all_y && stop_y < BLOCK;
        if stopped_x && stopped_y {
            let long = scalar::long_equal(longest, &a[i..], &b[j..]);
            if long > 0 {
                (i, j) = (i + long, j + long);
                let is_joined = |pairs| scalar::is_joined(pairs, a, i) || scalar::is_joined(pairs, b, j);
                if JOINED && low.pairs().is_some_and(is_joined) {
                    break;
                }
                if !LONG {
                    return skip_long::<JOINED>(low, longest, a, b, [i, j]);
                }
                continue;
            }
            break;
        }
        // A text that has stopped, or ended, waits for as many characters of the other.
        let goes_on = all_x && (all_y || !stopped_x) || all_y && !stopped_y;
        if !goes_on {
            break;
        }
    }
    [i, j]
}

/// As [`skip`], compiled by itself: what looks at longer characters would take registers from texts that have none.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn skip_long<const JOINED: bool>(low: &Low, longest: u8, a: &[u8], b: &[u8], at: [usize; 2]) -> [usize; 2] {
    skip::<JOINED, true>(low, longest, a, b, at)
}

/// The lanes of the characters of three to `longest` bytes that both texts have in these lanes, whole and well-formed. One that may be
/// contracted with the next is left out, but before another of these.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi1")]
fn same_long(pairs: Option<&Pairs>, longest: u8, here: u64, (a, i): (&[u8], usize), (b, j): (&[u8], usize)) -> u64 {
    let splat = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
    let (x, next) = (bytes(a, i), next_bytes(a, i));
    let here = here & _mm512_cmpeq_epi8_mask(x, bytes(b, j));
    let is = |lead| _mm512_mask_cmpeq_epi8_mask(here, x, splat(lead));
    let (below, from) =
        (|byte| _mm512_cmplt_epu8_mask(next, splat(byte)), |byte| _mm512_cmpge_epu8_mask(next, splat(byte)));
    // Longer than need be, surrogates, and beyond U+10FFFF.
    let ill = is(0xE0) & below(0xA0) | is(0xED) & from(0xA0) | is(0xF0) & below(0x90) | is(0xF4) & from(0x90);
    let goes_on = here & _mm512_cmplt_epi8_mask(x, splat(0xC0));
    let leads = here & !goes_on & !ill & goes_on >> 1 & goes_on >> 2;
    let of_four = _mm512_cmpge_epu8_mask(x, splat(0xF0));
    let last = splat(if longest == 4 { 0xF4 } else { 0xEF });
    let (mut three, mut four) = (leads & !of_four, leads & of_four & goes_on >> 3 & _mm512_cmple_epu8_mask(x, last));
    if let Some(pairs) = pairs {
        let joined = joined_ends(pairs, x, next) & !((three | four) >> 1);
        (three, four) = (three & !(joined >> 2), four & !(joined >> 3));
    }
    three | three << 1 | three << 2 | four | four << 1 | four << 2 | four << 3
}

/// The lanes of each text of characters that may begin a contraction, but for those in which it has the same weights in both.
///
/// Inlined, as blocks would have to be in memory for a call.
///
/// # Safety
/// The machine has this backend's instruction set.
#[inline(always)]
unsafe fn differing_lanes(
    pairs: &Pairs,
    variants: Variants,
    (x, a, i): (&Block, &[u8], usize),
    (y, b, j): (&Block, &[u8], usize),
) -> [u64; 2] {
    // SAFETY: the caller's.
    unsafe {
        let joined_x = joined_lanes(pairs, x, a, i);
        let is_same = has_same_pairs(pairs, (x, a, i), (y, b, j));
        let joined_y = if is_same { joined_x } else { joined_lanes(pairs, y, b, j) };
        if joined_x | joined_y == 0 {
            return [0; 2];
        }
        let (next_x, next_y) = (next_bytes(a, i), next_bytes(b, j));
        let differing = differing_pairs(strictness(variants), [V(x.bytes), V(y.bytes)], [V(next_x), V(next_y)]);
        // Only up to where characters begin in other lanes.
        let equal = lanes((x.starts ^ y.starts).trailing_zeros() as usize) & !_mm512_movepi8_mask(differing.0);
        [joined_x & !equal, joined_y & !equal]
    }
}

/// Whether pairs are where they are in the other text, as is told by less than looking for them: its first bytes of characters are the
/// same but for the case of ASCII.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn has_same_pairs(pairs: &Pairs, (x, a, i): (&Block, &[u8], usize), (y, b, j): (&Block, &[u8], usize)) -> bool {
    let differ = _mm512_xor_si512(x.bytes, y.bytes);
    let in_case = _mm512_test_epi8_mask(x.bytes, _mm512_set1_epi8(0x40));
    let otherwise =
        _mm512_test_epi8_mask(differ, _mm512_set1_epi8(!0x20)) | _mm512_test_epi8_mask(differ, differ) & !in_case;
    let behind = |text: &[u8], at: usize| text.get(at + BLOCK).map(|&byte| pairs.second.of(byte));
    pairs.follow_ascii
        && (x.starts, x.leads) == (y.starts, y.leads)
        && otherwise & x.starts == 0
        && behind(a, i) == behind(b, j)
}

/// The lanes whose entries differ.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn mismatched_lanes(high_x: __m512i, low_x: __m512i, high_y: __m512i, low_y: __m512i) -> u64 {
    _mm512_cmpneq_epi8_mask(high_x, high_y) | _mm512_cmpneq_epi8_mask(low_x, low_y)
}

/// A bit for each character whose entry isn't that of the character with the same number. `of_x` and `of_y` are the characters' lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
fn mismatches(x: &Block, of_x: u64, y: &Block, of_y: u64) -> u64 {
    mismatched_lanes(
        _mm512_maskz_compress_epi8(of_x, x.high),
        _mm512_maskz_compress_epi8(of_x, x.low),
        _mm512_maskz_compress_epi8(of_y, y.high),
        _mm512_maskz_compress_epi8(of_y, y.low),
    )
}

/// The lane of the character with this number, which is one of them.
#[inline]
#[target_feature(enable = "bmi1,bmi2")]
fn lane(characters: u64, number: u32) -> usize {
    _pdep_u64(1 << number, characters).trailing_zeros() as usize
}

/// Where the characters of a block at `at` end, which stops at this lane.
#[inline]
fn end(text: &[u8], at: usize, stop: usize) -> usize {
    if stop == BLOCK { after(text, at) } else { at + stop }
}
