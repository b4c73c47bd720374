//! The weights of code points, whatever the encoding.

use super::{LONGEST, Next};
use crate::table::{Contraction, Contractions, Folding, Level, Simple};

/// The weights of code points at one level.
pub(crate) trait CodePoints: Copy {
    /// Writes a code point's weights to the start of `out`, which has room for [`LONGEST`], and says how many there are.
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize;

    /// The weights of an ill-formed byte, and how many there are.
    fn ill_formed(self, byte: u8, out: &mut [u16]) -> usize;

    /// Whether a text ends at such a byte.
    #[inline(always)]
    fn ends_at_errors(self) -> bool {
        false
    }

    /// The contractions of the collation, and the number of this level.
    #[inline(always)]
    fn contractions(self) -> Option<(&'static Contractions, usize)> {
        None
    }

    /// The weights of a contraction at this level, whose number is `index`, and how many there are.
    #[inline(always)]
    fn contracted(self, _contraction: &Contraction, _index: usize, _out: &mut [u16]) -> usize {
        0
    }
}

/// The contraction at `at`, whose first character is `first`. `decode` tells the code point at a place in the text and its length, `None`
/// at the end.
#[inline(always)]
pub(crate) fn contraction<C: CodePoints>(
    code_points: C,
    decode: impl Fn(usize) -> Option<(u32, usize)> + Copy,
    at: usize,
    first: (u32, usize),
    out: &mut [u16],
) -> Option<Next> {
    let (contractions, level) = code_points.contractions()?;
    let second = decode(at + first.1)?;
    if !contractions.may_begin(first.0, second.0) {
        return None;
    }
    let mut next = at + first.1 + second.1;
    let rest = core::iter::from_fn(move || {
        let found = decode(next)?;
        next += found.1;
        Some(found)
    });
    let found = contractions.longest(first.0, second.0, rest.clone().map(|(code_point, _)| code_point))?;
    let more = rest.take(found.code_points().len() - 2).map(|(_, length)| length);
    let bytes = first.1 + second.1 + more.sum::<usize>();
    Some(Next { bytes, weights: code_points.contracted(found, level, out) })
}

/// Code points as they are: `bin`.
#[derive(Clone, Copy)]
pub(crate) struct Numbers;

impl CodePoints for Numbers {
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

    /// After all code points.
    #[inline(always)]
    fn ill_formed(self, byte: u8, out: &mut [u16]) -> usize {
        (out[0], out[1], out[2]) = (u16::MAX, 0x11, u16::from(byte));
        3
    }
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
}

/// A code point for each code point, of the same case: `general1400_as_ci`.
#[derive(Clone, Copy)]
pub(crate) struct Folded(pub &'static Folding);

impl CodePoints for Folded {
    #[inline(always)]
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize {
        Numbers.weights(self.0.weight(code_point), out)
    }

    #[inline(always)]
    fn ill_formed(self, byte: u8, out: &mut [u16]) -> usize {
        Numbers.ill_formed(byte, out)
    }
}

/// A level of the Unicode Collation Algorithm, with contractions or without.
///
/// As small as it can be: comparisons have no registers for more, and to write it to memory and read it again would take a third of the
/// time of a short one. Bench: `languages`, the last character differs.
#[derive(Clone, Copy)]
pub(crate) struct Unicode<const CONTRACTS: bool> {
    pub level: &'static Level,
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
        if CONTRACTS { self.level.contractions.map(|contractions| (contractions, self.level.index)) } else { None }
    }

    #[inline(always)]
    fn contracted(self, contraction: &Contraction, index: usize, out: &mut [u16]) -> usize {
        contraction.weights(self.level, index, out)
    }
}
