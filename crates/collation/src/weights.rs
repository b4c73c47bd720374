//! Weights character by character, for explaining and for the oracle: plain, not fast.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::carried::Carried;
use crate::charset::Shape;
use crate::descriptor::{Descriptor, Kind};
use crate::encoding::{Encoding, Form};
use crate::table::{CODE_POINTS as CONTRACTED, Contraction, LEVELS, LONGEST, Level, Table};
use crate::whole::Whole;

/// A character, or a contraction of several, and its weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Where it stands in the string, in bytes.
    pub bytes: Range<usize>,
    /// Its code points: one, more for a contraction, none for a byte that is no part of a character. Where ill-formed bytes
    /// end a string (the UCA collations of MySQL), the last element is the rest of the string, without code points and
    /// weights.
    pub code_points: Vec<u32>,
    /// Its weights, level by level: primary, secondary, tertiary, quaternary. A level at which the collation does not compare is
    /// empty, as is every level of an ignorable character. A weight has at most 16 bits, that of a collation which compares
    /// code points, and that of an ill-formed byte, 24. A primary weight of 1 is what the server calls 0: Lithuanian has such weights.
    pub weights: [Vec<u32>; 4],
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
            Kind::Order(order) => self.byte(rest, |byte| vec![order.weight(byte).into()]),
            Kind::Expanding(weights) => self.byte(rest, |byte| match weights[usize::from(byte)] {
                [one, 0] => vec![one.into()],
                two => two.map(u32::from).into(),
            }),
            Kind::MultiByte(table) => self.multi_byte(rest, |character| match *character {
                [byte] => vec![table.single(byte)],
                [first, second] => table.double(first, second).to_be_bytes().into(),
                _ => character.into(),
            }),
            Kind::Gb18030(table) => self.multi_byte(rest, |character| match *character {
                [byte] => vec![table.single(byte)],
                _ => match table.answered(character).collect::<Vec<_>>() {
                    // A longer character whose capital has one byte comes after all of one, and before all others.
                    bytes if matches!(bytes[..], [_]) => [vec![0x80], bytes].concat(),
                    bytes => bytes,
                },
            }),
            Kind::CodePoints(_) => self.character(rest, |code_point| code_point, BAD_CODE_POINT),
            Kind::Folding(table, _) => {
                self.character(rest, |code_point| table.get().weight(code_point), BAD_CODE_POINT)
            }
            Kind::Simple(table) => self.character(rest, |code_point| table.get().weight(code_point).into(), BAD_SIMPLE),
            Kind::Uca(table) => self.uca(table, rest),
            Kind::Whole(whole) => self.whole(whole, rest),
        }
    }

    fn byte(&self, rest: &[u8], weigh: impl Fn(u8) -> Vec<u32>) -> Element {
        let code_point = self.descriptor.decode(rest);
        let length = code_point.map_or_else(|| self.descriptor.form.length(rest), |(_, length)| length);
        let weights = rest.iter().take(length).flat_map(|&byte| weigh(byte)).collect();
        self.one(length, code_point.map(|(code_point, _)| code_point), primary(weights))
    }

    fn multi_byte(&self, rest: &[u8], weigh: impl Fn(&[u8]) -> Vec<u8>) -> Element {
        let length = self.descriptor.form.length(rest);
        let is_well_formed =
            matches!(self.descriptor.form, Form::Multi(encoding) if encoding.well_formed_length(rest).is_some());
        let weights = match rest[..length] {
            // Twice two bytes, as it is compared: after all characters of Unicode, by its value. gb18030's last one of four bytes, which is
            // none of Unicode's, weighs FFFFFFFF and comes after these, too.
            [byte] if !is_well_formed => vec![0xFF, 0xFF, byte, 0],
            ref character => weigh(character),
        };
        let code_point = self.descriptor.decode(rest).map(|(code_point, _)| code_point);
        self.one(length, code_point, primary(weights.into_iter().map(u32::from).collect()))
    }

    fn character(&self, rest: &[u8], weigh: impl Fn(u32) -> u32, bad: u32) -> Element {
        match self.descriptor.decode(rest) {
            Some((code_point, length)) => self.one(length, Some(code_point), primary(vec![weigh(code_point)])),
            None => self.one(1, None, primary(bad_byte(bad, rest))),
        }
    }

    fn uca(&self, table: &'static Table, rest: &[u8]) -> Element {
        let levels = self.descriptor.info.levels;
        let at_each = |weigh: &dyn Fn(usize, &Level, &mut [u16]) -> usize| {
            core::array::from_fn(|index| {
                let Some(level) = table.level(index).filter(|_| levels.has(index)) else { return vec![] };
                let mut weights = [0; LONGEST];
                let count = weigh(index, level, &mut weights);
                weights.iter().take(count).copied().map(u32::from).collect()
            })
        };
        let Some((first, length)) = self.descriptor.decode(rest) else {
            if self.descriptor.traits.ends_at_errors {
                return self.one(rest.len(), None, [const { vec![] }; LEVELS]);
            }
            let bad = at_each(&|_, _, out| {
                out[0] = BAD_WEIGHT;
                1
            });
            return self.one(1, None, bad);
        };
        if let Some((bytes, contraction)) = self.contraction(table, rest) {
            let bytes = self.at..self.at + bytes;
            let code_points = contraction.code_points().to_vec();
            let weights = at_each(&|index, level, out| contraction.weights(level, index, out));
            return Element { bytes, code_points, weights };
        }
        let mut element = self.one(length, Some(first), at_each(&|_, level, out| level.weights(first, out)));
        if self.at == 0
            && let Some(carried) = Carried::of(self.descriptor, rest)
        {
            for index in levels.iter().filter(|&index| index > 0) {
                element.weights[index] = carried.weights(index);
            }
        }
        element
    }

    /// The contraction that `rest` begins with, and its length in bytes.
    fn contraction(&self, table: &'static Table, rest: &[u8]) -> Option<(usize, &'static Contraction)> {
        let contractions = table.contractions()?;
        let (mut ends, mut code_points) = (vec![0], vec![]);
        while code_points.len() < CONTRACTED {
            let end = ends.last().copied().unwrap_or_default();
            let Some((code_point, length)) = self.descriptor.decode(&rest[end..]) else { break };
            code_points.push(code_point);
            ends.push(end + length);
        }
        let [one, other, rest @ ..] = &code_points[..] else { return None };
        let contraction = contractions.longest(*one, *other, rest.iter().copied())?;
        Some((*ends.get(contraction.code_points().len())?, contraction))
    }

    /// What stands in a text weighs by all of it: it is one element.
    fn whole(&self, whole: &'static Whole, rest: &[u8]) -> Element {
        let code_points = rest.iter().filter_map(|&byte| self.descriptor.characters.code_point(&[byte])).collect();
        let weights = primary(whole.key(rest).into_iter().map(u32::from).collect());
        Element { bytes: self.at..self.at + rest.len(), code_points, weights }
    }

    fn one(&self, length: usize, code_point: Option<u32>, weights: [Vec<u32>; LEVELS]) -> Element {
        Element { bytes: self.at..self.at + length, code_points: code_point.into_iter().collect(), weights }
    }
}

