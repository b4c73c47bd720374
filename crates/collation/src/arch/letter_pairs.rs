//! Contractions of two letters of ASCII, looked up for a whole block of text at once.
//!
//! Letters that begin the same pairs share a number, and so do those that end the same ones; both numbers together are an index into 64
//! entries. Case is no part of it: pairs are told apart by that afterwards.

use alloc::vec::Vec;

use super::contractions::ShortContractions;

/// The contractions of two letters, and which others there may be in a text.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct LetterPairs {
    /// The number of the first letter, by a byte's lowest six bits; [`Self::BEFORE_LONG`] may be set in it.
    pub(super) first: [u8; 64],
    /// That of the second one.
    pub(super) second: [u8; 64],
    /// For both numbers' sum, what stands in the place of a weight's high byte ([`CodedWeights::code`](super::codes::CodedWeights::code)),
    /// or [`Self::NONE`] or [`Self::LONGER`].
    pub(super) high: [u8; 64],
    /// The weight's low byte.
    pub(super) low: [u8; 64],
    /// The bit of case, if a small letter before a capital one is no contraction.
    pub(super) uneven: u8,
    /// Whether a letter twice may begin a contraction, if the second one begins a pair.
    pub(super) has_doubles: bool,
    /// Whether each pair of `high` after its own first letter, all in one case, weighs as the pair twice, and begins with the letter's own weight.
    pub(super) has_plain_doubles: bool,
    /// Whether a letter may be contracted with a character beyond ASCII, none of `rows`.
    pub(super) has_long: bool,
    /// Rows of characters that may continue the contraction of one beyond ASCII, and that of combining ones, a bit for each by its number: where
    /// a text has one of these, contractions are told in another way.
    pub(super) rows: u32,
}

const LETTERS: usize = 26;

/// A pair of letters: what stands in the places of its weight's high and low byte.
type Entry = [u8; 2];

impl LetterPairs {
    /// The high byte of no contraction.
    pub(super) const NONE: u8 = 0xFF;
    /// That of one that is looked up elsewhere, or may be the beginning of a longer one. Those that are less are of contractions.
    pub(super) const LONGER: u8 = 0xFE;
    /// The bit of first letters that may be contracted with a longer character.
    pub(super) const BEFORE_LONG: u8 = 0x80;
    /// The bit of the row of combining characters.
    const COMBINING: u32 = Self::row(0xCC);

    /// `code` tells what stands in the place of a weight's high byte, `entry` that of a letter. `None` if other characters may begin a
    /// contraction, or if there are too many.
    pub(super) fn of(
        contractions: &ShortContractions,
        mut code: impl FnMut([u16; 2]) -> Option<u8>,
        entry: impl Fn(u8) -> u16,
    ) -> Option<Self> {
        let mut entries = [[[Self::NONE, 0]; LETTERS]; LETTERS];
        let mut cases = [[Cases::default(); LETTERS]; LETTERS];
        let mut doubles = Vec::new();
        let mut all = Self {
            first: [0; 64],
            second: [0; 64],
            high: [Self::NONE; 64],
            low: [0; 64],
            uneven: 0,
            has_doubles: false,
            has_plain_doubles: false,
            has_long: false,
            rows: 0,
        };
        for contraction in contractions.all() {
            let (bytes, weights) = (contraction.bytes(), contraction.weights());
            let after_first = if bytes[0] < 0x80 { 1 } else { 2 };
            let next = *bytes.get(after_first)?;
            match (letter(bytes[0]), letter(next)) {
                _ if Self::row(next) == Self::COMBINING => all.rows |= Self::COMBINING,
                (Some(one), Some(other)) if bytes.len() > 2 && one == other => doubles.push((one, letter(bytes[2])?)),
                (Some(one), Some(other)) if bytes.len() > 2 || !matches!(weights.len(), 1 | 2) => {
                    entries[one][other] = [Self::LONGER, 0];
                }
                (Some(one), Some(other)) => {
                    let weights = [weights[0], weights.get(1).copied().unwrap_or_default()];
                    let entry = code(weights).map_or([Self::LONGER, 0], |high| [high, weights[0] as u8]);
                    cases[one][other].add([bytes[0], bytes[1]], entry);
                }
                (Some(one), None) if next >= 0x80 => {
                    all.has_long = true;
                    for case in [0x00, 0x20] {
                        all.first[one + 1 + case] |= Self::BEFORE_LONG;
                    }
                }
                _ if bytes[0] >= 0x80 && Self::row(next) != 0 => all.rows |= Self::row(next),
                _ => return None,
            }
        }
        all.uneven = if cases.iter().flatten().any(|cases| cases.which == Cases::EVEN) { 0x20 } else { 0 };
        let expected = if all.uneven == 0 { Cases::ALL } else { Cases::EVEN };
        for (entry, cases) in
            entries.iter_mut().flatten().zip(cases.iter().flatten()).filter(|(_, cases)| cases.which != 0)
        {
            let is_plain = entry[0] == Self::NONE && cases.which == expected && !cases.differ;
            *entry = if is_plain { cases.entry } else { [Self::LONGER, 0] };
        }
        all.has_doubles = !doubles.is_empty();
        let is_known = |one: usize, other: usize| entries[one][other][0] != Self::NONE;
        if doubles.iter().any(|&(twice, third)| is_known(twice, twice) || !is_known(twice, third)) {
            return None;
        }
        all.has_plain_doubles = all.has_doubles
            && (0..LETTERS).all(|one| {
                let is_plain = |other: usize| doubles_are_plain(contractions, [one, other], &entry);
                (0..LETTERS).filter(|&other| entries[one][other][0] < Self::LONGER).all(is_plain)
            });
        all.number(&entries)?;
        // Where weights differ by case, all are looked up elsewhere.
        all.high.iter().any(|&high| high < Self::LONGER).then_some(all)
    }

