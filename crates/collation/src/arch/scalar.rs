//! Without vectors: words of eight bytes where that is simple, bytes elsewhere. Always built, and the tail of the vector versions.

use core::mem::MaybeUninit;

use super::byte_set::{self, ByteRange, HIGHEST};
use super::contractions::ShortContraction;
use super::{Backend, FILL_ROOM, Filled, Low};
use crate::table::{ByteOrder, Pairs, Variants};

pub(super) static BACKEND: Backend = Backend {
    name: "scalar",
    mismatch,
    mismatch_folded,
    mismatch_folded_ascii,
    mismatch_joined,
    mismatch_mapped,
    run_of,
    run_back,
    ascii_prefix,
    is_words,
    utf8_prefix,
    utf8_starts,
    skip_equal,
    fill,
    fill_key,
    map_bytes,
    find_mark_of_bytes,
    find_mark_of_pairs,
};

const WORD: usize = size_of::<u64>();

#[inline(always)]
fn words<'a>(a: &'a [u8], b: &'a [u8]) -> impl Iterator<Item = (u64, u64)> + 'a {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
    a.chunks_exact(WORD).zip(b.chunks_exact(WORD)).map(move |(a, b)| (word(a), word(b)))
}

pub(super) fn mismatch(a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut at = 0;
    for (x, y) in words(a, b) {
        if x != y {
            return at + (x ^ y).trailing_zeros() as usize / 8;
        }
        at += WORD;
    }
    at + a[at..].iter().zip(&b[at..]).take_while(|(x, y)| x == y).count()
}

pub(super) fn mismatch_folded(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x.eq_ignore_ascii_case(y)).count()
}

pub(super) fn mismatch_folded_ascii(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x.is_ascii() && x.eq_ignore_ascii_case(y)).count()
}

pub(super) fn mismatch_joined(pairs: &Pairs, variants: Variants, a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let is_same = |at: usize| {
        let may_differ = match [a, b].map(|text| text.get(at + 1)) {
            [Some(&x), Some(&y)] if pairs.may_join(a[at], x) => {
                (a[at], x) == (b[at], y) || variants == Variants::OtherCase && (a[at] ^ x | b[at] ^ y) & 0x20 == 0
            }
            _ => true,
        };
        may_differ && a[at].eq_ignore_ascii_case(&b[at])
    };
    (0..n).position(|at| !is_same(at)).unwrap_or(n)
}

pub(super) fn mismatch_mapped(order: &ByteOrder, a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|&(&x, &y)| order.weight(x) == order.weight(y)).count()
}

pub(super) fn run_of(byte: u8, text: &[u8]) -> usize {
    text.iter().take_while(|&&b| b == byte).count()
}

pub(super) fn run_back(range: &ByteRange, text: &[u8]) -> usize {
    byte_set::run_back(range, text, usize::MAX)
}

pub(super) fn is_words(text: &[u8]) -> bool {
    let is_one = |(at, &byte): (usize, &u8)| match byte {
        0x21..0x7F => true,
        b' ' => matches!(text.get(at + 1), Some(0x21..0x80)),
        _ => false,
    };
    text.iter().enumerate().all(is_one)
}

pub(super) fn ascii_prefix(text: &[u8]) -> usize {
    let mut at = 0;
    for (word, _) in words(text, text) {
        if word & HIGHEST != 0 {
            return at + (word & HIGHEST).trailing_zeros() as usize / 8;
        }
        at += WORD;
    }
    at + text[at..].iter().take_while(|b| b.is_ascii()).count()
}

pub(super) fn utf8_prefix(text: &[u8]) -> usize {
    match core::str::from_utf8(text) {
        Ok(_) => text.len(),
        Err(error) => error.valid_up_to(),
    }
}

pub(super) fn utf8_starts(text: &[u8]) -> usize {
    text.iter().filter(|&&b| b & 0xC0 != 0x80).count()
}

/// The character of one or two bytes at `at`: its entry and length. `None` at the end, and where there is none.
#[inline(always)]
pub(super) fn entry(low: &Low, text: &[u8], at: usize) -> Option<(u16, usize)> {
    short(text, at).map(|(code_point, length)| (low.entry(code_point), length))
}

/// The same as code point and length.
#[inline(always)]
pub(crate) fn short(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let &first = text.get(at)?;
    if first < 0x80 {
        return Some((usize::from(first), 1));
    }
    let &second = text.get(at + 1)?;
    if !matches!(first, 0xC2..=0xDF) || second & 0xC0 != 0x80 {
        return None;
    }
    Some((usize::from(first & 0x1F) << 6 | usize::from(second & 0x3F), 2))
}

