//! Encodes weights in the committed formats, which `engine/mysql-collation/src/tables/` documents
//! and reads.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, Result, ensure};
use mysql_collation::oracle::format::{
    HAN, HAN_EXTENSION, HANGUL, KHITAN, LEADS, LISTED, LONGEST, NUSHU, POOL, REMOVED, REORDERED, Range, TANGUT,
    UNASSIGNED, ZERO, hangul, implicit,
};

use super::contractions::Contractions;
use super::levels::Level;
use super::reordering::{self, Reordering};

/// Encodes a table of at most one weight per character: the weight beyond U+FFFF, then each
/// character up to there that isn't its own weight, with its weight.
pub fn encode_simple(level: &Level) -> Vec<u16> {
    let beyond = level[0x1_0000].first().copied().unwrap_or_default();
    let own = |(code_point, weights): (usize, &Vec<u16>)| match weights[..] {
        [weight] if usize::from(weight) != code_point => Some([code_point as u16, weight]),
        _ => None,
    };
    let exceptions = level[..0x1_0000].iter().enumerate().filter_map(own).flatten();
    std::iter::once(beyond).chain(exceptions).collect()
}

/// Encodes weights that are code points: the number of characters below U+10000 that aren't their
/// own weight, then each such character of the first two planes and its weight, both as their low
/// 16 bits.
pub fn encode_folding(level: &[u32]) -> Result<Vec<u16>> {
    let mut words = Vec::new();
    for (plane, weights) in level.chunks(0x1_0000).enumerate() {
        let changed: Vec<_> =
            (0_u16..).zip(weights).filter(|&(low, &weight)| weight != (plane << 16) as u32 | u32::from(low)).collect();
        ensure!(
            changed.iter().all(|&(_, &weight)| weight >> 16 == plane as u32),
            "a weight in another plane than {plane}"
        );
        ensure!(plane < 2 || changed.is_empty(), "plane {plane} has weights of its own");
        if plane == 0 {
            words.push(changed.len() as u16);
        }
        words.extend(changed.into_iter().flat_map(|(low, &weight)| [low, weight as u16]));
    }
    Ok(words)
}

/// From this number of changes on, a page is written whole, as 256 words; below it as a list of
/// changes, two words each.
const MIN_PAGE_CHANGES: usize = 100;

/// Distinct sequences of weights with their numbers.
#[derive(Clone, Default)]
struct Pool {
    numbers: HashMap<Vec<u16>, u16>,
    own: Vec<Vec<u16>>,
    has_zero: bool,
    has_one: bool,
    /// Whether single weights from [`POOL`] on are listed by code point, because the pool has no
    /// room for a sequence for each of them.
    lists: bool,
}

impl Pool {
    fn intern(&mut self, weights: &[u16]) -> Result<u16> {
        let weights = &weights.iter().map(|&weight| if weight == 0 { ZERO } else { weight }).collect::<Vec<_>>()[..];
        ensure!(weights.len() <= LONGEST, "{} weights at one level", weights.len());
        if let Some(&number) = self.numbers.get(weights) {
            return Ok(number);
        }
        let number = self.numbers.len();
        // Entries from 0xFF00 on don't fit into the table that the vector code reads.
        ensure!(number < usize::from(0xff00 - POOL), "there are more than {number} sequences of weights");
        self.own.push(weights.to_vec());
        self.numbers.insert(weights.to_vec(), number as u16);
        Ok(number as u16)
    }

    fn entry(&mut self, weights: &[u16]) -> Result<u16> {
        self.has_zero |= weights.contains(&0);
        self.has_one |= weights.contains(&ZERO);
        ensure!(
            !(self.has_zero && self.has_one),
            "a level has weights of 0 and of {ZERO}, which is how a zero is written"
        );
        match weights {
            [] => Ok(0),
            &[weight] if (1..POOL).contains(&weight) => Ok(weight),
            _ => Ok(POOL + self.intern(weights)?),
        }
    }
}

#[derive(Clone)]
pub struct EncodedLevel {
    entries: Vec<u16>,
    leads: [u16; LEADS.len()],
    pool: Pool,
    listed: BTreeMap<usize, u16>,
    ranges: Vec<Range>,
}

/// An encoded table, which its tailorings are encoded against.
#[derive(Clone)]
pub struct EncodedTable {
    levels: Vec<EncodedLevel>,
    contractions: Contractions,
}

impl EncodedTable {
    pub fn contractions(&self) -> &Contractions {
        &self.contractions
    }
}

pub struct Parent<'a> {
    pub table: &'a EncodedTable,
    pub levels: &'a [Level],
}

