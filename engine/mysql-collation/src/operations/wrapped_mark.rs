//! A fault of MySQL's Japanese collations: context from the end of a text leaks into the start of
//! the next level. This library reproduces the fault, because keys and indexes of servers contain
//! it.
//!
//! A mark that repeats or prolongs the preceding kana (`ー`, `ゝ`, `ゞ`, `ヽ`, `ヾ`) has special weights
//! after kana. In this library the two are a contraction. At the start of a text, nothing precedes
//! the mark.
//!
//! MySQL reads a text once per level, and keeps the last character of the text when it begins the
//! next level. At the secondary, tertiary and quaternary level, the first mark of `ーカ` therefore
//! has the weights that it has in `カー`. (MySQL 9.7.4: `WEIGHT_STRING` and `STRCMP`.)

use alloc::vec;
use alloc::vec::Vec;

use super::elements::Weights;
use crate::dispatch::Descriptor;
use crate::tables::{Contraction, LEVELS, LONGEST};
use crate::weights::{UcaContractions, UcaTable};

/// The contraction of a text's last character with its first, which applies beyond the primary
/// level.
pub(crate) struct WrappedMark {
    table: &'static UcaTable,
    last: u32,
    contraction: &'static Contraction,
}

impl WrappedMark {
    /// Finds the contraction of a text; `None` for nearly all texts.
    #[inline]
    pub fn find(descriptor: &Descriptor, text: &[u8]) -> Option<Self> {
        // The marks have three bytes in UTF-8. Only collations of UTF-8 have this fault.
        if let (true, [lead @ 0xE0..=0xEF, second, third, ..]) = (descriptor.rules.wraps_first_mark, text)
            && let Some(table) = descriptor.kind.uca()
            && let Some(contractions) = table.contractions()
            && let first = u32::from(lead & 0xF) << 12 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F)
            && contractions.all.later.may_have(first)
        {
            return Self::find_contraction(descriptor, table, contractions, text);
        }
        None
    }

    #[inline(never)]
    fn find_contraction(
        descriptor: &Descriptor,
        table: &'static UcaTable,
        contractions: &'static UcaContractions,
        text: &[u8],
    ) -> Option<Self> {
        let (first, length) = descriptor.decode(text)?;
        let (mut last, mut at) = (first, length);
        while let Some((code_point, length)) = text.get(at..).and_then(|rest| descriptor.decode(rest)) {
            last = code_point;
            at += length;
        }
        let contraction = contractions.all.longest(last, first, core::iter::empty())?;
        Some(Self { table, last, contraction })
    }

    /// Returns the weights of the first character at a level beyond the primary: the contraction's
    /// weights after the weights of the last character.
    pub fn weights(&self, index: usize) -> Vec<u32> {
        let Some(level) = self.table.level(index) else { return vec![] };
        let (mut all, mut of_last) = ([0; LONGEST], [0; LONGEST]);
        let count = self.contraction.weights(&level.level, index, &mut all);
        let skipped = level.level.weights(self.last, &mut of_last);
        all.get(skipped..count).unwrap_or_default().iter().copied().map(u32::from).collect()
    }
}

/// Returns the weights of a text, level by level.
pub(crate) fn levels(descriptor: &'static Descriptor, text: &[u8]) -> Vec<Vec<u16>> {
    let mut levels = vec![Vec::new(); LEVELS];
    for element in Weights::new(descriptor, text) {
        for (level, weights) in levels.iter_mut().zip(&element.weights) {
            level.extend(weights.iter().map(|&weight| weight as u16));
        }
    }
    descriptor.info.levels.iter().filter_map(|index| levels.get(index).cloned()).collect()
}
