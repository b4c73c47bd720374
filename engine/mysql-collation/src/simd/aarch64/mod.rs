//! NEON, which every 64-bit ARM has: sixteen bytes at a time.

use core::arch::aarch64::*;

use super::byte_set::ByteRange;
use super::entry_rows::Table;
use super::scalar::load_few;
use super::vector::{CLOSE_UP, Keys, Lanes, Shuffle, Vector};
use super::{Backend, generic};

static BACKEND: Backend = Backend {
    name: "neon",
    mismatch,
    mismatch_folded,
    mismatch_folded_ascii,
    mismatch_contractible,
    mismatch_mapped,
    run_of,
    trailing_run,
    ascii_prefix,
    is_words,
    utf8_prefix,
    utf8_starts,
    skip_equal,
    fill,
    fill_key,
    map_bytes,
    find_marked_byte,
    find_marked_word,
};

/// Backends that this machine can run.
pub(super) fn available() -> impl Iterator<Item = &'static Backend> {
    core::iter::once(&BACKEND)
}

#[derive(Clone, Copy)]
struct V(uint8x16_t);

/// Four bits for each lane of a comparison: NEON has no instruction that gathers one bit of each.
///
/// # Safety
/// The machine has NEON.
#[inline(always)]
unsafe fn mask(compared: uint8x16_t) -> u64 {
    // SAFETY: the caller guarantees NEON.
    unsafe { vget_lane_u64::<0>(vreinterpret_u64_u8(vshrn_n_u16::<4>(vreinterpretq_u16_u8(compared)))) }
}

impl Vector for V {
    const BYTES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller guarantees sixteen readable bytes; the load needs no alignment.
        Self(unsafe { vld1q_u8(from) })
    }

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vdupq_n_u8(byte) })
    }

    #[inline(always)]
    unsafe fn fold(self) -> Self {
        // SAFETY: the caller guarantees NEON.
        unsafe {
            let upper = vcltq_u8(vsubq_u8(self.0, vdupq_n_u8(b'A')), vdupq_n_u8(26));
            Self(vorrq_u8(self.0, vandq_u8(upper, vdupq_n_u8(0x20))))
        }
    }

    #[inline(always)]
    unsafe fn first_mismatch(self, other: Self) -> usize {
        // SAFETY: the caller guarantees NEON.
        let mismatches = unsafe { !mask(vceqq_u8(self.0, other.0)) };
        mismatches.trailing_zeros() as usize / 4
    }

    #[inline(always)]
    unsafe fn first_high(self) -> usize {
        // SAFETY: the caller guarantees NEON.
        let high = unsafe { mask(vcgeq_u8(self.0, vdupq_n_u8(0x80))) };
        high.trailing_zeros() as usize / 4
    }

    #[inline(always)]
    unsafe fn trailing_run(self, range: &ByteRange, n: usize) -> usize {
        // SAFETY: the caller guarantees NEON.
        let others = unsafe {
            let [flip, first, span] =
                [range.flip, range.first, range.last - range.first].map(|byte| Self::splat(byte).0);
            !mask(vcleq_u8(vsubq_u8(veorq_u8(self.0, flip), first), span))
        };
        ((others << (64 - 4 * n)).leading_zeros() as usize / 4).min(n)
    }

    #[inline(always)]
    unsafe fn starts(self) -> usize {
        // SAFETY: the caller guarantees NEON. Continuation bytes are the numbers below -64.
        unsafe {
            let starts = vcgeq_s8(vreinterpretq_s8_u8(self.0), vdupq_n_s8(-64));
            usize::from(vaddvq_u8(vandq_u8(starts, vdupq_n_u8(1))))
        }
    }

    #[inline(always)]
    unsafe fn first_breaking_words(self, next: Self) -> usize {
        // SAFETY: the caller guarantees NEON.
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
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vdupq_n_u8(0) })
    }

    #[inline(always)]
    unsafe fn lookup(self, table: &[u8; 16]) -> Self {
        // SAFETY: the caller guarantees NEON; the table has the sixteen bytes that are read.
        Self(unsafe { vqtbl1q_u8(vld1q_u8(table.as_ptr()), self.0) })
    }

    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vshrq_n_u8::<4>(self.0) })
    }

    #[inline(always)]
    unsafe fn low_nibbles(self) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vandq_u8(self.0, vdupq_n_u8(15)) })
    }

    #[inline(always)]
    unsafe fn shifted<const N: usize>(self, before: Self) -> Self {
        // SAFETY: the caller guarantees NEON.
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
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vandq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vorrq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { veorq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn saturating_sub(self, other: Self) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vqsubq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn nonzero(self) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vtstq_u8(self.0, self.0) })
    }

    #[inline(always)]
    unsafe fn is_zero(self) -> bool {
        // SAFETY: the caller guarantees NEON.
        unsafe { vmaxvq_u8(self.0) == 0 }
    }
}

impl Lanes for V {
    #[inline(always)]
    unsafe fn load_start(from: *const u8, n: usize) -> Self {
        // SAFETY: the caller guarantees `n` readable bytes, and NEON.
        unsafe { Self(vld1q_u8(load_few(from, n).to_le_bytes().as_ptr())) }
    }

