//! The weights of `gb18030_chinese_ci`: one, two or four bytes per character.
//!
//! - A small letter weighs the same as its capital: `a` = `A`.
//! - An ideograph weighs `FFA00000` plus its number in pinyin order.
//! - Any other character of four bytes weighs `FF000000` plus its number among all characters of
//!   four bytes.
//! - Any other character weighs its own bytes.
//!
//! The layout of the file:
//!
//! ```text
//! 256 bytes     weights of characters of one byte
//! pages         characters of two bytes (charset/pages.rs); an entry is
//!                   0            by the rules above, not an ideograph
//!                   1 … A1A0     number in pinyin order
//!                   A1A1 … FFFE  weight
//!                   FFFF         see other weights
//! pages         characters of four bytes with numbers below 65,536; entries as above
//! 8 bytes each  other weights: character, weight; big-endian, ascending
//! ```
//!
//! Other weights are searched only for characters with entry FFFF and for characters of four bytes
//! with numbers from 65,536 on.

use crate::charset::{Pages, four_bytes_number};

pub(crate) struct Gb18030 {
    singles: &'static [u8; 256],
    doubles: Pages,
    quadruples: Pages,
    others: &'static [[u8; 8]],
}

/// Least entry that is a weight. Capitals of two bytes are not below A1A1, and the pinyin
/// order has fewer than 0xA1A1 ideographs.
const FIRST_WEIGHT: u16 = 0xA1A1;
/// Entry of a character whose weight is in the list of other weights.
const AMONG_OTHERS: u16 = u16::MAX;
/// Added to an ideograph's number, which begins at 1.
const IDEOGRAPH_BASE: u32 = 0xFFA0_0000;
/// Added to the number, from 0, of any other character of four bytes.
const FOUR_BYTE_BASE: u32 = 0xFF00_0000;

/// The characters of several bytes whose capital has one byte: `ı` U+0131 and `ſ` U+017F.
const LONGER_LETTERS: [[u8; 4]; 2] = [[0x81, 0x30, 0x90, 0x33], [0x81, 0x30, 0x97, 0x37]];

impl Gb18030 {
    pub const fn new(file: &'static [u8]) -> Self {
        let Some((singles, rest)) = file.split_first_chunk::<256>() else { panic!("256 weights") };
        let (doubles, rest) = Pages::split(rest);
        let (quadruples, rest) = Pages::split(rest);
        let (others, []) = rest.as_chunks::<8>() else { panic!("8 bytes each") };
        Self { singles, doubles, quadruples, others }
    }

    /// Returns the weight of a character of one byte or of an ill-formed byte.
    #[inline(always)]
    pub fn single_byte_weight(&self, byte: u8) -> u8 {
        self.singles[usize::from(byte)]
    }

    /// Returns the weight of a character of two or four bytes; 0 for any other length.
    #[inline]
    pub fn weight(&self, character: &[u8]) -> u32 {
        match *character {
            [first, second] => {
                let own = u32::from(u16::from_be_bytes([first, second]));
                self.resolve_entry(self.doubles.get(first, second), own, own)
            }
            [a, b, c, d] => {
                let number = four_bytes_number([a, b, c, d]);
                let entry = u16::try_from(number).map_or(AMONG_OTHERS, |number| {
                    let [high, low] = number.to_be_bytes();
                    self.quadruples.get(high, low)
                });
                self.resolve_entry(entry, u32::from_be_bytes([a, b, c, d]), FOUR_BYTE_BASE + number)
            }
            _ => 0,
        }
    }

    /// Returns `true` if a character of four bytes has this weight of a character of one byte: `ı`
    /// has that of `i`.
    pub fn has_longer_match(&self, weight: u8) -> bool {
        LONGER_LETTERS.iter().any(|letter| self.weight(letter) == u32::from(weight))
    }

    /// Resolves an entry of character `key`, whose weight is `own` if its entry is 0.
    #[inline(always)]
    fn resolve_entry(&self, entry: u16, key: u32, own: u32) -> u32 {
        match entry {
            0 => own,
            AMONG_OTHERS => self.find_other(key).unwrap_or(own),
            FIRST_WEIGHT.. => entry.into(),
            ideograph => IDEOGRAPH_BASE + u32::from(ideograph),
        }
    }

    /// Returns the bytes of `WEIGHT_STRING` for a character or an ill-formed byte.
    pub fn weight_string(&self, character: &[u8]) -> impl Iterator<Item = u8> {
        let weight = match *character {
            [byte] => self.single_byte_weight(byte).into(),
            _ => self.weight(character),
        };
        let first = weight.leading_zeros() as usize / 8;
        weight.to_be_bytes().into_iter().skip(first.min(3))
    }

    #[inline(never)]
    fn find_other(&self, key: u32) -> Option<u32> {
        let half =
            |other: &[u8; 8], at: usize| u32::from_be_bytes([other[at], other[at + 1], other[at + 2], other[at + 3]]);
        let found = self.others.binary_search_by_key(&key, |other| half(other, 0)).ok()?;
        self.others.get(found).map(|other| half(other, 4))
    }
}
