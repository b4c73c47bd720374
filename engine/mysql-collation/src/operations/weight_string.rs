use alloc::vec::Vec;

use super::elements::{Element, Weights};
use crate::dispatch::{ByteKind, CharacterKind, CodePointKind, Descriptor, Kind, QUATERNARY};
use crate::tables::ZERO;

/// Returns the server's `WEIGHT_STRING(text)`, byte for byte, for well-formed text.
pub(crate) fn weight_string(descriptor: &'static Descriptor, text: &[u8]) -> Vec<u8> {
    if let Kind::Bytes(ByteKind::Text(weights)) = descriptor.kind {
        return weights.weight_string(descriptor.info.flavour, text);
    }
    if let Kind::Characters(CharacterKind::Double(table, _) | CharacterKind::EucJp(table)) = descriptor.kind {
        return multi_byte(descriptor, text, |character, out| match *character {
            [byte] => out.push(table.single_byte_weight(byte)),
            [first, second] => out.extend(table.weight_string(first, second).to_be_bytes()),
            _ => out.extend(character),
        });
    }
    if let Kind::Characters(CharacterKind::Gb18030(table)) = descriptor.kind {
        return multi_byte(descriptor, text, |character, out| out.extend(table.weight_string(character)));
    }
    let width = width(descriptor);
    let is_uca = descriptor.kind.uca().is_some();
    let separated = descriptor.rules.is_separated && is_uca;
    // In collations with one weight per code point, WEIGHT_STRING ends at the first ill-formed
    // byte.
    let has_single_weights = descriptor.kind.code_points().is_some() && !is_uca;
    let mut out = Vec::new();
    for level in descriptor.info.levels.iter() {
        let start = out.len();
        if separated && level > 0 {
            out.extend([0; 2]);
        }
        let one_is_zero = is_uca && descriptor.rules.one_is_zero_from.is_some_and(|first| level >= first);
        let ends = |element: &Element| has_single_weights && element.code_points.is_empty();
        for element in Weights::new(descriptor, text).take_while(|element| !ends(element)) {
            for weight in element.weights.get(level).into_iter().flatten() {
                let weight = if one_is_zero && *weight == u32::from(ZERO) { 0 } else { *weight };
                out.extend(weight.to_be_bytes().iter().skip(4 - width));
            }
        }
        // WEIGHT_STRING omits a quaternary level whose weights are all zero.
        if level == QUATERNARY && out[start..].iter().all(|&byte| byte == 0) {
            out.truncate(start);
        }
    }
    out
}

/// Collects what `append` writes for each character. WEIGHT_STRING may differ from the weights that
/// the collation compares.
fn multi_byte(descriptor: &'static Descriptor, text: &[u8], append: impl Fn(&[u8], &mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    for element in Weights::new(descriptor, text) {
        append(&text[element.bytes], &mut out);
    }
    out
}

/// Returns the number of bytes of a weight in WEIGHT_STRING.
pub(super) fn width(descriptor: &Descriptor) -> usize {
    match descriptor.kind.code_points() {
        None => 1,
        Some(CodePointKind::Simple(_) | CodePointKind::Uca(_)) => 2,
        Some(CodePointKind::Numbers(bytes) | CodePointKind::Folding(_, bytes)) => bytes,
    }
}
