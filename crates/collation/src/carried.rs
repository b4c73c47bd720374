//! Context that MySQL carries from one level to the next: a fault of its Japanese collations that this library shares, as keys and indexes of
//! servers have it.
//!
//! A mark that repeats or prolongs what is before it (`ー`, `ゝ`, `ゞ`, `ヽ`, `ヾ`) has weights of its own after kana; here it is a
//! contraction of two. At the beginning of a text there is nothing before it. But MySQL goes through a text once a level, and still holds the
//! text's last character when it begins the secondary level, the tertiary and the quaternary: there the first mark of `ーカ` has the weights
//! that it has in `カー`. (MySQL 9.7.4: `WEIGHT_STRING` and `STRCMP`.)

use alloc::vec;
use alloc::vec::Vec;

use crate::descriptor::{Descriptor, Kind};
use crate::table::{Contraction, Contractions, LEVELS, LONGEST, Table};
use crate::weights::Weights;

/// The contraction that the first character of a text makes with its last one, beyond the primary level.
pub(crate) struct Carried {
    table: &'static Table,
    last: u32,
    contraction: &'static Contraction,
}

impl Carried {
    /// That of a text; `None` for nearly all.
    #[inline]
    pub fn of(descriptor: &Descriptor, text: &[u8]) -> Option<Self> {
        // The marks have three bytes of UTF-8, the only encoding that has such collations.
        if let (true, [lead @ 0xE0..=0xEF, second, third, ..]) = (descriptor.traits.carries_context, text)
            && let Kind::Uca(table) = descriptor.kind
            && let Some(contractions) = table.contractions()
            && let first = u32::from(lead & 0xF) << 12 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F)
            && contractions.later.may_have(first)
        {
            return Self::find(descriptor, table, contractions, text);
        }
        None
    }

    #[inline(never)]
    fn find(
        descriptor: &Descriptor,
        table: &'static Table,
        contractions: &'static Contractions,
        text: &[u8],
    ) -> Option<Self> {
        let (first, length) = descriptor.decode(text)?;
        let (mut last, mut at) = (first, length);
        while let Some((code_point, length)) = text.get(at..).and_then(|rest| descriptor.decode(rest)) {
            last = code_point;
            at += length;
        }
        let contraction = contractions.longest(last, first, core::iter::empty())?;
        Some(Self { table, last, contraction })
    }

    /// The weights of the first character at a level beyond the primary: what the contraction has more than the last character.
    pub fn weights(&self, index: usize) -> Vec<u32> {
        let Some(level) = self.table.level(index) else { return vec![] };
        let (mut all, mut of_last) = ([0; LONGEST], [0; LONGEST]);
        let count = self.contraction.weights(level, index, &mut all);
        let skipped = level.weights(self.last, &mut of_last);
        all.get(skipped..count).unwrap_or_default().iter().copied().map(u32::from).collect()
    }
}

/// The weights of a text, level by level.
pub(crate) fn levels(descriptor: &'static Descriptor, text: &[u8]) -> Vec<Vec<u16>> {
    let mut levels = vec![Vec::new(); LEVELS];
    for element in Weights::new(descriptor, text) {
        for (level, weights) in levels.iter_mut().zip(&element.weights) {
            level.extend(weights.iter().map(|&weight| weight as u16));
        }
    }
    descriptor.info.levels.iter().filter_map(|index| levels.get(index).cloned()).collect()
}
