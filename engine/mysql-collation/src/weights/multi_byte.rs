//! Collations of multi-byte character sets with a weight of one to four bytes per character:
//! `sjis_japanese_ci`, `gbk_chinese_ci`, `gb18030_chinese_ci`.

use core::cmp::Ordering;

use super::{LevelWeights, NextCharacter};
use crate::charset::CharacterShape;
use crate::simd::{self, BytePairs, CaseVariants};
use crate::tables::{Gb18030, MultiByte};

static BEFORE_LETTERS: BytePairs = BytePairs::BEFORE_LETTERS;

/// The weights of a collation's characters.
///
/// A server's weight of one to four bytes is split into weights of 16 bits, high byte first, which
/// compare as the bytes do: `x'41'` is 4100. A longer character's weight never begins with the
/// weight of a one-byte character.
pub(crate) trait CharacterWeights: Copy {
    /// Returns the weight of a character of one byte.
    fn single_byte_weight(self, byte: u8) -> u8;

    /// Returns `true` if the weight of a longer character is its bytes, except for the case of
    /// ASCII letters.
    fn doubles_are_bytes(self) -> bool;

    /// Returns the weight of a character of two bytes; `None` if it has several weights, or if its
    /// capital has one byte.
    fn double_byte_weight(self, first: u8, second: u8) -> Option<u16>;

    /// Writes the weights of a character of two or more bytes to the start of `out` and returns
    /// their number.
    fn multi_byte_weights(self, character: &[u8], out: &mut [u16]) -> usize;
}

impl CharacterWeights for &'static MultiByte {
    #[inline(always)]
    fn single_byte_weight(self, byte: u8) -> u8 {
        MultiByte::single_byte_weight(self, byte)
    }

    #[inline(always)]
    fn doubles_are_bytes(self) -> bool {
        MultiByte::doubles_are_bytes(self)
    }

    #[inline(always)]
    fn double_byte_weight(self, first: u8, second: u8) -> Option<u16> {
        Some(MultiByte::double_byte_weight(self, first, second))
    }

    #[inline(always)]
    fn multi_byte_weights(self, character: &[u8], out: &mut [u16]) -> usize {
        if let [first, second] = *character {
            out[0] = MultiByte::double_byte_weight(self, first, second);
            return 1;
        }
        let mut weights = 0;
        for pair in character.chunks(2) {
            out[weights] = u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or_default()]);
            weights += 1;
        }
        weights
    }
}

impl CharacterWeights for &'static Gb18030 {
    #[inline(always)]
    fn single_byte_weight(self, byte: u8) -> u8 {
        Gb18030::single_byte_weight(self, byte)
    }

    #[inline(always)]
    fn doubles_are_bytes(self) -> bool {
        false
    }

    #[inline(always)]
    fn double_byte_weight(self, first: u8, second: u8) -> Option<u16> {
        u16::try_from(self.weight(&[first, second])).ok().filter(|&weight| weight >= 0x100)
    }

    #[inline(always)]
    fn multi_byte_weights(self, character: &[u8], out: &mut [u16]) -> usize {
        let weight = self.weight(character);
        let (high, low) = ((weight >> 16) as u16, weight as u16);
        match weight {
            // `ı` and `ſ`, whose capitals have one byte, come after all characters of one byte and
            // before all other characters.
            0..0x100 => out[0] = 0x8000 | low,
            0x100..0x1_0000 => out[0] = low,
            _ => (out[0], out[1]) = (high, low),
        }
        1 + usize::from(high != 0)
    }
}

/// The primary level of a collation in a multi-byte character set, its only level.
#[derive(Clone, Copy)]
pub(crate) struct CharacterLevel<T, S> {
    pub table: T,
    pub shape: S,
    pub pad: Option<u16>,
}

impl<T: CharacterWeights, S: CharacterShape> CharacterLevel<T, S> {
    #[inline(always)]
    fn single_byte_weight(self, byte: u8) -> u16 {
        u16::from_be_bytes([self.table.single_byte_weight(byte), 0])
    }

