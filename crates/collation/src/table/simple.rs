//! One weight for each code point: `general_ci`.
//!
//! A file is a row of words: the weight of all code points beyond U+FFFF, then each code point whose weight is not its own
//! number, in ascending order, and that weight.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::words::{Reader, Word, number};
use super::{Lazy, LowOf};

/// A file with one weight a code point.
pub(crate) struct SimpleTable {
    bytes: &'static [u8],
    made: Lazy<Simple>,
}

impl SimpleTable {
    pub const fn new(bytes: &'static [u8]) -> Self {
        Self { bytes, made: Lazy::new() }
    }

    /// The weights.
    #[inline(always)]
    pub fn get(&'static self) -> &'static Simple {
        self.made.get(|| Simple::read(self.bytes))
    }
}

/// One weight for each code point of the Basic Multilingual Plane, and one for all beyond. No code point is ignorable: a
/// weight of 0 is a weight.
pub(crate) struct Simple {
    plane: Plane,
    beyond: u16,
    pub low: LowOf,
}

impl Simple {
    fn read(bytes: &'static [u8]) -> Self {
        let mut reader = Reader::new(bytes);
        let beyond = reader.word();
        let plane = Plane::read(reader.words(bytes.len() / 2 - 1));
        let low = LowOf::simple(|code_point| plane.weight(code_point).unwrap_or_default());
        Self { plane, beyond, low }
    }

    /// The weight of a code point.
    #[inline(always)]
    pub fn weight(&self, code_point: u32) -> u16 {
        self.plane.weight(code_point as usize).unwrap_or(self.beyond)
    }
}

/// A weight for each of 65,536 code points.
pub(super) struct Plane {
    /// For each 256 code points which page has their weights; 0 where their weights are their numbers.
    page_of: Box<[u8; 256]>,
    /// The pages, the first of which is 1.
    pages: Vec<[u16; 256]>,
}

impl Plane {
    /// Reads the code points whose weights are not their own numbers, in ascending order, each with its weight.
    pub fn read(words: &'static [Word]) -> Self {
        let mut page_of = Box::new([0; 256]);
        let mut pages: Vec<[u16; 256]> = Vec::new();
        for &[code_point, weight] in words.as_chunks::<2>().0 {
            let [high, low] = number(code_point).to_be_bytes();
            let slot: &mut u8 = &mut page_of[usize::from(high)];
            if *slot == 0 {
                pages.push(core::array::from_fn(|low| u16::from(high) << 8 | low as u16));
                // There are 255 pages at most that are not the first.
                *slot = pages.len() as u8;
            }
            pages[usize::from(*slot) - 1][usize::from(low)] = number(weight);
        }
        Self { page_of, pages }
    }

    /// The weight of a code point; `None` beyond the plane.
    #[inline(always)]
    pub fn weight(&self, code_point: usize) -> Option<u16> {
        let &page = self.page_of.get(code_point >> 8)?;
        Some(match self.pages.get(usize::from(page).wrapping_sub(1)) {
            Some(page) => page[code_point & 0xff],
            None => code_point as u16,
        })
    }
}
