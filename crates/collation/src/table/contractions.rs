//! Sequences of code points that have weights of their own.
//!
//! A file's section is a row of words: the number of records, then each record: the number of code points ([`REMOVED`]
//! for one that the parent has and this table lacks), two words for each, high first, and an entry for each level, as
//! level.rs has them. A character whose weights depend on the one before it (`カー`) is a record of both.

use alloc::vec;
use alloc::vec::Vec;

use super::level::PAGES;
use super::pairs::{Pairs, Variants};
use super::words::Reader;
use super::{LEVELS, Level};

/// The most code points of a contraction.
pub const CODE_POINTS: usize = 6;
/// A flag of a record's first word.
pub const REMOVED: u16 = 0x8000;

/// All contractions of a table.
pub(crate) struct Contractions {
    /// In ascending order.
    records: Vec<Contraction>,
    /// Where those that begin with the same two code points begin.
    beginnings: Beginnings,
    /// The code points that may begin one.
    first: Filter,
    /// The code points that may continue one.
    pub later: Filter,
    /// Those below U+0800 of these, exactly.
    short_later: [u64; 0x800 / 64],
    /// The bytes of UTF-8 that may be next to each other within one.
    pub pairs: Pairs,
    marks: bool,
    variants: [Variants; LEVELS],
}

/// One contraction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contraction {
    /// Its code points, and zeros.
    code_points: [u32; CODE_POINTS],
    count: u8,
    entries: [u16; LEVELS],
}

impl Contraction {
    /// Its code points.
    pub fn code_points(&self) -> &[u32] {
        self.code_points.get(..self.count.into()).unwrap_or_default()
    }

    /// Its first two code points.
    #[inline(always)]
    const fn beginning(&self) -> [u32; 2] {
        let [one, other, ..] = self.code_points;
        [one, other]
    }

    /// Its entry at a level.
    pub fn entry(&self, index: usize) -> u16 {
        self.entries.get(index).copied().unwrap_or_default()
    }

    /// Writes its weights at a level to the start of `out`, and says how many there are.
    pub fn weights(&self, level: &Level, index: usize, out: &mut [u16]) -> usize {
        level.expand(0, self.entry(index), out)
    }
}

impl Contractions {
    /// The parent's contractions and what the file says.
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
        let (mut first, mut later, mut marks) = (Filter::new(), Filter::new(), true);
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
            marks &= rest.iter().all(|&other| other >= 0x80 && is_short(other) == is_short(*one));
        }
        let neighbours = records.iter().flat_map(|record| record.code_points().windows(2));
        let bytes = |pair: &[u32]| (last_byte(pair[0]), first_byte(pair[1]));
        // In this order, as the first pairs have classes of their own.
        let short = neighbours.clone().filter(|pair| is_short(pair[0])).map(bytes);
        let pairs = Pairs::of(short.chain(neighbours.filter(|pair| !is_short(pair[0])).map(bytes)));
        let variants = core::array::from_fn(|level| variants(&records, level));
        Some(Self { beginnings: Beginnings::of(&records), records, first, later, short_later, pairs, marks, variants })
    }

    /// Whether a code point below U+0800 continues a contraction.
    pub fn continues(&self, code_point: usize) -> bool {
        self.short_later[code_point / 64] >> (code_point % 64) & 1 == 1
    }

    /// Whether vectors need not look for pairs: it is enough that the short characters which continue a contraction are
    /// marked, so that they stop at these. So it is where no contraction has ASCII beyond its first place, nor both short
    /// and long characters (of three bytes and four).
    pub fn marks(&self) -> bool {
        self.marks
    }

    /// How texts may differ within a contraction and have equal weights at a level, if ASCII's upper and lower case are one there.
    pub fn variants(&self, level: usize) -> Variants {
        self.variants.get(level).copied().unwrap_or(Variants::None)
    }

    /// All of them, in ascending order.
    pub fn all(&self) -> &[Contraction] {
        &self.records
    }

    /// Whether these two code points may be neighbours at the beginning of a contraction.
    #[inline(always)]
    pub fn may_begin(&self, one: u32, other: u32) -> bool {
        self.first.may_have(one) && self.later.may_have(other)
    }

    /// The longest contraction that these code points begin with.
    pub fn longest(&self, one: u32, other: u32, rest: impl Iterator<Item = u32> + Clone) -> Option<&Contraction> {
        let start = self.beginnings.find(&self.records, [one, other])?;
        let candidates = self.records.get(start..)?.iter();
        let candidates = candidates.take_while(|record| record.beginning() == [one, other]);
        let matches = |record: &&Contraction| {
            let mut rest = rest.clone();
            record.code_points().iter().skip(2).all(|&code_point| rest.next() == Some(code_point))
        };
        candidates.filter(matches).max_by_key(|record| record.count)
    }
}