    /// Compares two texts that first differ at `at`, if the differing bytes decide. The bytes
    /// decide in two cases. After ASCII, or at the start, two ASCII bytes are characters. Other
    /// bytes decide if longer characters weigh their own bytes and [`CharacterShape::bytes_decide`]
    /// holds. `Err` is a position before which the texts are equal except for ASCII case.
    #[inline(always)]
    pub fn order_by_bytes(self, a: &[u8], b: &[u8], at: usize) -> Result<Ordering, usize> {
        let (Some(&x), Some(&y)) = (a.get(at), b.get(at)) else { return Err(at) };
        if !(x | y).is_ascii() {
            let bytes_decide = self.table.doubles_are_bytes() && self.shape.bytes_decide(a, b, at);
            return if bytes_decide { Ok(x.cmp(&y)) } else { Err(at) };
        }
        if at > 0 && !a[at - 1].is_ascii() {
            return Err(at);
        }
        let (of_x, of_y) = (self.table.single_byte_weight(x), self.table.single_byte_weight(y));
        if of_x != of_y {
            return Ok(of_x.cmp(&of_y));
        }
        let same = at + self.equal_length(&a[at..], &b[at..]);
        if same == a.len() && same == b.len() { Ok(Ordering::Equal) } else { Err(same) }
    }

    /// Compares the characters that begin at `at`; `None` if they are equal, missing or ill-formed.
    #[inline(always)]
    pub fn first_order(self, a: &[u8], b: &[u8], at: usize) -> Option<Ordering> {
        let (x, y) = (self.first_weights(&a[at..])?, self.first_weights(&b[at..])?);
        (x != y).then(|| x.cmp(&y))
    }

    /// Returns the number of bytes that are equal except for the case of ASCII letters that are
    /// characters. ASCII letters weigh the same in both cases.
    #[inline(always)]
    fn equal_length(self, a: &[u8], b: &[u8]) -> usize {
        let backend = simd::get();
        if !self.shape.trails_have_letters() {
            return backend.mismatch_folded(a, b);
        }
        let same = backend.mismatch_folded_ascii(a, b);
        match (a.get(same), b.get(same)) {
            (Some(x), Some(y)) if !(x | y).is_ascii() => {
                same + backend.mismatch_contractible(&BEFORE_LETTERS, CaseVariants::None, &a[same..], &b[same..])
            }
            _ => same,
        }
    }

    /// Returns the weights of the first character as one number, the first weight in the high half.
    ///
    /// Numbers compare as the weights do. A character has at most two weights, and a single weight
    /// never equals the first of two weights.
    #[inline(always)]
    fn first_weights(self, text: &[u8]) -> Option<u32> {
        let length = self.shape.well_formed_length(text)?;
        if let (1, &[byte, ..]) = (length, text) {
            return Some(u32::from(self.single_byte_weight(byte)) << 16);
        }
        let mut weights = [0; 2];
        self.table.multi_byte_weights(text.get(..length)?, &mut weights);
        Some(u32::from(weights[0]) << 16 | u32::from(weights[1]))
    }
}

impl<T: CharacterWeights, S: CharacterShape> LevelWeights for CharacterLevel<T, S> {
    #[inline(always)]
    fn pad(self) -> Option<u16> {
        self.pad
    }

    #[inline(always)]
    fn skip_bytes(self, a: &[u8], b: &[u8], at: usize) -> usize {
        let (x, y) = (&a[at..], &b[at..]);
        let (Some(first_x), Some(first_y)) = (x.first(), y.first()) else { return at };
        if !first_x.eq_ignore_ascii_case(first_y) {
            return at;
        }
        let same = self.equal_length(x, y);
        if same == x.len() && same == y.len() { at + same } else { at + self.boundary(x, y, same) }
    }

    #[inline(always)]
    fn boundary(self, a: &[u8], b: &[u8], at: usize) -> usize {
        self.shape.boundary(a, b, at, |_| true)
    }

    #[inline(always)]
    fn next(self, text: &[u8], at: usize, out: &mut [u16]) -> NextCharacter {
        let rest = &text[at..];
        let Some(length) = self.shape.well_formed_length(rest) else {
            // An ill-formed byte comes after all characters of Unicode, ordered by value.
            out[0] = u16::MAX;
            out[1] = u16::from_be_bytes([rest[0], 0]);
            return NextCharacter { bytes: 1, weights: 2 };
        };
        let weights = match rest[..length] {
            [byte] => {
                out[0] = self.single_byte_weight(byte);
                1
            }
            ref longer => self.table.multi_byte_weights(longer, out),
        };
        NextCharacter { bytes: length, weights }
    }

    #[inline(always)]
    fn single_weight(self, text: &[u8], at: usize) -> Option<u16> {
        let rest = &text[at..];
        match (self.shape.well_formed_length(rest)?, rest) {
            (1, &[byte, ..]) => Some(self.single_byte_weight(byte)),
            (2, &[first, second, ..]) => self.table.double_byte_weight(first, second),
            _ => None,
        }
    }

    #[inline(always)]
    fn may_fill(self, _: &[u8], _: usize) -> bool {
        false
    }
}
