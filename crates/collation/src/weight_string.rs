//! The servers' `WEIGHT_STRING()`.

use alloc::vec::Vec;

use crate::descriptor::{Descriptor, Kind, QUATERNARY};
use crate::table::ZERO;
use crate::weights::{Element, Weights};

/// `WEIGHT_STRING(text)`, byte for byte.
pub(crate) fn weight_string(descriptor: &'static Descriptor, text: &[u8]) -> Vec<u8> {
    if let Kind::Whole(whole) = descriptor.kind {
        return whole.weight_string(descriptor.info.flavour, text);
    }
    if let Kind::MultiByte(table) = descriptor.kind {
        return multi_byte(descriptor, text, |character, out| match *character {
            [byte] => out.push(table.single(byte)),
            [first, second] => out.extend(table.answered(first, second).to_be_bytes()),
            _ => out.extend(character),
        });
    }
    if let Kind::Gb18030(table) = descriptor.kind {
        return multi_byte(descriptor, text, |character, out| out.extend(table.answered(character)));
    }
    let width = width(descriptor);
    let is_uca = matches!(descriptor.kind, Kind::Uca(_));
    let separated = descriptor.traits.is_separated && is_uca;
    // The servers' answer ends at an ill-formed byte where a character has one weight.
    let one_a_character = matches!(descriptor.kind, Kind::Simple(_) | Kind::Folding(..) | Kind::CodePoints(_));
    let mut out = Vec::new();
    for level in descriptor.info.levels.iter() {
        let start = out.len();
        if separated && level > 0 {
            out.extend([0; 2]);
        }
        let one_is_zero = is_uca && descriptor.traits.one_is_zero_from.is_some_and(|first| level >= first);
        let ends = |element: &Element| one_a_character && element.code_points.is_empty();
        for element in Weights::new(descriptor, text).take_while(|element| !ends(element)) {
            for weight in element.weights.get(level).into_iter().flatten() {
                let weight = if one_is_zero && *weight == u32::from(ZERO) { 0 } else { *weight };
                out.extend(weight.to_be_bytes().iter().skip(4 - width));
            }
        }
        // A fourth level is there only with weights that are not zero.
        if level == QUATERNARY && out[start..].iter().all(|&byte| byte == 0) {
            out.truncate(start);
        }
    }
    out
}

/// Characters of several bytes may have other weights here than they compare by.
fn multi_byte(descriptor: &'static Descriptor, text: &[u8], answer: impl Fn(&[u8], &mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    for element in Weights::new(descriptor, text) {
        answer(&text[element.bytes], &mut out);
    }
    out
}

/// The bytes of a weight in WEIGHT_STRING.
fn width(descriptor: &Descriptor) -> usize {
    match descriptor.kind {
        Kind::Bytes | Kind::Order(_) | Kind::Expanding(_) | Kind::MultiByte(_) | Kind::Gb18030(_) | Kind::Whole(_) => 1,
        Kind::Simple(_) | Kind::Uca(_) => 2,
        Kind::CodePoints(bytes) | Kind::Folding(_, bytes) => bytes,
    }
}
