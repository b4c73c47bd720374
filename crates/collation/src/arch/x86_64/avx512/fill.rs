//! Writing the weights of plain text: 32 bytes at a time, and 64 where all of them are ASCII.

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::super::super::{FILL_ROOM, Filled, Low};
use super::low::{Row, STRETCH, after, lanes, look_up};

/// Bytes of a stretch of ASCII.
const ASCII_STRETCH: usize = 64;

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
    // SAFETY: the caller's.
    let ascii = unsafe { fill_ascii::<HIGH_FIRST>(low, text, out, room) };
    if ascii == text.len() {
        return Filled { consumed: ascii, produced: ascii };
    }
    // SAFETY: the room after what was written, two bytes each.
    let rest = unsafe { fill_any::<HIGH_FIRST>(low, &text[ascii..], out.add(2 * ascii), room - ascii) };
    Filled { consumed: ascii + rest.consumed, produced: ascii + rest.produced }
}

/// The stretches of ASCII at the start, each character of one weight. How many characters, and so weights.
///
/// # Safety
/// As for [`fill_with`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn fill_ascii<const HIGH_FIRST: bool>(low: &Low, text: &[u8], out: *mut u8, room: usize) -> usize {
    let half = |bytes: &[u8; 128], from: usize| {
        // SAFETY: `from` is 0 or 64, and 64 bytes are there from either.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().add(from).cast()) }
    };
    let [high, low] = low.ascii();
    let (high_0, high_1, low_0, low_1) = (half(high, 0), half(high, 64), half(low, 0), half(low, 64));
    // What unpacking takes from the two halves of each lane has to come out in the text's order.
    let spread = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    let mut at = 0;
    while at < text.len() {
        let rest = (text.len() - at).min(ASCII_STRETCH);
        // Whole registers are written: one for each half of the stretch that has characters.
        if room - at < rest.next_multiple_of(ASCII_STRETCH / 2) {
            break;
        }
        let here = if rest == ASCII_STRETCH { !0 } else { (1_u64 << rest) - 1 };
        let spaces = _mm512_set1_epi8(b' '.cast_signed());
        // SAFETY: `at` is within the text, and lanes past its end are not read: spaces stand for them.
        let bytes = unsafe { _mm512_mask_loadu_epi8(spaces, here, text.as_ptr().add(at).cast()) };
        let spread_out = _mm512_permutexvar_epi64(spread, bytes);
        // The permutes take no notice of the highest bit.
        let high = _mm512_permutex2var_epi8(high_0, spread_out, high_1);
        let low = _mm512_permutex2var_epi8(low_0, spread_out, low_1);
        let others = _mm512_cmpge_epu8_mask(high, _mm512_set1_epi8((Low::SEVERAL >> 8) as i8));
        if _mm512_movepi8_mask(bytes) | others != 0 {
            break;
        }
        let (x, y) = if HIGH_FIRST { (high, low) } else { (low, high) };
        // SAFETY: there is room for 32 weights from `at` on, and for 64 if there are more than 32 characters.
        unsafe {
            _mm512_storeu_si512(out.add(2 * at).cast(), _mm512_unpacklo_epi8(x, y));
            if rest > ASCII_STRETCH / 2 {
                _mm512_storeu_si512(out.add(2 * at + ASCII_STRETCH).cast(), _mm512_unpackhi_epi8(x, y));
            }
        }
        at += rest;
    }
    at
}

/// The weights of plain text, ignorable characters left out.
///
/// # Safety
/// As for [`fill_with`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn fill_any<const HIGH_FIRST: bool>(low: &Low, text: &[u8], out: *mut u8, room: usize) -> Filled {
    const { assert!(FILL_ROOM >= STRETCH) }
    let ascii = Row::at(low, 0);
    let (mut consumed, mut produced) = (0, 0);
    while consumed < text.len() && room - produced >= FILL_ROOM {
        let stretch = look_up(low, &ascii, text, consumed, Low::SEVERAL);
        let kept =
            stretch.starts & lanes(stretch.stop as usize) & _mm512_test_epi16_mask(stretch.entries, stretch.entries);
        let mut packed = if kept == !0 { stretch.entries } else { _mm512_maskz_compress_epi16(kept, stretch.entries) };
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
    Filled { consumed, produced }
}
