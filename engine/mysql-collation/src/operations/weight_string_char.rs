//! `WEIGHT_STRING(text AS CHAR(n))`.
//!
//! MySQL from 8.0 on takes the first n characters, and under PAD SPACE appends the weight of a
//! space for each missing character. MariaDB, and MySQL up to 5.7, write n weights at each level:
//! further weights are left out, and missing ones are weights of a space. Under NO PAD, MariaDB
//! writes 0200 for a missing primary weight in UCA, and 0 in other collations. Czech collations pad
//! nothing, and only MySQL from 8.0 on cuts their texts.

use alloc::vec::Vec;

use super::elements::Weights;
use super::weight_string::{weight_string, width};
use crate::catalogue::{Flavour, Pad};
use crate::dispatch::{ByteKind, Descriptor, Kind};

pub(crate) fn weight_string_char(descriptor: &'static Descriptor, text: &[u8], count: usize) -> Vec<u8> {
    let is_mysql = descriptor.info.flavour == Flavour::MySql;
    let is_czech = matches!(descriptor.kind, Kind::Bytes(ByteKind::Text(weights)) if !weights.pads());
    if is_czech && !is_mysql {
        return weight_string(descriptor, text);
    }
    let counts_weights =
        matches!(descriptor.kind, Kind::Bytes(ByteKind::Expansions(_))) || descriptor.kind.uca().is_some();
    if counts_weights && !is_mysql {
        return levels_of(descriptor, text, count);
    }
    let (kept, characters) = first_characters(descriptor, text, count);
    let mut out = weight_string(descriptor, kept);
    let pads = !is_czech && (!is_mysql || descriptor.info.pad == Pad::PadSpace);
    if pads && let Some(space) = descriptor.codec.encode(descriptor.info.flavour, ' '.into()) {
        // 8-bit collations pad with the byte of a space, even if its weight is another byte.
        let is_8_bit = descriptor.charset.max_bytes() == 1;
        let mut space = if is_8_bit { [b' '].into() } else { weight_string(descriptor, space.as_slice()) };
        if descriptor.info.pad == Pad::NoPad {
            space.fill(0);
        }
        (characters..count).for_each(|_| out.extend_from_slice(&space));
    }
    out
}

/// Returns the first `count` characters of a text, or all, and their number.
pub(crate) fn first_characters<'t>(descriptor: &Descriptor, text: &'t [u8], count: usize) -> (&'t [u8], usize) {
    let (mut at, mut characters) = (0, 0);
    while at < text.len() && characters < count {
        at += descriptor.encoding.length(&text[at..]);
        characters += 1;
    }
    text.split_at_checked(at).map_or((text, characters), |(kept, _)| (kept, characters))
}

/// Primary weight that follows a text under NO PAD in MariaDB's UCA collations.
const LEAST: u32 = 0x0200;

/// Returns `count` weights of each level.
fn levels_of(descriptor: &'static Descriptor, text: &[u8], count: usize) -> Vec<u8> {
    let space = descriptor.codec.encode(descriptor.info.flavour, ' '.into());
    let space = space.and_then(|space| Weights::new(descriptor, space.as_slice()).next());
    let width = width(descriptor);
    let mut out = Vec::new();
    for level in descriptor.info.levels.iter() {
        let of_level = |element: super::elements::Element| element.weights.into_iter().nth(level).unwrap_or_default();
        let of_space = space.clone().map(of_level).and_then(|weights| weights.first().copied()).unwrap_or_default();
        let padding = if level == 0 && descriptor.info.pad == Pad::NoPad { LEAST } else { of_space };
        let weights = Weights::new(descriptor, text).flat_map(of_level).chain(core::iter::repeat(padding));
        weights.take(count).for_each(|weight| out.extend(weight.to_be_bytes().iter().skip(4 - width)));
    }
    out
}
