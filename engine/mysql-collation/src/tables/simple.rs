//! Tables with one weight per code point, such as `general_ci`.
//!
//! ```text
//! 1 word         weight of all code points beyond U+FFFF
//! 2 words each   code point, weight; ascending, only where weight ≠ code point
//! ```

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::words::{Reader, Word, number};

/// One weight for each code point of the Basic Multilingual Plane, and one for all later code
/// points. A weight of 0 counts: no code point is ignorable.
pub(crate) struct SimpleTable {
    plane: Plane,
    beyond: u16,
}

impl SimpleTable {
    pub fn read(bytes: &'static [u8]) -> Self {
        let mut reader = Reader::new(bytes);
        let beyond = reader.word();
        let plane = Plane::read(reader.words(bytes.len() / 2 - 1));
        Self { plane, beyond }
    }

    #[inline(always)]
    pub fn weight(&self, code_point: u32) -> u16 {
        self.plane.weight(code_point as usize).unwrap_or(self.beyond)
    }
}

/// A weight for each of 65,536 code points.
pub(super) struct Plane {
    /// For each 256 code points, the number of the page with their weights, counted from 1. 0 if
    /// the code points are their own weights.
    page_of: Box<[u8; 256]>,
    pages: Vec<[u16; 256]>,
}

impl Plane {
    /// Reads code points with their weights, in ascending order. All other code points are their
    /// own weights.
    pub fn read(words: &'static [Word]) -> Self {
        let mut page_of = Box::new([0; 256]);
        let mut pages: Vec<[u16; 256]> = Vec::new();
        for &[code_point, weight] in words.as_chunks::<2>().0 {
            let [high, low] = number(code_point).to_be_bytes();
            let slot: &mut u8 = &mut page_of[usize::from(high)];
            if *slot == 0 {
                pages.push(core::array::from_fn(|low| u16::from(high) << 8 | low as u16));
                // The generated files need 20 pages at most.
                *slot = pages.len() as u8;
            }
            pages[usize::from(*slot) - 1][usize::from(low)] = number(weight);
        }
        Self { page_of, pages }
    }

    /// Returns the weight of a code point; `None` beyond the plane.
    #[inline(always)]
    pub fn weight(&self, code_point: usize) -> Option<u16> {
        let &page = self.page_of.get(code_point >> 8)?;
        Some(match self.pages.get(usize::from(page).wrapping_sub(1)) {
            Some(page) => page[code_point & 0xff],
            None => code_point as u16,
        })
    }
}
