//! The weights of one level by code point.
//!
//! Code points have entries, in pages of 256 entries:
//!
//! ```text
//! 0                 ignorable: no weight
//! 1 … POOL-1        the only weight
//! POOL … RULES-1    POOL + number of a sequence of weights
//! RULES …           a rule: one of the constants below
//! ```

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::reordering::Reordering;
use super::words::{Page, Reader, Word, number};

/// Number of pages of 256 code points, up to U+10FFFF.
pub const PAGES: usize = 0x1100;
/// Least entry that refers to a sequence of weights.
pub const POOL: u16 = 0xc000;
/// Least entry that is a rule.
pub const RULES: u16 = 0xfff0;
/// Maximum number of weights of a code point or contraction at one level.
pub const LONGEST: usize = 16;

/// Rule for code points without weights in Unicode's table: two implicit weights (UTS #10, 10.1.3).
/// The first is a lead plus the code point's bits from 15 on, the second 8000 (hex) plus the lower
/// bits.
pub const UNASSIGNED: u16 = RULES;
/// Rule for unified ideographs of the first block: as [`UNASSIGNED`] with a different lead.
pub const HAN: u16 = RULES + 1;
/// Rule for other unified ideographs: as [`UNASSIGNED`] with a different lead.
pub const HAN_EXTENSION: u16 = RULES + 2;
/// Rule for Tangut: a lead, then 8000 (hex) plus the code point's distance from U+17000.
pub const TANGUT: u16 = RULES + 3;
/// Rule for Nushu: as [`TANGUT`] with another lead, from U+1B170.
pub const NUSHU: u16 = RULES + 4;
/// Rule for Khitan: as [`TANGUT`] with another lead, from U+18B00.
pub const KHITAN: u16 = RULES + 5;
/// Rule for Hangul syllables: the weights of the syllable's letters (`한` = `ᄒ` `ᅡ` `ᆫ`).
pub const HANGUL: u16 = RULES + 6;

/// Rule: one weight, listed by code point. For weights from [`POOL`] on, which an entry can't hold,
/// if a file has too many of them for one sequence each.
pub const LISTED: u16 = RULES + 7;
/// Rule: the parent's weights, reordered.
pub const REORDERED: u16 = RULES + 8;
/// Weight that represents a weight of zero, which counts and is less than all other weights. A zero
/// itself would end the level in a sort key. Contractions of Lithuanian have such weights:
/// `i\u{307}\u{301}` in `utf8mb4_lt_0900_as_cs`.
pub const ZERO: u16 = 1;

/// Leads of implicit weights for each rule from [`UNASSIGNED`] on, without reordering.
pub const LEADS: [u16; 6] = [0xfbc0, 0xfb40, 0xfb80, 0xfb00, 0xfb01, 0xfb02];

/// Number of pages in the direct lookup: up to U+33FFF. Later pages hold tags, variation selectors,
/// private use and unassigned code points.
const NEAR: usize = 0x340;

