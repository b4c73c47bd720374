//! What vectors know of a level: the entries of the code points of one and two bytes of UTF-8, and which bytes may be
//! within a contraction.

use alloc::vec::Vec;

use super::contractions::Contractions;
use super::level::{POOL, RULES};
use super::pairs::Variants;
use crate::arch::{Low, ShortContractions};

/// A derived table, with what it tells of ASCII.
#[derive(Debug)]
pub(crate) struct LowOf {
    pub low: Low,
}

impl LowOf {
    /// Of a table of one weight a code point.
    pub fn simple(weight: impl Fn(usize) -> u16) -> Self {
        // Nothing is ignorable here: a weight of zero is left to the full table.
        let entry = |code_point| match weight(code_point) {
            0 | Low::SEVERAL.. => Low::MARK,
            weight => weight,
        };
        Self { low: Low::new(core::array::from_fn(entry), |_| None, None, Variants::None) }
    }

    /// Of the level of a Unicode table with this number. `weights` tells those of an entry that is no rule.
    pub fn level(
        entry: impl Fn(usize) -> u16,
        weights: impl Fn(u16) -> Option<Vec<u16>> + Copy,
        contractions: Option<&'static Contractions>,
        index: usize,
    ) -> Self {
        const { assert!(POOL == Low::SEVERAL) }
        // The table numbers equal sequences alike, so that equal numbers mean equal weights.
        let is_marked = |code_point| {
            contractions.is_some_and(|contractions| contractions.marks() && contractions.continues(code_point))
        };
        let low = |code_point| match entry(code_point) {
            RULES.. => Low::MARK,
            _ if is_marked(code_point) => Low::MARK,
            entry => entry,
        };
        let joined = contractions.filter(|contractions| !contractions.marks()).map(|contractions| {
            let each = contractions.all().iter().map(|one| (one.code_points(), weights(one.entry(index))));
            ShortContractions::of(&contractions.pairs, each)
        });
        let variants = contractions.map_or(Variants::None, |contractions| contractions.variants(index));
        Self { low: Low::new(core::array::from_fn(low), weights, joined, variants) }
    }
}
