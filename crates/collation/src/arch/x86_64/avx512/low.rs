//! Weights of ASCII and of two-byte characters, 32 bytes of UTF-8 at a time.
//!
//! Each byte gets a lane of sixteen bits, of which those of first bytes count. A row of 128 weights fits four registers, from which 32
//! lanes choose at once: the weights of ASCII are one row, those of two neighbouring lead bytes another. A text mostly has one such
//! pair of leads (Latin C2 and C3, Greek CE and CF, Cyrillic D0 and D1), so there is a lookup for each pair that occurs, not one for
//! each character.

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::super::super::{FILL_ROOM, Filled, Low};

/// Bytes, and so lanes, of a stretch.
const STRETCH: usize = 32;

/// A stretch of text as weights.
struct Weighed {
    /// A weight in the lane of each first byte; other lanes mean nothing.
    weights: __m512i,
    /// The lanes of first bytes, before `stop` and after it.
    starts: u32,
    /// The lanes of first bytes of two-byte characters.
    pairs: u32,
    /// The first lane that isn't plain; [`STRETCH`] if there is none.
    stop: u32,
}

/// 128 neighbouring weights.
#[derive(Clone, Copy)]
struct Row([__m512i; 4]);

impl Row {
    /// The row that begins at `index`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn at(low: &Low, index: usize) -> Self {
        let row = &low.0[index..index + 128];
        // SAFETY: four times 32 weights are the row's 128.
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

    /// The weight for each lane's lowest seven bits.
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

/// The border after a plain stretch: a character may reach over its end. Asks the byte and not the lanes, so that the next stretch need
/// not wait for them.
#[inline]
fn after(text: &[u8], at: usize) -> usize {
    let last = text.get(at + STRETCH - 1).copied().unwrap_or_default();
    at + STRETCH + usize::from(last >= 0xC0)
}

#[inline]
fn lanes(n: usize) -> u32 {
    if n >= STRETCH { !0 } else { (1 << n) - 1 }
}

/// Weighs what stands at `at`, up to [`STRETCH`] bytes. `at` is a border between characters.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn weigh(low: &Low, ascii: &Row, text: &[u8], at: usize) -> Weighed {
    let rest = text.len() - at;
    let here = lanes(rest);
    // SAFETY: `at` is within the text, and lanes past its end are masked off.
    let bytes = unsafe { _mm256_maskz_loadu_epi8(here, text.as_ptr().add(at).cast()) };
    let wide = _mm512_cvtepu8_epi16(bytes);
    let mut weights = ascii.choose(wide);
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
            weights = _mm512_mask_blend_epi16(same, weights, row.choose(indexes));
            left &= !same;
        }
        starts |= pairs;
    }
    let marked = starts & _mm512_cmpeq_epi16_mask(weights, _mm512_set1_epi16(Low::MARK.cast_signed()));
    let stop = (marked | here & !(starts | pairs << 1)).trailing_zeros();
    Weighed { weights, starts, pairs, stop }
}

/// # Safety
/// The machine has this backend's instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn mismatch_low(low: &Low, a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let ascii = Row::at(low, 0);
    let mut at = 0;
    while at < n {
        let (x, y) = (weigh(low, &ascii, a, at), weigh(low, &ascii, b, at));
        let unlike = x.starts ^ y.starts | x.starts & _mm512_cmpneq_epi16_mask(x.weights, y.weights);
        let stop = unlike.trailing_zeros().min(x.stop).min(y.stop);
        if stop < 32 {
            // A lane where only one of them has a first byte is inside the other's character.
            let inside = (x.pairs | y.pairs) << 1 >> stop & 1;
            return at + stop as usize - inside as usize;
        }
        // Both have the same first bytes: a character over the border is one in both.
        at = after(a, at);
    }
    n
}

/// # Safety
/// The machine has this backend's instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn fill(low: &Low, text: &[u8], out: &mut [u16]) -> Filled {
    // SAFETY: the room is counted in weights, which is what is written.
    unsafe { fill_with::<false>(low, text, out.as_mut_ptr().cast(), out.len()) }
}

/// # Safety
/// The machine has this backend's instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn fill_key(low: &Low, text: &[u8], out: &mut [MaybeUninit<u8>]) -> Filled {
    // SAFETY: a weight is two bytes.
    unsafe { fill_with::<true>(low, text, out.as_mut_ptr().cast(), out.len() / 2) }
}

/// # Safety
/// There is room for `room` weights at `out`, which need not be aligned.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn fill_with<const HIGH_FIRST: bool>(low: &Low, text: &[u8], out: *mut u8, room: usize) -> Filled {
    const { assert!(FILL_ROOM >= STRETCH) }
    let ascii = Row::at(low, 0);
    let (mut consumed, mut produced) = (0, 0);
    while consumed < text.len() && room - produced >= FILL_ROOM {
        let stretch = weigh(low, &ascii, text, consumed);
        let kept =
            stretch.starts & lanes(stretch.stop as usize) & _mm512_test_epi16_mask(stretch.weights, stretch.weights);
        let mut packed = if kept == !0 { stretch.weights } else { _mm512_maskz_compress_epi16(kept, stretch.weights) };
        if HIGH_FIRST {
            packed = _mm512_or_si512(_mm512_slli_epi16::<8>(packed), _mm512_srli_epi16::<8>(packed));
        }
        // SAFETY: there is room for `FILL_ROOM` weights from `produced` on, and a register holds `STRETCH`.
        unsafe { _mm512_storeu_si512(out.add(2 * produced).cast(), packed) };
        produced += kept.count_ones() as usize;
        if (stretch.stop as usize) < STRETCH {
            consumed += stretch.stop as usize;
            break;
        }
        consumed = after(text, consumed);
    }
    Filled { consumed: consumed.min(text.len()), produced }
}
