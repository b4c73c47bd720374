//! Weights into the words of the committed files. The formats are documented where they are read, in
//! `crates/collation/src/table/`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, Result, ensure};
use mysql_collation::oracle::format::{
    HAN, HAN_EXTENSION, HANGUL, KHITAN, LEADS, LISTED, LONGEST, NUSHU, POOL, REMOVED, REORDERED, Range, TANGUT,
    UNASSIGNED, ZERO, hangul, implicit,
};

use super::contractions::Found;
use super::levels::Level;
use super::reordering::{self, Moved};

/// A simple table: the weight beyond U+FFFF, then what is not its own number.
pub fn simple(level: &Level) -> Vec<u16> {
    let beyond = level[0x1_0000].first().copied().unwrap_or_default();
    let own = |(code_point, weights): (usize, &Vec<u16>)| match weights[..] {
        [weight] if usize::from(weight) != code_point => Some([code_point as u16, weight]),
        _ => None,
    };
    let exceptions = level[..0x1_0000].iter().enumerate().filter_map(own).flatten();
    std::iter::once(beyond).chain(exceptions).collect()
}

/// Weights that are code points: of the first two planes what is not its own number.
pub fn folding(level: &[u32]) -> Result<Vec<u16>> {
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

/// Pages with fewer changes than this are written as changes: two words each instead of 256.
const PATCH: usize = 100;

/// Sequences of weights, each once, with their numbers.
#[derive(Clone, Default)]
struct Pool {
    numbers: HashMap<Vec<u16>, u16>,
    own: Vec<Vec<u16>>,
    has_zero: bool,
    has_one: bool,
    /// Whether weights from [`POOL`] on are in a list by code point: there are too many of them for the pool.
    lists: bool,
}

impl Pool {
    fn number(&mut self, weights: &[u16]) -> Result<u16> {
        let weights = &weights.iter().map(|&weight| if weight == 0 { ZERO } else { weight }).collect::<Vec<_>>()[..];
        ensure!(weights.len() <= LONGEST, "{} weights at one level", weights.len());
        if let Some(&number) = self.numbers.get(weights) {
            return Ok(number);
        }
        let number = self.numbers.len();
        // A vector's table has no room for entries from 0xFF00 on.
        ensure!(number < usize::from(0xff00 - POOL), "there are more than {number} sequences of weights");
        self.own.push(weights.to_vec());
        self.numbers.insert(weights.to_vec(), number as u16);
        Ok(number as u16)
    }

    /// What weights are an entry.
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
            _ => Ok(POOL + self.number(weights)?),
        }
    }
}

/// A level as it is encoded.
#[derive(Clone)]
pub struct Encoded {
    entries: Vec<u16>,
    leads: [u16; LEADS.len()],
    pool: Pool,
    listed: BTreeMap<usize, u16>,
    ranges: Vec<Range>,
}

/// A table as it is encoded: what tailorings of it are told from.
#[derive(Clone)]
pub struct Table {
    levels: Vec<Encoded>,
    contractions: Found,
}

impl Table {
    /// Its contractions.
    pub fn contractions(&self) -> &Found {
        &self.contractions
    }
}

/// The table that another one is a tailoring of.
pub struct Parent<'a> {
    pub table: &'a Table,
    pub levels: &'a [Level],
}

/// A table's words; of a tailoring, what is not its parent's. One that `reorders` has ranges by which the parent's primary weights move.
pub fn table(
    levels: &[Level],
    contractions: Found,
    parent: Option<&Parent<'_>>,
    reorders: bool,
) -> Result<(Table, Vec<u16>)> {
    let mut encoded: Vec<Encoded> = Vec::new();
    for (index, level) in levels.iter().enumerate() {
        let of_parent = parent.and_then(|parent| parent.levels.get(index)).filter(|_| reorders && index == 0);
        let moved = of_parent.map_or(Moved::default(), |parent| reordering::find(level, parent));
        encoded.push(encode(level, parent.and_then(|parent| parent.table.levels.get(index)), moved)?);
    }
    let parent = parent.map(|parent| parent.table);
    let none = Found::new();
    let records = records(&mut encoded, &contractions, parent.map_or(&none, |parent| &parent.contractions))?;
    let mut sections = Vec::new();
    for (index, level) in encoded.iter().enumerate() {
        sections.push(section(level, parent.and_then(|parent| parent.levels.get(index)))?);
    }
    let mut words = vec![sections.len() as u16];
    words.extend(sections.iter().flat_map(|section| [(section.len() >> 16) as u16, section.len() as u16]));
    words.extend(sections.into_iter().flatten());
    words.extend(records);
    // What tailorings have beside it is numbered after it.
    encoded.iter_mut().for_each(|level| level.pool.own.clear());
    Ok((Table { levels: encoded, contractions }, words))
}

