use alloc::vec::Vec;

use crate::simd::{self, ByteTable};

/// The weights of bytes: the bytes themselves, or bytes from a table.
pub(crate) trait ByteWeights: Copy {
    fn weight(self, byte: u8) -> u8;

    /// Returns the first index at which the weights differ, or the length of the shorter text. The
    /// first bytes of `a` and `b` must differ if both texts have bytes.
    fn mismatch(self, a: &[u8], b: &[u8]) -> usize;

    /// Appends the weights of `text` to `key`.
    fn append(self, text: &[u8], key: &mut Vec<u8>);

    /// Returns `true` if a quick check shows that no space in a sort key of `text` needs a mark
    /// (operations/padding.rs). `false` is always correct.
    #[inline(always)]
    fn needs_no_marks(self, _text: &[u8]) -> bool {
        false
    }
}

pub(crate) static IDENTITY: ByteTable = {
    let mut all = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        all[byte] = byte as u8;
        byte += 1;
    }
    ByteTable::new(&all)
};

/// Weights of a collation in which each byte is its own weight.
#[derive(Clone, Copy)]
pub(crate) struct Identity;

impl ByteWeights for Identity {
    #[inline(always)]
    fn weight(self, byte: u8) -> u8 {
        byte
    }

    #[inline(always)]
    fn mismatch(self, _: &[u8], _: &[u8]) -> usize {
        // Callers pass only texts whose first bytes differ.
        0
    }

    fn append(self, text: &[u8], key: &mut Vec<u8>) {
        key.extend_from_slice(text);
    }

    #[inline(always)]
    fn needs_no_marks(self, text: &[u8]) -> bool {
        simd::get().is_words(text)
    }
}

/// Weights from a table.
#[derive(Clone, Copy)]
pub(crate) struct Mapped(pub &'static ByteTable);

impl ByteWeights for Mapped {
    #[inline(always)]
    fn weight(self, byte: u8) -> u8 {
        self.0.weight(byte)
    }

    #[inline(always)]
    fn mismatch(self, a: &[u8], b: &[u8]) -> usize {
        match (a.first(), b.first()) {
            // Most texts differ in the weights of their first bytes, which needs no vectors.
            // Vectors skip letters that differ in case, many at a time.
            (Some(&x), Some(&y)) if x ^ y != ByteTable::CASE && self.weight(x) != self.weight(y) => 0,
            _ => simd::get().mismatch_mapped(self.0, a, b),
        }
    }

    fn append(self, text: &[u8], key: &mut Vec<u8>) {
        simd::get().append_mapped(&self.0.weights, text, key);
    }
}