/// Whether a contraction may reach over the end of the character that ends at `end`.
#[inline(always)]
pub(super) fn is_joined(pairs: &Pairs, text: &[u8], end: usize) -> bool {
    text.get(end).is_some_and(|&next| pairs.may_join(text[end - 1], next))
}

/// The contraction at `at`.
#[inline(always)]
pub(super) fn contraction<'c>(low: &'c Low, text: &[u8], at: usize) -> Option<&'c ShortContraction> {
    let contractions = low.contractions()?;
    let (_, length) = short(text, at)?;
    let may_begin = is_joined(contractions.pairs(), text, at + length);
    may_begin.then(|| contractions.find(text, at)).flatten()
}

pub(super) fn skip_equal(low: &Low, longest: u8, a: &[u8], b: &[u8]) -> [usize; 2] {
    skip_few(low, longest, a, b, usize::MAX).0
}

/// Skips so many characters of the same entries (one run of longer ones counts as one), and says whether there may be more.
pub(super) fn skip_few(low: &Low, longest: u8, a: &[u8], b: &[u8], most: usize) -> ([usize; 2], bool) {
    match low.pairs() {
        None => skip_while(low, longest, a, b, most, |_, _, _, _| false),
        Some(pairs) => skip_while(low, longest, a, b, most, |a, i, b, j| {
            let joined = is_joined(pairs, a, i) || is_joined(pairs, b, j);
            joined && !has_variants(low.variants(), around(a, i), around(b, j))
        }),
    }
}

/// The bytes before and after the end of a character.
#[inline(always)]
fn around(text: &[u8], end: usize) -> [u8; 2] {
    [text[end - 1], text.get(end).copied().unwrap_or_default()]
}

/// Whether two neighbouring characters of each text are of ASCII and the same, or differ as variants may.
#[inline(always)]
fn has_variants(variants: Variants, [x, next_x]: [u8; 2], [y, next_y]: [u8; 2]) -> bool {
    let differ = x ^ y | next_x ^ next_y;
    let uneven = (x ^ next_x | y ^ next_y) & 0x20;
    let is_variant = differ == 0 || variants == Variants::OtherCase && differ == 0x20 && uneven == 0;
    is_variant && (x | next_x | y | next_y).is_ascii()
}

/// Skips characters of the same entries up to where `stops` says that a contraction is in the way: after which bytes of each.
#[inline(always)]
fn skip_while(
    low: &Low,
    longest: u8,
    a: &[u8],
    b: &[u8],
    most: usize,
    stops: impl Fn(&[u8], usize, &[u8], usize) -> bool,
) -> ([usize; 2], bool) {
    let (mut i, mut j) = (0, 0);
    for _ in 0..most {
        match (entry(low, a, i), entry(low, b, j)) {
            (Some((x, of_a)), Some((y, of_b))) if x == y && x != Low::MARK && !stops(a, i + of_a, b, j + of_b) => {
                (i, j) = (i + of_a, j + of_b);
            }
            (None, None) if i < a.len() && j < b.len() => match long_equal(longest, &a[i..], &b[j..]) {
                0 => return ([i, j], false),
                long => {
                    (i, j) = (i + long, j + long);
                    if stops(a, i, b, j) {
                        return ([i, j], false);
                    }
                }
            },
            _ => return ([i, j], false),
        }
    }
    ([i, j], true)
}

/// The length of the characters of three to `longest` bytes that both texts begin with.
pub(super) fn long_equal(longest: u8, a: &[u8], b: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let length = long(longest, &a[at..]);
        if length == 0 || !b[at..].starts_with(&a[at..at + length]) {
            return at;
        }
        at += length;
    }
}

/// The length of the character of three to `longest` bytes that a text begins with; none of a surrogate, which is no character to all.
fn long(longest: u8, text: &[u8]) -> usize {
    match *text {
        [0xE0, 0xA0..=0xBF, 0x80..=0xBF, ..]
        | [0xED, 0x80..=0x9F, 0x80..=0xBF, ..]
        | [0xE1..=0xEC | 0xEE | 0xEF, 0x80..=0xBF, 0x80..=0xBF, ..] => 3,
        [0xF0, 0x90..=0xBF, 0x80..=0xBF, 0x80..=0xBF, ..]
        | [0xF1..=0xF3, 0x80..=0xBF, 0x80..=0xBF, 0x80..=0xBF, ..]
        | [0xF4, 0x80..=0x8F, 0x80..=0xBF, 0x80..=0xBF, ..]
            if longest == 4 =>
        {
            4
        }
        _ => 0,
    }
}

