//! The operations as they are defined, straight from the weights: slow, and what the fast ones are tested against.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::descriptor::Kind;
use crate::{Collation, Element};

/// The elements of a string. Where each pass over a whole string has an end, an empty one has elements like one of spaces.
fn elements(collation: Collation, text: &[u8]) -> Vec<Element> {
    match collation.descriptor().kind {
        Kind::Whole(whole) if !whole.pads() && text.is_empty() => collation.weights(b" ").collect(),
        _ => collation.weights(text).collect(),
    }
}

/// The weights of a string at one level.
fn level(elements: &[Element], level: usize) -> Vec<u32> {
    elements.iter().filter_map(|element| element.weights.get(level)).flatten().copied().collect()
}

/// The weight of the space at a level.
pub fn space(collation: Collation, level: usize) -> u32 {
    let mut space = [0; 4];
    let length = collation.charset().encode(' ', &mut space).unwrap_or_default();
    let element = collation.weights(&space[..length]).next();
    element.and_then(|element| element.weights.get(level)?.first().copied()).unwrap_or_default()
}

/// How `a` compares to `b`: level by level; at each, the first weights that differ decide. Under PAD SPACE a string counts
/// as followed by spaces, else a string comes after its prefixes.
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

/// Appends a key to `key`: keys compare bytewise as strings do under [`compare`].
///
/// A key is the weights of one level after the other, big-endian. Under NO PAD a zero ends each level, which no weight of
/// a collation with several levels is. Under PAD SPACE a run of spaces, and the end, which is one, is written as the
/// space's weight and how the weight that follows compares to the space: 1 is less, 2 is the end, 3 is greater; then, but
/// for the end, the length of the run, ascending after 1 and descending after 3: of two runs that go on alike, the longer
/// one compares as a space against what follows the other.
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

/// The bytes of a weight in a key.
fn width(collation: Collation) -> usize {
    match collation.descriptor().kind {
        Kind::Bytes | Kind::Order(_) | Kind::Expanding(_) | Kind::MultiByte(_) | Kind::Gb18030(_) | Kind::Whole(_) => 1,
        Kind::Simple(_) | Kind::Uca(_) => 2,
        Kind::CodePoints(_) | Kind::Folding(..) => 3,
    }
}

/// Writes a weight. Of two bytes, 0xFFFF and what is above (ill-formed bytes, above every character) go on with what is
/// above 0xFFFF.
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

/// Whether `text LIKE pattern`: `%` is any characters, `_` one, and what follows `escape` is itself; all else matches a
/// character with the same weights. Spaces at the end count, whatever the padding.
pub fn like(collation: Collation, text: &[u8], pattern: &[u8], escape: Option<char>) -> bool {
    let text: Vec<Vec<u8>> = characters(collation, text);
    let pattern = parse(collation, pattern, escape);
    matches(collation, &text, &pattern)
}

/// A part of a pattern.
enum Part {
    Any,
    One,
    Character(Vec<u8>),
}

/// The characters of a string, contractions apart; a byte that is no part of one stands alone.
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
    collation.descriptor().form.length(text)
}

fn parse(collation: Collation, pattern: &[u8], escape: Option<char>) -> Vec<Part> {
    let mut buffer = [0; 4];
    let escape = escape.and_then(|escape| collation.escape(escape, &mut buffer));
    let [any, one] = crate::like::wildcards(collation.charset());
    let mut parts = Vec::new();
    let mut characters = characters(collation, pattern).into_iter();
    while let Some(character) = characters.next() {
        parts.push(match &character[..] {
            // An escape at the very end stands for itself.
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
        Kind::Bytes | Kind::CodePoints(_) => a == b,
        Kind::Whole(whole) => a.iter().map(|&x| whole.like().weight(x)).eq(b.iter().map(|&y| whole.like().weight(y))),
        _ if collation.descriptor().are_one_in_like(a, b) => true,
        _ if collation.descriptor().is_alone_in_like(a) || collation.descriptor().is_alone_in_like(b) => a == b,
        _ => {
            let of_element =
                |element: Element| element.weights.into_iter().take(crate::like::LEVELS).collect::<Vec<_>>();
            let weights = |character| collation.weights(character).map(of_element).collect::<Vec<_>>();
            a == b || weights(a) == weights(b) && !collation.descriptor().differ_behind_in_like(a, b)
        }
    }
}
