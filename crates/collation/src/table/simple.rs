//! One weight for each code point: `general_ci`.
//!
//! A file is a row of words: the weight of all code points beyond U+FFFF, then each code point whose weight is not its own
//! number, in ascending order, and that weight.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::words::{Reader, number};
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
    /// For each 256 code points which page has their weights; 0 where their weights are their numbers.
    page_of: Box<[u8; 256]>,
    /// The pages, the first of which is 1.
    pages: Vec<[u16; 256]>,
    beyond: u16,
    pub low: LowOf,
}

impl Simple {
    fn read(bytes: &'static [u8]) -> Self {
        let mut reader = Reader::new(bytes);
        let beyond = reader.word();
        let mut page_of = Box::new([0; 256]);
        let mut pages: Vec<[u16; 256]> = Vec::new();
        for &[code_point, weight] in reader.words(bytes.len() / 2 - 1).as_chunks::<2>().0 {
            let [high, low] = number(code_point).to_be_bytes();
            let slot: &mut u8 = &mut page_of[usize::from(high)];
            if *slot == 0 {
                pages.push(core::array::from_fn(|low| u16::from(high) << 8 | low as u16));
                // There are 255 pages at most that are not the first.
                *slot = pages.len() as u8;
            }
            pages[usize::from(*slot) - 1][usize::from(low)] = number(weight);
        }
        let weight = |code_point: usize| match page_of[code_point >> 8] {
            0 => code_point as u16,
            page => pages[usize::from(page) - 1][code_point & 0xff],
        };
        let low = LowOf::simple(weight);
        Self { page_of, pages, beyond, low }
    }

    /// The weight of a code point.
    #[inline(always)]
    pub fn weight(&self, code_point: u32) -> u16 {
        let Some(&page) = self.page_of.get(code_point as usize >> 8) else { return self.beyond };
        match self.pages.get(usize::from(page).wrapping_sub(1)) {
            Some(page) => page[code_point as usize & 0xff],
            None => code_point as u16,
        }
    }
}
