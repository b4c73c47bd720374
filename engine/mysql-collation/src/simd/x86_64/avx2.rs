//! AVX2: 32 bytes at a time.

use core::arch::x86_64::*;

use super::super::byte_set::ByteRange;
use super::super::entry_rows::Table;
use super::super::scalar::load_few;
use super::super::vector::{CLOSE_UP, Keys, Lanes, Shuffle, Vector};
use super::super::{Backend, generic};

pub(in super::super) static BACKEND: Backend = Backend {
    name: "avx2",
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

#[derive(Clone, Copy)]
struct V(__m256i);

impl Vector for V {
    const BYTES: usize = 32;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller guarantees 32 readable bytes; the load needs no alignment.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_set1_epi8(byte.cast_signed()) })
    }

    #[inline(always)]
    unsafe fn fold(self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        unsafe {
            // Comparisons are signed: with `A` moved to the least number, one comparison finds the
            // 26 letters.
            let moved = _mm256_sub_epi8(self.0, _mm256_set1_epi8(b'A'.wrapping_add(0x80).cast_signed()));
            let upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(-128 + 26), moved);
            Self(_mm256_or_si256(self.0, _mm256_and_si256(upper, _mm256_set1_epi8(0x20))))
        }
    }

    #[inline(always)]
    unsafe fn first_mismatch(self, other: Self) -> usize {
        // SAFETY: the caller guarantees AVX2.
        let mismatches = unsafe { !_mm256_movemask_epi8(_mm256_cmpeq_epi8(self.0, other.0)) };
        mismatches.trailing_zeros() as usize
    }

    #[inline(always)]
    unsafe fn first_high(self) -> usize {
        // SAFETY: the caller guarantees AVX2.
        unsafe { _mm256_movemask_epi8(self.0).trailing_zeros() as usize }
    }

    #[inline(always)]
    unsafe fn trailing_run(self, range: &ByteRange, n: usize) -> usize {
        // SAFETY: the caller guarantees AVX2.
        let others = unsafe {
            let [flip, first, span] =
                [range.flip, range.first, range.last - range.first].map(|byte| Self::splat(byte).0);
            let moved = _mm256_sub_epi8(_mm256_xor_si256(self.0, flip), first);
            !_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(moved, span), span))
        };
        ((others << (32 - n)).leading_zeros() as usize).min(n)
    }

    #[inline(always)]
    unsafe fn starts(self) -> usize {
        // SAFETY: the caller guarantees AVX2. Continuation bytes are the numbers below -64.
        let starts = unsafe { _mm256_movemask_epi8(_mm256_cmpgt_epi8(self.0, _mm256_set1_epi8(-65))) };
        starts.count_ones() as usize
    }

    #[inline(always)]
    unsafe fn first_breaking_words(self, next: Self) -> usize {
        // SAFETY: the caller guarantees AVX2. Bytes beyond ASCII are the negative numbers.
        unsafe {
            let space = _mm256_set1_epi8(0x20);
            let is_last = _mm256_andnot_si256(_mm256_cmpgt_epi8(next.0, space), _mm256_cmpeq_epi8(self.0, space));
            let is_strange =
                _mm256_or_si256(_mm256_cmpgt_epi8(space, self.0), _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(0x7F)));
            let found = _mm256_movemask_epi8(_mm256_or_si256(is_last, is_strange)).cast_unsigned();
            found.trailing_zeros() as usize
        }
    }
}

impl Shuffle for V {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_setzero_si256() })
    }

    #[inline(always)]
    unsafe fn lookup(self, table: &[u8; 16]) -> Self {
        // SAFETY: the caller guarantees AVX2; the table has the sixteen bytes that are read.
        unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
            Self(_mm256_shuffle_epi8(table, self.0))
        }
    }

    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_and_si256(_mm256_srli_epi16::<4>(self.0), _mm256_set1_epi8(15)) })
    }

    #[inline(always)]
    unsafe fn low_nibbles(self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_and_si256(self.0, _mm256_set1_epi8(15)) })
    }

    #[inline(always)]
    unsafe fn shifted<const N: usize>(self, before: Self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        unsafe {
            // The sixteen bytes before each half of `self`: the shift works within halves.
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
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn saturating_sub(self, other: Self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_subs_epu8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn nonzero(self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_xor_si256(_mm256_cmpeq_epi8(self.0, _mm256_setzero_si256()), _mm256_set1_epi8(-1)) })
    }

    #[inline(always)]
    unsafe fn is_zero(self) -> bool {
        // SAFETY: the caller guarantees AVX2.
        unsafe { _mm256_testz_si256(self.0, self.0) == 1 }
    }
}

