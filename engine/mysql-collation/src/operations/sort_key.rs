//! Sort keys of weights: big-endian, level by level.
//!
//! ```text
//! NO PAD       level 1 · 00 00 · level 2 · 00 00 · … · last level
//! PAD SPACE    level 1 with marks, end mark · level 2 with marks, end mark · …
//! ```
//!
//! In MariaDB's NO PAD collations, levels beyond the primary are written as under PAD SPACE.
//!
//! No weight of a collation with several levels is zero, so that zero can end a level. [`padding`]
//! describes the marks.

use alloc::vec::Vec;

use super::wrapped_mark::{self, WrappedMark};
use super::{bytes, code_points, padding};
use crate::charset::Encoding;
use crate::dispatch::{Descriptor, Operation};
use crate::tables::LONGEST;
use crate::weights::{ByteWeights, Identity, LevelWeights, TextWeights};

pub(crate) struct SortKey<'t> {
    pub text: &'t [u8],
    pub key: &'t mut Vec<u8>,
}

// The operation is inlined into the branch on the kind of collation, so that a level stays in
// registers.
impl Operation for SortKey<'_> {
    type Output = ();

    #[inline(always)]
    fn bytes<B: ByteWeights>(self, weights: B, padded: bool) {
        bytes::sort_key(weights, padded, self.text, self.key);
    }

    #[inline(always)]
    fn code_points<E: Encoding>(self, encoding: E, padded: bool) {
        code_points::sort_key(encoding, padded, self.text, self.key);
    }

    #[inline(never)]
    fn text_weights(self, weights: &'static TextWeights, padded: bool) {
        bytes::sort_key(Identity, padded, &weights.key(self.text), self.key);
    }

    #[inline(always)]
    fn wrapped_mark(self, descriptor: &'static Descriptor) -> Result<(), Self> {
        match WrappedMark::find(descriptor, self.text) {
            Some(_) => {
                put_levels(&wrapped_mark::levels(descriptor, self.text), self.key);
                Ok(())
            }
            None => Err(self),
        }
    }

    #[inline(always)]
    fn levels<L: LevelWeights>(self, levels: impl Iterator<Item = L> + Clone) {
        let mut open = false;
        for level in levels {
            if open {
                self.key.extend([0; 2]);
            }
            let from = self.key.len();
            append_level(level, self.text, self.key);
            if let Some(space) = level.pad() {
                if !level.needs_no_marks(self.text) {
                    padding::mark(space, from, self.key);
                }
                padding::put_end(space, self.key);
            }
            open = level.pad().is_none();
        }
    }
}

/// Appends the weights of each level, as in a collation with NO PAD.
fn put_levels(levels: &[Vec<u16>], key: &mut Vec<u8>) {
    for (index, weights) in levels.iter().enumerate() {
        if index > 0 {
            key.extend_from_slice(&[0; 2]);
        }
        put(weights, key);
    }
}

#[inline(always)]
fn append_level<L: LevelWeights>(level: L, text: &[u8], key: &mut Vec<u8>) {
    let mut at = 0;
    while at < text.len() {
        if level.may_fill(text, at) {
            at += level.append_key(text, at, key);
        }
        while at < text.len() {
            let mut weights = [0; LONGEST];
            let next = level.next(text, at, &mut weights);
            put(&weights[..next.weights], key);
            at += next.bytes;
            if level.may_fill(text, at) {
                break;
            }
        }
    }
}

fn put(weights: &[u16], key: &mut Vec<u8>) {
    let from = key.len();
    key.resize(from + 2 * weights.len(), 0);
    for (slot, weight) in key[from..].chunks_exact_mut(2).zip(weights) {
        slot.copy_from_slice(&weight.to_be_bytes());
    }
}