/// Encodes a table; for a tailoring, its differences from the parent. With `reorders`, stores which
/// ranges of the parent's primary weights move and by how much.
pub fn encode_table(
    levels: &[Level],
    contractions: Contractions,
    parent: Option<&Parent<'_>>,
    reorders: bool,
) -> Result<(EncodedTable, Vec<u16>)> {
    let mut encoded: Vec<EncodedLevel> = Vec::new();
    for (index, level) in levels.iter().enumerate() {
        let parent_level = parent.and_then(|parent| parent.levels.get(index)).filter(|_| reorders && index == 0);
        let moved = parent_level.map_or(Reordering::default(), |parent| reordering::find_reordering(level, parent));
        encoded.push(encode_level(level, parent.and_then(|parent| parent.table.levels.get(index)), moved)?);
    }
    let parent = parent.map(|parent| parent.table);
    let none = Contractions::new();
    let records =
        encode_contractions(&mut encoded, &contractions, parent.map_or(&none, |parent| &parent.contractions))?;
    let mut sections = Vec::new();
    for (index, level) in encoded.iter().enumerate() {
        sections.push(encode_section(level, parent.and_then(|parent| parent.levels.get(index)))?);
    }
    let mut words = vec![sections.len() as u16];
    words.extend(sections.iter().flat_map(|section| [(section.len() >> 16) as u16, section.len() as u16]));
    words.extend(sections.into_iter().flatten());
    words.extend(records);
    // A tailoring continues the parent's numbers, but contains only its own sequences.
    encoded.iter_mut().for_each(|level| level.pool.own.clear());
    Ok((EncodedTable { levels: encoded, contractions }, words))
}

fn encode_level(level: &Level, parent: Option<&EncodedLevel>, moved: Reordering) -> Result<EncodedLevel> {
    let leads = find_leads(level);
    let encode = |lists: bool| {
        let mut pool = parent.map_or(Pool::default(), |parent| parent.pool.clone());
        pool.lists = lists;
        let entries: Result<Vec<u16>> =
            (0..level.len()).map(|code_point| encode_entry(level, code_point, &leads, &mut pool, &moved)).collect();
        let entries = entries?;
        let listed =
            |(code_point, &entry): (usize, &u16)| (entry == LISTED).then(|| (code_point, level[code_point][0]));
        let listed = entries.iter().enumerate().filter_map(listed).collect();
        Ok(EncodedLevel { entries, leads, pool, listed, ranges: moved.ranges.clone() })
    };
    encode(false).or_else(|_| encode(true))
}

/// Finds the first words of implicit weights, from sample code points of each kind.
fn find_leads(level: &Level) -> [u16; LEADS.len()] {
    let firsts: [(u16, &[u32]); LEADS.len()] = [
        (UNASSIGNED, &[0x378]),
        // Chinese and Japanese tailor most ideographs, so a second one is tried.
        (HAN, &[0x4e00, 0x9fd0]),
        (HAN_EXTENSION, &[0x3400, 0x2_a700]),
        (TANGUT, &[0x1_7000]),
        (NUSHU, &[0x1_b170]),
        (KHITAN, &[0x1_8b00]),
    ];
    let mut leads = LEADS;
    for (lead, (rule, code_points)) in leads.iter_mut().zip(firsts) {
        let first_word = code_points.iter().find_map(|&code_point| {
            let [first, second] = implicit(rule, &LEADS, code_point);
            let own = &level[code_point as usize];
            (own.len() == 2 && own[1] == second).then(|| own[0].wrapping_sub(first.wrapping_sub(*lead)))
        });
        *lead = first_word.unwrap_or(*lead);
    }
    leads
}

fn encode_entry(
    level: &Level,
    code_point: usize,
    leads: &[u16; LEADS.len()],
    pool: &mut Pool,
    moved: &Reordering,
) -> Result<u16> {
    if moved.characters.contains(&(code_point as u32)) {
        return Ok(REORDERED);
    }
    if (0xd800..0xe000).contains(&code_point) {
        // Surrogates are not characters. Servers that accept surrogates give them the weights of
        // private use.
        return encode_weights(level, &surrogate_weights(level, code_point, leads), code_point, leads, pool);
    }
    encode_weights(level, &level[code_point], code_point, leads, pool)
}

/// Returns a surrogate's weights, which no server is queried for: implicit weights from the
/// surrogate's code point if U+E000 has two weights, else the weights of U+E000.
fn surrogate_weights(level: &Level, code_point: usize, leads: &[u16; LEADS.len()]) -> Vec<u16> {
    match level[0xe000].len() {
        2 => implicit(UNASSIGNED, leads, code_point as u32).to_vec(),
        _ => level[0xe000].clone(),
    }
}

