//! Codes for characters of two weights: one byte represents the high byte of the first weight and
//! the whole second weight.
//!
//! A level needs few codes. In a language's collation of UCA 9.0 (`_0900_`), a letter that sorts
//! after another one has that letter's first weight and one of four second weights. At the
//! secondary level, the second weight of a letter is that of its accent.

use super::ShortWeights;
use super::entry_rows::Row;
use super::short_weights::Expansions;

/// Entries of a level with codes for characters of two weights beyond ASCII.
#[derive(Debug)]
pub(super) struct Codes {
    rows: [Row; 16],
    weights: CodedWeights,
}

/// Meanings of the codes, indexed by their lowest six bits.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(super) struct CodedWeights {
    /// High bytes of the first weights.
    pub(super) first: [u8; Self::COUNT],
    /// High bytes and low bytes of the second weights.
    pub(super) second: [[u8; Self::COUNT]; 2],
    count: usize,
}

impl CodedWeights {
    /// Bit that is set in a code and clear in the high byte of a single weight. Entries from
    /// [`ShortWeights::MULTIPLE`] on have bit 7 set.
    pub(super) const BIT: u8 = 0x40;
    const COUNT: usize = 64;

    const fn new() -> Self {
        Self { first: [0; Self::COUNT], second: [[0; Self::COUNT]; 2], count: 0 }
    }

    /// Code for two weights, in the place of the first weight's high byte. The high byte itself if
    /// the second weight is zero. `None` if the first weight is too great or no code is left.
    pub(super) fn code(&mut self, [first, second]: [u16; 2]) -> Option<u8> {
        let [high, _] = first.to_be_bytes();
        if high >= Self::BIT {
            return None;
        }
        if second == 0 {
            return Some(high);
        }
        let second = second.to_be_bytes();
        let known =
            (0..self.count).find(|&code| self.first[code] == high && self.second.map(|all| all[code]) == second);
        let code = known.or_else(|| (self.count < Self::COUNT).then_some(self.count))?;
        self.count = self.count.max(code + 1);
        self.first[code] = high;
        self.second.iter_mut().zip(second).for_each(|(all, byte)| all[code] = byte);
        Some(Self::BIT | code as u8)
    }
}

impl Codes {
    /// `None` if the high byte of a single weight is [`CodedWeights::BIT`] or more. Once 64 codes
    /// are used, characters that need another one keep their entries.
    pub(super) fn new(entries: &[u16; 0x800], expansions: &Expansions) -> Option<Self> {
        let (mut coded, mut weights) = (*entries, CodedWeights::new());
        for (code_point, entry) in coded.iter_mut().enumerate() {
            match expansions.weights(code_point) {
                [_, 0] if *entry < ShortWeights::MULTIPLE => {
                    weights.code([*entry, 0])?;
                }
                // An ASCII character has no second byte, in whose lane the second weight would be.
                two if two[1] != 0 && code_point >= 0x80 => {
                    let code = weights.code(two);
                    *entry = code.map_or(*entry, |code| u16::from_be_bytes([code, two[0] as u8]));
                }
                _ => {}
            }
        }
        Some(Self { rows: Row::all_of(&coded), weights })
    }

    pub(super) const fn rows(&self) -> &[Row; 16] {
        &self.rows
    }

    pub(super) const fn weights(&self) -> &CodedWeights {
        &self.weights
    }
}
