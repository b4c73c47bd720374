//! The order of `gb18030_chinese_ci`: a weight of one, two or four bytes a character.
//!
//! An ideograph weighs `FFA00000` and its number in the order of pinyin, any other character of four bytes `FF000000` and its number
//! among all of four bytes, any other character its own bytes; a letter weighs what its capital does.
//!
//! ```text
//! weights of characters of one byte    256 bytes
//! characters of two bytes              pages (charset/pages.rs): numbers by pinyin, or from A1A1 on weights; FFFF: see other weights
//! characters of four bytes             the same, but for weights, by their numbers among all of four bytes: of those below 65,536
//! other weights                        8 bytes each: a character and its weight, as numbers, high byte first, in ascending order
//! ```
//! So a search through the others is for those alone that are there, and for ideographs beyond the 65,536.

use crate::charset::{Pages, four_bytes_number};

/// The weights.
pub(crate) struct Gb18030 {
    singles: &'static [u8; 256],
    doubles: Pages,
    quadruples: Pages,
    others: &'static [[u8; 8]],
}

/// Entries from here on are weights: no letter of two bytes has a capital before it, and there are fewer ideographs.
const WEIGHTS: u16 = 0xA1A1;
/// The entry of a character whose weight is among the others.
const AMONG_OTHERS: u16 = u16::MAX;
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
        match *character {
            [first, second] => {
                let own = u32::from(u16::from_be_bytes([first, second]));
                self.of_entry(self.doubles.get(first, second), own, own)
            }
            [a, b, c, d] => {
                let number = four_bytes_number([a, b, c, d]);
                let entry = u16::try_from(number).map_or(AMONG_OTHERS, |number| {
                    let [high, low] = number.to_be_bytes();
                    self.quadruples.get(high, low)
                });
                self.of_entry(entry, u32::from_be_bytes([a, b, c, d]), FOUR_BYTES + number)
            }
            _ => 0,
        }
    }

    /// The weight of the character `key`, which its entry tells, or that this is its own.
    #[inline(always)]
    fn of_entry(&self, entry: u16, key: u32, own: u32) -> u32 {
        match entry {
            0 => own,
            AMONG_OTHERS => self.other(key).unwrap_or(own),
            WEIGHTS.. => entry.into(),
            ideograph => IDEOGRAPHS + u32::from(ideograph),
        }
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

    #[inline(never)]
    fn other(&self, key: u32) -> Option<u32> {
        let half =
            |other: &[u8; 8], at: usize| u32::from_be_bytes([other[at], other[at + 1], other[at + 2], other[at + 3]]);
        let found = self.others.binary_search_by_key(&key, |other| half(other, 0)).ok()?;
        self.others.get(found).map(|other| half(other, 4))
    }
}
