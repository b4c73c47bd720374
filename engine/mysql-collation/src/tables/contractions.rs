//! Contractions: sequences of code points with their own weights.
//!
//! A character whose weights depend on the character before it (`カー`) is stored as a contraction of
//! both. The contractions of a table file are 16-bit words, with entries as in level.rs:
//!
//! ```text
//! number of records, then for each record:
//!     1 word             number of code points, with flag REMOVED
//!     2 words each       code points, high word first
//!     1 word per level   entry
//! ```

use alloc::vec;
use alloc::vec::Vec;

use super::level::PAGES;
use super::words::Reader;
use super::{LEVELS, Level};

/// Maximum number of code points of a contraction.
pub const CODE_POINTS: usize = 6;
/// Flag in a record's first word: the parent has this contraction and the table lacks it.
pub const REMOVED: u16 = 0x8000;

/// The contractions of a table.
pub(crate) struct Contractions {
    records: Vec<Contraction>,
    /// Index of the first record for each pair of first two code points.
    beginnings: Beginnings,
    /// Code points that may begin a contraction.
    first: Filter,
    /// Code points that may continue a contraction.
    pub later: Filter,
    /// Exact set of the code points below U+0800 that continue a contraction.
    short_later: [u64; 0x800 / 64],
    needs_no_pair_search: bool,
    ignores_case: [bool; LEVELS],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Contraction {
    /// The code points, followed by zeros.
    code_points: [u32; CODE_POINTS],
    count: u8,
    entries: [u16; LEVELS],
}

impl Contraction {
    pub fn code_points(&self) -> &[u32] {
        self.code_points.get(..self.count.into()).unwrap_or_default()
    }

    #[inline(always)]
    const fn first_two(&self) -> [u32; 2] {
        let [one, other, ..] = self.code_points;
        [one, other]
    }

    pub fn entry(&self, index: usize) -> u16 {
        self.entries.get(index).copied().unwrap_or_default()
    }

    /// Writes the weights at a level to the start of `out` and returns their number.
    pub fn weights(&self, level: &Level, index: usize, out: &mut [u16]) -> usize {
        level.expand(0, self.entry(index), out)
    }
}

impl Contractions {
    /// Reads a section of a file, on top of the parent's contractions; `None` if there are no
    /// contractions.
    pub(super) fn read(parent: Option<&Self>, reader: &mut Reader, levels: usize) -> Option<Self> {
        let mut records = parent.map_or(Vec::new(), |parent| parent.records.clone());
        for _ in 0..reader.count() {
            let head = reader.word();
            let count = usize::from(head & !REMOVED).min(CODE_POINTS);
            let mut code_points = [0; CODE_POINTS];
            for slot in &mut code_points[..count] {
                *slot = u32::from(reader.word()) << 16 | u32::from(reader.word());
            }
            let mut entries = [0; LEVELS];
            for slot in entries.iter_mut().take(levels) {
                *slot = reader.word();
            }
            let record = Contraction { code_points, count: count as u8, entries };
            match records.binary_search_by_key(&code_points, |record| record.code_points) {
                Ok(index) if head & REMOVED != 0 => drop(records.remove(index)),
                Ok(index) => records[index] = record,
                Err(_) if head & REMOVED != 0 => {}
                Err(index) => records.insert(index, record),
            }
        }
        if records.is_empty() {
            return None;
        }
        let (mut first, mut later, mut needs_no_pair_search) = (Filter::new(), Filter::new(), true);
        let mut short_later = [0; _];
        for record in &records {
            let [one, rest @ ..] = record.code_points() else { continue };
            first.add(*one);
            for &code_point in rest {
                later.add(code_point);
                if is_short(code_point) {
                    short_later[code_point as usize / 64] |= 1 << (code_point % 64);
                }
            }
            needs_no_pair_search &= rest.iter().all(|&other| other >= 0x80 && is_short(other) == is_short(*one));
        }
        let ignores_case = core::array::from_fn(|level| ignores_case(&records, level));
        Some(Self {
            beginnings: Beginnings::new(&records),
            records,
            first,
            later,
            short_later,
            needs_no_pair_search,
            ignores_case,
        })
    }

    /// Returns `true` if the code point continues a contraction. It must be below U+0800.
    pub fn can_continue(&self, code_point: usize) -> bool {
        self.short_later[code_point / 64] >> (code_point % 64) & 1 == 1
    }

    /// Returns `true` if vector code needs no search for byte pairs of contractions.
    ///
    /// It then suffices that vector code stops at characters below U+0800 that continue a
    /// contraction. This holds if no contraction has an ASCII character after the first, and none
    /// mixes characters below U+0800 with others.
    pub fn needs_no_pair_search(&self) -> bool {
        self.needs_no_pair_search
    }

    /// Returns `true` if each contraction of ASCII letters in one case has the same entry in the
    /// other case at a level: `CH` = `ch`. Mixed case (`cH`) is not checked.
    pub fn ignores_case(&self, level: usize) -> bool {
        self.ignores_case.get(level).copied().unwrap_or(false)
    }

    /// Returns all contractions in ascending order.
    pub fn all(&self) -> &[Contraction] {
        &self.records
    }