/// The plain character at `at`, of two weights at most: the weights, zeros for none, and its length.
#[inline(always)]
pub(super) fn plain(low: &Low, text: &[u8], at: usize) -> Option<([u16; 2], usize)> {
    let (code_point, length) = short(text, at)?;
    match low.entry(code_point) {
        entry @ ..Low::SEVERAL => Some(([entry, 0], length)),
        _ => {
            let weights = low.expansions()?.weights(code_point);
            (weights != [0; 2]).then_some((weights, length))
        }
    }
}

pub(super) fn fill(low: &Low, text: &[u8], out: &mut [u16]) -> Filled {
    let end = (out.len() + 1).saturating_sub(FILL_ROOM);
    fill_with(low, text, end, |at, weight| out[at] = weight)
}

pub(super) fn fill_key(low: &Low, text: &[u8], out: &mut [MaybeUninit<u8>]) -> Filled {
    let end = (out.len() / 2 + 1).saturating_sub(FILL_ROOM);
    fill_with(low, text, end, |at, weight| {
        let [high, low] = weight.to_be_bytes();
        out[2 * at].write(high);
        out[2 * at + 1].write(low);
    })
}

/// Puts weights to their places as long as there are fewer than `end`. The place of an ignorable character's is that of the next one.
#[inline(always)]
fn fill_with(low: &Low, text: &[u8], end: usize, mut put: impl FnMut(usize, u16)) -> Filled {
    let (mut consumed, mut produced) = (0, 0);
    while produced < end {
        if let Some(contraction) = contraction(low, text, consumed) {
            if contraction.length == 0 {
                break;
            }
            for &weight in contraction.weights() {
                put(produced, weight);
                produced += 1;
            }
            consumed += usize::from(contraction.length);
            continue;
        }
        let Some((weights, len)) = plain(low, text, consumed) else { break };
        for weight in weights {
            put(produced, weight);
            produced += usize::from(weight != 0);
        }
        consumed += len;
    }
    Filled { consumed, produced }
}

pub(super) fn map_bytes(map: &[u8; 256], text: &[u8], out: &mut [MaybeUninit<u8>]) {
    for (slot, &byte) in out.iter_mut().zip(text) {
        slot.write(map[usize::from(byte)]);
    }
}

pub(super) fn find_mark_of_bytes(space: u8, bytes: &[u8]) -> usize {
    find_mark(bytes.len(), |at| bytes[at], space, space.saturating_sub(1))
}

pub(super) fn find_mark_of_pairs(space: u16, weights: &[u8]) -> usize {
    let (pairs, _) = weights.as_chunks();
    2 * find_mark(pairs.len(), |at| u16::from_be_bytes(pairs[at]), space, space.saturating_sub(1))
}

/// The first of `count` weights that is a space and not followed by something greater, or `below` it.
#[inline(always)]
fn find_mark<W: Ord>(count: usize, weight: impl Fn(usize) -> W, space: W, below: W) -> usize {
    let is_marked = |&at: &usize| {
        let here = weight(at);
        here == below || here == space && (at + 1 == count || weight(at + 1) <= space)
    };
    (0..count).find(is_marked).unwrap_or(count)
}

/// The first `n < 16` bytes at `from`, the first one the lowest, zeros after them, by loads that overlap.
///
/// # Safety
/// They can be read.
#[inline(always)]
pub(super) unsafe fn few_bytes(from: *const u8, n: usize) -> u128 {
    // SAFETY: each load ends at `n` at the latest: the second of two begins as many bytes before it as it reads.
    unsafe {
        if n >= 8 {
            let eight = |at: usize| u64::from_le(from.add(at).cast::<u64>().read_unaligned());
            let (first, last) = (eight(0), eight(n - 8));
            u128::from(first) | u128::from(last) << (8 * (n - 8))
        } else if n >= 4 {
            let four = |at: usize| u32::from_le(from.add(at).cast::<u32>().read_unaligned());
            let (first, last) = (four(0), four(n - 4));
            u128::from(u64::from(first) | u64::from(last) << (8 * (n - 4)))
        } else if n > 0 {
            let byte = |at: usize| u32::from(from.add(at).read()) << (8 * at);
            u128::from(byte(0) | byte(n / 2) | byte(n - 1))
        } else {
            0
        }
    }
}
