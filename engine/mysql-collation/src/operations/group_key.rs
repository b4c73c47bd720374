//! Keys of texts by which a server groups rows where it groups otherwise than `=` compares.
//!
//! MySQL's temporary tables find a row's group by a hash. Under PAD SPACE, the hash leaves out
//! spaces (U+0020) at the end, but not other characters with the weight of a space, such as U+00A0
//! and U+2003 in UCA, and A0 in `cp1250_general_ci`. `'a'` equals `'a\u{A0}'`, and the two are
//! different groups. Observed on MySQL 8.0.12 and 9.7.4; on 5.6.24 and 5.7.22 it depends on the
//! number of rows.

use alloc::vec::Vec;

use super::feed::{Feed, Sink};
use crate::charset::Encoding;
use crate::dispatch::{Descriptor, Operation};
use crate::weights::{ByteWeights, LevelWeights, TextWeights};

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Appends a key of all weights of `text`, from which the caller has removed trailing spaces
/// (U+0020).
pub(crate) struct GroupKey<'t> {
    pub text: &'t [u8],
    pub key: &'t mut Vec<u8>,
}

impl<'t> GroupKey<'t> {
    fn feed(self) -> Feed<'t, Vec<u8>> {
        Feed { text: self.text, sink: self.key }
    }
}

impl Operation for GroupKey<'_> {
    type Output = ();

    const PADS: bool = false;

    fn bytes<B: ByteWeights>(self, weights: B, padded: bool) {
        self.feed().bytes(weights, padded);
    }

    fn code_points<E: Encoding>(self, encoding: E, padded: bool) {
        self.feed().code_points(encoding, padded);
    }

    fn text_weights(self, weights: &'static TextWeights, padded: bool) {
        self.feed().text_weights(weights, padded);
    }

    fn levels<L: LevelWeights>(self, levels: impl Iterator<Item = L> + Clone) {
        self.feed().levels(levels);
    }
}

/// Returns the text without spaces (U+0020) at its end.
pub(crate) fn without_spaces<'t>(descriptor: &Descriptor, mut text: &'t [u8]) -> &'t [u8] {
    let Some(space) = descriptor.codec.encode(descriptor.info.flavour, ' '.into()) else { return text };
    while let Some(rest) = text.strip_suffix(space.as_slice()) {
        text = rest;
    }
    text
}
