//! Collations of Unicode by code point. A byte that is no part of a character comes after all characters, by its value.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::arch;
use crate::encoding::Encoding;
use crate::runs;

const SPACE: u32 = 0x20;
/// What an ill-formed byte counts from: above every code point.
const ILL_FORMED: u32 = 0x11_0000;

/// The character at `at`, or the ill-formed byte, and its length.
#[inline(always)]
fn next<E: Encoding>(encoding: E, text: &[u8], at: usize) -> (u32, usize) {
    encoding.decode(text, at).unwrap_or((ILL_FORMED | u32::from(text[at]), 1))
}

/// The order of two texts that are equal before `mismatch`. Under PAD SPACE (`padded`) the shorter one counts as followed by spaces.
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

/// The order of what is left of one text against the end of the other.
fn past_the_end<E: Encoding>(encoding: E, padded: bool, rest: &[u8]) -> Ordering {
    if !padded {
        return Ordering::Greater;
    }
    match arch::get().run_of(b' ', rest) {
        spaces if spaces == rest.len() => Ordering::Equal,
        spaces => next(encoding, rest, spaces).0.cmp(&SPACE),
    }
}

/// Appends a key: the text itself, 0xFF before each ill-formed byte, and under PAD SPACE runs of spaces as [`runs`] has them: the first bytes
/// of characters compare to a space as the characters do.
pub(crate) fn sort_key<E: Encoding>(encoding: E, padded: bool, text: &[u8], key: &mut Vec<u8>) {
    let from = key.len();
    key.reserve(text.len() + runs::END_ROOM);
    let mut at = 0;
    while at < text.len() {
        let good = at + encoding.well_formed_prefix(&text[at..]);
        key.extend_from_slice(&text[at..good]);
        at = good;
        if at < text.len() {
            // A surrogate is well formed to some.
            let length = encoding.decode(text, at).map(|(_, length)| length);
            key.extend(length.is_none().then_some(0xFF));
            key.extend_from_slice(&text[at..at + length.unwrap_or(1)]);
            at += length.unwrap_or(1);
        }
    }
    if padded {
        if !arch::get().is_words(text) {
            runs::mark(SPACE as u8, from, key);
        }
        runs::put_end(SPACE as u8, key);
    }
}