/// A hash table of the places where records begin with other two code points than the record before: a binary search waits for each record
/// that it asks. Bench: `languages`, keys of Japanese.
struct Beginnings {
    /// A power of two of places, [`Self::NONE`] in half of them at least.
    slots: Vec<u32>,
}

impl Beginnings {
    const NONE: u32 = u32::MAX;

    /// Of records in ascending order.
    fn of(records: &[Contraction]) -> Self {
        let mut all = Self { slots: vec![Self::NONE; (2 * records.len()).next_power_of_two()] };
        for (index, record) in records.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| records[before].beginning());
            if before != Some(record.beginning()) {
                let slot = all.slots_of(record.beginning()).find(|&slot| all.slots[slot] == Self::NONE);
                slot.into_iter().for_each(|slot| all.slots[slot] = index as u32);
            }
        }
        all
    }

    /// The place of the first record that begins with these.
    #[inline(always)]
    fn find(&self, records: &[Contraction], beginning: [u32; 2]) -> Option<usize> {
        let places = self.slots_of(beginning).map(|slot| self.slots[slot]).take_while(|&place| place != Self::NONE);
        places.map(|place| place as usize).find(|&place| records[place].beginning() == beginning)
    }

    /// The slots in which the place of these may be: the first of them that was free has it.
    #[inline(always)]
    fn slots_of(&self, [one, other]: [u32; 2]) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len() - 1;
        let first = (one.wrapping_mul(0x9E37_79B1) ^ other.wrapping_mul(0x85EB_CA6B)) >> 15;
        (first as usize..).map(move |slot| slot & mask)
    }
}

/// What [`Contractions::variants`] says, of records in ascending order.
fn variants(records: &[Contraction], level: usize) -> Variants {
    let is_whole = |record: &&Contraction| {
        let all = |is_in: fn(&char) -> bool| {
            record
                .code_points()
                .iter()
                .all(|&code_point| char::from_u32(code_point).is_some_and(|letter| is_in(&letter)))
        };
        all(char::is_ascii_lowercase) || all(char::is_ascii_uppercase)
    };
    let mut whole = records.iter().filter(is_whole);
    let has_other_case = |record: &Contraction| {
        let mut other = record.code_points;
        other.iter_mut().take(record.count.into()).for_each(|letter| *letter ^= 0x20);
        let index = records.binary_search_by_key(&other, |record| record.code_points);
        index.is_ok_and(|index| records[index].entries.get(level) == record.entries.get(level))
    };
    if whole.all(has_other_case) { Variants::OtherCase } else { Variants::None }
}

/// A set of code points that may tell of one that it lacks that it is in, never the other way round: by its page of 256, and by its
/// lowest twelve bits. Ideographs, of which there are more than lowest bits, are told by their pages.
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

    /// Whether a code point may be in the set.
    #[inline(always)]
    pub const fn may_have(&self, code_point: u32) -> bool {
        let page = code_point as usize >> 8;
        page < PAGES
            && self.pages[page >> 6] >> (page & 63) & 1 == 1
            && self.may_have_lowest((code_point >> 6) as u8, code_point as u8)
    }

    /// Whether a code point with these lowest bits may be in the set: six of each, as the last two bytes of UTF-8 have them.
    #[inline(always)]
    pub const fn may_have_lowest(&self, high: u8, low: u8) -> bool {
        self.lowest[(high & 63) as usize] >> (low & 63) & 1 == 1
    }
}

/// Whether a code point has one or two bytes of UTF-8.
const fn is_short(code_point: u32) -> bool {
    code_point < 0x800
}

/// The first byte of a code point's UTF-8.
const fn first_byte(code_point: u32) -> u8 {
    (match code_point {
        0..0x80 => code_point,
        0x80..0x800 => 0xC0 | code_point >> 6,
        0x800..0x1_0000 => 0xE0 | code_point >> 12,
        _ => 0xF0 | code_point >> 18 & 7,
    }) as u8
}

/// The last byte of a code point's UTF-8.
const fn last_byte(code_point: u32) -> u8 {
    (if code_point < 0x80 { code_point } else { 0x80 | code_point & 0x3F }) as u8
}
