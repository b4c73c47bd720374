//! Sort keys written to a slice. The bytes are those of sort_key.rs.

use super::padding::Marker;
use super::stream::WeightStream;
use super::wrapped_mark::{self, WrappedMark};
use crate::charset::Encoding;
use crate::dispatch::{Descriptor, Operation};
use crate::weights::{ByteWeights, Identity, LevelWeights, TextWeights};

/// The first bytes of a key, and the length of the whole key.
pub(crate) struct Slice<'o> {
    pub out: &'o mut [u8],
    /// Length in bytes of the key so far, which can exceed the length of `out`.
    pub length: usize,
}

impl Slice<'_> {
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        if let Some(rest) = self.out.get_mut(self.length..) {
            let fits = bytes.len().min(rest.len());
            rest[..fits].copy_from_slice(&bytes[..fits]);
        }
        self.length += bytes.len();
    }
}

/// Writes a key. Returns the length of the whole key in bytes.
pub(crate) struct KeySlice<'t, 'o> {
    pub text: &'t [u8],
    pub out: Slice<'o>,
}

impl Operation for KeySlice<'_, '_> {
    type Output = usize;

    fn bytes<B: ByteWeights>(mut self, weights: B, padded: bool) -> usize {
        let all = self.text.iter().map(|&byte| weights.weight(byte));
        if padded {
            let mut marker = Marker::new(weights.weight(b' '));
            all.for_each(|weight| marker.put(weight, &mut |bytes| self.out.put(bytes)));
            marker.end(&mut |bytes| self.out.put(bytes));
        } else {
            all.for_each(|weight| self.out.put(&[weight]));
        }
        self.out.length
    }

    fn code_points<E: Encoding>(mut self, encoding: E, padded: bool) -> usize {
        let mut marker = padded.then(|| Marker::new(b' '));
        let mut put = |byte: u8| match &mut marker {
            Some(marker) => marker.put(byte, &mut |bytes| self.out.put(bytes)),
            None => self.out.put(&[byte]),
        };
        let mut at = 0;
        while at < self.text.len() {
            let length = encoding.decode(self.text, at).map(|(_, length)| length);
            if length.is_none() {
                put(0xFF);
            }
            let end = at + length.unwrap_or(1);
            self.text[at..end].iter().for_each(|&byte| put(byte));
            at = end;
        }
        if let Some(marker) = marker {
            marker.end(&mut |bytes| self.out.put(bytes));
        }
        self.out.length
    }

    fn text_weights(self, weights: &'static TextWeights, padded: bool) -> usize {
        let key = weights.key(self.text);
        KeySlice { text: &key, out: self.out }.bytes(Identity, padded)
    }

    fn wrapped_mark(mut self, descriptor: &'static Descriptor) -> Result<usize, Self> {
        if WrappedMark::find(descriptor, self.text).is_none() {
            return Err(self);
        }
        for (index, weights) in wrapped_mark::levels(descriptor, self.text).iter().enumerate() {
            if index > 0 {
                self.out.put(&[0; 2]);
            }
            weights.iter().for_each(|weight| self.out.put(&weight.to_be_bytes()));
        }
        Ok(self.out.length)
    }

    fn levels<L: LevelWeights>(mut self, levels: impl Iterator<Item = L> + Clone) -> usize {
        let mut open = false;
        for level in levels {
            if open {
                self.out.put(&[0; 2]);
            }
            put_level(level, self.text, &mut self.out);
            open = level.pad().is_none();
        }
        self.out.length
    }
}

#[inline(never)]
fn put_level<L: LevelWeights>(level: L, text: &[u8], out: &mut Slice<'_>) {
    let mut marker = level.pad().map(Marker::new);
    let mut stream = WeightStream::new(level, text);
    loop {
        let block = stream.block();
        if block.is_empty() {
            break;
        }
        for &weight in block {
            match &mut marker {
                Some(marker) => marker.put(weight, &mut |bytes| out.put(bytes)),
                None => out.put(&weight.to_be_bytes()),
            }
        }
        let count = block.len();
        stream.take(count);
    }
    if let Some(marker) = marker {
        marker.end(&mut |bytes| out.put(bytes));
    }
}
