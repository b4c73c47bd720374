//! The four-byte characters of GB 18030.
//!
//! Numbered in the order of their bytes, the characters form runs of consecutive code points. From
//! 81 30 81 30 on they are code points of the Basic Multilingual Plane, with gaps where code points
//! have two bytes. From 90 30 81 30 on a single run holds all later code points (GB 18030-2005).

/// Number of 90 30 81 30, the first character beyond the Basic Multilingual Plane.
const SUPPLEMENTARY: u32 = 189_000;

/// The runs of code points below U+10000, sorted by number and once more by code point.
///
/// ```text
/// number · first code point · length      16 bits each, little-endian
/// ```
#[derive(Clone, Copy)]
pub(crate) struct FourBytes {
    by_number: &'static [[u8; 6]],
    by_code_point: &'static [[u8; 6]],
}

/// A run of consecutive code points: number and code point of the first character, and number of
/// characters.
struct Run {
    number: u32,
    code_point: u32,
    length: u32,
}

impl Run {
    fn read([a, b, c, d, e, f]: [u8; 6]) -> Self {
        let word = |low, high| u32::from(u16::from_le_bytes([low, high]));
        Self { number: word(a, b), code_point: word(c, d), length: word(e, f) }
    }
}

/// Returns the number of a well-formed character of four bytes, in the order of bytes.
pub(crate) fn number([a, b, c, d]: [u8; 4]) -> u32 {
    let letter = |byte: u8| u32::from(byte.wrapping_sub(0x81));
    let digit = |byte: u8| u32::from(byte.wrapping_sub(0x30));
    ((letter(a) * 10 + digit(b)) * 126 + letter(c)) * 10 + digit(d)
}

impl FourBytes {
    pub(crate) const fn new(file: &'static [u8]) -> Self {
        let (runs, rest) = file.as_chunks::<6>();
        assert!(rest.is_empty() && runs.len().is_multiple_of(2));
        let (by_number, by_code_point) = runs.split_at(runs.len() / 2);
        Self { by_number, by_code_point }
    }

    /// Returns the code point of a well-formed character; `None` if it is unassigned.
    pub(crate) fn decode(&self, character: [u8; 4]) -> Option<u32> {
        let number = number(character);
        if number >= SUPPLEMENTARY {
            return Some(number - SUPPLEMENTARY + 0x1_0000).filter(|&code_point| code_point <= 0x10_FFFF);
        }
        let after = self.by_number.partition_point(|&run| Run::read(run).number <= number);
        let run = Run::read(*self.by_number.get(after.checked_sub(1)?)?);
        (number - run.number < run.length).then(|| run.code_point + (number - run.number))
    }

    pub(crate) fn encode(&self, code_point: u32) -> Option<[u8; 4]> {
        let number = match code_point {
            0x1_0000..=0x10_FFFF => code_point - 0x1_0000 + SUPPLEMENTARY,
            _ => {
                let after = self.by_code_point.partition_point(|&run| Run::read(run).code_point <= code_point);
                let run = Run::read(*self.by_code_point.get(after.checked_sub(1)?)?);
                let index = code_point - run.code_point;
                (index < run.length).then_some(run.number + index)?
            }
        };
        let byte = |first: u32, number: u32, base: u32| u8::try_from(first + number % base).unwrap_or_default();
        Some([
            byte(0x81, number / 12_600, 126),
            byte(0x30, number / 1260, 10),
            byte(0x81, number / 10, 126),
            byte(0x30, number, 10),
        ])
    }
}
