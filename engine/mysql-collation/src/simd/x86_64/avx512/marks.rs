//! Finds the first weight of a sort key that needs a mark (operations/padding.rs).
//!
//! Written by hand: the weights were just written, mostly in vectors at the same addresses. They
//! are loaded as they were stored, and the next weights are moved into place in registers. A load
//! across two stores, as in the generic algorithm, would wait for both.

use core::arch::x86_64::*;

use super::lanes;

/// # Safety
/// The machine has the instruction set of this backend.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn find_marked_byte(space: u8, bytes: &[u8]) -> usize {
    let n = bytes.len();
    let spaces = _mm512_set1_epi8(space.cast_signed());
    let below = _mm512_set1_epi8(space.saturating_sub(1).cast_signed());
    let down = lanes_after::<1>();
    let mut at = 0;
    let mut these = load(bytes, 0);
    while at < n {
        let after = load(bytes, at + 64);
        let next = _mm512_permutex2var_epi8(these, down, after);
        let unordered = _mm512_mask_cmple_epu8_mask(_mm512_cmpeq_epi8_mask(these, spaces), next, spaces);
        let found = unordered | _mm512_cmpeq_epi8_mask(these, below);
        if found != 0 {
            return n.min(at + found.trailing_zeros() as usize);
        }
        these = after;
        at += 64;
    }
    n
}

/// # Safety
/// The machine has the instruction set of this backend.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn find_marked_word(space: u16, weights: &[u8]) -> usize {
    let n = weights.len();
    let in_key = |weight: u16| _mm512_set1_epi16(weight.swap_bytes().cast_signed());
    let (spaces, below) = (in_key(space), in_key(space.saturating_sub(1)));
    let greatest = _mm512_set1_epi16(space.cast_signed());
    let swap = _mm512_broadcast_i32x4(_mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
    let down = lanes_after::<2>();
    let mut at = 0;
    let mut these = load(weights, 0);
    while at < n {
        let after = load(weights, at + 64);
        let next = _mm512_shuffle_epi8(_mm512_permutex2var_epi8(these, down, after), swap);
        let unordered = _mm512_mask_cmple_epu16_mask(_mm512_cmpeq_epi16_mask(these, spaces), next, greatest);
        let found = unordered | _mm512_cmpeq_epi16_mask(these, below);
        if found != 0 {
            return n.min(at + 2 * found.trailing_zeros() as usize);
        }
        these = after;
        at += 64;
    }
    n
}

/// Bytes at `at`; zeros after the end.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(bytes: &[u8], at: usize) -> __m512i {
    let rest = bytes.len().saturating_sub(at);
    if rest >= 64 {
        // SAFETY: 64 bytes are readable; the load needs no alignment.
        return unsafe { _mm512_loadu_si512(bytes.as_ptr().add(at).cast()) };
    }
    // SAFETY: lanes past the end are masked off, all of them if `at` is.
    unsafe { _mm512_maskz_loadu_epi8(lanes(rest), bytes.as_ptr().wrapping_add(at).cast()) }
}

/// For each lane, the index for `permutex2var` of the lane `N` lanes after it. Indexes from 64 on
/// are lanes of the second vector.
#[inline]
#[target_feature(enable = "avx512f")]
fn lanes_after<const N: usize>() -> __m512i {
    let numbers: [u8; 64] = core::array::from_fn(|lane| (lane + N) as u8);
    // SAFETY: 64 bytes are there.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}