    #[inline(always)]
    unsafe fn mask(self) -> u32 {
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: the caller guarantees NEON.
        unsafe {
            let high = vcltzq_s8(vreinterpretq_s8_u8(self.0));
            let bits = vandq_u8(high, vld1q_u8(BITS.as_ptr()));
            u32::from(vaddv_u8(vget_low_u8(bits))) | u32::from(vaddv_u8(vget_high_u8(bits))) << 8
        }
    }

    #[inline(always)]
    unsafe fn equal(self, other: Self) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vceqq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn at_least(self, other: Self) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vcgeq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn select(mask: Self, yes: Self, no: Self) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vbslq_u8(mask.0, yes.0, no.0) })
    }

    #[inline(always)]
    unsafe fn shifted_down(self) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vextq_u8::<1>(self.0, vdupq_n_u8(0)) })
    }

    #[inline(always)]
    unsafe fn lookup_128(self, table: &Table) -> Self {
        let (quarters, _) = table.bytes.as_chunks::<64>();
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { looked_up(self.0, quarters.iter().map(|quarter| vld1q_u8_x4(quarter.as_ptr()))) })
    }

    #[inline(always)]
    unsafe fn lookup_printable(self, [one, other]: [&Table; 2]) -> [Self; 2] {
        // SAFETY: the caller guarantees NEON.
        unsafe { [self.lookup_128(one), self.lookup_128(other)] }
    }

    #[inline(always)]
    unsafe fn store_pairs(first: Self, second: Self, kept: u32, out: *mut u8) {
        // SAFETY: the caller guarantees NEON and room for two bytes per lane. Eight lanes write
        // sixteen bytes, after at most sixteen for the first eight.
        unsafe {
            let (low, high) = (vzip1q_u8(first.0, second.0), vzip2q_u8(first.0, second.0));
            // ASCII has no gaps between lanes to remove.
            if kept & kept.wrapping_add(1) == 0 {
                vst1q_u8(out, low);
                vst1q_u8(out.add(16), high);
                return;
            }
            let closed_up = |eight, kept: u32| vqtbl1q_u8(eight, vld1q_u8(CLOSE_UP[(kept & 0xFF) as usize].as_ptr()));
            vst1q_u8(out, closed_up(low, kept));
            vst1q_u8(out.add(2 * (kept & 0xFF).count_ones() as usize), closed_up(high, kept >> 8));
        }
    }
}

impl Keys for V {
    /// Four times 64 bytes.
    type Map = [uint8x16x4_t; 4];

    #[inline(always)]
    unsafe fn map(map: &[u8; 256]) -> Self::Map {
        let (quarters, _) = map.as_chunks::<64>();
        // SAFETY: the caller guarantees NEON.
        core::array::from_fn(|number| unsafe { vld1q_u8_x4(quarters[number].as_ptr()) })
    }

    #[inline(always)]
    unsafe fn mapped(self, map: &Self::Map) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { looked_up(self.0, map.iter().copied()) })
    }

    #[inline(always)]
    unsafe fn store(self, out: *mut u8) {
        // SAFETY: the caller guarantees room for sixteen bytes; the store needs no alignment.
        unsafe { vst1q_u8(out, self.0) }
    }

    #[inline(always)]
    unsafe fn splat_pair(pair: u16) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vreinterpretq_u8_u16(vdupq_n_u16(pair)) })
    }

    #[inline(always)]
    unsafe fn equal_pairs(self, other: Self) -> Self {
        // SAFETY: the caller guarantees NEON.
        unsafe {
            let equal = vceqq_u16(vreinterpretq_u16_u8(self.0), vreinterpretq_u16_u8(other.0));
            Self(vreinterpretq_u8_u16(equal))
        }
    }

    #[inline(always)]
    unsafe fn at_most_pairs(self, other: Self) -> Self {
        // SAFETY: the caller guarantees NEON.
        unsafe {
            let at_most = vcleq_u16(vreinterpretq_u16_u8(self.0), vreinterpretq_u16_u8(other.0));
            Self(vreinterpretq_u8_u16(at_most))
        }
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        // SAFETY: the caller guarantees NEON.
        Self(unsafe { vrev16q_u8(self.0) })
    }
}

/// Looks each lane up in tables of 64 bytes, one after the other. A lookup leaves lanes whose index
/// is beyond its table as they were, so lanes beyond all tables stay zero.
///
/// # Safety
/// The machine has NEON.
#[inline(always)]
unsafe fn looked_up(mut indexes: uint8x16_t, quarters: impl Iterator<Item = uint8x16x4_t>) -> uint8x16_t {
    // SAFETY: the caller guarantees NEON.
    unsafe {
        let mut found = vdupq_n_u8(0);
        for quarter in quarters {
            found = vqtbx4q_u8(found, quarter, indexes);
            indexes = vsubq_u8(indexes, vdupq_n_u8(64));
        }
        found
    }
}

generic::instantiate!(V, "neon");
generic::instantiate_shuffle!(V, "neon");
generic::instantiate_lanes!(V, "neon");
generic::instantiate_keys!(V, "neon");
