//! Upper and lower case, as `UPPER` and `LOWER` of the servers: one character for each, by tables
//! of the character set or of the collation's version of Unicode.

use alloc::vec::Vec;

use generated::{BYTES, LOWER, UPPER};

use super::{Charset, Codec, Content};
use crate::catalogue::Flavour;

mod generated {
    use super::{Run, run};

    include!("generated/case.rs");
}

/// Code points `first`, `first + step`, … `last`. The other case of each is as far from `to` as the
/// code point is from `first`.
pub(crate) struct Run {
    first: u32,
    last: u32,
    step: u32,
    /// Other case of `first`.
    to: u32,
    /// Sets of collations for which the run holds, one per bit.
    sets: u16,
}

/// The rule of a collation for `UPPER` and `LOWER`.
#[cfg(feature = "oracle")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseRule {
    /// Other cases of each byte: upper, lower.
    Bytes(alloc::boxed::Box<[[u8; 256]; 2]>),
    /// Other cases of code points.
    CodePoints {
        /// Bit of the set in [`CaseRun::sets`].
        set: u32,
        /// Whether `i` and `İ`, `ı` and `I` are the two cases of a letter.
        is_turkish: bool,
        /// Whether a result longer than the text read so far overwrites the next character and ends
        /// there.
        is_in_place: bool,
    },
}

/// Code points at equal distances, whose other cases have the same distances.
#[cfg(feature = "oracle")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseRun {
    /// First code point.
    pub first: u32,
    /// Last code point.
    pub last: u32,
    /// Distance between code points.
    pub step: u32,
    /// Other case of the first.
    pub to: u32,
    /// Sets that have the run, one per bit.
    pub sets: u16,
}

/// Returns the rule of a collation, given by its full name.
#[cfg(feature = "oracle")]
pub(crate) fn describe(flavour: Flavour, charset: Charset, collation: &str) -> CaseRule {
    if charset.max_bytes() == 1 {
        let tables = [Case::Upper, Case::Lower].map(|case| byte_table(charset, collation, case));
        return CaseRule::Bytes(tables.into());
    }
    let rules = Rules::new(flavour, charset, collation);
    let is_in_place = rules.is_in_place(flavour, charset);
    CaseRule::CodePoints { set: rules.set.trailing_zeros(), is_turkish: rules.is_turkish, is_in_place }
}

/// Returns the runs of code points that `UPPER` changes, and those that `LOWER` changes, in
/// ascending order.
#[cfg(feature = "oracle")]
pub fn case_runs() -> [alloc::vec::Vec<CaseRun>; 2] {
    let open = |&Run { first, last, step, to, sets }: &Run| CaseRun { first, last, step, to, sets };
    [UPPER.iter().map(open).collect(), LOWER.iter().map(open).collect()]
}

const fn run(first: u32, last: u32, step: u32, to: u32, sets: u16) -> Run {
    Run { first, last, step, to, sets }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Upper,
    Lower,
}

/// Converts the case of a text under a collation, given by its full name.
pub(crate) fn convert(flavour: Flavour, charset: Charset, collation: &str, text: &[u8], case: Case) -> Vec<u8> {
    if charset.max_bytes() == 1 {
        return convert_bytes(charset, collation, text, case);
    }
    let rules = Rules::new(flavour, charset, collation);
    let codec = Codec::new(charset);
    if rules.is_in_place(flavour, charset) {
        return convert_in_place(&rules, charset, codec, text, case);
    }
    let mut out = Vec::with_capacity(text.len());
    for character in charset.characters(flavour, text) {
        let own = &text[character.bytes];
        match (other_code(charset, own, case), character.content) {
            (Some(code), _) => out.extend_from_slice(&code.to_be_bytes()[4 - own.len()..]),
            (None, Content::CodePoint(code_point)) => {
                let other = Some(rules.convert(code_point, case)).filter(|&other| other != code_point);
                let encoded = other.and_then(|other| codec.encode(flavour, other));
                out.extend_from_slice(encoded.as_ref().map_or(own, |encoded| encoded.as_slice()));
            }
            (None, Content::Unassigned | Content::IllFormed) => out.extend_from_slice(own),
        }
    }
    out
}

/// Converts UTF-8 as MySQL does, in one buffer that is read and written. A result that is longer
/// than the text read so far overwrites the next character, and ends there: `UPPER('aȿbc')` is
/// `AⱾ`. A character that doesn't fit into the buffer is left out: `UPPER('ȿ')` is empty.
fn convert_in_place(rules: &Rules, charset: Charset, codec: Codec, text: &[u8], case: Case) -> Vec<u8> {
    let mut buffer = text.to_vec();
    let (mut from, mut to) = (0, 0);
    while from < buffer.len() {
        let rest = &buffer[from..];
        let length = codec.length(Flavour::MySql, rest);
        let code_point = length.and_then(|length| codec.code_point(rest.get(..length)?));
        let other = code_point.map(|code_point| rules.convert(code_point, case));
        let Some(encoded) = other.and_then(|other| codec.encode(Flavour::MySql, other)) else {
            if to > from {
                break;
            }
            // An ill-formed byte of the text.
            buffer[to] = buffer[from];
            (from, to) = (from + 1, to + 1);
            continue;
        };
        let bytes = encoded.as_slice();
        let Some(slot) = buffer.get_mut(to..to + bytes.len()) else { break };
        slot.copy_from_slice(bytes);
        from += length.unwrap_or(charset.min_bytes());
        to += bytes.len();
    }
    buffer.truncate(to);
    buffer
}

