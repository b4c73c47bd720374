//! The weights of code points, whatever the encoding.

use super::LONGEST;
use crate::table::{Contraction, Contractions, Level, Simple};

/// The weights of code points at one level.
pub(crate) trait CodePoints: Copy {
    /// Writes a code point's weights to the start of `out`, which has room for [`LONGEST`], and says how many there are.
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize;

    /// The weights of an ill-formed byte, and how many there are.
    fn ill_formed(self, byte: u8, out: &mut [u16]) -> usize;

    /// Whether a text ends at such a byte.
    fn ends_at_errors(self) -> bool;

    /// The contractions of the collation, and the number of this level.
    fn contractions(self) -> Option<(&'static Contractions, usize)>;

    /// The weights of a contraction at this level, whose number is `index`, and how many there are.
    fn contracted(self, contraction: &Contraction, index: usize, out: &mut [u16]) -> usize;
}

/// One weight a code point: `general_ci`.
#[derive(Clone, Copy)]
pub(crate) struct General(pub &'static Simple);

impl CodePoints for General {
    #[inline(always)]
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize {
        out[0] = self.0.weight(code_point);
        // An ill-formed byte comes after all characters, so the last one has a second weight, too.
        out[1] = 0;
        1 + usize::from(out[0] == u16::MAX)
    }

    #[inline(always)]
    fn ill_formed(self, byte: u8, out: &mut [u16]) -> usize {
        out[0] = u16::MAX;
        out[1] = 1 + u16::from(byte);
        2
    }

    #[inline(always)]
    fn ends_at_errors(self) -> bool {
        false
    }

    #[inline(always)]
    fn contractions(self) -> Option<(&'static Contractions, usize)> {
        None
    }

    #[inline(always)]
    fn contracted(self, _: &Contraction, _: usize, _: &mut [u16]) -> usize {
        0
    }
}

/// A level of the Unicode Collation Algorithm.
#[derive(Clone, Copy)]
pub(crate) struct Unicode<const CONTRACTS: bool> {
    pub level: &'static Level,
    pub index: usize,
    pub contractions: Option<&'static Contractions>,
    /// Whether a text ends at what is ill-formed; else each such byte has the greatest weight.
    pub ends_at_errors: bool,
}

impl<const CONTRACTS: bool> CodePoints for Unicode<CONTRACTS> {
    #[inline(always)]
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize {
        const { assert!(LONGEST >= 2) }
        let entry = self.level.entry(code_point);
        out[0] = entry;
        match entry {
            0 => 0,
            1..crate::arch::Low::SEVERAL => 1,
            _ => self.level.expand(code_point, entry, out),
        }
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
    fn contractions(self) -> Option<(&'static Contractions, usize)> {
        if CONTRACTS { self.contractions.map(|contractions| (contractions, self.index)) } else { None }
    }

    #[inline(always)]
    fn contracted(self, contraction: &Contraction, index: usize, out: &mut [u16]) -> usize {
        contraction.weights(self.level, index, out)
    }
}