fn encode_weights(
    level: &Level,
    weights: &[u16],
    code_point: usize,
    leads: &[u16; LEADS.len()],
    pool: &mut Pool,
) -> Result<u16> {
    if let [weight] = *weights
        && weight >= POOL
        && pool.lists
    {
        return Ok(LISTED);
    }
    if weights.len() == 2 {
        let is_implicit = |rule: &u16| weights == implicit(*rule, leads, code_point as u32);
        if let Some(rule) = [UNASSIGNED, HAN, HAN_EXTENSION, TANGUT, NUSHU, KHITAN].into_iter().find(is_implicit) {
            return Ok(rule);
        }
    }
    let letters = hangul(code_point as u32).into_iter().flatten();
    let letter_weights: Vec<u16> = letters.flat_map(|letter| &level[letter as usize]).copied().collect();
    if letter_weights.len() > 1 && weights == letter_weights {
        return Ok(HANGUL);
    }
    pool.entry(weights)
}

fn encode_section(level: &EncodedLevel, parent: Option<&EncodedLevel>) -> Result<Vec<u16>> {
    let mut words = level.leads.to_vec();
    let lengths = level.pool.own.iter().scan(0, |end, weights| {
        *end += weights.len();
        Some(*end)
    });
    let ends: Vec<usize> = lengths.collect();
    let total = u16::try_from(ends.last().copied().unwrap_or_default()).context("the pool of weights is full")?;
    words.extend([ends.len() as u16, total]);
    words.extend(ends.into_iter().map(|end| end as u16));
    words.extend(level.pool.own.iter().flatten());
    let mut numbers: HashMap<&[u16], u16> = HashMap::new();
    let (mut pages, mut runs, mut patches) = (Vec::<u16>::new(), Vec::<[u16; 3]>::new(), Vec::new());
    for (index, page) in level.entries.chunks(256).enumerate() {
        let old = parent.map(|parent| &parent.entries[index << 8..(index + 1) << 8]);
        let changes: Option<Vec<(u16, u16)>> = old.map(|old| {
            let both = page.iter().zip(old).enumerate();
            both.filter(|(_, (new, old))| new != old).map(|(place, (&new, _))| (place as u16, new)).collect()
        });
        match changes {
            Some(changes) if changes.is_empty() => continue,
            Some(changes) if changes.len() < MIN_PAGE_CHANGES => {
                patches.push((index as u16, changes));
                continue;
            }
            _ => {}
        }
        let next = numbers.len() as u16;
        let number = *numbers.entry(page).or_insert(next);
        if number == next {
            pages.extend(page);
        }
        match runs.last_mut() {
            Some([_, last, same]) if *same == number && usize::from(*last) + 1 == index => *last = index as u16,
            _ => runs.push([index as u16, index as u16, number]),
        }
    }
    words.push((pages.len() / 256) as u16);
    words.extend(pages);
    words.push(runs.len() as u16);
    words.extend(runs.into_iter().flatten());
    words.push(patches.len() as u16);
    for (page, changes) in patches {
        words.extend([page, changes.len() as u16]);
        words.extend(changes.into_iter().flat_map(|(place, entry)| [place, entry]));
    }
    words.extend(encode_list(&level.listed));
    if let ranges @ [_, ..] = &level.ranges[..] {
        // An empty list of weights has to be written if ranges follow.
        words.extend(level.listed.is_empty().then_some(0));
        words.push(ranges.len() as u16);
        words.extend(ranges.iter().flatten());
    }
    Ok(words)
}

/// Encodes the list of weights by code point; nothing if it is empty.
fn encode_list(listed: &BTreeMap<usize, u16>) -> Vec<u16> {
    let pages: BTreeSet<usize> = listed.keys().map(|code_point| code_point >> 8).collect();
    let number = (!pages.is_empty()).then_some(pages.len() as u16);
    let page = |page: usize| {
        let weights = (0..256).map(move |low| listed.get(&(page << 8 | low)).copied().unwrap_or_default());
        std::iter::once(page as u16).chain(weights)
    };
    number.into_iter().chain(pages.into_iter().flat_map(page)).collect()
}

/// Encodes the contractions that differ from the parent's and, as removed, those that only the
/// parent has.
fn encode_contractions(
    levels: &mut [EncodedLevel],
    contractions: &Contractions,
    parent: &Contractions,
) -> Result<Vec<u16>> {
    let removed = parent.keys().filter(|text| !contractions.contains_key(*text)).map(|text| (text, None));
    let own = contractions.iter().filter(|(text, weights)| parent.get(*text) != Some(weights));
    let mut records: Vec<_> = own.map(|(text, weights)| (text, Some(weights))).chain(removed).collect();
    records.sort();
    let mut words = vec![u16::try_from(records.len()).context("too many contractions")?];
    for (text, weights) in records {
        words.push(text.len() as u16 | if weights.is_none() { REMOVED } else { 0 });
        words.extend(
            text.iter().flat_map(|&character| [(u32::from(character) >> 16) as u16, u32::from(character) as u16]),
        );
        for (index, level) in levels.iter_mut().enumerate() {
            let weights = weights.and_then(|weights| weights.get(index));
            words.push(weights.map_or(Ok(0), |weights| level.pool.entry(weights))?);
        }
    }
    Ok(words)
}
