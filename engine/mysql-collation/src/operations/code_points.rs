//! Operations of `bin` collations of UTF-8, which compare code points. Ill-formed bytes come after
//! all characters, ordered by value.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::padding;
use crate::charset::Encoding;
use crate::simd;

const SPACE: u32 = 0x20;
/// Base of the weights of ill-formed bytes, above every code point.
const ILL_FORMED: u32 = 0x11_0000;

/// Decodes the character or ill-formed byte at `at` and returns its weight and length.
#[inline(always)]
fn next<E: Encoding>(encoding: E, text: &[u8], at: usize) -> (u32, usize) {
    encoding.decode(text, at).unwrap_or((ILL_FORMED | u32::from(text[at]), 1))
}

/// Compares two texts that are equal before `mismatch`. If `padded`, the shorter text compares as
/// if followed by spaces.
pub(crate) fn compare<E: Encoding>(encoding: E, padded: bool, a: &[u8], b: &[u8], mismatch: usize) -> Ordering {
    let mut at = encoding.boundary(a, b, mismatch);
    while at < a.len() && at < b.len() {
        let ((x, length), (y, _)) = (next(encoding, a, at), next(encoding, b, at));
        if x != y {
            return x.cmp(&y);
        }
        at += length;
    }
    match (at < a.len(), at < b.len()) {
        (true, _) => past_the_end(encoding, padded, &a[at..]),
        (_, true) => past_the_end(encoding, padded, &b[at..]).reverse(),
        _ => Ordering::Equal,
    }
}

/// Compares the rest of a text with the end of the other text.
fn past_the_end<E: Encoding>(encoding: E, padded: bool, rest: &[u8]) -> Ordering {
    if !padded {
        return Ordering::Greater;
    }
    match simd::get().run_of(b' ', rest) {
        spaces if spaces == rest.len() => Ordering::Equal,
        spaces => next(encoding, rest, spaces).0.cmp(&SPACE),
    }
}

/// Appends a sort key: the bytes of `text`, with 0xFF before each ill-formed byte. If `padded`,
/// spaces are marked as in [`padding`]. Marks work on bytes because the first byte of a character
/// compares with a space as the character does.
pub(crate) fn sort_key<E: Encoding>(encoding: E, padded: bool, text: &[u8], key: &mut Vec<u8>) {
    let from = key.len();
    key.reserve(text.len() + padding::END_ROOM);
    let mut at = 0;
    while at < text.len() {
        let good = at + encoding.well_formed_prefix(&text[at..]);
        key.extend_from_slice(&text[at..good]);
        at = good;
        if at < text.len() {
            // `well_formed_prefix` stops at surrogates, which are characters in MariaDB.
            let length = encoding.decode(text, at).map(|(_, length)| length);
            key.extend(length.is_none().then_some(0xFF));
            key.extend_from_slice(&text[at..at + length.unwrap_or(1)]);
            at += length.unwrap_or(1);
        }
    }
    if padded {
        if !simd::get().is_words(text) {
            padding::mark(SPACE as u8, from, key);
        }
        padding::put_end(SPACE as u8, key);
    }
}