fn encode(level: &Level, parent: Option<&Encoded>, moved: Moved) -> Result<Encoded> {
    let leads = leads(level);
    let encode = |lists: bool| {
        let mut pool = parent.map_or(Pool::default(), |parent| parent.pool.clone());
        pool.lists = lists;
        let entries: Result<Vec<u16>> =
            (0..level.len()).map(|code_point| entry(level, code_point, &leads, &mut pool, &moved)).collect();
        let entries = entries?;
        let listed =
            |(code_point, &entry): (usize, &u16)| (entry == LISTED).then(|| (code_point, level[code_point][0]));
        let listed = entries.iter().enumerate().filter_map(listed).collect();
        Ok(Encoded { entries, leads, pool, listed, ranges: moved.ranges.clone() })
    };
    encode(false).or_else(|_| encode(true))
}

/// What implicit weights begin with, by the first of some code points of each kind that has such.
fn leads(level: &Level) -> [u16; LEADS.len()] {
    let firsts: [(u16, &[u32]); LEADS.len()] = [
        (UNASSIGNED, &[0x378]),
        // Chinese and Japanese have other weights for most ideographs.
        (HAN, &[0x4e00, 0x9fd0]),
        (HAN_EXTENSION, &[0x3400, 0x2_a700]),
        (TANGUT, &[0x1_7000]),
        (NUSHU, &[0x1_b170]),
        (KHITAN, &[0x1_8b00]),
    ];
    let mut leads = LEADS;
    for (lead, (rule, code_points)) in leads.iter_mut().zip(firsts) {
        let found = code_points.iter().find_map(|&code_point| {
            let [first, second] = implicit(rule, &LEADS, code_point);
            let own = &level[code_point as usize];
            (own.len() == 2 && own[1] == second).then(|| own[0].wrapping_sub(first.wrapping_sub(*lead)))
        });
        *lead = found.unwrap_or(*lead);
    }
    leads
}

fn entry(level: &Level, code_point: usize, leads: &[u16; LEADS.len()], pool: &mut Pool, moved: &Moved) -> Result<u16> {
    if moved.characters.contains(&(code_point as u32)) {
        return Ok(REORDERED);
    }
    if (0xd800..0xe000).contains(&code_point) {
        // No character; the servers that take one weigh it as they weigh private use.
        return entry_of(level, &surrogate(level, code_point, leads), code_point, leads, pool);
    }
    entry_of(level, &level[code_point], code_point, leads, pool)
}

/// A surrogate's weights, which no server is asked for, are those of U+E000 with its own number.
fn surrogate(level: &Level, code_point: usize, leads: &[u16; LEADS.len()]) -> Vec<u16> {
    match level[0xe000].len() {
        2 => implicit(UNASSIGNED, leads, code_point as u32).to_vec(),
        _ => level[0xe000].clone(),
    }
}

fn entry_of(
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
    let of_letters: Vec<u16> = letters.flat_map(|letter| &level[letter as usize]).copied().collect();
    if of_letters.len() > 1 && weights == of_letters {
        return Ok(HANGUL);
    }
    pool.entry(weights)
}

fn section(level: &Encoded, parent: Option<&Encoded>) -> Result<Vec<u16>> {
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
            Some(changes) if changes.len() < PATCH => {
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
    words.extend(listed(&level.listed));
    if let ranges @ [_, ..] = &level.ranges[..] {
        // Where nothing is listed, that has to be said.
        words.extend(level.listed.is_empty().then_some(0));
        words.push(ranges.len() as u16);
        words.extend(ranges.iter().flatten());
    }
    Ok(words)
}

/// The list of weights by code point, if there is one.
fn listed(listed: &BTreeMap<usize, u16>) -> Vec<u16> {
    let pages: BTreeSet<usize> = listed.keys().map(|code_point| code_point >> 8).collect();
    let number = (!pages.is_empty()).then_some(pages.len() as u16);
    let page = |page: usize| {
        let weights = (0..256).map(move |low| listed.get(&(page << 8 | low)).copied().unwrap_or_default());
        std::iter::once(page as u16).chain(weights)
    };
    number.into_iter().chain(pages.into_iter().flat_map(page)).collect()
}

/// Contractions that are not the parent's, and those of the parent's that are none.
fn records(levels: &mut [Encoded], found: &Found, parent: &Found) -> Result<Vec<u16>> {
    let removed = parent.keys().filter(|text| !found.contains_key(*text)).map(|text| (text, None));
    let own = found.iter().filter(|(text, weights)| parent.get(*text) != Some(weights));
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