/// Returns the code of the other case of a Roman numeral, if it isn't that of [`Charset::encode`]:
/// `cp932` and `eucjpms` have these numerals twice, from two manufacturers.
fn other_code(charset: Charset, character: &[u8], case: Case) -> Option<u32> {
    let code = character.iter().fold(0, |code, &byte| code << 8 | u32::from(byte));
    match (charset, case, code) {
        (Charset::Cp932, Case::Lower, 0x8754..=0x875D) => Some(code - 0x8754 + 0xEEEF),
        (Charset::Cp932, Case::Upper, 0xFA40..=0xFA49) => Some(code + 10),
        (Charset::Eucjpms, Case::Upper, 0x8F_F3F3 | 0x8F_F3F4) => Some(code + 10),
        (Charset::Eucjpms, Case::Upper, 0x8F_F3F5..=0x8F_F3FC) => Some(code - 0x8F_F3F5 + 0x8F_F4A1),
        _ => None,
    }
}

fn convert_bytes(charset: Charset, collation: &str, text: &[u8], case: Case) -> Vec<u8> {
    let table = byte_table(charset, collation, case);
    text.iter().map(|&byte| table[usize::from(byte)]).collect()
}

/// Returns the other case of each byte.
fn byte_table(charset: Charset, collation: &str, case: Case) -> [u8; 256] {
    let find = |name: &str| BYTES.iter().find(|(other, _)| *other == name).map(|(_, pairs)| pairs[case as usize]);
    let pairs = find(collation).or_else(|| find(charset.name())).unwrap_or_default().as_chunks::<2>().0;
    let other = |byte: u8| pairs.iter().find(|[from, _]| *from == byte).map_or(byte, |&[_, to]| to);
    core::array::from_fn(|byte| other(byte as u8))
}

/// The rules of a collation of a multi-byte character set.
struct Rules {
    set: u16,
    /// True if `i` and `İ`, and `ı` and `I`, are the two cases of a letter.
    is_turkish: bool,
}

impl Rules {
    fn new(flavour: Flavour, charset: Charset, collation: &str) -> Self {
        let has = |part: &str| collation.contains(part);
        let set = match charset {
            Charset::Big5 => generated::BIG5,
            Charset::Ujis => generated::UJIS,
            Charset::Eucjpms => generated::EUCJPMS,
            Charset::Sjis => generated::SJIS,
            Charset::Cp932 => generated::CP932,
            Charset::Euckr => generated::EUCKR,
            Charset::Gb2312 => generated::GB2312,
            Charset::Gbk => generated::GBK,
            Charset::Gb18030 if !has("520") => generated::GB18030,
            _ if has("_520_") || has("myanmar") => generated::UCA520,
            _ if flavour == Flavour::MySql && has("_0900_") => generated::UCA900,
            _ if flavour == Flavour::MariaDb && (has("1400") || has("_0900_") && !has("_0900_bin")) => {
                generated::UCA1400
            }
            _ => generated::LEGACY,
        };
        let is_turkish = has("turkish") || has("_tr_0900") && flavour == Flavour::MariaDb;
        Self { set, is_turkish }
    }

    /// Returns `true` if the text is converted in one buffer that is read and written.
    fn is_in_place(&self, flavour: Flavour, charset: Charset) -> bool {
        flavour == Flavour::MySql && matches!(charset, Charset::Utf8mb3 | Charset::Utf8mb4) && !self.is_turkish
    }

    fn convert(&self, code_point: u32, case: Case) -> u32 {
        match (case, char::from_u32(code_point)) {
            (Case::Upper, Some('i')) if self.is_turkish => 'İ'.into(),
            (Case::Lower, Some('I')) if self.is_turkish => 'ı'.into(),
            (Case::Upper, _) => self.find(&UPPER, code_point),
            (Case::Lower, _) => self.find(&LOWER, code_point),
        }
    }

    fn find(&self, runs: &[Run], code_point: u32) -> u32 {
        let end = runs.partition_point(|run| run.first <= code_point);
        // Runs of other sets can begin with the same code point.
        let mut near = runs[..end].iter().rev().take_while(|run| code_point <= run.last);
        let holds = |run: &&Run| run.sets & self.set != 0 && (code_point - run.first).is_multiple_of(run.step);
        near.find(holds).map_or(code_point, |run| run.to.wrapping_add(code_point - run.first))
    }
}
