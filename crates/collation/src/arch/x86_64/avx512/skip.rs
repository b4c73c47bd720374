//! Skipping what two texts share: characters of the same entries, however many bytes each has in either text.

use core::arch::x86_64::*;

use super::super::super::{Low, scalar};
use super::lanes;
use super::low::{STRETCH, Stretch, Table, after, look_up};

/// # Safety
/// The machine has this backend's instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn skip_equal(low: &Low, a: &[u8], b: &[u8]) -> [usize; 2] {
    match low.pairs() {
        None => skip::<false>(low, a, b),
        Some(_) => skip::<true>(low, a, b),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn skip<const JOINED: bool>(low: &Low, a: &[u8], b: &[u8]) -> [usize; 2] {
    let ascii = Table::of(low.row(0));
    let limit = (Low::MARK >> 8) as u8;
    let (mut i, mut j) = (0, 0);
    // The branches are predictable: the previous iteration's outcome repeats. So the next stretches need not wait for entries to be
    // compared.
    while i < a.len() && j < b.len() {
        let x = look_up::<JOINED>(low, &ascii, a, i, limit);
        let y = look_up::<JOINED>(low, &ascii, b, j, limit);
        if x.stop.min(y.stop) as usize == STRETCH {
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
        let (of_x, of_y) = (characters(&x), characters(&y));
        let count = mismatches(&x, of_x, &y, of_y).trailing_zeros().min(of_x.count_ones()).min(of_y.count_ones());
        let (all_x, all_y) = (count == of_x.count_ones(), count == of_y.count_ones());
        i = if all_x { end(a, i, &x) } else { i + lane(of_x, count) };
        j = if all_y { end(b, j, &y) } else { j + lane(of_y, count) };
        let stopped_x = all_x && (x.stop as usize) < STRETCH;
        let stopped_y = all_y && (y.stop as usize) < STRETCH;
        if stopped_x && stopped_y {
            let long = scalar::long_equal(&a[i..], &b[j..]);
            if long > 0 {
                (i, j) = (i + long, j + long);
                let is_joined = |pairs| scalar::is_joined(pairs, a, i) || scalar::is_joined(pairs, b, j);
                if JOINED && low.pairs().is_some_and(is_joined) {
                    break;
                }
                continue;
            }
        }
        if !(all_x || all_y) || stopped_x || stopped_y {
            break;
        }
    }
    [i, j]
}

/// The lanes of characters before the stretch stops.
#[inline]
fn characters(stretch: &Stretch) -> u64 {
    stretch.starts & lanes(stretch.stop as usize)
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
fn mismatches(x: &Stretch, of_x: u64, y: &Stretch, of_y: u64) -> u64 {
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

/// Where the characters of a stretch at `at` end.
#[inline]
fn end(text: &[u8], at: usize, stretch: &Stretch) -> usize {
    if stretch.stop as usize == STRETCH { after(text, at) } else { at + stretch.stop as usize }
}
