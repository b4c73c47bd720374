//! The weights of one level, by code point.
//!
//! A code point's entry, in its page of 256, is
//! - 0: the code point is ignorable, it has no weight;
//! - below [`POOL`]: its one weight;
//! - below [`RULES`]: `POOL` and the number of a sequence of weights;
//! - else a rule, one of those below.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::reordering::Reordering;
use super::words::{Page, Reader, Word, number};
use super::{Contractions, LowOf};

/// Pages of 256 code points, up to U+10FFFF.
pub const PAGES: usize = 0x1100;
/// Entries from here on number sequences.
pub const POOL: u16 = 0xc000;
/// Entries from here on name a rule.
pub const RULES: u16 = 0xfff0;
/// The most weights that a code point or contraction has at one level.
pub const LONGEST: usize = 16;

/// Rule: two implicit weights (UTS #10, 10.1.3), a lead and bits 15 and up of the code point, then its lower bits: what
/// has no weights in Unicode's table.
pub const UNASSIGNED: u16 = RULES;
/// Rule: the same from a lead of its own: unified ideographs of the first block.
pub const HAN: u16 = RULES + 1;
/// Rule: the same from a lead of its own: other unified ideographs.
pub const HAN_EXTENSION: u16 = RULES + 2;
/// Rule: a lead, then the code point less U+17000.
pub const TANGUT: u16 = RULES + 3;
/// Rule: a lead, then the code point less U+1B170.
pub const NUSHU: u16 = RULES + 4;
/// Rule: a lead, then the code point less U+18B00.
pub const KHITAN: u16 = RULES + 5;
/// Rule: a Hangul syllable has the weights of the letters that it is made of.
pub const HANGUL: u16 = RULES + 6;

/// Rule: one weight, from a list by code point: too great for an entry, and too many of its kind for numbers of sequences.
pub const LISTED: u16 = RULES + 7;
/// Rule: the parent's weights, reordered.
pub const REORDERED: u16 = RULES + 8;
/// The weight that stands for zero, which is less than all others and counts: so it is in contractions of Lithuanian. In sort keys zero
/// ends a level.
pub const ZERO: u16 = 1;

/// What implicit weights begin with, rule by rule, where nothing is reordered.
pub const LEADS: [u16; 6] = [0xfbc0, 0xfb40, 0xfb80, 0xfb00, 0xfb01, 0xfb02];

/// Pages whose entries are found at once: up to U+33FFF. Beyond are tags, variation selectors, private use and what is
/// unassigned.
const NEAR: usize = 0x340;

/// A paged table of one level.
pub(crate) struct Level {
    /// The pages of the code points up to U+33FFF.
    near: Box<[&'static Page]>,
    /// The first page number of each run of equal pages beyond, and its page.
    far: Vec<(u16, &'static Page)>,
    sequences: Sequences,
    leads: [u16; LEADS.len()],
    parent: Option<&'static Level>,
    reordering: Reordering,
    listed: Listed,
    /// The table's contractions.
    pub contractions: Option<&'static Contractions>,
    /// The number of this level, the primary's is 0.
    pub index: usize,
    /// For each page, whether all its code points go by a rule, or all have the same entry.
    is_plain_page: Box<[u64]>,
    /// The entries of the code points of one and two bytes, for the vectors.
    pub low: LowOf,
}

/// Sequences of weights, by their numbers: those of the parent, then the level's own.
#[derive(Clone, Copy)]
struct Sequences {
    parent: Option<&'static Sequences>,
    first: usize,
    ends: &'static [Word],
    weights: &'static [Word],
}

impl Sequences {
    fn count(&self) -> usize {
        self.first + self.ends.len()
    }

    fn get(&self, index: usize) -> &'static [Word] {
        match (index.checked_sub(self.first), self.parent) {
            (None, Some(parent)) => parent.get(index),
            (None, None) => &[],
            (Some(own), _) => {
                let end_of = |own: usize| self.ends.get(own).map_or(0, |&end| usize::from(number(end)));
                let start = own.checked_sub(1).map_or(0, end_of);
                self.weights.get(start..end_of(own)).unwrap_or_default()
            }
        }
    }
}

/// The weights of [`LISTED`] code points.
struct Listed {
    /// The number of the first page that has any.
    first: usize,
    /// The pages from that one on.
    pages: Vec<&'static Page>,
}

impl Listed {
    /// Reads pages after their numbers, in ascending order; nothing, where the file has ended.
    fn read(reader: &mut Reader) -> Self {
        let mut all = Self { first: 0, pages: Vec::new() };
        let count = if reader.is_empty() { 0 } else { reader.count() };
        for _ in 0..count {
            let (number, Some(page)) = (reader.count(), reader.pages(1).first()) else { break };
            if all.pages.is_empty() {
                all.first = number;
            }
            all.pages.resize((number - all.first.min(number)).min(PAGES), &EMPTY);
            all.pages.push(page);
        }
        all
    }

