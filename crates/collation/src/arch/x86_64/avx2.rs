//! AVX2: 32 bytes at a time.

use core::arch::x86_64::*;

use super::super::vector::{Shuffle, Vector};
use super::super::{Backend, generic, scalar};

pub(in super::super) static BACKEND: Backend = Backend {
    name: "avx2",
    mismatch,
    mismatch_folded,
    mismatch_joined,
    mismatch_mapped: scalar::mismatch_mapped,
    run_of,
    ascii_prefix,
    utf8_prefix,
    utf8_starts,
    skip_equal: scalar::skip_equal,
    fill: scalar::fill,
    fill_key: scalar::fill_key,
};

#[derive(Clone, Copy)]
struct V(__m256i);

impl Vector for V {
    const BYTES: usize = 32;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's: 32 bytes are there; the load wants no alignment.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: the caller's: AVX2 is there.
        Self(unsafe { _mm256_set1_epi8(byte.cast_signed()) })
    }

    #[inline(always)]
    unsafe fn fold(self) -> Self {
        // SAFETY: the caller's: AVX2 is there.
        unsafe {
            // Comparisons are signed: move `A` down to the least number, so that one comparison tells the 26 letters.
            let moved = _mm256_sub_epi8(self.0, _mm256_set1_epi8(b'A'.wrapping_add(0x80).cast_signed()));
            let upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(-128 + 26), moved);
            Self(_mm256_or_si256(self.0, _mm256_and_si256(upper, _mm256_set1_epi8(0x20))))
        }
    }

    #[inline(always)]
    unsafe fn first_mismatch(self, other: Self) -> usize {
        // SAFETY: the caller's: AVX2 is there.
        let unlike = unsafe { !_mm256_movemask_epi8(_mm256_cmpeq_epi8(self.0, other.0)) };
        unlike.trailing_zeros() as usize
    }

    #[inline(always)]
    unsafe fn first_high(self) -> usize {
        // SAFETY: the caller's: AVX2 is there.
        unsafe { _mm256_movemask_epi8(self.0).trailing_zeros() as usize }
    }

    #[inline(always)]
    unsafe fn starts(self) -> usize {
        // SAFETY: the caller's: AVX2 is there. Continuation bytes are the numbers below -64.
        let starts = unsafe { _mm256_movemask_epi8(_mm256_cmpgt_epi8(self.0, _mm256_set1_epi8(-65))) };
        starts.count_ones() as usize
    }
}

impl Shuffle for V {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller's: AVX2 is there.
        Self(unsafe { _mm256_setzero_si256() })
    }

    #[inline(always)]
    unsafe fn lookup(self, table: &[u8; 16]) -> Self {
        // SAFETY: the caller's: AVX2 is there; the table has the sixteen bytes that are read.
        unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
            Self(_mm256_shuffle_epi8(table, self.0))
        }
    }

    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // SAFETY: the caller's: AVX2 is there.
        Self(unsafe { _mm256_and_si256(_mm256_srli_epi16::<4>(self.0), _mm256_set1_epi8(15)) })
    }

    #[inline(always)]
    unsafe fn low_nibbles(self) -> Self {
        // SAFETY: the caller's: AVX2 is there.
        Self(unsafe { _mm256_and_si256(self.0, _mm256_set1_epi8(15)) })
    }

    #[inline(always)]
    unsafe fn shifted<const N: usize>(self, before: Self) -> Self {
        // SAFETY: the caller's: AVX2 is there.
        unsafe {
            // The sixteen bytes before each half of `self`; the shift is one of both halves apart.
            let across = _mm256_permute2x128_si256::<0x21>(before.0, self.0);
            Self(match N {
                1 => _mm256_alignr_epi8::<15>(self.0, across),
                2 => _mm256_alignr_epi8::<14>(self.0, across),
                _ => _mm256_alignr_epi8::<13>(self.0, across),
            })
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller's: AVX2 is there.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller's: AVX2 is there.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller's: AVX2 is there.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn minus(self, other: Self) -> Self {
        // SAFETY: the caller's: AVX2 is there.
        Self(unsafe { _mm256_subs_epu8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn nonzero(self) -> Self {
        // SAFETY: the caller's: AVX2 is there.
        Self(unsafe { _mm256_xor_si256(_mm256_cmpeq_epi8(self.0, _mm256_setzero_si256()), _mm256_set1_epi8(-1)) })
    }

    #[inline(always)]
    unsafe fn is_zero(self) -> bool {
        // SAFETY: the caller's: AVX2 is there.
        unsafe { _mm256_testz_si256(self.0, self.0) == 1 }
    }
}

generic::instantiate!(V, "avx2,bmi1,bmi2,popcnt");
generic::instantiate_shuffle!(V, "avx2,bmi1,bmi2,popcnt");
