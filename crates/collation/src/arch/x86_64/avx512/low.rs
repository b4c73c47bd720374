//! Entries of ASCII and of two-byte characters, 64 bytes of UTF-8 at a time.
//!
//! Each byte has a lane, of which those of first bytes count. The high bytes of a row of 128 entries fit two registers, from which all
//! lanes choose at once, and so do the low bytes. The entries of ASCII are one row, those of two neighbouring lead bytes another. A
//! text mostly has one such pair of leads (Latin C2 and C3, Greek CE and CF, Cyrillic D0 and D1), so there is a lookup for each pair
//! that occurs, not one for each character.

use core::arch::x86_64::*;

use super::super::super::Low;
use super::super::super::rows::{Row, Table as Bytes};
use super::lanes;
use crate::table::{Classes, Pairs};

/// Bytes, and so lanes, of a stretch.
pub(super) const STRETCH: usize = 64;

/// A stretch of text as entries.
pub(super) struct Stretch {
    /// The high byte of an entry in the lane of each first byte; other lanes mean nothing.
    pub(super) high: __m512i,
    /// The low byte.
    pub(super) low: __m512i,
    /// The lanes of first bytes, before `stop` and after it.
    pub(super) starts: u64,
    /// The first lane that is no character of one or two bytes, or has an entry whose high byte is the limit or above; [`STRETCH`] if
    /// there is none.
    pub(super) stop: u32,
}

/// A row in registers.
#[derive(Clone, Copy)]
pub(super) struct Table {
    high: [__m512i; 2],
    low: [__m512i; 2],
}

impl Table {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn of(row: &Row) -> Self {
        let load = |Bytes { bytes, .. }: &Bytes| {
            // SAFETY: two times 64 bytes are the 128.
            unsafe { [_mm512_loadu_si512(bytes.as_ptr().cast()), _mm512_loadu_si512(bytes[64..].as_ptr().cast())] }
        };
        Self { high: load(&row.high), low: load(&row.low) }
    }

    /// The high bytes and the low bytes for each lane's lowest seven bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi")]
    pub(super) fn choose(&self, indexes: __m512i) -> (__m512i, __m512i) {
        let high = _mm512_permutex2var_epi8(self.high[0], indexes, self.high[1]);
        let low = _mm512_permutex2var_epi8(self.low[0], indexes, self.low[1]);
        (high, low)
    }
}

/// The boundary after a whole stretch: a character may reach over its end. Asks the byte and not the lanes, so that the next stretch need
/// not wait for them.
#[inline]
pub(super) fn after(text: &[u8], at: usize) -> usize {
    let last = text.get(at + STRETCH - 1).copied().unwrap_or_default();
    (at + STRETCH + usize::from(last >= 0xC0)).min(text.len())
}

/// Looks up what stands at `at`, up to [`STRETCH`] bytes. `at` is a boundary between characters. An entry whose high byte is `limit` or
/// above stops the stretch, and so does a character that may begin a contraction, if pairs are `JOINED`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn look_up<const JOINED: bool>(rows: &Low, ascii: &Table, text: &[u8], at: usize, limit: u8) -> Stretch {
    let rest = text.len() - at;
    let here = lanes(rest);
    // SAFETY: `at` is within the text, and lanes past its end are masked off.
    let bytes = unsafe { _mm512_maskz_loadu_epi8(here, text.as_ptr().add(at).cast()) };
    let (mut high, mut low) = ascii.choose(bytes);
    let mut starts = here & !_mm512_movepi8_mask(bytes);
    let mut pairs = 0;
    if starts != here {
        let next = next_bytes(text, at);
        // Continuation bytes are the numbers below -64. Lanes past the end are zero, and so none.
        let goes_on = _mm512_cmplt_epi8_mask(next, _mm512_set1_epi8(-64));
        let from_c2 = _mm512_sub_epi8(bytes, _mm512_set1_epi8(0xC2_u8.cast_signed()));
        pairs = goes_on & here & _mm512_cmplt_epu8_mask(from_c2, _mm512_set1_epi8(0x1E));
        // The lead's lowest bit, then the six of the second byte, whose own highest bit is not looked at.
        let lowest = _mm512_and_si512(_mm512_slli_epi16::<6>(bytes), _mm512_set1_epi8(0x40));
        let indexes = _mm512_or_si512(lowest, next);
        let even_leads = _mm512_and_si512(bytes, _mm512_set1_epi8(!1));
        let mut left = pairs;
        while left != 0 {
            let lead = text[at + left.trailing_zeros() as usize] & !1;
            let same = left & _mm512_cmpeq_epi8_mask(even_leads, _mm512_set1_epi8(lead.cast_signed()));
            let (of_high, of_low) = Table::of(rows.row(usize::from(lead & 0x1F) >> 1)).choose(indexes);
            high = _mm512_mask_blend_epi8(same, high, of_high);
            low = _mm512_mask_blend_epi8(same, low, of_low);
            left &= !same;
        }
        starts |= pairs;
    }
    let stopping = starts & _mm512_cmpge_epu8_mask(high, _mm512_set1_epi8(limit.cast_signed()));
    let joined = if JOINED { joined_lanes(rows, bytes, pairs, text, at) } else { 0 };
    let stop = (stopping | here & !(starts | pairs << 1) | joined).trailing_zeros();
    Stretch { high, low, starts, stop }
}

/// The bytes after those at `at`, zeros past the end of the text.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn next_bytes(text: &[u8], at: usize) -> __m512i {
    // SAFETY: lanes past the end are masked off; with none left, nothing is read.
    unsafe { _mm512_maskz_loadu_epi8(lanes(text.len() - at - 1), text.as_ptr().wrapping_add(at + 1).cast()) }
}

/// The lanes of characters that may begin a contraction: of one byte, and of two, which are `leads`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn joined_lanes(rows: &Low, bytes: __m512i, leads: u64, text: &[u8], at: usize) -> u64 {
    let Some(pairs) = rows.pairs() else { return 0 };
    let ends = joined_ends(pairs, bytes, next_bytes(text, at));
    // A character of two bytes has the lane of its first. That of the last lane ends in the next stretch.
    let mut of_leads = ends >> 1;
    if let [_, second, third, ..] = text[at..].get(STRETCH - 1..).unwrap_or_default() {
        of_leads |= u64::from(pairs.may_join(*second, *third)) << 63;
    }
    ends & !_mm512_movepi8_mask(bytes) | of_leads & leads
}

/// The lanes of the last bytes of characters that may begin a contraction.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn joined_ends(pairs: &Pairs, bytes: __m512i, next: __m512i) -> u64 {
    let first = classes(&pairs.first, bytes);
    _mm512_test_epi8_mask(first, classes(&pairs.second, next))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn classes(classes: &Classes, bytes: __m512i) -> __m512i {
    let table = |table: &[u8; 16]| {
        // SAFETY: the table has the sixteen bytes that are read.
        _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
    };
    let nibble = _mm512_set1_epi8(15);
    let low = _mm512_shuffle_epi8(table(&classes.low), _mm512_and_si512(bytes, nibble));
    let high = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), nibble);
    _mm512_and_si512(low, _mm512_shuffle_epi8(table(&classes.high), high))
}
