//! NEON, which every 64-bit ARM has: sixteen bytes at a time.

use core::arch::aarch64::*;

use super::vector::{Shuffle, Vector};
use super::{Backend, generic, scalar};

static BACKEND: Backend = Backend {
    name: "neon",
    mismatch,
    mismatch_folded,
    mismatch_joined,
    mismatch_mapped: scalar::mismatch_mapped,
    run_of,
    ascii_prefix,
    is_words,
    utf8_prefix,
    utf8_starts,
    skip_equal: scalar::skip_equal,
    fill: scalar::fill,
    fill_key: scalar::fill_key,
    map_bytes: scalar::map_bytes,
    find_mark_of_bytes: scalar::find_mark_of_bytes,
    find_mark_of_pairs: scalar::find_mark_of_pairs,
};

/// What this machine can run, the best first.
pub(super) fn available() -> impl Iterator<Item = &'static Backend> {
    core::iter::once(&BACKEND)
}

#[derive(Clone, Copy)]
struct V(uint8x16_t);

/// Four bits for each lane of a comparison's result: NEON has no instruction that gathers one bit of each.
///
/// # Safety
/// NEON is there.
#[inline(always)]
unsafe fn mask(compared: uint8x16_t) -> u64 {
    // SAFETY: the caller's: NEON is there.
    unsafe { vget_lane_u64::<0>(vreinterpret_u64_u8(vshrn_n_u16::<4>(vreinterpretq_u16_u8(compared)))) }
}

impl Vector for V {
    const BYTES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's: sixteen bytes are there; the load wants no alignment.
        Self(unsafe { vld1q_u8(from) })
    }

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vdupq_n_u8(byte) })
    }

    #[inline(always)]
    unsafe fn fold(self) -> Self {
        // SAFETY: the caller's: NEON is there.
        unsafe {
            let upper = vcltq_u8(vsubq_u8(self.0, vdupq_n_u8(b'A')), vdupq_n_u8(26));
            Self(vorrq_u8(self.0, vandq_u8(upper, vdupq_n_u8(0x20))))
        }
    }

    #[inline(always)]
    unsafe fn first_mismatch(self, other: Self) -> usize {
        // SAFETY: the caller's: NEON is there.
        let unlike = unsafe { !mask(vceqq_u8(self.0, other.0)) };
        unlike.trailing_zeros() as usize / 4
    }

    #[inline(always)]
    unsafe fn first_high(self) -> usize {
        // SAFETY: the caller's: NEON is there.
        let high = unsafe { mask(vcgeq_u8(self.0, vdupq_n_u8(0x80))) };
        high.trailing_zeros() as usize / 4
    }

    #[inline(always)]
    unsafe fn starts(self) -> usize {
        // SAFETY: the caller's: NEON is there. Continuation bytes are the numbers below -64.
        unsafe {
            let starts = vcgeq_s8(vreinterpretq_s8_u8(self.0), vdupq_n_s8(-64));
            usize::from(vaddvq_u8(vandq_u8(starts, vdupq_n_u8(1))))
        }
    }

    #[inline(always)]
    unsafe fn first_between_words(self, next: Self) -> usize {
        // SAFETY: the caller's: NEON is there.
        let found = unsafe {
            // 0x21 to 0x7E.
            let is_printed = |bytes| vcltq_u8(vsubq_u8(bytes, vdupq_n_u8(0x21)), vdupq_n_u8(0x5E));
            let is_single =
                vandq_u8(vceqq_u8(self.0, vdupq_n_u8(0x20)), vcgtq_s8(vreinterpretq_s8_u8(next.0), vdupq_n_s8(0x20)));
            !mask(vorrq_u8(is_printed(self.0), is_single))
        };
        found.trailing_zeros() as usize / 4
    }
}

impl Shuffle for V {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vdupq_n_u8(0) })
    }

    #[inline(always)]
    unsafe fn lookup(self, table: &[u8; 16]) -> Self {
        // SAFETY: the caller's: NEON is there; the table has the sixteen bytes that are read.
        Self(unsafe { vqtbl1q_u8(vld1q_u8(table.as_ptr()), self.0) })
    }

    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vshrq_n_u8::<4>(self.0) })
    }

    #[inline(always)]
    unsafe fn low_nibbles(self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vandq_u8(self.0, vdupq_n_u8(15)) })
    }

    #[inline(always)]
    unsafe fn shifted<const N: usize>(self, before: Self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe {
            match N {
                1 => vextq_u8::<15>(before.0, self.0),
                2 => vextq_u8::<14>(before.0, self.0),
                _ => vextq_u8::<13>(before.0, self.0),
            }
        })
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vandq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vorrq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { veorq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn minus(self, other: Self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vqsubq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn nonzero(self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vtstq_u8(self.0, self.0) })
    }

    #[inline(always)]
    unsafe fn is_zero(self) -> bool {
        // SAFETY: the caller's: NEON is there.
        unsafe { vmaxvq_u8(self.0) == 0 }
    }
}

generic::instantiate!(V, "neon");
generic::instantiate_shuffle!(V, "neon");
