//! Collations in which a byte can have two weights: `latin1_german2_ci`.

use super::{LevelWeights, NextCharacter};
use crate::simd::{self, FILL_ROOM, Filled};
use crate::tables::ByteExpansions;

/// The primary level of `latin1_german2_ci`, its only level.
#[derive(Clone, Copy)]
pub(crate) struct ExpandedBytes {
    pub table: &'static ByteExpansions,
    pub pad: Option<u16>,
}

impl LevelWeights for ExpandedBytes {
    #[inline(always)]
    fn pad(self) -> Option<u16> {
        self.pad
    }

    #[inline(always)]
    fn skip_bytes(self, a: &[u8], b: &[u8], at: usize) -> usize {
        // Every byte is a character, and ASCII letters weigh the same in both cases.
        at + simd::get().mismatch_folded(&a[at..], &b[at..])
    }

    #[inline(always)]
    fn boundary(self, _: &[u8], _: &[u8], at: usize) -> usize {
        at
    }

    #[inline(always)]
    fn fill(self, text: &[u8], at: usize, out: &mut [u16]) -> Filled {
        let (mut consumed, mut produced) = (0, 0);
        while produced + FILL_ROOM <= out.len() && at + consumed < text.len() {
            let next = self.next(text, at + consumed, &mut out[produced..]);
            consumed += next.bytes;
            produced += next.weights;
        }
        Filled { consumed, produced }
    }

    #[inline(always)]
    fn next(self, text: &[u8], at: usize, out: &mut [u16]) -> NextCharacter {
        let [first, second] = self.table[usize::from(text[at])];
        out[0] = u16::from(first);
        out[1] = u16::from(second);
        NextCharacter { bytes: 1, weights: 1 + usize::from(second != 0) }
    }

    #[inline(always)]
    fn single_weight(self, _: &[u8], _: usize) -> Option<u16> {
        None
    }

    #[inline(always)]
    fn may_fill(self, _: &[u8], _: usize) -> bool {
        true
    }
}