/// Weights that are primary.
fn primary(weights: Vec<u32>) -> [Vec<u32>; LEVELS] {
    [weights, vec![], vec![], vec![]]
}

impl Descriptor {
    /// The first code point and its length in bytes, as the server of this collation reads them.
    pub(crate) fn decode(&self, bytes: &[u8]) -> Option<(u32, usize)> {
        match self.form {
            Form::Multi(encoding) if self.weighs_code_points() => encoding.decode(bytes),
            Form::Bytes | Form::Multi(_) => {
                let length = self.characters.length(crate::Flavour::MySql, bytes)?;
                Some((self.characters.code_point(bytes.get(..length)?)?, length))
            }
            Form::Utf8(encoding) => encoding.decode(bytes, 0),
        }
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
const BAD_WEIGHT: u16 = 0xffff;
/// Where a character has one weight, that of such a byte is this and the byte.
const BAD_SIMPLE: u32 = 0x1_0000;
/// The same where weights are code points.
const BAD_CODE_POINT: u32 = 0x11_0000;

fn bad_byte(base: u32, rest: &[u8]) -> Vec<u32> {
    rest.first().map(|&byte| base | u32::from(byte)).into_iter().collect()
}

/// The contractions of a collation, in ascending order.
pub(crate) fn contractions(descriptor: &'static Descriptor) -> Vec<String> {
    let table = match descriptor.kind {
        Kind::Uca(table) => table,
        Kind::Whole(whole) => return whole.contractions().iter().copied().map(String::from).collect(),
        _ => return vec![],
    };
    let text = |contraction: &Contraction| {
        contraction.code_points().iter().filter_map(|&code_point| char::from_u32(code_point)).collect()
    };
    table.contractions().map_or(&[][..], |contractions| contractions.all()).iter().map(text).collect()
}

/// A contraction of a table.
#[cfg(feature = "oracle")]
pub struct Contracted {
    /// Its code points.
    pub code_points: Vec<u32>,
    /// Its weights at each level.
    pub weights: Vec<Vec<u16>>,
}

/// The contractions of the table of a collation of either flavour, by its name.
#[cfg(feature = "oracle")]
pub fn known_contractions(name: &str) -> Option<Vec<Contracted>> {
    let flavours = [crate::Flavour::MySql, crate::Flavour::MariaDb].into_iter();
    let collation = flavours.filter_map(|flavour| crate::Collation::by_name(flavour, name).ok()).next()?;
    let Kind::Uca(table) = collation.descriptor().kind else { return Some(vec![]) };
    let levels: Vec<_> = (0..LEVELS).map_while(|index| table.level(index)).collect();
    let all = table.contractions().map_or(&[][..], |contractions| contractions.all()).iter();
    let weights = |contraction: &Contraction, index: usize, level: &Level| {
        let mut weights = [0; LONGEST];
        let count = contraction.weights(level, index, &mut weights);
        weights[..count].to_vec()
    };
    let each = |contraction: &Contraction| {
        let levels = levels.iter().enumerate().map(|(index, level)| weights(contraction, index, level));
        Contracted { code_points: contraction.code_points().to_vec(), weights: levels.collect() }
    };
    Some(all.map(each).collect())
}