    /// Returns `true` if a contraction may begin with these two code points. False positives are
    /// possible.
    #[inline(always)]
    pub fn may_begin(&self, one: u32, other: u32) -> bool {
        self.first.may_have(one) && self.later.may_have(other)
    }

    /// Returns the longest contraction at the start of these code points.
    pub fn longest(&self, one: u32, other: u32, rest: impl Iterator<Item = u32> + Clone) -> Option<&Contraction> {
        let start = self.beginnings.find(&self.records, [one, other])?;
        let candidates = self.records.get(start..)?.iter();
        let candidates = candidates.take_while(|record| record.first_two() == [one, other]);
        let matches = |record: &&Contraction| {
            let mut rest = rest.clone();
            record.code_points().iter().skip(2).all(|&code_point| rest.next() == Some(code_point))
        };
        candidates.filter(matches).max_by_key(|record| record.count)
    }
}

/// A hash table from the first two code points of contractions to the index of the first such
/// record. A lookup waits for memory less often than a binary search. Bench: `languages`, keys of
/// Japanese.
struct Beginnings {
    /// Record indexes. The length is a power of two, and at least half of the slots are
    /// [`Self::NONE`].
    slots: Vec<u32>,
}

impl Beginnings {
    const NONE: u32 = u32::MAX;

    /// Creates the table for records in ascending order.
    fn new(records: &[Contraction]) -> Self {
        let mut all = Self { slots: vec![Self::NONE; (2 * records.len()).next_power_of_two()] };
        for (index, record) in records.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| records[before].first_two());
            if before != Some(record.first_two()) {
                let slot = all.slots_of(record.first_two()).find(|&slot| all.slots[slot] == Self::NONE);
                slot.into_iter().for_each(|slot| all.slots[slot] = index as u32);
            }
        }
        all
    }

    /// Returns the index of the first record that begins with these code points.
    #[inline(always)]
    fn find(&self, records: &[Contraction], beginning: [u32; 2]) -> Option<usize> {
        let places = self.slots_of(beginning).map(|slot| self.slots[slot]).take_while(|&place| place != Self::NONE);
        places.map(|place| place as usize).find(|&place| records[place].first_two() == beginning)
    }

    /// Returns the slots to probe for these code points, in order.
    #[inline(always)]
    fn slots_of(&self, [one, other]: [u32; 2]) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len() - 1;
        let first = (one.wrapping_mul(0x9E37_79B1) ^ other.wrapping_mul(0x85EB_CA6B)) >> 15;
        (first as usize..).map(move |slot| slot & mask)
    }
}

/// Computes [`Contractions::ignores_case`] for records in ascending order.
fn ignores_case(records: &[Contraction], level: usize) -> bool {
    let is_of_one_case = |record: &&Contraction| {
        let all = |is_in: fn(&char) -> bool| {
            record
                .code_points()
                .iter()
                .all(|&code_point| char::from_u32(code_point).is_some_and(|letter| is_in(&letter)))
        };
        all(char::is_ascii_lowercase) || all(char::is_ascii_uppercase)
    };
    let mut has_one_case = records.iter().filter(is_of_one_case);
    let has_other_case = |record: &Contraction| {
        let mut other = record.code_points;
        other.iter_mut().take(record.count.into()).for_each(|letter| *letter ^= 0x20);
        let index = records.binary_search_by_key(&other, |record| record.code_points);
        index.is_ok_and(|index| records[index].entries.get(level) == record.entries.get(level))
    };
    has_one_case.all(has_other_case)
}

/// A set of code points with false positives but no false negatives.
///
/// A code point may be in the set if its page of 256 and its lowest twelve bits are both in the
/// set. Ideographs outnumber the values of twelve bits; their pages exclude them.
pub(crate) struct Filter {
    pages: [u64; PAGES / 64],
    lowest: [u64; 64],
}

impl Filter {
    const fn new() -> Self {
        Self { pages: [0; PAGES / 64], lowest: [0; 64] }
    }

    fn add(&mut self, code_point: u32) {
        if let Some(pages) = self.pages.get_mut(code_point as usize >> 14) {
            *pages |= 1_u64 << (code_point >> 8 & 63);
        }
        self.lowest[(code_point >> 6 & 63) as usize] |= 1_u64 << (code_point & 63);
    }

    /// Returns `false` if the code point is not in the set.
    #[inline(always)]
    pub const fn may_have(&self, code_point: u32) -> bool {
        let page = code_point as usize >> 8;
        page < PAGES
            && self.pages[page >> 6] >> (page & 63) & 1 == 1
            && self.may_have_lowest((code_point >> 6) as u8, code_point as u8)
    }

    /// Returns `false` if no code point in the set has these lowest bits. Each argument gives six
    /// bits, as the last two bytes of a UTF-8 character do.
    #[inline(always)]
    pub const fn may_have_lowest(&self, high: u8, low: u8) -> bool {
        self.lowest[(high & 63) as usize] >> (low & 63) & 1 == 1
    }
}

/// Returns `true` if a code point has one or two bytes in UTF-8.
pub(crate) const fn is_short(code_point: u32) -> bool {
    code_point < 0x800
}
