//! The weights of a text as bytes, passed to a hash function or a key.
//!
//! ```text
//! weights of 16 bits     level 1 · 00 00 · level 2 · …, big-endian
//! weights of bytes       one byte each
//! code points of UTF-8   the bytes of the text
//! ```
//!
//! With padding, weights of spaces at the end of a level are left out. Equal texts have equal
//! bytes, and unequal texts have different bytes.

use super::bytes::trimmed;
use super::stream::WeightStream;
use super::wrapped_mark::{self, WrappedMark};
use crate::charset::Encoding;
use crate::dispatch::{Descriptor, Operation};
use crate::weights::{ByteWeights, Identity, LevelWeights, TextWeights};

/// Takes bytes. How the bytes are divided into calls has no meaning.
pub(crate) trait Sink {
    fn put(&mut self, bytes: &[u8]);
}

/// Passes the weights of `text` to `sink`.
pub(crate) struct Feed<'t, S> {
    pub text: &'t [u8],
    pub sink: &'t mut S,
}

impl<S: Sink> Operation for Feed<'_, S> {
    type Output = ();

    fn bytes<B: ByteWeights>(self, weights: B, padded: bool) {
        let text = if padded { trimmed(weights, self.text) } else { self.text };
        let mut buffer = [0; 64];
        for chunk in text.chunks(buffer.len()) {
            for (place, &byte) in buffer.iter_mut().zip(chunk) {
                *place = weights.weight(byte);
            }
            self.sink.put(&buffer[..chunk.len()]);
        }
    }

    fn code_points<E: Encoding>(self, _: E, padded: bool) {
        self.bytes(Identity, padded);
    }

    fn text_weights(self, weights: &'static TextWeights, padded: bool) {
        let key = weights.key(self.text);
        Feed { text: &key, sink: self.sink }.bytes(Identity, padded);
    }

    fn wrapped_mark(self, descriptor: &'static Descriptor) -> Result<(), Self> {
        if WrappedMark::find(descriptor, self.text).is_none() {
            return Err(self);
        }
        for (index, weights) in wrapped_mark::levels(descriptor, self.text).iter().enumerate() {
            if index > 0 {
                self.sink.put(&[0; 2]);
            }
            weights.iter().for_each(|weight| self.sink.put(&weight.to_be_bytes()));
        }
        Ok(())
    }

    fn levels<L: LevelWeights>(self, levels: impl Iterator<Item = L> + Clone) {
        for (index, level) in levels.enumerate() {
            if index > 0 {
                self.sink.put(&[0; 2]);
            }
            feed_level(level, level.pad(), self.text, self.sink);
        }
    }
}

/// Passes the weights of a level. With `space`, weights of spaces at the end are left out.
#[inline(never)]
fn feed_level<L: LevelWeights>(level: L, space: Option<u16>, text: &[u8], sink: &mut impl Sink) {
    let mut stream = WeightStream::new(level, text);
    let mut spaces = 0;
    loop {
        let block = stream.block();
        if block.is_empty() {
            return;
        }
        let count = block.len();
        let kept = match space {
            Some(space) => block.iter().rposition(|&weight| weight != space).map_or(0, |last| last + 1),
            None => count,
        };
        if kept > 0 {
            // The spaces at the end of the previous blocks are not trailing spaces of the text.
            for _ in 0..core::mem::take(&mut spaces) {
                sink.put(&space.unwrap_or_default().to_be_bytes());
            }
            put_weights(&block[..kept], sink);
        }
        spaces += count - kept;
        stream.take(count);
    }
}

fn put_weights(weights: &[u16], sink: &mut impl Sink) {
    let mut buffer = [0; 64];
    for weights in weights.chunks(buffer.len() / 2) {
        for (place, weight) in buffer.as_chunks_mut::<2>().0.iter_mut().zip(weights) {
            *place = weight.to_be_bytes();
        }
        sink.put(&buffer[..2 * weights.len()]);
    }
}
