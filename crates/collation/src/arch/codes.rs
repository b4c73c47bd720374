//! Characters of two weights, told by one lookup: in the place of a weight's high byte stands a code for this byte and a second weight.
//!
//! A level has few of these codes. In a language of 0900 a letter that comes after another one has its first weight and one of four second
//! weights; where accents count, a letter's second weight is that of its accent.

use super::Low;
use super::low::Expansions;
use super::rows::Row;

/// The entries of a level with codes for characters of two weights beyond ASCII.
#[derive(Debug)]
pub(super) struct Codes {
    rows: [Row; 16],
    weights: CodedWeights,
}

/// What codes stand for, each by its lowest six bits.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(super) struct CodedWeights {
    /// The high byte of the first weight.
    pub(super) first: [u8; Self::COUNT],
    /// High bytes and low bytes of the second weights.
    pub(super) second: [[u8; Self::COUNT]; 2],
    count: usize,
}

impl CodedWeights {
    /// The bit that codes have, and high bytes of single weights don't; those of what is no weight have another one.
    pub(super) const BIT: u8 = 0x40;
    /// How many codes there may be.
    const COUNT: usize = 64;

    const fn new() -> Self {
        Self { first: [0; Self::COUNT], second: [[0; Self::COUNT]; 2], count: 0 }
    }

    /// What stands for these weights, of which the second may be zero, in the place of the first one's high byte; `None` if nothing can.
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
    /// `None` if a single weight can't be told from a code. Characters for which there are too many codes keep their entries.
    pub(super) fn of(entries: &[u16; 0x800], expansions: &Expansions) -> Option<Self> {
        let (mut coded, mut weights) = (*entries, CodedWeights::new());
        for (code_point, entry) in coded.iter_mut().enumerate() {
            match expansions.weights(code_point) {
                [_, 0] if *entry < Low::SEVERAL => {
                    weights.code([*entry, 0])?;
                }
                // The second weight has the lane of a second byte, which ASCII has not.
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

    pub(super) const fn weights_mut(&mut self) -> &mut CodedWeights {
        &mut self.weights
    }
}
