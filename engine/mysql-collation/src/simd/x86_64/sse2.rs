//! SSE2: sixteen bytes at a time. SSE2 has no byte lookup: after its ASCII start, UTF-8 is
//! validated by the scalar version.

use core::arch::x86_64::*;

use super::super::byte_set::ByteRange;
use super::super::vector::Vector;
use super::super::{Backend, generic, scalar};

pub(in super::super) static BACKEND: Backend = Backend {
    name: "sse2",
    mismatch,
    mismatch_folded,
    mismatch_folded_ascii,
    mismatch_contractible: scalar::mismatch_contractible,
    mismatch_mapped: scalar::mismatch_mapped,
    run_of,
    trailing_run,
    ascii_prefix,
    is_words,
    utf8_prefix,
    utf8_starts,
    skip_equal: scalar::skip_equal,
    fill: scalar::fill,
    fill_key: scalar::fill_key,
    map_bytes: scalar::map_bytes,
    find_marked_byte: scalar::find_marked_byte,
    find_marked_word: scalar::find_marked_word,
};

#[derive(Clone, Copy)]
struct V(__m128i);

impl Vector for V {
    const BYTES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller guarantees sixteen readable bytes; the load needs no alignment.
        Self(unsafe { _mm_loadu_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: the caller guarantees SSE2.
        Self(unsafe { _mm_set1_epi8(byte.cast_signed()) })
    }

    #[inline(always)]
    unsafe fn fold(self) -> Self {
        // SAFETY: the caller guarantees SSE2.
        unsafe {
            // Comparisons are signed: with `A` moved to the least number, one comparison finds the
            // 26 letters.
            let moved = _mm_sub_epi8(self.0, _mm_set1_epi8(b'A'.wrapping_add(0x80).cast_signed()));
            let upper = _mm_cmplt_epi8(moved, _mm_set1_epi8(-128 + 26));
            Self(_mm_or_si128(self.0, _mm_and_si128(upper, _mm_set1_epi8(0x20))))
        }
    }

    #[inline(always)]
    unsafe fn first_mismatch(self, other: Self) -> usize {
        // SAFETY: the caller guarantees SSE2.
        let mismatches = unsafe { !_mm_movemask_epi8(_mm_cmpeq_epi8(self.0, other.0)) };
        // Bits above the sixteen lanes are set: without a mismatch the result is 16.
        mismatches.trailing_zeros() as usize
    }

    #[inline(always)]
    unsafe fn first_high(self) -> usize {
        // SAFETY: the caller guarantees SSE2.
        let high = unsafe { _mm_movemask_epi8(self.0) };
        (high | 0x1_0000).trailing_zeros() as usize
    }

    #[inline(always)]
    unsafe fn trailing_run(self, range: &ByteRange, n: usize) -> usize {
        // SAFETY: the caller guarantees SSE2.
        let others = unsafe {
            let [flip, first, span] =
                [range.flip, range.first, range.last - range.first].map(|byte| Self::splat(byte).0);
            let moved = _mm_sub_epi8(_mm_xor_si128(self.0, flip), first);
            !_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(moved, span), span))
        };
        ((others << (32 - n)).leading_zeros() as usize).min(n)
    }

    #[inline(always)]
    unsafe fn starts(self) -> usize {
        // SAFETY: the caller guarantees SSE2. Continuation bytes are the numbers below -64.
        let starts = unsafe { _mm_movemask_epi8(_mm_cmpgt_epi8(self.0, _mm_set1_epi8(-65))) };
        starts.count_ones() as usize
    }

    #[inline(always)]
    unsafe fn first_breaking_words(self, next: Self) -> usize {
        // SAFETY: the caller guarantees SSE2. Bytes beyond ASCII are the negative numbers.
        unsafe {
            let space = _mm_set1_epi8(0x20);
            let is_last = _mm_andnot_si128(_mm_cmpgt_epi8(next.0, space), _mm_cmpeq_epi8(self.0, space));
            let is_strange = _mm_or_si128(_mm_cmplt_epi8(self.0, space), _mm_cmpeq_epi8(self.0, _mm_set1_epi8(0x7F)));
            (_mm_movemask_epi8(_mm_or_si128(is_last, is_strange)) | 0x1_0000).trailing_zeros() as usize
        }
    }
}

generic::instantiate!(V, "sse2");

#[target_feature(enable = "sse2")]
unsafe fn utf8_prefix(text: &[u8]) -> usize {
    // SAFETY: every x86-64 has SSE2.
    let ascii = unsafe { generic::ascii_prefix::<V>(text) };
    ascii + scalar::utf8_prefix(&text[ascii..])
}
