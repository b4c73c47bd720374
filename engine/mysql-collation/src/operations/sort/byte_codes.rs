//! One-byte codes that order like weights. Up to 127 weights have an odd code each: those of ASCII
//! characters with one weight. An even code stands for all weights between two neighbouring odd
//! codes, below the first or above the last.

use crate::tables::LONGEST;
use crate::weights::LevelWeights;

/// The codes of a level.
pub(super) struct ByteCodes {
    /// Distinct weights of ASCII characters with one weight, in ascending order: the first `count`.
    weights: [u16; 128],
    count: usize,
    /// Code of each ASCII character with one weight, 0 for other ASCII characters.
    of_ascii: [u8; 128],
    /// Code that follows the end of a text.
    end: u8,
}

impl ByteCodes {
    pub fn new<L: LevelWeights>(level: L) -> Self {
        let one = |byte: u8| {
            let mut weights = [0; LONGEST];
            (level.next(&[byte], 0, &mut weights).weights == 1).then_some(weights[0])
        };
        let mut weights = [u16::MAX; 128];
        for (slot, byte) in weights.iter_mut().zip(0..) {
            *slot = one(byte).unwrap_or(u16::MAX);
        }
        weights.sort_unstable();
        let mut count = 0;
        for i in 0..weights.len() {
            // `u16::MAX` fills the array where an ASCII character has no single weight. A weight of
            // that value gets an even code.
            if weights[i] != u16::MAX && (count == 0 || weights[count - 1] != weights[i]) {
                weights[count] = weights[i];
                count += 1;
            }
        }
        // The last even code is for weights above all weights of ASCII.
        let count = count.min(127);
        let mut codes = Self { weights, count, of_ascii: [0; 128], end: 0 };
        for byte in 0..128 {
            codes.of_ascii[usize::from(byte)] = one(byte).map_or(0, |weight| codes.code(weight));
        }
        // Under NO PAD the end is less than or equal to every weight, so zero works.
        codes.end = level.pad().map_or(0, |pad| codes.code(pad));
        codes
    }

    /// Returns `true` if no ASCII byte is a character with one weight, as in UTF-16.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn code(&self, weight: u16) -> u8 {
        // At most 127 weights, so the codes end at 254.
        let code = match self.weights[..self.count].binary_search(&weight) {
            Ok(index) => 2 * index + 1,
            Err(index) => 2 * index,
        };
        code as u8
    }

    /// Returns the codes of the first eight weights, the first in the high byte. After an even code
    /// the rest is zero, and comparison must decide.
    pub fn prefix<L: LevelWeights>(&self, level: L, text: &[u8]) -> u64 {
        let mut prefix = [self.end; 8];
        let mut count = 0;
        let mut at = 0;
        while at < text.len() && count < 8 {
            let byte = text[at];
            if byte.is_ascii() && !level.may_contract_at(text, at + 1) {
                let code = self.of_ascii[usize::from(byte)];
                if code & 1 == 1 {
                    prefix[count] = code;
                    count += 1;
                    at += 1;
                    continue;
                }
            }
            let mut weights = [0; LONGEST];
            let next = level.next(text, at, &mut weights);
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
