//! Weights character by character, for explaining and for the oracle: plain, not fast.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::charset::utf8;
use crate::descriptor::{Descriptor, Kind};
use crate::table::{Level, Uca};
use crate::{Charset, Flavour};

/// A character, or a contraction of several, and its weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Where it stands in the string, in bytes.
    pub bytes: Range<usize>,
    /// Its code points: one, more for a contraction, none for a byte that is no part of a character. Where ill-formed bytes
    /// end a string (the UCA collations of MySQL), the last element is the rest of the string, without code points and
    /// weights.
    pub code_points: Vec<u32>,
    /// Its weights, level by level: primary, secondary, tertiary. A level at which the collation does not compare is
    /// empty, as is every level of an ignorable character. A weight has at most 16 bits, that of a collation which compares
    /// code points, and that of an ill-formed byte, 24.
    pub weights: [Vec<u32>; 3],
}

/// The elements of a string, from its beginning to its end: [`Collation::weights`](crate::Collation::weights).
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
            Kind::Bytes => self.byte(rest, |byte| vec![byte.into()]),
            Kind::Order(order) => self.byte(rest, |byte| vec![order[usize::from(byte)].into()]),
            Kind::Expanding(weights) => self.byte(rest, |byte| match weights[usize::from(byte)] {
                [one, 0] => vec![one.into()],
                two => two.map(u32::from).into(),
            }),
            Kind::CodePoints(_) => self.character(rest, |code_point| code_point, BAD_CODE_POINT),
            Kind::Simple(table) => self.character(rest, |code_point| table.weight(code_point).into(), BAD_SIMPLE),
            Kind::Uca(table) => self.uca(table, rest),
        }
    }

    fn byte(&self, rest: &[u8], weigh: impl Fn(u8) -> Vec<u32>) -> Element {
        let code_point = match self.descriptor.charset {
            // These compare bytes though their characters have several.
            Charset::Utf8mb3 | Charset::Utf8mb4 => self.decode(rest),
            charset => charset.decode(rest).map(|(character, length)| (character.into(), length)),
        };
        let length = code_point.map_or(1, |(_, length)| length);
        let weights = rest.iter().take(length).flat_map(|&byte| weigh(byte)).collect();
        self.one(length, code_point.map(|(code_point, _)| code_point), [weights, vec![], vec![]])
    }

    fn character(&self, rest: &[u8], weigh: impl Fn(u32) -> u32, bad: u32) -> Element {
        match self.decode(rest) {
            Some((code_point, length)) => self.one(length, Some(code_point), [vec![weigh(code_point)], vec![], vec![]]),
            None => self.one(1, None, [bad_byte(bad, rest), vec![], vec![]]),
        }
    }

    fn uca(&self, table: &'static Uca, rest: &[u8]) -> Element {
        let levels = self.descriptor.info.levels;
        let has = |level: usize| table.levels[level].filter(|_| levels.has(level));
        let Some((first, length)) = self.decode(rest) else {
            return match self.descriptor.info.flavour {
                // To MySQL the string ends here.
                Flavour::MySql => self.one(rest.len(), None, [vec![], vec![], vec![]]),
                Flavour::MariaDb => {
                    let bad = |level| has(level).map_or(vec![], |_| vec![BAD_WEIGHT]);
                    self.one(1, None, core::array::from_fn(bad))
                }
            };
        };
        if let Some((bytes, code_points, contraction)) = self.contraction(table, rest) {
            let wide = |level| has(level).map_or(vec![], |_| widened(contraction.weights(level).as_slice()));
            let bytes = self.at..self.at + bytes;
            return Element { bytes, code_points, weights: core::array::from_fn(wide) };
        }
        let wide = |level: &Level| widened(level.weights(first).as_slice());
        self.one(length, Some(first), core::array::from_fn(|level| has(level).map_or(vec![], wide)))
    }

    /// The contraction that `rest` begins with, its length in bytes and its code points.
    fn contraction(
        &self,
        table: &'static Uca,
        rest: &[u8],
    ) -> Option<(usize, Vec<u32>, crate::table::Contraction<'static>)> {
        let contractions = table.contractions?;
        let (mut ends, mut code_points) = (vec![0], vec![]);
        while code_points.len() < crate::table::CONTRACTED {
            let end = ends.last().copied().unwrap_or_default();
            let Some((code_point, length)) = self.decode(&rest[end..]) else { break };
            code_points.push(code_point);
            ends.push(end + length);
        }
        let (count, contraction) = contractions.longest(&code_points)?;
        code_points.truncate(count);
        Some((ends[count], code_points, contraction))
    }

    fn decode(&self, bytes: &[u8]) -> Option<(u32, usize)> {
        self.descriptor.decode(bytes)
    }

    fn one(&self, length: usize, code_point: Option<u32>, weights: [Vec<u32>; 3]) -> Element {
        Element { bytes: self.at..self.at + length, code_points: code_point.into_iter().collect(), weights }
    }
}

impl Descriptor {
    /// The first code point and its length in bytes. MariaDB takes surrogates for characters, MySQL doesn't.
    pub(crate) fn decode(&self, bytes: &[u8]) -> Option<(u32, usize)> {
        utf8::decode(bytes).filter(|&(code_point, length)| {
            let is_surrogate = (0xd800..0xe000).contains(&code_point);
            length <= self.charset.max_bytes() && !(is_surrogate && self.info.flavour == Flavour::MySql)
        })
    }
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

/// The weight of a byte that is no part of a character at every level of MariaDB's UCA collations: above every
/// character's.
const BAD_WEIGHT: u32 = 0xffff;
/// Where a character has one weight, that of such a byte is this and the byte.
const BAD_SIMPLE: u32 = 0x1_0000;
/// The same where weights are code points.
const BAD_CODE_POINT: u32 = 0x11_0000;

fn bad_byte(base: u32, rest: &[u8]) -> Vec<u32> {
    rest.first().map(|&byte| base | u32::from(byte)).into_iter().collect()
}

fn widened(weights: &[u16]) -> Vec<u32> {
    weights.iter().copied().map(u32::from).collect()
}