/// A shuffle for each `n`: the 16 bytes at offset `n` move the bytes of a half down by `n` lanes
/// and fill up with zeros.
static DOWN: [u8; 32] = {
    let mut all = [0x80; 32];
    let mut lane = 0;
    while lane < 16 {
        all[lane] = lane as u8;
        lane += 1;
    }
    all
};

impl Lanes for V {
    #[inline(always)]
    unsafe fn load_start(from: *const u8, n: usize) -> Self {
        // SAFETY: the caller guarantees AVX2 and `n` readable bytes. The second half is read so
        // that it ends at byte `n`; DOWN is read at 16 at most.
        unsafe {
            if n < 16 {
                let few = load_few(from, n);
                return Self(_mm256_set_epi64x(0, 0, (few >> 64) as i64, few as i64));
            }
            let down = _mm_loadu_si128(DOWN.as_ptr().add(32 - n).cast());
            let second = _mm_shuffle_epi8(_mm_loadu_si128(from.add(n - 16).cast()), down);
            Self(_mm256_set_m128i(second, _mm_loadu_si128(from.cast())))
        }
    }

    #[inline(always)]
    unsafe fn mask(self) -> u32 {
        // SAFETY: the caller guarantees AVX2.
        unsafe { _mm256_movemask_epi8(self.0).cast_unsigned() }
    }

    #[inline(always)]
    unsafe fn equal(self, other: Self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_cmpeq_epi8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn at_least(self, other: Self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_cmpeq_epi8(_mm256_max_epu8(self.0, other.0), self.0) })
    }

    #[inline(always)]
    unsafe fn select(mask: Self, yes: Self, no: Self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_blendv_epi8(no.0, yes.0, mask.0) })
    }

    #[inline(always)]
    unsafe fn shifted_down(self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        unsafe {
            let after = _mm256_permute2x128_si256::<0x81>(self.0, self.0);
            Self(_mm256_alignr_epi8::<1>(after, self.0))
        }
    }

    #[inline(always)]
    unsafe fn lookup_128(self, table: &Table) -> Self {
        let (sixteens, _) = table.steps.as_chunks::<16>();
        // SAFETY: the caller guarantees AVX2.
        unsafe {
            let mut steps = [_mm256_setzero_si256(); 8];
            for (step, sixteen) in steps.iter_mut().zip(sixteens) {
                *step = in_both_halves(sixteen);
            }
            Self(lookup_in_steps(self.0, &steps))
        }
    }

    #[inline(always)]
    unsafe fn lookup_printable(self, tables: [&Table; 2]) -> [Self; 2] {
        // SAFETY: the caller guarantees AVX2.
        unsafe {
            let mut sums = [_mm256_setzero_si256(); 2];
            for number in 2..8 {
                let index = _mm256_sub_epi8(self.0, _mm256_set1_epi8(16 * number as i8));
                for (sum, table) in sums.iter_mut().zip(tables) {
                    let steps = if number == 2 { &table.bytes } else { &table.steps };
                    let (sixteens, _) = steps.as_chunks::<16>();
                    *sum = _mm256_xor_si256(*sum, _mm256_shuffle_epi8(in_both_halves(&sixteens[number]), index));
                }
            }
            sums.map(Self)
        }
    }

    #[inline(always)]
    unsafe fn store_pairs(first: Self, second: Self, kept: u32, out: *mut u8) {
        // SAFETY: the caller guarantees AVX2 and room for two bytes per lane. Eight lanes write
        // sixteen bytes, after at most sixteen for each of the eights before them.
        unsafe {
            let (low, high) = (_mm256_unpacklo_epi8(first.0, second.0), _mm256_unpackhi_epi8(first.0, second.0));
            // ASCII has no gaps between lanes to remove.
            if kept & kept.wrapping_add(1) == 0 {
                _mm256_storeu_si256(out.cast(), _mm256_permute2x128_si256::<0x20>(low, high));
                _mm256_storeu_si256(out.add(32).cast(), _mm256_permute2x128_si256::<0x31>(low, high));
                return;
            }
            let eights = [
                _mm256_castsi256_si128(low),
                _mm256_castsi256_si128(high),
                _mm256_extracti128_si256::<1>(low),
                _mm256_extracti128_si256::<1>(high),
            ];
            // Once the gaps are removed, eight lanes may have fewer than sixteen bytes. The next
            // eight overwrite the surplus.
            for (number, eight) in eights.into_iter().enumerate() {
                let before = kept & ((1 << (8 * number)) - 1);
                let order = &CLOSE_UP[(kept >> (8 * number)) as usize & 0xFF];
                let closed_up = _mm_shuffle_epi8(eight, _mm_loadu_si128(order.as_ptr().cast()));
                _mm_storeu_si128(out.add(2 * before.count_ones() as usize).cast(), closed_up);
            }
        }
    }

    #[inline(always)]
    unsafe fn nth(mask: u32, number: u32) -> usize {
        // SAFETY: the caller guarantees: this backend has BMI2.
        unsafe { _pdep_u32(1 << number, mask).trailing_zeros() as usize }
    }
}

