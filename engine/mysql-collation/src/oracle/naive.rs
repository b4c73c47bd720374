//! The operations computed directly from the definition of weights. Slow: the reference for tests
//! of the fast operations.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::api::Collation;
use crate::dispatch::{ByteKind, CodePointKind, Kind};
use crate::operations::elements::Element;
use crate::operations::like::{LEVELS, wildcards};

/// Returns the elements of a string. In Czech collations, an empty string has the element of a
/// space: its key is not empty, as it has the ends of the passes.
fn elements(collation: Collation, text: &[u8]) -> Vec<Element> {
    match collation.descriptor().kind {
        Kind::Bytes(ByteKind::Text(weights)) if !weights.pads() && text.is_empty() => collation.weights(b" ").collect(),
        _ => collation.weights(text).collect(),
    }
}

/// Returns the weights of a string at one level.
fn level(elements: &[Element], level: usize) -> Vec<u32> {
    elements.iter().filter_map(|element| element.weights.get(level)).flatten().copied().collect()
}

/// Returns the weight of a space at a level.
pub fn space(collation: Collation, level: usize) -> u32 {
    let mut space = [0; 4];
    let length = collation.charset().encode(' ', &mut space).unwrap_or_default();
    let element = collation.weights(&space[..length]).next();
    element.and_then(|element| element.weights.get(level)?.first().copied()).unwrap_or_default()
}

