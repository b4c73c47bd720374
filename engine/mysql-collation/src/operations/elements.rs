//! Weights character by character, for explanations, `WEIGHT_STRING` and the test oracle. Not
//! optimized for speed.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::wrapped_mark::WrappedMark;
use crate::charset::{CharacterShape, TextEncoding};
use crate::dispatch::{ByteKind, CharacterKind, CodePointKind, CodePoints, Descriptor, Kind};
use crate::tables::{CODE_POINTS as CONTRACTED, Contraction, LEVELS, LONGEST, Level};
use crate::weights::{TextWeights, UcaTable};

/// A character, contraction or ill-formed byte and its weights. The whole string is one element
/// under a collation that weighs texts as a whole (`latin2_czech_cs`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Element {
    /// Byte range in the string.
    pub bytes: Range<usize>,
    /// Code points: one for a character, several for a contraction, all of a text that is one
    /// element, none for an ill-formed byte or an unassigned character (in
    /// `gb18030_unicode_520_ci`: U+FFFD). In UCA collations of MySQL, the first ill-formed byte
    /// ends the string. The last element is then the rest of the string, without code points and
    /// weights.
    pub code_points: Vec<u32>,
    /// Weights by level: primary, secondary, tertiary, quaternary.
    ///
    /// A level is empty if the collation doesn't compare at it or the character is ignorable there.
    /// `gbk_chinese_ci` and similar collations have an item for each byte of a weight.
    /// A weight has at most 16 bits, except in collations whose weights are code points and for
    /// ill-formed bytes, where it has at most 24 bits. In `0900` collations of MySQL, a weight of 1
    /// represents 0, which `WEIGHT_STRING` returns: Lithuanian has such weights. In Japanese, this
    /// holds only at the quaternary level.
    pub weights: [Vec<u32>; 4],
}

/// An iterator over the elements of a string. Created by
/// [`Collation::weights`](crate::Collation::weights).
#[derive(Clone)]
pub struct Weights<'a> {
    descriptor: &'static Descriptor,
    text: &'a [u8],
    at: usize,
}

impl<'a> Weights<'a> {
    pub(crate) fn new(descriptor: &'static Descriptor, text: &'a [u8]) -> Self {
        Self { descriptor, text, at: 0 }
    }

    fn element(&self, rest: &[u8]) -> Element {
        match self.descriptor.kind {
            Kind::Bytes(ByteKind::Identity) => self.byte(rest, |byte| vec![byte.into()]),
            Kind::Bytes(ByteKind::Table(table)) => self.byte(rest, |byte| vec![table.weight(byte).into()]),
            Kind::Bytes(ByteKind::Expansions(weights)) => self.byte(rest, |byte| match weights[usize::from(byte)] {
                [single, 0] => vec![single.into()],
                pair => pair.map(u32::from).into(),
            }),
            Kind::Bytes(ByteKind::Text(weights)) => self.text(weights, rest),
            Kind::Characters(CharacterKind::Double(table, _) | CharacterKind::EucJp(table)) => {
                self.multi_byte(rest, |character| match *character {
                    [byte] => vec![table.single_byte_weight(byte)],
                    [first, second] => table.double_byte_weight(first, second).to_be_bytes().into(),
                    _ => character.into(),
                })
            }
            Kind::Characters(CharacterKind::Gb18030(table)) => self.multi_byte(rest, |character| match *character {
                [byte] => vec![table.single_byte_weight(byte)],
                _ => match table.weight_string(character).collect::<Vec<_>>() {
                    // `ı` and `ſ`, whose capitals have one byte, come after all characters of one
                    // byte and before all other characters.
                    bytes if matches!(bytes[..], [_]) => [vec![0x80], bytes].concat(),
                    bytes => bytes,
                },
            }),
            Kind::Utf8(CodePoints { kind, .. }) | Kind::Scalars(CodePoints { kind, .. }) => self.code_point(kind, rest),
        }
    }

    fn code_point(&self, kind: CodePointKind, rest: &[u8]) -> Element {
        match kind {
            CodePointKind::Numbers(_) => self.character(rest, |code_point| code_point, ILL_FORMED_CODE_POINT),
            CodePointKind::Folding(weights, _) => {
                self.character(rest, |code_point| weights.get().table.weight(code_point), ILL_FORMED_CODE_POINT)
            }
            CodePointKind::Simple(weights) => {
                self.character(rest, |code_point| weights.get().table.weight(code_point).into(), ILL_FORMED_SIMPLE)
            }
            CodePointKind::Uca(table) => self.uca(table, rest),
        }
    }

    fn byte(&self, rest: &[u8], weigh: impl Fn(u8) -> Vec<u32>) -> Element {
        let code_point = self.descriptor.decode(rest);
        let length = code_point.map_or_else(|| self.descriptor.encoding.length(rest), |(_, length)| length);
        let weights = rest.iter().take(length).flat_map(|&byte| weigh(byte)).collect();
        self.element_of_length(length, code_point.map(|(code_point, _)| code_point), primary(weights))
    }

    fn multi_byte(&self, rest: &[u8], weigh: impl Fn(&[u8]) -> Vec<u8>) -> Element {
        let length = self.descriptor.encoding.length(rest);
        let is_well_formed = matches!(self.descriptor.encoding, TextEncoding::MultiByte(encoding) if encoding.well_formed_length(rest).is_some());
        let weights = match rest[..length] {
            // The bytes of the two weights of an ill-formed byte in comparisons: after all
            // characters of Unicode, ordered by value. The last four-byte code of gb18030, which is
            // not a Unicode character, weighs FFFFFFFF and comes after ill-formed bytes.
            [byte] if !is_well_formed => vec![0xFF, 0xFF, byte, 0],
            ref character => weigh(character),
        };
        let code_point = self.descriptor.decode(rest).map(|(code_point, _)| code_point);
        self.element_of_length(length, code_point, primary(weights.into_iter().map(u32::from).collect()))
    }

