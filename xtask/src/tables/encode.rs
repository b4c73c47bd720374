//! Weights into the words of the committed files. The formats are documented where they are read, in
//! `crates/collation/src/table/`.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};
use mysql_collation::oracle::format::{
    HAN, HAN_EXTENSION, HANGUL, KHITAN, LONGEST, NUSHU, POOL, RULES, TANGUT, UNASSIGNED, hangul, implicit,
};

use super::contractions::Found;
use super::levels::Level;

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

/// Sequences of weights, each once.
#[derive(Default)]
struct Pool {
    words: Vec<u16>,
    offsets: HashMap<Vec<u16>, u16>,
}

impl Pool {
    fn offset(&mut self, weights: &[u16]) -> Result<u16> {
        ensure!(weights.len() <= LONGEST, "{} weights at one level", weights.len());
        if let Some(&offset) = self.offsets.get(weights) {
            return Ok(offset);
        }
        let offset = u16::try_from(self.words.len()).ok().filter(|&offset| offset < RULES - POOL);
        let offset = offset.context("the pool of weights is full")?;
        self.words.push(weights.len() as u16);
        self.words.extend(weights);
        self.offsets.insert(weights.to_vec(), offset);
        Ok(offset)
    }
}

/// A paged level.
pub fn level(level: &Level) -> Result<Vec<u16>> {
    let mut pool = Pool::default();
    let mut page_of = HashMap::new();
    let (mut pages, mut entries) = (Vec::new(), Vec::new());
    for page in 0..level.len() >> 8 {
        let page: Vec<u16> = (page << 8..(page + 1) << 8)
            .map(|code_point| entry(level, code_point, &mut pool))
            .collect::<Result<_>>()?;
        let next = page_of.len() as u16;
        let number = *page_of.entry(page.clone()).or_insert(next);
        if number == next && page_of.len() as u16 > next {
            entries.extend(page);
        }
        pages.push(number);
    }
    let mut words = vec![page_of.len() as u16, pool.words.len() as u16];
    words.extend(pages);
    words.extend(entries);
    words.extend(pool.words);
    Ok(words)
}

fn entry(level: &Level, code_point: usize, pool: &mut Pool) -> Result<u16> {
    if (0xd800..0xe000).contains(&code_point) {
        // No character; the servers that take one weigh it as they weigh private use.
        return entry_of(level, &surrogate(level, code_point), code_point, pool);
    }
    entry_of(level, &level[code_point], code_point, pool)
}

/// A surrogate's weights, which no server is asked for, are those of U+E000 with its own number.
fn surrogate(level: &Level, code_point: usize) -> Vec<u16> {
    match level[0xe000].len() {
        2 => implicit(UNASSIGNED, code_point as u32).to_vec(),
        _ => level[0xe000].clone(),
    }
}

fn entry_of(level: &Level, weights: &[u16], code_point: usize, pool: &mut Pool) -> Result<u16> {
    match weights {
        [] => return Ok(0),
        &[weight] if (1..POOL).contains(&weight) => return Ok(weight),
        _ => {}
    }
    for rule in [UNASSIGNED, HAN, HAN_EXTENSION, TANGUT, NUSHU, KHITAN] {
        if weights == implicit(rule, code_point as u32) {
            return Ok(rule);
        }
    }
    let letters = hangul(code_point as u32).into_iter().flatten();
    let of_letters: Vec<u16> = letters.flat_map(|letter| &level[letter as usize]).copied().collect();
    if !of_letters.is_empty() && weights == of_letters {
        return Ok(HANGUL);
    }
    Ok(POOL + pool.offset(weights)?)
}

/// Contractions and their weights.
pub fn contractions(found: &[Found]) -> Result<Vec<u16>> {
    let mut pool = Pool::default();
    let mut records = Vec::new();
    for contraction in found {
        for place in 0..3 {
            let code_point = contraction.code_points.get(place).copied().unwrap_or(u32::MAX);
            records.extend([(code_point >> 16) as u16, code_point as u16]);
        }
        for weights in &contraction.weights {
            records.push(pool.offset(weights)?);
        }
    }
    let mut words = vec![found.len() as u16, pool.words.len() as u16];
    words.extend(records);
    words.extend(pool.words);
    Ok(words)
}
