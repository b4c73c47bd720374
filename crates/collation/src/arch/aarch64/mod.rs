//! NEON, which every 64-bit ARM has: sixteen bytes at a time.

use core::arch::aarch64::*;

use super::rows::Table;
use super::vector::{CLOSE_UP, Keys, Lanes, Shuffle, Vector, few_bytes};
use super::{Backend, generic};

static BACKEND: Backend = Backend {
    name: "neon",
    mismatch,
    mismatch_folded,
    mismatch_joined,
    mismatch_mapped,
    run_of,
    ascii_prefix,
    utf8_prefix,
    utf8_starts,
    skip_equal,
    fill,
    fill_key,
    map_bytes,
    mark_bytes,
    mark_weights,
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

impl Lanes for V {
    #[inline(always)]
    unsafe fn load_start(from: *const u8, n: usize) -> Self {
        // SAFETY: the caller's: `n` bytes are there, fewer than sixteen, and NEON.
        unsafe {
            let few = few_bytes(from, n);
            Self(vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(few as u64), vcreate_u64((few >> 64) as u64))))
        }
    }

    #[inline(always)]
    unsafe fn mask(self) -> u32 {
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: the caller's: NEON is there; the bits are the sixteen bytes that are read.
        unsafe {
            let high = vreinterpretq_u8_s8(vshrq_n_s8::<7>(vreinterpretq_s8_u8(self.0)));
            let bits = vandq_u8(high, vld1q_u8(BITS.as_ptr()));
            let pairs = vpaddq_u8(bits, bits);
            let fours = vpaddq_u8(pairs, pairs);
            u32::from(vgetq_lane_u16::<0>(vreinterpretq_u16_u8(vpaddq_u8(fours, fours))))
        }
    }

    #[inline(always)]
    unsafe fn equal(self, other: Self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vceqq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn at_least(self, other: Self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vcgeq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn select(mask: Self, yes: Self, no: Self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vbslq_u8(mask.0, yes.0, no.0) })
    }

    #[inline(always)]
    unsafe fn moved_down(self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vextq_u8::<1>(self.0, vdupq_n_u8(0)) })
    }

    #[inline(always)]
    unsafe fn choose(self, table: &Table) -> Self {
        // SAFETY: the caller's: NEON is there; two times 64 bytes are the table's.
        unsafe {
            // A lookup is zero beyond its 64 bytes.
            let below = vqtbl4q_u8(vld1q_u8_x4(table.bytes.as_ptr()), self.0);
            let above = vqtbl4q_u8(vld1q_u8_x4(table.bytes[64..].as_ptr()), vsubq_u8(self.0, vdupq_n_u8(64)));
            Self(vorrq_u8(below, above))
        }
    }

    #[inline(always)]
    unsafe fn store_pairs(first: Self, second: Self, kept: u32, out: *mut u8) {
        // SAFETY: the caller's: NEON is there, and room for two bytes a lane: sixteen are written for each eight lanes, after at most as many
        // for the eight before them.
        unsafe {
            let eights = [vzip1q_u8(first.0, second.0), vzip2q_u8(first.0, second.0)];
            for (number, eight) in eights.into_iter().enumerate() {
                let before = kept & ((1 << (8 * number)) - 1);
                let order = &CLOSE_UP[(kept >> (8 * number)) as usize & 0xFF];
                let closed_up = vqtbl1q_u8(eight, vld1q_u8(order.as_ptr()));
                vst1q_u8(out.add(2 * before.count_ones() as usize), closed_up);
            }
        }
    }
}

impl Keys for V {
    type Map = [uint8x16x4_t; 4];

    #[inline(always)]
    unsafe fn map(map: &[u8; 256]) -> Self::Map {
        let from = map.as_ptr();
        // SAFETY: the caller's: NEON is there; four times 64 bytes are the map's.
        unsafe {
            [vld1q_u8_x4(from), vld1q_u8_x4(from.add(64)), vld1q_u8_x4(from.add(128)), vld1q_u8_x4(from.add(192))]
        }
    }

    #[inline(always)]
    unsafe fn mapped(self, map: &Self::Map) -> Self {
        // SAFETY: the caller's: NEON is there.
        unsafe {
            // A lookup is zero beyond its 64 bytes.
            let first = vqtbl4q_u8(map[0], self.0);
            let second = vqtbl4q_u8(map[1], vsubq_u8(self.0, vdupq_n_u8(64)));
            let third = vqtbl4q_u8(map[2], vsubq_u8(self.0, vdupq_n_u8(128)));
            let fourth = vqtbl4q_u8(map[3], vsubq_u8(self.0, vdupq_n_u8(192)));
            Self(vorrq_u8(vorrq_u8(first, second), vorrq_u8(third, fourth)))
        }
    }

    #[inline(always)]
    unsafe fn store(self, out: *mut u8) {
        // SAFETY: the caller's: there is room for sixteen bytes.
        unsafe { vst1q_u8(out, self.0) }
    }

    #[inline(always)]
    unsafe fn splat_pair(pair: u16) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vreinterpretq_u8_u16(vdupq_n_u16(pair)) })
    }

    #[inline(always)]
    unsafe fn equal_pairs(self, other: Self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vreinterpretq_u8_u16(vceqq_u16(vreinterpretq_u16_u8(self.0), vreinterpretq_u16_u8(other.0))) })
    }

    #[inline(always)]
    unsafe fn at_most_pairs(self, other: Self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { vreinterpretq_u8_u16(vcleq_u16(vreinterpretq_u16_u8(self.0), vreinterpretq_u16_u8(other.0))) })
    }

    #[inline(always)]
    unsafe fn pairs_mask(self) -> u32 {
        const BITS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: the caller's: NEON is there; the bits are the eight numbers that are read.
        unsafe { u32::from(vaddvq_u16(vandq_u16(vreinterpretq_u16_u8(self.0), vld1q_u16(BITS.as_ptr())))) }
    }

    #[inline(always)]
    unsafe fn high_first(self) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { if cfg!(target_endian = "big") { self.0 } else { vrev16q_u8(self.0) } })
    }

    #[inline(always)]
    unsafe fn part(self, lane: usize) -> Self {
        // SAFETY: the caller's: NEON is there.
        Self(unsafe { if lane == 0 { self.0 } else { vextq_u8::<8>(self.0, self.0) } })
    }

    #[inline(always)]
    unsafe fn spread(self, order: &[u8; 32], marks: Self, out: *mut u8) {
        let (halves, _) = order.as_chunks::<16>();
        for (number, half) in halves.iter().enumerate() {
            // SAFETY: the caller's: NEON is there, and room for two times sixteen bytes.
            unsafe {
                let order = vld1q_u8(half.as_ptr());
                // A lookup is zero beyond its sixteen bytes: in lanes for marks, and turned round in all others.
                let marks = vqtbl1q_u8(marks.0, veorq_u8(order, vdupq_n_u8(0x80)));
                vst1q_u8(out.add(16 * number), vorrq_u8(vqtbl1q_u8(self.0, order), marks));
            }
        }
    }
}

generic::instantiate!(V, "neon");
generic::instantiate_shuffle!(V, "neon");
generic::instantiate_lanes!(V, "neon");
generic::instantiate_keys!(V, "neon");