    fn character(&self, rest: &[u8], weigh: impl Fn(u32) -> u32, bad: u32) -> Element {
        match self.descriptor.decode(rest) {
            Some((code_point, length)) => {
                self.element_of_length(length, Some(code_point), primary(vec![weigh(code_point)]))
            }
            None => self.element_of_length(1, None, primary(ill_formed_weight(bad, rest))),
        }
    }

    fn uca(&self, table: &'static UcaTable, rest: &[u8]) -> Element {
        let levels = self.descriptor.info.levels;
        let at_each = |weigh: &dyn Fn(usize, &Level, &mut [u16]) -> usize| {
            core::array::from_fn(|index| {
                let Some(level) = table.level(index).filter(|_| levels.has(index)) else { return vec![] };
                let mut weights = [0; LONGEST];
                let count = weigh(index, &level.level, &mut weights);
                weights.iter().take(count).copied().map(u32::from).collect()
            })
        };
        let Some((first, length)) = self.descriptor.decode(rest) else {
            if self.descriptor.rules.ends_at_errors {
                return self.element_of_length(rest.len(), None, [const { vec![] }; LEVELS]);
            }
            let bad = at_each(&|_, _, out| {
                out[0] = ILL_FORMED_WEIGHT;
                1
            });
            return self.element_of_length(1, None, bad);
        };
        if let Some((bytes, contraction)) = self.find_contraction(table, rest) {
            let bytes = self.at..self.at + bytes;
            let code_points = contraction.code_points().to_vec();
            let weights = at_each(&|index, level, out| contraction.weights(level, index, out));
            return Element { bytes, code_points, weights };
        }
        let mut element =
            self.element_of_length(length, Some(first), at_each(&|_, level, out| level.weights(first, out)));
        if self.at == 0
            && let Some(carried) = WrappedMark::find(self.descriptor, rest)
        {
            for index in levels.iter().filter(|&index| index > 0) {
                element.weights[index] = carried.weights(index);
            }
        }
        element
    }

    /// Returns the contraction at the start of `rest` and its length in bytes.
    fn find_contraction(&self, table: &'static UcaTable, rest: &[u8]) -> Option<(usize, &'static Contraction)> {
        let contractions = table.contractions()?;
        let (mut ends, mut code_points) = (vec![0], vec![]);
        while code_points.len() < CONTRACTED {
            let end = ends.last().copied().unwrap_or_default();
            let Some((code_point, length)) = self.descriptor.decode(&rest[end..]) else { break };
            code_points.push(code_point);
            ends.push(end + length);
        }
        let [one, other, rest @ ..] = &code_points[..] else { return None };
        let contraction = contractions.all.longest(*one, *other, rest.iter().copied())?;
        Some((*ends.get(contraction.code_points().len())?, contraction))
    }

    /// Returns one element for the whole text, because the collation weighs a text as a whole.
    fn text(&self, weights: &'static TextWeights, rest: &[u8]) -> Element {
        let code_points = rest.iter().filter_map(|&byte| self.descriptor.codec.code_point(&[byte])).collect();
        let weights = primary(weights.key(rest).into_iter().map(u32::from).collect());
        Element { bytes: self.at..self.at + rest.len(), code_points, weights }
    }

    fn element_of_length(&self, length: usize, code_point: Option<u32>, weights: [Vec<u32>; LEVELS]) -> Element {
        Element { bytes: self.at..self.at + length, code_points: code_point.into_iter().collect(), weights }
    }
}

/// Places weights at the primary level.
fn primary(weights: Vec<u32>) -> [Vec<u32>; LEVELS] {
    [weights, vec![], vec![], vec![]]
}

impl Iterator for Weights<'_> {
    type Item = Element;

    fn next(&mut self) -> Option<Element> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let element = self.element(rest);
        self.at = element.bytes.end;
        Some(element)
    }
}

/// Weight of an ill-formed byte at every level of MariaDB's UCA collations, above every character.
const ILL_FORMED_WEIGHT: u16 = 0xffff;
/// Base of the weights of ill-formed bytes in collations with one weight per character. The byte is
/// added.
const ILL_FORMED_SIMPLE: u32 = 0x1_0000;
/// Base of the weights of ill-formed bytes in collations whose weights are code points. The byte is
/// added.
const ILL_FORMED_CODE_POINT: u32 = 0x11_0000;

fn ill_formed_weight(base: u32, rest: &[u8]) -> Vec<u32> {
    rest.first().map(|&byte| base | u32::from(byte)).into_iter().collect()
}

/// Returns the contractions of a collation in ascending order.
pub(crate) fn contractions(descriptor: &'static Descriptor) -> Vec<String> {
    if let Kind::Bytes(ByteKind::Text(weights)) = descriptor.kind {
        return weights.contractions().iter().copied().map(String::from).collect();
    }
    let Some(table) = descriptor.kind.uca() else { return vec![] };
    let text = |contraction: &Contraction| {
        contraction.code_points().iter().filter_map(|&code_point| char::from_u32(code_point)).collect()
    };
    table.contractions().map_or(&[][..], |contractions| contractions.all.all()).iter().map(text).collect()
}
