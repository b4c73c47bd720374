//! AVX-512 with VBMI2: 64 bytes at a time. Masked loads read the ends of texts, and permutes look
//! up weights.

mod block;
mod contractions;
mod fill;
mod map;
mod marks;
mod skip;

use core::arch::x86_64::*;

use super::super::byte_set::ByteRange;
use super::super::vector::{Shuffle, Vector};
use super::super::{Backend, generic};

pub(in super::super) static BACKEND: Backend = Backend {
    name: "avx512",
    mismatch,
    mismatch_folded,
    mismatch_folded_ascii,
    mismatch_contractible: skip::mismatch_contractible,
    mismatch_mapped: map::mismatch_mapped,
    run_of,
    trailing_run,
    ascii_prefix,
    is_words,
    utf8_prefix,
    utf8_starts,
    skip_equal: skip::skip_equal,
    fill: fill::fill,
    fill_key: fill::fill_key,
    map_bytes: map::map_bytes,
    find_marked_byte: marks::find_marked_byte,
    find_marked_word: marks::find_marked_word,
};

#[derive(Clone, Copy)]
struct V(__m512i);

/// The lowest `n` of 64 lanes.
#[inline(always)]
fn lanes(n: usize) -> u64 {
    if n >= 64 { !0 } else { (1 << n) - 1 }
}

impl Vector for V {
    const BYTES: usize = 64;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller guarantees 64 readable bytes; the load needs no alignment.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_partial(from: *const u8, n: usize) -> Option<Self> {
        // SAFETY: the caller guarantees `n` readable bytes; lanes that are masked off are not read.
        Some(Self(unsafe { _mm512_maskz_loadu_epi8(lanes(n), from.cast()) }))
    }

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: the caller guarantees AVX-512.
        Self(unsafe { _mm512_set1_epi8(byte.cast_signed()) })
    }

    #[inline(always)]
    unsafe fn fold(self) -> Self {
        // SAFETY: the caller guarantees AVX-512BW.
        unsafe {
            let moved = _mm512_sub_epi8(self.0, _mm512_set1_epi8(b'A'.cast_signed()));
            let upper = _mm512_cmplt_epu8_mask(moved, _mm512_set1_epi8(26));
            Self(_mm512_mask_add_epi8(self.0, upper, self.0, _mm512_set1_epi8(0x20)))
        }
    }

    #[inline(always)]
    unsafe fn first_mismatch(self, other: Self) -> usize {
        // SAFETY: the caller guarantees AVX-512BW.
        unsafe { _mm512_cmpneq_epi8_mask(self.0, other.0).trailing_zeros() as usize }
    }

    #[inline(always)]
    unsafe fn first_high(self) -> usize {
        // SAFETY: the caller guarantees AVX-512BW.
        unsafe { _mm512_movepi8_mask(self.0).trailing_zeros() as usize }
    }

    #[inline(always)]
    unsafe fn trailing_run(self, range: &ByteRange, n: usize) -> usize {
        // SAFETY: the caller guarantees AVX-512BW.
        let others = unsafe {
            let [flip, first, span] =
                [range.flip, range.first, range.last - range.first].map(|byte| Self::splat(byte).0);
            _mm512_cmpgt_epu8_mask(_mm512_sub_epi8(_mm512_xor_si512(self.0, flip), first), span)
        };
        ((others << (64 - n)).leading_zeros() as usize).min(n)
    }

    #[inline(always)]
    unsafe fn starts(self) -> usize {
        // SAFETY: the caller guarantees AVX-512BW. Continuation bytes are the numbers below -64.
        unsafe { _mm512_cmpge_epi8_mask(self.0, _mm512_set1_epi8(-64)).count_ones() as usize }
    }

    #[inline(always)]
    unsafe fn first_breaking_words(self, next: Self) -> usize {
        // SAFETY: the caller guarantees AVX-512BW. Bytes beyond ASCII are the negative numbers.
        unsafe {
            let space = _mm512_set1_epi8(0x20);
            let is_space = _mm512_cmpeq_epi8_mask(self.0, space);
            let found = _mm512_cmplt_epi8_mask(self.0, space)
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(0x7F))
                | _mm512_mask_cmple_epi8_mask(is_space, next.0, space);
            found.trailing_zeros() as usize
        }
    }
}

impl Shuffle for V {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller guarantees AVX-512.
        Self(unsafe { _mm512_setzero_si512() })
    }

    #[inline(always)]
    unsafe fn lookup(self, table: &[u8; 16]) -> Self {
        // SAFETY: the caller guarantees AVX-512BW; the table has the sixteen bytes that are read.
        unsafe {
            let table = _mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast()));
            Self(_mm512_shuffle_epi8(table, self.0))
        }
    }

    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // SAFETY: the caller guarantees AVX-512BW.
        Self(unsafe { _mm512_and_si512(_mm512_srli_epi16::<4>(self.0), _mm512_set1_epi8(15)) })
    }

    #[inline(always)]
    unsafe fn low_nibbles(self) -> Self {
        // SAFETY: the caller guarantees AVX-512.
        Self(unsafe { _mm512_and_si512(self.0, _mm512_set1_epi8(15)) })
    }

    #[inline(always)]
    unsafe fn shifted<const N: usize>(self, before: Self) -> Self {
        // SAFETY: the caller guarantees AVX-512BW.
        unsafe {
            // The sixteen bytes before each quarter of `self`: the shift works within quarters.
            let across = _mm512_alignr_epi32::<12>(self.0, before.0);
            Self(match N {
                1 => _mm512_alignr_epi8::<15>(self.0, across),
                2 => _mm512_alignr_epi8::<14>(self.0, across),
                _ => _mm512_alignr_epi8::<13>(self.0, across),
            })
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller guarantees AVX-512.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller guarantees AVX-512.
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller guarantees AVX-512.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn saturating_sub(self, other: Self) -> Self {
        // SAFETY: the caller guarantees AVX-512BW.
        Self(unsafe { _mm512_subs_epu8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn nonzero(self) -> Self {
        // SAFETY: the caller guarantees AVX-512BW.
        Self(unsafe { _mm512_movm_epi8(_mm512_test_epi8_mask(self.0, self.0)) })
    }

    #[inline(always)]
    unsafe fn is_zero(self) -> bool {
        // SAFETY: the caller guarantees AVX-512.
        unsafe { _mm512_test_epi8_mask(self.0, self.0) == 0 }
    }
}

generic::instantiate!(V, "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt");
generic::instantiate_shuffle!(V, "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt");
