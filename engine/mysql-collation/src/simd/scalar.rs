//! Scalar versions: eight bytes at a time where that is simple, else one byte. Always built, and
//! used for the ends of texts.

use core::mem::MaybeUninit;

use super::byte_set::{self, ByteRange, HIGHEST};
use super::short_contractions::ShortContraction;
use super::{Backend, FILL_ROOM, Filled, ShortWeights};
use super::{BytePairs, ByteTable, CaseVariants};

pub(super) static BACKEND: Backend = Backend {
    name: "scalar",
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

const WORD: usize = size_of::<u64>();

#[inline(always)]
fn word_pairs<'a>(a: &'a [u8], b: &'a [u8]) -> impl Iterator<Item = (u64, u64)> + 'a {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
    a.chunks_exact(WORD).zip(b.chunks_exact(WORD)).map(move |(a, b)| (word(a), word(b)))
}

pub(super) fn mismatch(a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut at = 0;
    for (x, y) in word_pairs(a, b) {
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

pub(super) fn mismatch_contractible(pairs: &BytePairs, variants: CaseVariants, a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let is_same = |at: usize| {
        let is_allowed = match [a, b].map(|text| text.get(at + 1)) {
            [Some(&x), Some(&y)] if pairs.may_contract(a[at], x) => {
                (a[at], x) == (b[at], y) || variants == CaseVariants::OtherCase && (a[at] ^ x | b[at] ^ y) & 0x20 == 0
            }
            _ => true,
        };
        is_allowed && a[at].eq_ignore_ascii_case(&b[at])
    };
    (0..n).position(|at| !is_same(at)).unwrap_or(n)
}

pub(super) fn mismatch_mapped(table: &ByteTable, a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|&(&x, &y)| table.weight(x) == table.weight(y)).count()
}

pub(super) fn run_of(byte: u8, text: &[u8]) -> usize {
    text.iter().take_while(|&&b| b == byte).count()
}

pub(super) fn trailing_run(range: &ByteRange, text: &[u8]) -> usize {
    byte_set::trailing_run(range, text, usize::MAX)
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
    for (word, _) in word_pairs(text, text) {
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

/// Entry and length of the character of one or two bytes at `at`; `None` if there is none.
#[inline(always)]
pub(super) fn entry(low: &ShortWeights, text: &[u8], at: usize) -> Option<(u16, usize)> {
    decode_short(text, at).map(|(code_point, length)| (low.entry(code_point), length))
}

/// Code point and length of the character of one or two bytes at `at`; `None` if there is none.
#[inline(always)]
pub(crate) fn decode_short(text: &[u8], at: usize) -> Option<(usize, usize)> {
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
pub(super) fn may_contract_at(pairs: &BytePairs, text: &[u8], end: usize) -> bool {
    text.get(end).is_some_and(|&next| pairs.may_contract(text[end - 1], next))
}

/// The contraction that starts at `at`, if any.
#[inline(always)]
pub(super) fn find_contraction<'c>(low: &'c ShortWeights, text: &[u8], at: usize) -> Option<&'c ShortContraction> {
    let contractions = low.contractions()?;
    let (_, length) = decode_short(text, at)?;
    let may_begin = may_contract_at(contractions.pairs(), text, at + length);
    may_begin.then(|| contractions.find(text, at)).flatten()
}

pub(super) fn skip_equal(low: &ShortWeights, longest: u8, a: &[u8], b: &[u8]) -> [usize; 2] {
    skip_characters(low, longest, a, b, usize::MAX).0
}

/// Skips at most `most` equal characters; a run of long characters counts as one. Returns also
/// whether more may be equal.
pub(super) fn skip_characters(low: &ShortWeights, longest: u8, a: &[u8], b: &[u8], most: usize) -> ([usize; 2], bool) {
    match low.pairs() {
        None => skip_while(low, longest, a, b, most, |_, _, _, _| false),
        Some(pairs) => skip_while(low, longest, a, b, most, |a, i, b, j| {
            let contractible = may_contract_at(pairs, a, i) || may_contract_at(pairs, b, j);
            contractible && !has_variants(low.variants(), bytes_around(a, i), bytes_around(b, j))
        }),
    }
}

/// Bytes before and after the end of a character.
#[inline(always)]
fn bytes_around(text: &[u8], end: usize) -> [u8; 2] {
    [text[end - 1], text.get(end).copied().unwrap_or_default()]
}

/// Whether two neighbouring ASCII characters are equal in both texts, or differ as `variants`
/// allows.
#[inline(always)]
fn has_variants(variants: CaseVariants, [x, next_x]: [u8; 2], [y, next_y]: [u8; 2]) -> bool {
    let differ = x ^ y | next_x ^ next_y;
    let uneven = (x ^ next_x | y ^ next_y) & 0x20;
    let is_variant = differ == 0 || variants == CaseVariants::OtherCase && differ == 0x20 && uneven == 0;
    is_variant && (x | next_x | y | next_y).is_ascii()
}

/// Skips characters of equal entries until `stops` reports a contraction.
#[inline(always)]
fn skip_while(
    low: &ShortWeights,
    longest: u8,
    a: &[u8],
    b: &[u8],
    most: usize,
    stops: impl Fn(&[u8], usize, &[u8], usize) -> bool,
) -> ([usize; 2], bool) {
    let (mut i, mut j) = (0, 0);
    for _ in 0..most {
        match (entry(low, a, i), entry(low, b, j)) {
            (Some((x, of_a)), Some((y, of_b)))
                if x == y && x != ShortWeights::DEFER && !stops(a, i + of_a, b, j + of_b) =>
            {
                (i, j) = (i + of_a, j + of_b);
            }
            (None, None) if i < a.len() && j < b.len() => match equal_long_length(longest, &a[i..], &b[j..]) {
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

/// Length of the equal characters of three to `longest` bytes that both texts begin with.
pub(super) fn equal_long_length(longest: u8, a: &[u8], b: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let length = long_character_length(longest, &a[at..]);
        if length == 0 || !b[at..].starts_with(&a[at..at + length]) {
            return at;
        }
        at += length;
    }
}

/// Length of the character of three to `longest` bytes at the start of a text; 0 if the text starts
/// otherwise. Surrogates are not included: MySQL treats them as ill-formed.
fn long_character_length(longest: u8, text: &[u8]) -> usize {
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

/// Weights and length of a character of at most two weights; zeros for missing weights.
#[inline(always)]
pub(super) fn character_weights(low: &ShortWeights, text: &[u8], at: usize) -> Option<([u16; 2], usize)> {
    let (code_point, length) = decode_short(text, at)?;
    match low.entry(code_point) {
        entry @ ..ShortWeights::MULTIPLE => Some(([entry, 0], length)),
        _ => {
            let weights = low.expansions()?.weights(code_point);
            (weights != [0; 2]).then_some((weights, length))
        }
    }
}

pub(super) fn fill(low: &ShortWeights, text: &[u8], out: &mut [u16]) -> Filled {
    let end = (out.len() + 1).saturating_sub(FILL_ROOM);
    fill_with(low, text, end, |at, weight| out[at] = weight)
}

pub(super) fn fill_key(low: &ShortWeights, text: &[u8], out: &mut [MaybeUninit<u8>]) -> Filled {
    let end = (out.len() / 2 + 1).saturating_sub(FILL_ROOM);
    fill_with(low, text, end, |at, weight| {
        let [high, low] = weight.to_be_bytes();
        out[2 * at].write(high);
        out[2 * at + 1].write(low);
    })
}

/// Calls `put` with the index and value of each weight, while there are fewer than `end`. A zero is
/// no weight: it gets the index of the next weight, which overwrites it.
#[inline(always)]
fn fill_with(low: &ShortWeights, text: &[u8], end: usize, mut put: impl FnMut(usize, u16)) -> Filled {
    let (mut consumed, mut produced) = (0, 0);
    while produced < end {
        if let Some(contraction) = find_contraction(low, text, consumed) {
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
        let Some((weights, len)) = character_weights(low, text, consumed) else { break };
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

pub(super) fn find_marked_byte(space: u8, bytes: &[u8]) -> usize {
    find_mark(bytes.len(), |at| bytes[at], space, space.saturating_sub(1))
}

pub(super) fn find_marked_word(space: u16, weights: &[u8]) -> usize {
    let (pairs, _) = weights.as_chunks();
    2 * find_mark(pairs.len(), |at| u16::from_be_bytes(pairs[at]), space, space.saturating_sub(1))
}

/// Index of the first of `count` weights that equals `below`, or equals `space` without a greater
/// weight after it; `count` if no weight does.
#[inline(always)]
fn find_mark<W: Ord>(count: usize, weight: impl Fn(usize) -> W, space: W, below: W) -> usize {
    let is_marked = |&at: &usize| {
        let here = weight(at);
        here == below || here == space && (at + 1 == count || weight(at + 1) <= space)
    };
    (0..count).find(is_marked).unwrap_or(count)
}

/// Loads `n < 16` bytes, the first one lowest, and zeros after them, by loads that overlap.
///
/// # Safety
/// `n` bytes can be read at `from`.
#[inline(always)]
pub(super) unsafe fn load_few(from: *const u8, n: usize) -> u128 {
    // SAFETY: each load ends at `n` at the latest: the second of two begins as many bytes before it
    // as it reads.
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