impl Keys for V {
    /// Each vector has sixteen bytes of the map in both halves, XORed with the sixteen before them
    /// in the same half of the map.
    type Map = [__m256i; 16];

    #[inline(always)]
    unsafe fn map(map: &[u8; 256]) -> Self::Map {
        let (sixteens, _) = map.as_chunks::<16>();
        // SAFETY: the caller guarantees AVX2.
        unsafe {
            let mut steps = [_mm256_setzero_si256(); 16];
            for (number, sixteen) in sixteens.iter().enumerate() {
                let these = in_both_halves(sixteen);
                let is_first = number % 8 == 0;
                let before = if is_first { _mm256_setzero_si256() } else { in_both_halves(&sixteens[number - 1]) };
                steps[number] = _mm256_xor_si256(these, before);
            }
            steps
        }
    }

    #[inline(always)]
    unsafe fn mapped(self, map: &Self::Map) -> Self {
        // SAFETY: the caller guarantees AVX2.
        unsafe {
            let high = _mm256_cmpgt_epi8(_mm256_setzero_si256(), self.0);
            let (ascii, others) = map.split_at(8);
            if _mm256_testz_si256(high, high) == 1 {
                return Self(lookup_in_steps(self.0, ascii));
            }
            // Lanes of the other half are 255, which stays above 128 after any subtraction: they
            // become zero.
            let below = lookup_in_steps(_mm256_or_si256(self.0, high), ascii);
            let all = _mm256_set1_epi8(-1);
            let less = _mm256_xor_si256(self.0, _mm256_set1_epi8(-128));
            let above = lookup_in_steps(_mm256_or_si256(less, _mm256_xor_si256(high, all)), others);
            Self(_mm256_or_si256(below, above))
        }
    }

    #[inline(always)]
    unsafe fn store(self, out: *mut u8) {
        // SAFETY: the caller guarantees room for 32 bytes; the store needs no alignment.
        unsafe { _mm256_storeu_si256(out.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn splat_pair(pair: u16) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_set1_epi16(pair.cast_signed()) })
    }

    #[inline(always)]
    unsafe fn equal_pairs(self, other: Self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_cmpeq_epi16(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn at_most_pairs(self, other: Self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        Self(unsafe { _mm256_cmpeq_epi16(_mm256_min_epu16(self.0, other.0), self.0) })
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        // SAFETY: the caller guarantees AVX2.
        unsafe {
            let swap = _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
            Self(_mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(swap)))
        }
    }
}

/// # Safety
/// The machine has AVX2.
#[inline(always)]
unsafe fn in_both_halves(sixteen: &[u8; 16]) -> __m256i {
    // SAFETY: the caller guarantees AVX2; sixteen bytes are read.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(sixteen.as_ptr().cast())) }
}

/// For each lane, an index below 128, XORs the steps up to the sixteen bytes that the index is in.
/// A lookup takes the low four bits of the index. It is zero if the highest bit is set, as it is
/// once the start of later sixteen bytes is subtracted. A lane that stays above 128 after all
/// subtractions becomes zero.
///
/// # Safety
/// The machine has AVX2.
#[inline(always)]
unsafe fn lookup_in_steps(indexes: __m256i, steps: &[__m256i]) -> __m256i {
    // SAFETY: the caller guarantees AVX2.
    unsafe {
        let mut sum = _mm256_setzero_si256();
        for (number, &step) in (0_i8..).zip(steps) {
            let index = _mm256_sub_epi8(indexes, _mm256_set1_epi8(16 * number));
            sum = _mm256_xor_si256(sum, _mm256_shuffle_epi8(step, index));
        }
        sum
    }
}

generic::instantiate!(V, "avx2,bmi1,bmi2,popcnt");
generic::instantiate_shuffle!(V, "avx2,bmi1,bmi2,popcnt");
generic::instantiate_lanes!(V, "avx2,bmi1,bmi2,popcnt");
generic::instantiate_keys!(V, "avx2,bmi1,bmi2,popcnt");
