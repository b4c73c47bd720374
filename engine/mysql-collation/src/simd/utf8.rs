//! Validates UTF-8, a vector at a time: Keiser and Lemire, "Validating UTF-8 in less than one
//! instruction per byte" (2021).
//!
//! Three of the four nibbles of each pair of neighbouring bytes are looked up in tables of possible
//! errors. An error in all three tables is an error. Third and fourth bytes are checked by their
//! distance from the lead.

use super::scalar;
use super::vector::Shuffle;

const TOO_SHORT: u8 = 1 << 0;
const TOO_LONG: u8 = 1 << 1;
const OVERLONG_3: u8 = 1 << 2;
const TOO_LARGE: u8 = 1 << 3;
const SURROGATE: u8 = 1 << 4;
const OVERLONG_2: u8 = 1 << 5;
const TOO_LARGE_1000: u8 = 1 << 6;
const OVERLONG_4: u8 = 1 << 6;
const TWO_CONTINUATIONS: u8 = 1 << 7;
const CARRY: u8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;

/// Possible errors by the high nibble of the first byte.
const FIRST_HIGH: [u8; 16] = [
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TWO_CONTINUATIONS,
    TWO_CONTINUATIONS,
    TWO_CONTINUATIONS,
    TWO_CONTINUATIONS,
    TOO_SHORT | OVERLONG_2,
    TOO_SHORT,
    TOO_SHORT | OVERLONG_3 | SURROGATE,
    TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4,
];

/// Possible errors by the low nibble of the first byte.
const FIRST_LOW: [u8; 16] = [
    CARRY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4,
    CARRY | OVERLONG_2,
    CARRY,
    CARRY,
    CARRY | TOO_LARGE,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000 | SURROGATE,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
];

/// Possible errors by the high nibble of the second byte.
const SECOND_HIGH: [u8; 16] = [
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4,
    TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | OVERLONG_3 | TOO_LARGE,
    TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | SURROGATE | TOO_LARGE,
    TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | SURROGATE | TOO_LARGE,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
];

/// Errors in `now`, which follows `before`. A character that the end of `now` cuts is no error yet.
///
/// # Safety
/// As for [`super::generic`].
#[inline(always)]
unsafe fn errors<V: Shuffle>(now: V, before: V) -> V {
    // SAFETY: the caller guarantees the instruction set. No memory is read.
    unsafe {
        let one = now.shifted::<1>(before);
        let pair = one
            .high_nibbles()
            .lookup(&FIRST_HIGH)
            .and(one.low_nibbles().lookup(&FIRST_LOW))
            .and(now.high_nibbles().lookup(&SECOND_HIGH));
        let third = now.shifted::<2>(before).saturating_sub(V::splat(0xE0 - 0x80));
        let fourth = now.shifted::<3>(before).saturating_sub(V::splat(0xF0 - 0x80));
        third.or(fourth).and(V::splat(0x80)).xor(pair)
    }
}

/// Length of the well-formed UTF-8 at the start of `text`, in bytes of whole characters.
///
/// # Safety
/// As for [`super::generic`].
#[inline(always)]
pub(super) unsafe fn utf8_prefix<V: Shuffle>(text: &[u8]) -> usize {
    let mut at = 0;
    // SAFETY: `at + BYTES <= len` at each load.
    unsafe {
        // A check for ASCII alone takes half the time. Bench: `utf8`.
        while at + V::BYTES <= text.len() && V::load(text.as_ptr().add(at)).first_high() == V::BYTES {
            at += V::BYTES;
        }
        let mut before = V::zero();
        while at + V::BYTES <= text.len() {
            let now = V::load(text.as_ptr().add(at));
            // A character that the end of the vector cuts is checked with the next vector.
            if !errors(now, before).is_zero() {
                return validate_from_lead(text, at);
            }
            before = now;
            at += V::BYTES;
        }
        // The zeros after the end reveal a character that the end cuts.
        if let Some(last) = V::load_partial(text.as_ptr().add(at), text.len() - at)
            && errors(last, before).is_zero()
        {
            return text.len();
        }
    }
    validate_from_lead(text, at)
}

/// Validates without vectors, from the lead of the character that `at` may cut. The text before is
/// well-formed.
fn validate_from_lead(text: &[u8], at: usize) -> usize {
    let back = text[..at].iter().rev().take(3).position(|&b| b & 0xC0 != 0x80).map_or(0, |steps| steps + 1);
    let from = at - back;
    from + scalar::utf8_prefix(&text[from..])
}
