//! The servers' `WEIGHT_STRING()`.

use alloc::vec::Vec;

use crate::descriptor::{Descriptor, Kind};
use crate::weights::{Element, Weights};

/// `WEIGHT_STRING(text)`, byte for byte.
pub(crate) fn weight_string(descriptor: &'static Descriptor, text: &[u8]) -> Vec<u8> {
    let width = width(descriptor);
    let separated = descriptor.traits.is_separated && matches!(descriptor.kind, Kind::Uca(_));
    // The servers' answer ends at an ill-formed byte where a character has one weight.
    let one_a_character = matches!(descriptor.kind, Kind::Simple(_) | Kind::CodePoints(_));
    let mut out = Vec::new();
    for level in descriptor.info.levels.iter() {
        if separated && level > 0 {
            out.extend([0; 2]);
        }
        let ends = |element: &Element| one_a_character && element.code_points.is_empty();
        for element in Weights::new(descriptor, text).take_while(|element| !ends(element)) {
            for weight in element.weights.get(level).into_iter().flatten() {
                out.extend(weight.to_be_bytes().iter().skip(4 - width));
            }
        }
    }
    out
}

/// The bytes of a weight in WEIGHT_STRING.
fn width(descriptor: &Descriptor) -> usize {
    match descriptor.kind {
        Kind::Bytes | Kind::Order(_) | Kind::Expanding(_) => 1,
        Kind::Simple(_) | Kind::Uca(_) => 2,
        Kind::CodePoints(bytes) => bytes,
    }
}
