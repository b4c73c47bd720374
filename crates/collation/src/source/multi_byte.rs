//! Multi-byte character sets with a weight of one or two bytes for each character, as `sjis_japanese_ci`, `gbk_chinese_ci`.

use super::{Next, Source};
use crate::arch;
use crate::encoding::Multi;
use crate::table::MultiByte;

/// The one level of such a collation.
///
/// Weights are those of the server as 16 bits, the first byte high, so that they compare as its bytes do: no character of one byte
/// weighs what the first byte of a longer one does.
#[derive(Clone, Copy)]
pub(crate) struct Characters {
    pub table: &'static MultiByte,
    pub encoding: Multi,
    pub pad: Option<u16>,
}

impl Characters {
    #[inline(always)]
    fn single(self, byte: u8) -> u16 {
        u16::from_be_bytes([self.table.single(byte), 0])
    }
}

impl Source for Characters {
    #[inline(always)]
    fn pad(self) -> Option<u16> {
        self.pad
    }

    #[inline(always)]
    fn skip_bytes(self, a: &[u8], b: &[u8], at: usize) -> usize {
        let equal = arch::get().mismatch(&a[at..], &b[at..]);
        at + self.encoding.boundary(&a[at..], &b[at..], equal, |_| true)
    }

    #[inline(always)]
    fn boundary(self, a: &[u8], b: &[u8], at: usize) -> usize {
        self.encoding.boundary(a, b, at, |_| true)
    }

    #[inline(always)]
    fn next(self, text: &[u8], at: usize, out: &mut [u16]) -> Next {
        let rest = &text[at..];
        let Some(length) = self.encoding.well_formed_length(rest) else {
            // After all characters, by its value.
            out[0] = u16::MAX;
            out[1] = u16::from_be_bytes([rest[0], 0]);
            return Next { bytes: 1, weights: 2 };
        };
        let weights = match rest[..length] {
            [byte] => {
                out[0] = self.single(byte);
                1
            }
            [first, second] => {
                out[0] = self.table.double(first, second);
                1
            }
            ref longer => {
                let mut weights = 0;
                for pair in longer.chunks(2) {
                    out[weights] = u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or_default()]);
                    weights += 1;
                }
                weights
            }
        };
        Next { bytes: length, weights }
    }

    #[inline(always)]
    fn plain(self, text: &[u8], at: usize) -> Option<u16> {
        text[at].is_ascii().then(|| self.single(text[at]))
    }

    #[inline(always)]
    fn is_plain(self, _: &[u8], _: usize) -> bool {
        false
    }
}
