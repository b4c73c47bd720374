//! Collations of UTF-8 by code point: the order of well-formed text is that of its bytes. A byte that is no part of a character comes
//! after all characters, by its value.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::arch;
use crate::runs;
use crate::source::Encoding;

const SPACE: u32 = 0x20;
/// What a stray byte counts from: above every code point.
const STRAY: u32 = 0x11_0000;

/// The character at `at`, or the stray byte, and its length.
fn next(encoding: Encoding, text: &[u8], at: usize) -> (u32, usize) {
    encoding.decode(text, at).unwrap_or((STRAY | u32::from(text[at]), 1))
}

/// The order of two texts that are equal before `unlike`. Under PAD SPACE (`padded`) the shorter one counts as followed by spaces.
pub(crate) fn compare(encoding: Encoding, padded: bool, a: &[u8], b: &[u8], unlike: usize) -> Ordering {
    let mut at = crate::source::character_border(a, b, unlike);
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
fn past_the_end(encoding: Encoding, padded: bool, rest: &[u8]) -> Ordering {
    if !padded {
        return Ordering::Greater;
    }
    match arch::get().run_of(b' ', rest) {
        spaces if spaces == rest.len() => Ordering::Equal,
        spaces => next(encoding, rest, spaces).0.cmp(&SPACE),
    }
}

/// Appends a key: the text itself, 0xFF before each stray byte, and under PAD SPACE runs of spaces as [`runs`] has them.
pub(crate) fn sort_key(encoding: Encoding, padded: bool, text: &[u8], key: &mut Vec<u8>) {
    key.reserve(text.len() + 2);
    let (mut at, mut good) = (0, 0);
    while at < text.len() {
        if at >= good {
            good = at + encoding.well_formed_prefix(&text[at..]);
        }
        let space = if padded { text[at..good].iter().position(|&byte| byte == b' ') } else { None };
        let end = space.map_or(good, |index| at + index);
        key.extend_from_slice(&text[at..end]);
        at = end;
        if space.is_some() {
            let run = arch::get().run_of(b' ', &text[at..]);
            at += run;
            if at < text.len() {
                key.push(b' ');
                runs::put(run, next(encoding, text, at).0.cmp(&SPACE), key);
            }
        } else if at < text.len() {
            // A surrogate is well formed to some.
            let length = encoding.decode(text, at).map(|(_, length)| length);
            key.extend(length.is_none().then_some(0xFF));
            key.extend_from_slice(&text[at..at + length.unwrap_or(1)]);
            at += length.unwrap_or(1);
        }
    }
    if padded {
        key.push(b' ');
        runs::put_end(key);
    }
}