/// The weights of one level, in pages.
pub(crate) struct Level {
    /// Pages of the code points up to U+33FFF.
    near: Box<[&'static Page]>,
    /// Number of the first page and the page of each run of equal pages after U+33FFF.
    far: Vec<(u16, &'static Page)>,
    sequences: Sequences,
    leads: [u16; LEADS.len()],
    parent: Option<&'static Level>,
    reordering: Reordering,
    listed: Listed,
    /// Bit per page, as returned by [`Level::is_on_uniform_page`].
    uniform_pages: Box<[u64]>,
}

/// Sequences of weights by number: the parent's sequences, then the level's own.
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

struct Listed {
    /// Number of the first page with listed weights.
    first: usize,
    /// Pages from `first` on.
    pages: Vec<&'static Page>,
}

impl Listed {
    /// Reads pages by ascending number. At the end of the section the list is empty.
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
    /// Reads a level of a file on top of the parent's level.
    pub(super) fn read(parent: Option<&'static Self>, reader: &mut Reader) -> Self {
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
        let mut uniform_pages: Box<[u64]> = vec![0; PAGES.div_ceil(64)].into();
        let mut last: Option<(&Page, bool)> = None;
        for (index, page) in pages.iter().copied().enumerate() {
            let page = patched.get(&index).unwrap_or(page);
            let is_uniform = match last {
                Some((same, is_uniform)) if core::ptr::eq(same, page) => is_uniform,
                _ => is_uniform(page, || parent.is_some_and(|parent| parent.is_on_uniform_page((index as u32) << 8))),
            };
            uniform_pages[index / 64] |= u64::from(is_uniform) << (index % 64);
            last = Some((page, is_uniform));
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
            // A table is static, so leaking the page is fine.
            pages[index] = Box::leak(Box::new(page));
        }
        let mut far: Vec<(u16, &'static Page)> = Vec::new();
        for (index, &page) in pages.iter().enumerate().skip(NEAR) {
            if far.last().is_none_or(|&(_, before)| !core::ptr::eq(before, page)) {
                far.push((index as u16, page));
            }
        }
        Self { near: pages[..NEAR].into(), far, sequences, leads, parent, reordering, listed, uniform_pages }
    }

    /// Returns the weights of an entry; `None` for a rule.
    pub fn entry_weights(&self, entry: u16) -> Option<Vec<u16>> {
        match entry {
            0 => Some(vec![]),
            1..POOL => Some(vec![entry]),
            POOL..RULES => {
                let weights = self.sequences.get(usize::from(entry - POOL));
                Some(weights.iter().map(|&weight| number(weight)).collect())
            }
            RULES.. => None,
        }
    }

    /// Returns the entry of a code point. Code points beyond U+10FFFF have the entries of the
    /// page U+10FF00, by their low byte.
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

    /// Returns `true` if the 256 code points of the page all have computed weights (ideographs,
    /// Hangul, unassigned code points) or all have the same entry. `LIKE` compares such code points
    /// by number, not by weight.
    pub fn is_on_uniform_page(&self, code_point: u32) -> bool {
        let page = code_point as usize >> 8;
        self.uniform_pages.get(page / 64).is_some_and(|bits| bits >> (page % 64) & 1 == 1)
    }

    /// Returns the parent's weights of a code point from index `n + 1` on, padded with zeros. `n`
    /// is the number of weights at this level.
    pub fn root_remainder(&self, code_point: u32) -> [u16; LONGEST] {
        let mut weights = [0; LONGEST];
        let Some(parent) = self.parent else { return weights };
        let own = self.weights(code_point, &mut weights);
        let root = parent.weights(code_point, &mut weights);
        weights[root..].fill(0);
        weights.copy_within((own + 1).min(root)..root, 0);
        weights[root.saturating_sub(own + 1)..].fill(0);
        weights
    }

    /// Writes the weights of a code point to the start of `out` and returns their number. `out`
    /// needs room for [`LONGEST`] weights.
    #[inline]
    pub fn weights(&self, code_point: u32, out: &mut [u16]) -> usize {
        self.expand(code_point, self.entry(code_point), out)
    }

    /// Does the same as [`Level::weights`], with the rules of whole scripts inlined. For runs of
    /// ideographs and Hangul. Bench: `realistic_text`.
    #[inline(always)]
    pub fn script_weights(&self, code_point: u32, out: &mut [u16; LONGEST]) -> usize {
        let entry = self.entry(code_point);
        out[0] = entry;
        match entry {
            0 => 0,
            1..POOL => 1,
            HAN => {
                [out[0], out[1]] = implicit(HAN, &self.leads, code_point);
                2
            }
            LISTED => {
                out[0] = self.listed.weight(code_point);
                1
            }
            HANGUL => self.hangul_weights(code_point, out),
            _ => self.expand(code_point, entry, out),
        }
    }

    /// Writes the weights of a Hangul syllable. The fast path covers letters with one weight each.
    #[inline]
    fn hangul_weights(&self, code_point: u32, out: &mut [u16; LONGEST]) -> usize {
        let [Some(leading), Some(vowel), trailing] = hangul(code_point) else { return 0 };
        let entries = [self.entry(leading), self.entry(vowel), trailing.map_or(1, |letter| self.entry(letter))];
        if entries.iter().any(|entry| !(1..POOL).contains(entry)) {
            return self.expand(code_point, HANGUL, out);
        }
        out[..3].copy_from_slice(&entries);
        2 + usize::from(trailing.is_some())
    }

    /// Writes the weights of a code point with this entry to the start of `out` and returns their
    /// number.
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
                    // A letter is not a syllable, so the recursion depth is one.
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

/// Returns the entry of a code point with reordered weights: 0 for no weight, the weight if it is a
/// single one below [`POOL`], otherwise [`REORDERED`].
fn reordered_entry(parent: Option<&'static Level>, reordering: Reordering, code_point: u32) -> u16 {
    let mut weights = [0; LONGEST];
    let count = reordered(parent, reordering, code_point, &mut weights);
    match weights[..count] {
        [] => 0,
        [weight @ 1..POOL] => weight,
        _ => REORDERED,
    }
}

/// Writes the parent's weights of a code point, reordered, to the start of `out` and returns their
/// number.
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

/// Reads the directory: the page of each 256 code points, and patched copies of pages by page
/// number.
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

/// Returns `true` if all entries of a page are equal, or all are rules other than [`LISTED`] and
/// [`REORDERED`]. If all are [`REORDERED`], the parent's page decides.
fn is_uniform(page: &Page, is_parent_uniform: impl FnOnce() -> bool) -> bool {
    let mut entries = page.iter().map(|&entry| number(entry));
    match number(page[0]) {
        REORDERED => entries.all(|entry| entry == REORDERED) && is_parent_uniform(),
        first => {
            entries.clone().all(|entry| entry >= RULES && !matches!(entry, LISTED | REORDERED))
                || entries.all(|entry| entry == first)
        }
    }
}

/// Returns the two implicit weights that a rule gives to a code point (UTS #10, 10.1.3, "Implicit
/// Weights"). `[0, 0]` for a rule without implicit weights.
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

/// Decomposes a Hangul syllable into leading consonant, vowel and optional trailing consonant
/// (Unicode, "Conjoining Jamo Behavior"). Other code points give no letters.
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