    fn weight(&self, code_point: u32) -> u16 {
        let index = (code_point as usize >> 8).wrapping_sub(self.first);
        self.pages.get(index).map_or(0, |page| number(page[code_point as usize & 0xff]))
    }
}

impl Level {
    /// Reads a level of a file. What it does not say is the parent's.
    pub(super) fn read(
        parent: Option<&'static Self>,
        reader: &mut Reader,
        contractions: Option<&'static Contractions>,
        index: usize,
    ) -> Self {
        let mut leads = LEADS;
        for (lead, &word) in leads.iter_mut().zip(reader.words(LEADS.len())) {
            *lead = number(word);
        }
        let (ends, weights) = (reader.count(), reader.count());
        let sequences = Sequences {
            parent: parent.map(|parent| &parent.sequences),
            first: parent.map_or(0, |parent| parent.sequences.count()),
            ends: reader.words(ends),
            weights: reader.words(weights),
        };
        let (mut pages, mut patched) = directory(parent, reader);
        let mut is_plain_page: Box<[u64]> = vec![0; PAGES.div_ceil(64)].into();
        let mut last: Option<(&Page, bool)> = None;
        for (index, page) in pages.iter().copied().enumerate() {
            let page = patched.get(&index).unwrap_or(page);
            let is_plain = match last {
                Some((same, is_plain)) if core::ptr::eq(same, page) => is_plain,
                _ => is_plain(page, || parent.is_some_and(|parent| parent.is_on_plain_page((index as u32) << 8))),
            };
            is_plain_page[index / 64] |= u64::from(is_plain) << (index % 64);
            last = Some((page, is_plain));
        }
        let listed = Listed::read(reader);
        let reordering = Reordering::read(reader);
        let reordered = |index: usize, page: &mut Page| {
            for (code_point, entry) in ((index as u32) << 8..).zip(page) {
                if number(*entry) == REORDERED {
                    *entry = reordered_entry(parent, reordering, code_point).to_le_bytes();
                }
            }
        };
        let has_reordered =
            |page: &Page| !reordering.is_empty() && page.iter().any(|&entry| number(entry) == REORDERED);
        for (index, &page) in pages[..NEAR].iter().enumerate().filter(|(_, page)| has_reordered(page)) {
            patched.entry(index).or_insert(*page);
        }
        for (index, mut page) in patched {
            reordered(index, &mut page);
            // It lives as long as the table, which is static.
            pages[index] = Box::leak(Box::new(page));
        }
        let mut far: Vec<(u16, &'static Page)> = Vec::new();
        for (index, &page) in pages.iter().enumerate().skip(NEAR) {
            if far.last().is_none_or(|&(_, before)| !core::ptr::eq(before, page)) {
                far.push((index as u16, page));
            }
        }
        let entry = |code_point: usize| number(pages[code_point >> 8][code_point & 0xff]);
        let weights = |entry: u16| match entry {
            0 => Some(vec![]),
            1..POOL => Some(vec![entry]),
            POOL..RULES => {
                Some(sequences.get(usize::from(entry - POOL)).iter().map(|&weight| number(weight)).collect())
            }
            RULES.. => None,
        };
        let low = LowOf::level(entry, weights, contractions, index);
        Self {
            near: pages[..NEAR].into(),
            far,
            sequences,
            leads,
            parent,
            reordering,
            listed,
            contractions,
            index,
            is_plain_page,
            low,
        }
    }

    /// The entry of a code point; beyond U+10FFFF that of U+10FFFF.
    #[inline(always)]
    pub fn entry(&self, code_point: u32) -> u16 {
        match self.near.get(code_point as usize >> 8) {
            Some(page) => number(page[code_point as usize & 0xff]),
            None => self.far_entry(code_point),
        }
    }

    #[inline(never)]
    fn far_entry(&self, code_point: u32) -> u16 {
        let index = self.far.partition_point(|&(first, _)| u32::from(first) <= code_point >> 8);
        let page = index.checked_sub(1).and_then(|index| self.far.get(index));
        page.map_or(0, |(_, page)| number(page[code_point as usize & 0xff]))
    }

    /// Whether the page of a code point says nothing of its own: there, `LIKE` compares numbers, not weights.
    pub fn is_on_plain_page(&self, code_point: u32) -> bool {
        let page = code_point as usize >> 8;
        self.is_plain_page.get(page / 64).is_some_and(|bits| bits >> (page % 64) & 1 == 1)
    }

    /// The parent's weights of a code point that lie behind its own here and the end after them, padded with zeros.
    pub fn behind(&self, code_point: u32) -> [u16; LONGEST] {
        let mut weights = [0; LONGEST];
        let Some(parent) = self.parent else { return weights };
        let own = self.weights(code_point, &mut weights);
        let root = parent.weights(code_point, &mut weights);
        weights[root..].fill(0);
        weights.copy_within((own + 1).min(root)..root, 0);
        weights[root.saturating_sub(own + 1)..].fill(0);
        weights
    }

    /// Writes the weights of a code point to the start of `out`, which has room for [`LONGEST`], and says how many there
    /// are.
    #[inline]
    pub fn weights(&self, code_point: u32, out: &mut [u16]) -> usize {
        self.expand(code_point, self.entry(code_point), out)
    }

    /// The same, of what a code point's entry stands for.
    pub fn expand(&self, code_point: u32, entry: u16, out: &mut [u16]) -> usize {
        match entry {
            0 => 0,
            1..POOL => put(&[entry], out),
            POOL..RULES => {
                let weights = self.sequences.get(usize::from(entry - POOL));
                out.iter_mut().zip(weights).for_each(|(slot, &weight)| *slot = number(weight));
                weights.len().min(out.len())
            }
            HANGUL => {
                let mut count = 0;
                for letter in hangul(code_point).into_iter().flatten() {
                    // A letter is no syllable: this goes one deep.
                    count += self.weights(letter, &mut out[count..]);
                }
                count
            }
            LISTED => put(&[self.listed.weight(code_point)], out),
            REORDERED => reordered(self.parent, self.reordering, code_point, out),
            _ => put(&implicit(entry, &self.leads, code_point), out),
        }
    }
}

/// The entry of a code point that has the parent's weights, reordered: the weight, if there is one or none.
fn reordered_entry(parent: Option<&'static Level>, reordering: Reordering, code_point: u32) -> u16 {
    let mut weights = [0; LONGEST];
    let count = reordered(parent, reordering, code_point, &mut weights);
    match weights[..count] {
        [] => 0,
        [weight @ 1..POOL] => weight,
        _ => REORDERED,
    }
}

/// Writes the parent's weights of a code point, reordered, to the start of `out`, and says how many there are.
#[inline(never)]
fn reordered(parent: Option<&'static Level>, reordering: Reordering, code_point: u32, out: &mut [u16]) -> usize {
    let Some(parent) = parent else { return 0 };
    match parent.entry(code_point) {
        weight @ 1..POOL => reordering.apply(&[weight], out),
        entry => {
            let mut weights = [0; LONGEST];
            let count = parent.expand(code_point, entry, &mut weights);
            reordering.apply(weights.get(..count).unwrap_or_default(), out)
        }
    }
}

fn put(weights: &[u16], out: &mut [u16]) -> usize {
    out.iter_mut().zip(weights).for_each(|(slot, &weight)| *slot = weight);
    weights.len().min(out.len())
}

static EMPTY: Page = [[0; 2]; 256];

/// The page of each 256 code points, and those that this level has a few entries of its own in, by their numbers.
fn directory(parent: Option<&'static Level>, reader: &mut Reader) -> (Vec<&'static Page>, BTreeMap<usize, Page>) {
    let mut all = vec![&EMPTY; PAGES];
    if let Some(parent) = parent {
        all[..NEAR].copy_from_slice(&parent.near);
        let mut until = PAGES;
        for &(first, page) in parent.far.iter().rev() {
            all[usize::from(first)..until].fill(page);
            until = first.into();
        }
    }
    let count = reader.count();
    let pages = reader.pages(count);
    for _ in 0..reader.count() {
        let (first, last, index) = (reader.count(), reader.count(), reader.count());
        if let (Some(run), Some(page)) = (all.get_mut(first..=last), pages.get(index)) {
            run.fill(page);
        }
    }
    let mut patched = BTreeMap::new();
    for _ in 0..reader.count() {
        let (index, count) = (reader.count(), reader.count());
        let patches = reader.words(2 * count).as_chunks::<2>().0;
        if let Some(&&(mut page)) = all.get(index) {
            for &[place, entry] in patches {
                page[usize::from(number(place)) & 0xff] = entry;
            }
            patched.insert(index, page);
        }
    }
    (all, patched)
}

/// Whether a page says nothing of its own: all by a rule, or all the same; where it is the parent's, reordered, whether that one does.
fn is_plain(page: &Page, is_parent_plain: impl FnOnce() -> bool) -> bool {
    let mut entries = page.iter().map(|&entry| number(entry));
    match number(page[0]) {
        REORDERED => entries.all(|entry| entry == REORDERED) && is_parent_plain(),
        first => {
            entries.clone().all(|entry| entry >= RULES && !matches!(entry, LISTED | REORDERED))
                || entries.all(|entry| entry == first)
        }
    }
}

/// The two weights that a rule gives to a code point (UTS #10, 10.1.3, "Implicit Weights").
pub const fn implicit(rule: u16, leads: &[u16; LEADS.len()], code_point: u32) -> [u16; 2] {
    let block = match rule {
        HAN | HAN_EXTENSION | UNASSIGNED => None,
        TANGUT => Some(0x1_7000),
        NUSHU => Some(0x1_b170),
        KHITAN => Some(0x1_8b00),
        _ => return [0; 2],
    };
    let lead = leads[(rule - RULES) as usize];
    match block {
        None => [lead.wrapping_add((code_point >> 15) as u16), code_point as u16 & 0x7fff | 0x8000],
        Some(first) => [lead, code_point.wrapping_sub(first) as u16 & 0x7fff | 0x8000],
    }
}

/// The letters of a Hangul syllable: leading consonant, vowel, and maybe a trailing consonant (Unicode, "Conjoining Jamo
/// Behavior"). What is no syllable has none.
pub const fn hangul(code_point: u32) -> [Option<u32>; 3] {
    let index = code_point.wrapping_sub(0xac00);
    if index >= 19 * 21 * 28 {
        return [None; 3];
    }
    let trailing = index % 28;
    [
        Some(0x1100 + index / (21 * 28)),
        Some(0x1161 + index / 28 % 21),
        if trailing == 0 { None } else { Some(0x11a7 + trailing) },
    ]
}