    /// The bit of the row of characters that begin with this byte; none if they are not of two bytes.
    pub(super) const fn row(lead: u8) -> u32 {
        if lead & 0xE0 == 0xC0 { 1 << ((lead & 0x1F) >> 1) } else { 0 }
    }

    /// Whether a character of these rows, or the one at `end`, may go on a contraction that doesn't begin with a letter, or a combining one.
    #[inline(always)]
    pub(super) fn may_go_on(&self, rows: u32, text: &[u8], end: usize) -> bool {
        self.rows != 0 && {
            let next = text.get(end).copied().unwrap_or_default();
            (rows | Self::row(next)) & self.rows != 0
        }
    }

    /// Numbers the letters.
    fn number(&mut self, entries: &[[Entry; LETTERS]; LETTERS]) -> Option<()> {
        let columns: [[Entry; LETTERS]; LETTERS] =
            core::array::from_fn(|other| core::array::from_fn(|one| entries[one][other]));
        let (of_first, _) = numbers(entries);
        let (of_second, seconds) = numbers(&columns);
        for (letter, (first, second)) in of_first.into_iter().zip(of_second).enumerate() {
            for case in [0x00, 0x20] {
                let first = u8::try_from(first * seconds).ok().filter(|&first| first < 64)?;
                self.first[letter + 1 + case] |= first;
                self.second[letter + 1 + case] = second as u8;
            }
        }
        for (one, row) in entries.iter().enumerate() {
            for (other, &[high, low]) in row.iter().enumerate().filter(|(_, entry)| entry[0] != Self::NONE) {
                let index = of_first[one] * seconds + of_second[other];
                *self.high.get_mut(index)? = high;
                self.low[index] = low;
            }
        }
        Some(())
    }
}

/// The number of each of these, equal ones for equal ones and 0 for those that are of no contraction, and how many there are.
fn numbers(all: &[[Entry; LETTERS]; LETTERS]) -> ([usize; LETTERS], usize) {
    let mut different = alloc::vec![[[LetterPairs::NONE, 0]; LETTERS]];
    let numbers = all.map(|one| {
        different.iter().position(|other| *other == one).unwrap_or_else(|| {
            different.push(one);
            different.len() - 1
        })
    });
    (numbers, different.len())
}

/// Which letter this is, in whatever case.
fn letter(byte: u8) -> Option<usize> {
    byte.is_ascii_alphabetic().then(|| usize::from(byte.to_ascii_lowercase() - b'a'))
}

/// Whether this pair after its first letter, all in one case, is [`LetterPairs::has_plain_doubles`].
fn doubles_are_plain(contractions: &ShortContractions, [one, other]: [usize; 2], entry: impl Fn(u8) -> u16) -> bool {
    [b'a', b'A'].into_iter().all(|a| {
        let bytes = [one, one, other].map(|letter| a + letter as u8);
        let weights = |bytes: &[u8]| {
            let found = contractions.find(bytes, 0).filter(|found| found.bytes() == bytes)?;
            Some(found.weights())
        };
        weights(&bytes[1..]).is_some_and(|pair| {
            weights(&bytes).is_some_and(|double| double == [pair, pair].concat()) && pair[0] == entry(bytes[0])
        })
    })
}

/// In which cases a pair of letters is a contraction.
#[derive(Debug, Clone, Copy, Default)]
struct Cases {
    /// A bit for each, numbered by the case of the first letter, and that of the second.
    which: u8,
    entry: Entry,
    /// Whether two have different weights.
    differ: bool,
}

impl Cases {
    const ALL: u8 = 0b1111;
    /// All but a small letter before a capital one.
    const EVEN: u8 = 0b1101;

    fn add(&mut self, letters: [u8; 2], entry: Entry) {
        let [one, other] = letters.map(|letter| u8::from(letter.is_ascii_uppercase()));
        self.differ |= self.which != 0 && self.entry != entry;
        self.which |= 1 << (2 * one + other);
        self.entry = entry;
    }
}