/// Compares `a` with `b`, level by level. At each level, the first weights that differ decide. At a
/// level with padding, a string compares as if followed by spaces; at other levels, a string comes
/// after its prefixes.
pub fn compare(collation: Collation, a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (elements(collation, a), elements(collation, b));
    let levels = collation.info().levels.iter();
    let mut orders = levels.map(|at| {
        let (mut a, mut b) = (level(&a, at), level(&b, at));
        if collation.descriptor().pads(at) {
            let length = a.len().max(b.len());
            a.resize(length, space(collation, at));
            b.resize(length, space(collation, at));
        }
        a.cmp(&b)
    });
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Appends a sort key to `key`. Keys compare bytewise as strings compare under [`compare`].
///
/// A key has the weights level by level, big-endian. Zero ends a level without padding if there are
/// several levels: no weight of such a collation is zero.
///
/// At a level with padding, a run of spaces is written as follows. The end of the text is a run,
/// too:
///
/// ```text
/// space · 1 · length     before a lesser weight
/// space · 2              at the end
/// space · 3 · ~length    before a greater weight
/// ```
///
/// Of two runs of spaces followed by the same weight, the next space of the longer run is compared
/// with the weight after the shorter run.
pub fn sort_key(collation: Collation, text: &[u8], key: &mut Vec<u8>) {
    let elements = elements(collation, text);
    let width = width(collation);
    for at in collation.info().levels.iter() {
        let weights = level(&elements, at);
        if collation.descriptor().pads(at) {
            padded_key(&weights, space(collation, at), width, key);
        } else {
            weights.iter().for_each(|&weight| put(weight, width, key));
            put(0, if collation.info().levels.iter().count() > 1 { width } else { 0 }, key);
        }
    }
}

/// Returns the number of bytes of a weight in a key.
fn width(collation: Collation) -> usize {
    match collation.descriptor().kind.code_points() {
        None => 1,
        Some(CodePointKind::Simple(_) | CodePointKind::Uca(_)) => 2,
        Some(CodePointKind::Numbers(_) | CodePointKind::Folding(..)) => 3,
    }
}

/// Appends a weight. With a width of two bytes, weights from 0xFFFF on, mostly of ill-formed bytes,
/// are written as FFFF and the difference from 0xFFFF.
fn put(weight: u32, width: usize, key: &mut Vec<u8>) {
    if width == 2 && weight >= 0xffff {
        key.extend([0xff; 2]);
        return put(weight - 0xffff, 2, key);
    }
    key.extend(weight.to_be_bytes().iter().skip(4 - width));
}

fn padded_key(weights: &[u32], space: u32, width: usize, key: &mut Vec<u8>) {
    let mut rest = weights;
    loop {
        let run = rest.iter().take_while(|&&weight| weight == space).count();
        let next = rest.get(run);
        if run > 0 || next.is_none() {
            put(space, width, key);
            let length = run as u32;
            match next {
                Some(next) if next < &space => {
                    key.push(1);
                    put(length, 4, key);
                }
                Some(_) => {
                    key.push(3);
                    put(!length, 4, key);
                }
                None => key.push(2),
            }
        }
        let Some(&next) = next else { return };
        put(next, width, key);
        rest = rest.get(run + 1..).unwrap_or_default();
    }
}

/// Returns `true` if `text LIKE pattern`. `%` matches any characters, `_` one character, and the
/// character after `escape` is a literal. A literal matches a character with equal weights at the
/// first three levels. Some characters match only themselves, such as ideographs in UCA collations.
/// Trailing spaces count even under PAD SPACE.
pub fn like(collation: Collation, text: &[u8], pattern: &[u8], escape: Option<char>) -> bool {
    let text: Vec<Vec<u8>> = characters(collation, text);
    let pattern = parse(collation, pattern, escape);
    matches(collation, &text, &pattern)
}

enum Part {
    Any,
    One,
    Character(Vec<u8>),
}

/// Splits a string into characters, ignoring contractions. An ill-formed byte counts as a
/// character.
fn characters(collation: Collation, mut text: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while !text.is_empty() {
        let length = length(collation, text);
        all.push(text[..length].to_vec());
        text = &text[length..];
    }
    all
}

fn length(collation: Collation, text: &[u8]) -> usize {
    collation.descriptor().encoding.length(text)
}

fn parse(collation: Collation, pattern: &[u8], escape: Option<char>) -> Vec<Part> {
    let mut buffer = [0; 4];
    let escape = escape.and_then(|escape| collation.escape(escape, &mut buffer));
    let [any, one] = wildcards(collation.charset());
    let mut parts = Vec::new();
    let mut characters = characters(collation, pattern).into_iter();
    while let Some(character) = characters.next() {
        parts.push(match &character[..] {
            // An escape character at the end of the pattern is a literal.
            special if Some(special) == escape => Part::Character(characters.next().unwrap_or(character)),
            special if special == any => Part::Any,
            special if special == one => Part::One,
            _ => Part::Character(character),
        });
    }
    parts
}

fn matches(collation: Collation, text: &[Vec<u8>], pattern: &[Part]) -> bool {
    let Some((part, rest)) = pattern.split_first() else { return text.is_empty() };
    match part {
        Part::Any => (0..=text.len()).any(|skipped| matches(collation, &text[skipped..], rest)),
        Part::One => text.split_first().is_some_and(|(_, text)| matches(collation, text, rest)),
        Part::Character(expected) => text.split_first().is_some_and(|(character, text)| {
            same_character(collation, character, expected) && matches(collation, text, rest)
        }),
    }
}

fn same_character(collation: Collation, a: &[u8], b: &[u8]) -> bool {
    match collation.descriptor().kind {
        Kind::Bytes(ByteKind::Identity) => a == b,
        Kind::Bytes(ByteKind::Text(weights)) => {
            let weights =
                |character: &[u8]| -> Vec<u8> { character.iter().map(|&byte| weights.like().weight(byte)).collect() };
            weights(a) == weights(b)
        }
        _ if matches!(collation.descriptor().kind.code_points(), Some(CodePointKind::Numbers(_))) => a == b,
        _ if collation.descriptor().match_in_like(a, b) => true,
        _ if collation.descriptor().matches_only_itself_in_like(a)
            || collation.descriptor().matches_only_itself_in_like(b) =>
        {
            a == b
        }
        _ => {
            let of_element = |element: Element| element.weights.into_iter().take(LEVELS).collect::<Vec<_>>();
            let weights = |character| collation.weights(character).map(of_element).collect::<Vec<_>>();
            a == b || weights(a) == weights(b) && !collation.descriptor().differ_by_root_in_like(a, b)
        }
    }
}
