//! Entries of ASCII and of two-byte characters, 32 bytes of UTF-8 at a time.
//!
//! Each byte gets a lane of sixteen bits, of which those of first bytes count. A row of 128 entries fits four registers, from which 32
//! lanes choose at once: the entries of ASCII are one row, those of two neighbouring lead bytes another. A text mostly has one such
//! pair of leads (Latin C2 and C3, Greek CE and CF, Cyrillic D0 and D1), so there is a lookup for each pair that occurs, not one for
//! each character.

use core::arch::x86_64::*;

use super::super::super::Low;

/// Bytes, and so lanes, of a stretch.
pub(super) const STRETCH: usize = 32;

/// A stretch of text as entries.
pub(super) struct Stretch {
    /// An entry in the lane of each first byte; other lanes mean nothing.
    pub(super) entries: __m512i,
    /// The lanes of first bytes, before `stop` and after it.
    pub(super) starts: u32,
    /// The first lane that is no character of one or two bytes, or has an entry of `limit` or above; [`STRETCH`] if there is none.
    pub(super) stop: u32,
}

/// 128 neighbouring entries.
#[derive(Clone, Copy)]
pub(super) struct Row([__m512i; 4]);

impl Row {
    /// The row that begins at `index`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn at(low: &Low, index: usize) -> Self {
        let row = low.row(index);
        // SAFETY: four times 32 entries are the row's 128.
        unsafe {
            let quarter = row.as_ptr().cast::<__m512i>();
            Self([
                _mm512_loadu_si512(quarter),
                _mm512_loadu_si512(quarter.add(1)),
                _mm512_loadu_si512(quarter.add(2)),
                _mm512_loadu_si512(quarter.add(3)),
            ])
        }
    }

    /// The entry for each lane's lowest seven bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn choose(&self, indexes: __m512i) -> __m512i {
        let [t0, t1, t2, t3] = self.0;
        // A permute of two registers takes the lowest six bits.
        let below = _mm512_permutex2var_epi16(t0, indexes, t1);
        let above = _mm512_permutex2var_epi16(t2, indexes, t3);
        _mm512_mask_blend_epi16(_mm512_test_epi16_mask(indexes, _mm512_set1_epi16(0x40)), below, above)
    }
}

/// The border after a whole stretch: a character may reach over its end. Asks the byte and not the lanes, so that the next stretch need
/// not wait for them.
#[inline]
pub(super) fn after(text: &[u8], at: usize) -> usize {
    let last = text.get(at + STRETCH - 1).copied().unwrap_or_default();
    (at + STRETCH + usize::from(last >= 0xC0)).min(text.len())
}

/// The lowest `n` of 32 lanes.
#[inline]
pub(super) fn lanes(n: usize) -> u32 {
    if n >= STRETCH { !0 } else { (1 << n) - 1 }
}

/// Looks up what stands at `at`, up to [`STRETCH`] bytes. `at` is a border between characters.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn look_up(low: &Low, ascii: &Row, text: &[u8], at: usize, limit: u16) -> Stretch {
    let rest = text.len() - at;
    let here = lanes(rest);
    // SAFETY: `at` is within the text, and lanes past its end are masked off.
    let bytes = unsafe { _mm256_maskz_loadu_epi8(here, text.as_ptr().add(at).cast()) };
    let wide = _mm512_cvtepu8_epi16(bytes);
    let mut entries = ascii.choose(wide);
    let mut starts = here & !(_mm256_movepi8_mask(bytes));
    let mut pairs = 0;
    if starts != here {
        // SAFETY: lanes past the end are masked off; with none left, nothing is read.
        let next = unsafe { _mm256_maskz_loadu_epi8(lanes(rest - 1), text.as_ptr().wrapping_add(at + 1).cast()) };
        // Continuation bytes are the numbers below -64. Lanes past the end are zero, and so none.
        let goes_on = _mm256_cmplt_epi8_mask(next, _mm256_set1_epi8(-64));
        let from_c2 = _mm256_sub_epi8(bytes, _mm256_set1_epi8(0xC2_u8.cast_signed()));
        pairs = goes_on & here & _mm256_cmplt_epu8_mask(from_c2, _mm256_set1_epi8(0x1E));
        // The lead's lowest bit, then the six of the second byte.
        let indexes = _mm512_or_si512(_mm512_slli_epi16::<6>(wide), _mm512_cvtepu8_epi16(next));
        let even_leads = _mm256_and_si256(bytes, _mm256_set1_epi8(!1));
        let mut left = pairs;
        while left != 0 {
            let lead = text[at + left.trailing_zeros() as usize] & !1;
            let same = left & _mm256_cmpeq_epi8_mask(even_leads, _mm256_set1_epi8(lead.cast_signed()));
            let row = Row::at(low, usize::from(lead & 0x1F) << 6);
            entries = _mm512_mask_blend_epi16(same, entries, row.choose(indexes));
            left &= !same;
        }
        starts |= pairs;
    }
    let marked = starts & _mm512_cmpge_epu16_mask(entries, _mm512_set1_epi16(limit.cast_signed()));
    let stop = (marked | here & !(starts | pairs << 1)).trailing_zeros();
    Stretch { entries, starts, stop }
}
