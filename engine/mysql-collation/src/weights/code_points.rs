//! The weights of code points, independent of the encoding.

use super::single::PreparedTable;
use super::{NextCharacter, UcaContractions, UcaLevel};
use crate::simd::ShortWeights;
use crate::tables::{Contraction, FoldingTable, LONGEST, SimpleTable};

/// The weights of code points at one level.
pub(crate) trait CodePointWeights: Copy {
    /// Writes the weights of a code point to the start of `out` and returns their number. `out`
    /// needs room for [`LONGEST`] weights.
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize;

    /// Does the same as [`CodePointWeights::weights`], optimized for runs of characters of one
    /// script.
    #[inline(always)]
    fn script_weights(self, code_point: u32, out: &mut [u16; LONGEST]) -> usize {
        self.weights(code_point, out)
    }

    /// Writes the weights of an ill-formed byte to the start of `out` and returns their number.
    fn ill_formed(self, byte: u8, out: &mut [u16]) -> usize;

    /// Returns `true` if a text ends at its first ill-formed byte.
    #[inline(always)]
    fn ends_at_errors(self) -> bool {
        false
    }

    /// Returns the collation's contractions and the index of this level; `None` without
    /// contractions.
    #[inline(always)]
    fn contractions(self) -> Option<(&'static UcaContractions, usize)> {
        None
    }

    /// Writes the weights of a contraction at level `index` to the start of `out` and returns their
    /// number.
    #[inline(always)]
    fn contraction_weights(self, _contraction: &Contraction, _index: usize, _out: &mut [u16]) -> usize {
        0
    }
}

/// Finds the longest contraction at `at`, whose first character is `first`, and writes its weights
/// to the start of `out`. `decode` returns the code point at a position and its length in bytes;
/// `None` at the end and for ill-formed bytes.
#[inline(always)]
pub(crate) fn find_contraction<C: CodePointWeights>(
    code_points: C,
    decode: impl Fn(usize) -> Option<(u32, usize)> + Copy,
    at: usize,
    first: (u32, usize),
    out: &mut [u16],
) -> Option<NextCharacter> {
    let (contractions, level) = code_points.contractions()?;
    let second = decode(at + first.1)?;
    if !contractions.all.may_begin(first.0, second.0) {
        return None;
    }
    let mut next = at + first.1 + second.1;
    let rest = core::iter::from_fn(move || {
        let found = decode(next)?;
        next += found.1;
        Some(found)
    });
    let found = contractions.all.longest(first.0, second.0, rest.clone().map(|(code_point, _)| code_point))?;
    let more = rest.take(found.code_points().len() - 2).map(|(_, length)| length);
    let bytes = first.1 + second.1 + more.sum::<usize>();
    Some(NextCharacter { bytes, weights: code_points.contraction_weights(found, level, out) })
}

/// Weights of `bin` collations: the code points themselves. A code point from U+FFFF on has three
/// weights of 16 bits: FFFF, its high half and its low half.
#[derive(Clone, Copy)]
pub(crate) struct CodePointNumbers;

impl CodePointWeights for CodePointNumbers {
    #[inline(always)]
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize {
        match code_point {
            0..0xFFFF => {
                out[0] = code_point as u16;
                1
            }
            _ => {
                (out[0], out[1], out[2]) = (u16::MAX, (code_point >> 16) as u16, code_point as u16);
                3
            }
        }
    }

    /// Ill-formed bytes weigh more than all code points.
    #[inline(always)]
    fn ill_formed(self, byte: u8, out: &mut [u16]) -> usize {
        (out[0], out[1], out[2]) = (u16::MAX, 0x11, u16::from(byte));
        3
    }
}

/// One weight per code point, as in `general_ci`.
#[derive(Clone, Copy)]
pub(crate) struct SimpleCodePoints(pub &'static PreparedTable<SimpleTable>);

impl CodePointWeights for SimpleCodePoints {
    #[inline(always)]
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize {
        out[0] = self.0.table.weight(code_point);
        // An ill-formed byte comes after all characters, so a character with weight FFFF has a
        // second weight, 0.
        out[1] = 0;
        1 + usize::from(out[0] == u16::MAX)
    }

    #[inline(always)]
    fn ill_formed(self, byte: u8, out: &mut [u16]) -> usize {
        out[0] = u16::MAX;
        out[1] = 1 + u16::from(byte);
        2
    }
}

/// Case-folded code points as weights, for `general1400_as_ci`.
#[derive(Clone, Copy)]
pub(crate) struct FoldedCodePoints(pub &'static PreparedTable<FoldingTable>);

impl CodePointWeights for FoldedCodePoints {
    #[inline(always)]
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize {
        CodePointNumbers.weights(self.0.table.weight(code_point), out)
    }

    #[inline(always)]
    fn ill_formed(self, byte: u8, out: &mut [u16]) -> usize {
        CodePointNumbers.ill_formed(byte, out)
    }
}

/// A level of the Unicode Collation Algorithm, with or without contractions.
///
/// The struct is as small as possible, so that comparisons keep it in registers. Writing it to
/// memory and reading it back takes a third of the time of a short comparison. Bench: `languages`,
/// the last character differs.
#[derive(Clone, Copy)]
pub(crate) struct UcaCodePoints<const CONTRACTS: bool> {
    pub level: &'static UcaLevel,
    /// If `true`, a text ends at its first ill-formed byte. Otherwise each such byte has the
    /// greatest weight.
    pub ends_at_errors: bool,
}

impl<const CONTRACTS: bool> CodePointWeights for UcaCodePoints<CONTRACTS> {
    #[inline(always)]
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize {
        const { assert!(LONGEST >= 2) }
        let entry = self.level.level.entry(code_point);
        out[0] = entry;
        match entry {
            0 => 0,
            1..ShortWeights::MULTIPLE => 1,
            _ => self.level.level.expand(code_point, entry, out),
        }
    }

    #[inline(always)]
    fn script_weights(self, code_point: u32, out: &mut [u16; LONGEST]) -> usize {
        self.level.level.script_weights(code_point, out)
    }

    #[inline(always)]
    fn ill_formed(self, _: u8, out: &mut [u16]) -> usize {
        out[0] = u16::MAX;
        1
    }

    #[inline(always)]
    fn ends_at_errors(self) -> bool {
        self.ends_at_errors
    }

    #[inline(always)]
    fn contractions(self) -> Option<(&'static UcaContractions, usize)> {
        if CONTRACTS { self.level.contractions.map(|contractions| (contractions, self.level.index)) } else { None }
    }

    #[inline(always)]
    fn contraction_weights(self, contraction: &Contraction, index: usize, out: &mut [u16]) -> usize {
        contraction.weights(&self.level.level, index, out)
    }
}
