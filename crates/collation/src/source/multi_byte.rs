//! Multi-byte character sets with a weight of one, two or four bytes for each character, as `sjis_japanese_ci`, `gbk_chinese_ci`,
//! `gb18030_chinese_ci`.

use core::cmp::Ordering;

use super::{Next, Source};
use crate::arch;
use crate::charset::Shape;
use crate::table::{Gb18030, MultiByte, Pairs, Variants};

static BEFORE_LETTERS: Pairs = Pairs::BEFORE_LETTERS;

/// The weights of the characters of such a collation.
///
/// They are those of the server as 16 bits, the first byte high, so that they compare as its bytes do: no character of one byte weighs what
/// the first byte of a longer one does.
pub(crate) trait CharacterWeights: Copy {
    /// That of a character of one byte.
    fn single(self, byte: u8) -> u8;

    /// Whether the weights of longer ones are their own bytes, but for letters of ASCII.
    fn are_bytes(self) -> bool;

    /// The weight of one of two bytes, if it has one.
    fn double(self, first: u8, second: u8) -> Option<u16>;

    /// The weights of a longer one, at the start of `out`, and how many there are.
    fn longer(self, character: &[u8], out: &mut [u16]) -> usize;
}

impl CharacterWeights for &'static MultiByte {
    #[inline(always)]
    fn single(self, byte: u8) -> u8 {
        MultiByte::single(self, byte)
    }

    #[inline(always)]
    fn are_bytes(self) -> bool {
        MultiByte::are_bytes(self)
    }

    #[inline(always)]
    fn double(self, first: u8, second: u8) -> Option<u16> {
        Some(MultiByte::double(self, first, second))
    }

    #[inline(always)]
    fn longer(self, character: &[u8], out: &mut [u16]) -> usize {
        if let [first, second] = *character {
            out[0] = MultiByte::double(self, first, second);
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
    fn single(self, byte: u8) -> u8 {
        Gb18030::single(self, byte)
    }

    #[inline(always)]
    fn are_bytes(self) -> bool {
        false
    }

    #[inline(always)]
    fn double(self, first: u8, second: u8) -> Option<u16> {
        u16::try_from(self.weight(&[first, second])).ok().filter(|&weight| weight >= 0x100)
    }

    #[inline(always)]
    fn longer(self, character: &[u8], out: &mut [u16]) -> usize {
        let weight = self.weight(character);
        let (high, low) = ((weight >> 16) as u16, weight as u16);
        match weight {
            // A longer character whose capital has one byte comes after all of one, and before all others.
            0..0x100 => out[0] = 0x8000 | low,
            0x100..0x1_0000 => out[0] = low,
            _ => (out[0], out[1]) = (high, low),
        }
        1 + usize::from(high != 0)
    }
}

/// The one level of such a collation.
#[derive(Clone, Copy)]
pub(crate) struct Characters<T, S> {
    pub table: T,
    pub shape: S,
    pub pad: Option<u16>,
}

impl<T: CharacterWeights, S: Shape> Characters<T, S> {
    #[inline(always)]
    fn single(self, byte: u8) -> u16 {
        u16::from_be_bytes([self.table.single(byte), 0])
    }

    /// The order of two texts that first differ at `at`, where it is easily told: by characters of ASCII, as what is after ASCII begins a
    /// character, or can't be of ASCII; or by bytes, without going back to where the characters begin. Else where they first differ by more
    /// than the case of letters of ASCII, or before.
    #[inline(always)]
    pub fn easy_order(self, a: &[u8], b: &[u8], at: usize) -> Result<Ordering, usize> {
        let (Some(&x), Some(&y)) = (a.get(at), b.get(at)) else { return Err(at) };
        if !(x | y).is_ascii() {
            let bytes_decide = self.table.are_bytes() && self.shape.bytes_decide(a, b, at);
            return if bytes_decide { Ok(x.cmp(&y)) } else { Err(at) };
        }
        if at > 0 && !a[at - 1].is_ascii() {
            return Err(at);
        }
        let (of_x, of_y) = (self.table.single(x), self.table.single(y));
        if of_x != of_y {
            return Ok(of_x.cmp(&of_y));
        }
        let same = at + self.same(&a[at..], &b[at..]);
        if same == a.len() && same == b.len() { Ok(Ordering::Equal) } else { Err(same) }
    }

    /// The order of the characters that begin at `at`, if they settle it.
    #[inline(always)]
    pub fn first_order(self, a: &[u8], b: &[u8], at: usize) -> Option<Ordering> {
        let (x, y) = (self.first(&a[at..])?, self.first(&b[at..])?);
        (x != y).then(|| x.cmp(&y))
    }

    /// How many bytes are the same but for the case of letters of ASCII that are characters: these have one weight in both cases.
    #[inline(always)]
    fn same(self, a: &[u8], b: &[u8]) -> usize {
        let backend = arch::get();
        if !self.shape.has_letters() {
            return backend.mismatch_folded(a, b);
        }
        let same = backend.mismatch_folded_ascii(a, b);
        match (a.get(same), b.get(same)) {
            (Some(x), Some(y)) if !(x | y).is_ascii() => {
                same + backend.mismatch_joined(&BEFORE_LETTERS, Variants::None, &a[same..], &b[same..])
            }
            _ => same,
        }
    }

    /// The weights of the first character as one number, which tells how it compares to any other: it has two at most, and one of one
    /// weight does not weigh what one of two begins with.
    #[inline(always)]
    fn first(self, text: &[u8]) -> Option<u32> {
        let length = self.shape.well_formed_length(text)?;
        if let (1, &[byte, ..]) = (length, text) {
            return Some(u32::from(self.single(byte)) << 16);
        }
        let mut weights = [0; 2];
        self.table.longer(text.get(..length)?, &mut weights);
        Some(u32::from(weights[0]) << 16 | u32::from(weights[1]))
    }
}

impl<T: CharacterWeights, S: Shape> Source for Characters<T, S> {
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
        let same = self.same(x, y);
        if same == x.len() && same == y.len() { at + same } else { at + self.boundary(x, y, same) }
    }

    #[inline(always)]
    fn boundary(self, a: &[u8], b: &[u8], at: usize) -> usize {
        self.shape.boundary(a, b, at, |_| true)
    }

    #[inline(always)]
    fn next(self, text: &[u8], at: usize, out: &mut [u16]) -> Next {
        let rest = &text[at..];
        let Some(length) = self.shape.well_formed_length(rest) else {
            // After all characters of Unicode, by its value.
            out[0] = u16::MAX;
            out[1] = u16::from_be_bytes([rest[0], 0]);
            return Next { bytes: 1, weights: 2 };
        };
        let weights = match rest[..length] {
            [byte] => {
                out[0] = self.single(byte);
                1
            }
            ref longer => self.table.longer(longer, out),
        };
        Next { bytes: length, weights }
    }

    #[inline(always)]
    fn plain(self, text: &[u8], at: usize) -> Option<u16> {
        let rest = &text[at..];
        match (self.shape.well_formed_length(rest)?, rest) {
            (1, &[byte, ..]) => Some(self.single(byte)),
            (2, &[first, second, ..]) => self.table.double(first, second),
            _ => None,
        }
    }

    #[inline(always)]
    fn is_plain(self, _: &[u8], _: usize) -> bool {
        false
    }
}
