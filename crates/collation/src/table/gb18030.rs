//! The order of `gb18030_chinese_ci`: a weight of one, two or four bytes a character.
//!
//! An ideograph weighs `FFA00000` and its number in the order of pinyin, any other character of four bytes `FF000000` and its number
//! among all of four bytes, any other character its own bytes; a letter weighs what its capital does.
//!
//! ```text
//! weights of characters of one byte    256 bytes
//! ideographs of two bytes              pages (charset/pages.rs): numbers by pinyin
//! ideographs of four bytes             the same, by the lower 16 bits of their numbers among all of four bytes: of those below 65,536
//! other weights                        8 bytes each: a character and its weight, as numbers, high byte first, in ascending order
//! ```

use crate::charset::{Pages, four_bytes_number};

/// The weights.
pub(crate) struct Gb18030 {
    singles: &'static [u8; 256],
    doubles: Pages,
    quadruples: Pages,
    others: &'static [[u8; 8]],
}

/// What the numbers of ideographs are added to.
const IDEOGRAPHS: u32 = 0xFFA0_0000;
/// What the numbers of other characters of four bytes are added to.
const FOUR_BYTES: u32 = 0xFF00_0000;

impl Gb18030 {
    pub const fn new(file: &'static [u8]) -> Self {
        let Some((singles, rest)) = file.split_first_chunk::<256>() else { panic!("256 weights") };
        let (doubles, rest) = Pages::split(rest);
        let (quadruples, rest) = Pages::split(rest);
        let (others, []) = rest.as_chunks::<8>() else { panic!("8 bytes each") };
        Self { singles, doubles, quadruples, others }
    }

    /// The weight of a character of one byte, or of an ill-formed byte.
    #[inline(always)]
    pub fn single(&self, byte: u8) -> u8 {
        self.singles[usize::from(byte)]
    }

    /// The weight of a character of two or four bytes: a number of as many bytes as it needs.
    #[inline]
    pub fn weight(&self, character: &[u8]) -> u32 {
        let (key, number, own) = match *character {
            [first, second] => {
                let own = u32::from(u16::from_be_bytes([first, second]));
                (own, self.doubles.get(first, second), own)
            }
            [a, b, c, d] => {
                let number = four_bytes_number([a, b, c, d]);
                let page = u16::try_from(number).map_or(0, |number| {
                    let [high, low] = number.to_be_bytes();
                    self.quadruples.get(high, low)
                });
                (u32::from_be_bytes([a, b, c, d]), page, FOUR_BYTES + number)
            }
            _ => return 0,
        };
        if number != 0 {
            return IDEOGRAPHS + u32::from(number);
        }
        self.other(key).unwrap_or(own)
    }

    /// What `WEIGHT_STRING` is of a character, or of an ill-formed byte.
    pub fn answered(&self, character: &[u8]) -> impl Iterator<Item = u8> {
        let weight = match *character {
            [byte] => self.single(byte).into(),
            _ => self.weight(character),
        };
        let first = weight.leading_zeros() as usize / 8;
        weight.to_be_bytes().into_iter().skip(first.min(3))
    }

    fn other(&self, key: u32) -> Option<u32> {
        let half =
            |other: &[u8; 8], at: usize| u32::from_be_bytes([other[at], other[at + 1], other[at + 2], other[at + 3]]);
        let found = self.others.binary_search_by_key(&key, |other| half(other, 0)).ok()?;
        self.others.get(found).map(|other| half(other, 4))
    }
}
