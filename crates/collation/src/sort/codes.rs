//! Weights as bytes, in the same order: those of ASCII each have a code of their own, an odd one, and the even codes stand for all
//! that lie between.

use crate::source::{LONGEST, Source};

/// The codes of a source.
pub(super) struct Codes {
    /// The different weights of ASCII, in order.
    weights: [u16; 128],
    count: usize,
    /// The code of each ASCII character that has one weight, else 0.
    of_ascii: [u8; 128],
    /// What follows a text's end.
    end: u8,
}

impl Codes {
    pub fn of<S: Source>(source: S) -> Self {
        let one = |byte: u8| {
            let mut weights = [0; LONGEST];
            (source.next(&[byte], 0, &mut weights).weights == 1).then_some(weights[0])
        };
        let mut weights = [u16::MAX; 128];
        for (slot, byte) in weights.iter_mut().zip(0..) {
            *slot = one(byte).unwrap_or(u16::MAX);
        }
        weights.sort_unstable();
        let mut count = 0;
        for i in 0..weights.len() {
            // The greatest number stands for no weight here, whatever else it may be: it gets an even code.
            if weights[i] != u16::MAX && (count == 0 || weights[count - 1] != weights[i]) {
                weights[count] = weights[i];
                count += 1;
            }
        }
        // One code more is needed for what is above all.
        let count = count.min(127);
        let mut codes = Self { weights, count, of_ascii: [0; 128], end: 0 };
        for byte in 0..128 {
            codes.of_ascii[usize::from(byte)] = one(byte).map_or(0, |weight| codes.code(weight));
        }
        // Under NO PAD nothing is less than the end: zero is no greater than all.
        codes.end = source.pad().map_or(0, |pad| codes.code(pad));
        codes
    }

    /// Whether no byte of ASCII is a character: in UTF-16, for example.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn code(&self, weight: u16) -> u8 {
        // There are 127 at most, so the codes end at 254.
        let code = match self.weights[..self.count].binary_search(&weight) {
            Ok(index) => 2 * index + 1,
            Err(index) => 2 * index,
        };
        code as u8
    }

    /// The codes of the first eight weights, up to one that lies between, after which comparison decides.
    pub fn prefix<S: Source>(&self, source: S, text: &[u8]) -> u64 {
        let mut prefix = [self.end; 8];
        let mut count = 0;
        let mut at = 0;
        while at < text.len() && count < 8 {
            let byte = text[at];
            if byte.is_ascii() && !source.is_joined(text, at + 1) {
                let code = self.of_ascii[usize::from(byte)];
                if code & 1 == 1 {
                    prefix[count] = code;
                    count += 1;
                    at += 1;
                    continue;
                }
            }
            let mut weights = [0; LONGEST];
            let next = source.next(text, at, &mut weights);
            at += next.bytes;
            for &weight in &weights[..next.weights] {
                if count == 8 {
                    break;
                }
                let code = self.code(weight);
                prefix[count] = code;
                count += 1;
                if code & 1 == 0 {
                    prefix[count..].fill(0);
                    return u64::from_be_bytes(prefix);
                }
            }
        }
        u64::from_be_bytes(prefix)
    }
}
