//! Sort keys of weights: high byte first, one level after the other.
//!
//! After a level without padding stands a zero, if there are more, which no weight of a collation with several is. A level with padding
//! ends as [`runs`] has it.

use alloc::vec::Vec;

use crate::bytes::{self, Bytes, Itself};
use crate::dispatch::Work;
use crate::encoding::Encoding;
use crate::source::{LONGEST, Source};
use crate::whole::Whole;
use crate::{code_points, runs};

/// What is asked: the key of `text`, at the end of `key`.
pub(crate) struct SortKey<'t> {
    pub text: &'t [u8],
    pub key: &'t mut Vec<u8>,
}

// Inlined into the one branch that chooses: what describes a level stays in registers.
impl Work for SortKey<'_> {
    type Output = ();

    #[inline(always)]
    fn bytes<B: Bytes>(self, weights: B, padded: bool) {
        bytes::sort_key(weights, padded, self.text, self.key);
    }

    #[inline(always)]
    fn code_points<E: Encoding>(self, encoding: E, padded: bool) {
        code_points::sort_key(encoding, padded, self.text, self.key);
    }

    #[inline(never)]
    fn whole(self, whole: &'static Whole, padded: bool) {
        bytes::sort_key(Itself, padded, &whole.key(self.text), self.key);
    }

    #[inline(always)]
    fn levels<S: Source>(self, levels: impl Iterator<Item = S> + Clone) {
        let mut open = false;
        for source in levels {
            if open {
                self.key.extend([0; 2]);
            }
            let from = self.key.len();
            append(source, self.text, self.key);
            if let Some(space) = source.pad() {
                if !source.has_plain_spaces(self.text) {
                    runs::mark(space, from, self.key);
                }
                runs::put_end(space, self.key);
            }
            open = source.pad().is_none();
        }
    }
}

/// Appends the weights of each level, as a collation without padding has them.
pub(crate) fn put_levels(levels: &[Vec<u16>], key: &mut Vec<u8>) {
    for (index, weights) in levels.iter().enumerate() {
        if index > 0 {
            key.extend_from_slice(&[0; 2]);
        }
        put(weights, key);
    }
}

/// Appends the weights at one level.
#[inline(always)]
fn append<S: Source>(source: S, text: &[u8], key: &mut Vec<u8>) {
    let mut at = 0;
    while at < text.len() {
        if source.is_plain(text, at) {
            at += source.append_key(text, at, key);
        }
        while at < text.len() {
            let mut weights = [0; LONGEST];
            let next = source.next(text, at, &mut weights);
            put(&weights[..next.weights], key);
            at += next.bytes;
            if source.is_plain(text, at) {
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
