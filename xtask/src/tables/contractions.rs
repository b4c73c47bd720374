//! Which sequences of characters have weights of their own? Every pair of characters is asked for, without a list.
//!
//! A server answers for some ten million pairs a second when they come in long strings: for each character `a`, one
//! string `a b a c a d …` of all others. Where the answer is not the characters' weights in a row, the pairs are asked
//! for one by one. Sequences of three are looked for among the members of pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use mysql::prelude::Queryable;

use super::levels::{Level, words};
use crate::servers::Source;

/// A sequence with weights of its own.
pub struct Found {
    /// The sequence.
    pub code_points: Vec<u32>,
    /// Its weights at each level.
    pub weights: [Vec<u16>; 3],
}

/// Marks that stand for the first characters of a sequence; no characters, so of no contraction.
const MARKS: [char; 2] = ['\u{10fffe}', '\u{10ffff}'];

/// All contractions of a collation, in ascending order. `primary` is the collation that compares at the primary level
/// alone.
pub fn search(source: &mut Source, collation: &Collation<'_>) -> Result<Vec<Found>> {
    let pairs = pairs(source, collation)?;
    let triples = triples(source, collation, &pairs)?;
    let mut all: Vec<Vec<u32>> = pairs.into_iter().chain(triples).collect();
    all.sort();
    all.into_iter().map(|code_points| found(source, collation, code_points)).collect()
}

/// The collation that is searched.
pub struct Collation<'a> {
    /// It at the primary level alone.
    pub primary: &'a str,
    /// It at each of its levels; `None` for a collation that has the primary only.
    pub full: Option<&'a str>,
    /// The primary weights of each character.
    pub weights: &'a Level,
}

impl Collation<'_> {
    /// The characters that can be part of a contraction: those that the table names. Whole blocks of ideographs and
    /// syllables, private use and what is unassigned have weights computed from their numbers.
    fn candidates(&self) -> Vec<char> {
        let named = |&character: &char| {
            let weights = &self.weights[character as usize];
            let is_syllable = ('\u{ac00}'..='\u{d7a3}').contains(&character);
            !is_syllable && weights.first().is_none_or(|&weight| weight < 0xfb00)
        };
        ('\0'..=char::MAX).filter(named).collect()
    }

    /// The primary weights of a text in which some pairs are contractions.
    fn expected(&self, text: &[char], pairs: &BTreeMap<[char; 2], Vec<u16>>) -> Vec<u16> {
        let mut weights = Vec::with_capacity(text.len() * 2);
        let mut at = 0;
        while let Some(&character) = text.get(at) {
            let pair = text.get(at + 1).and_then(|&next| pairs.get(&[character, next]));
            weights.extend(pair.unwrap_or(&self.weights[character as usize]));
            at += if pair.is_some() { 2 } else { 1 };
        }
        weights
    }
}

fn bar(length: usize, what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent} % {eta}");
    let bar = ProgressBar::new(length as u64).with_message(what);
    bar.enable_steady_tick(Duration::from_millis(200));
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

/// The primary weights that the server gives to the pattern with its marks replaced by `part`.
fn ask(source: &mut Source, collation: &Collation<'_>, part: &[char]) -> Result<Vec<u16>> {
    let text = MARKS.iter().zip(part).fold("@pattern".to_owned(), |text, (&mark, &character)| {
        format!("REPLACE({text}, _binary {}, _binary {})", utf32(&[mark]), utf32(&[character]))
    });
    let query = format!(
        "SELECT WEIGHT_STRING(CONVERT(CONVERT({text} USING utf32) USING utf8mb4) COLLATE {})",
        collation.primary
    );
    let weights: Option<Option<Vec<u8>>> =
        source.conn.query_first(&query).with_context(|| format!("asking {}", source.title()))?;
    Ok(words(&weights.flatten().context("the server answers NULL")?))
}

/// A text as a literal of its UTF-32 bytes. What is replaced is as long as what replaces it: servers are slow where it
/// isn't.
fn utf32(text: &[char]) -> String {
    let digits: String = text.iter().map(|&character| format!("{:08x}", u32::from(character))).collect();
    format!("0x{digits}")
}

fn set_pattern(source: &mut Source, marks: usize, characters: &[char]) -> Result<()> {
    let pattern = text(&MARKS[..marks], characters);
    source.conn.query_drop(format!("SET @pattern = _binary {}", utf32(&pattern))).context("setting the pattern")
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// The text that [`ask`] weighs.
fn text(part: &[char], characters: &[char]) -> Vec<char> {
    characters.iter().flat_map(|character| part.iter().chain([character])).copied().collect()
}

fn pairs(source: &mut Source, collation: &Collation<'_>) -> Result<Vec<Vec<u32>>> {
    let candidates = collation.candidates();
    let mut found = Vec::new();
    set_pattern(source, 1, &candidates)?;
    let bar = bar(candidates.len(), "pairs");
    for &first in &candidates {
        bar.inc(1);
        let weights = ask(source, collation, &[first])?;
        if weights != collation.expected(&text(&[first], &candidates), &BTreeMap::new()) {
            found.extend(one_by_one(source, collation, &[first], &candidates, &BTreeMap::new())?);
        }
    }
    bar.finish_and_clear();
    Ok(found)
}

fn triples(source: &mut Source, collation: &Collation<'_>, pairs: &[Vec<u32>]) -> Result<Vec<Vec<u32>>> {
    let of = |place: usize| pairs.iter().filter_map(move |pair| char::from_u32(pair[place]));
    let firsts: BTreeSet<char> = of(0).collect();
    let members: Vec<char> = of(0).chain(of(1)).collect::<BTreeSet<_>>().into_iter().collect();
    let mut known = BTreeMap::new();
    for pair in pairs {
        if let [Some(first), Some(second)] = [char::from_u32(pair[0]), char::from_u32(pair[1])] {
            known.insert([first, second], weigh(source, collation.primary, None, &[first, second])?);
        }
    }
    let mut found = Vec::new();
    if members.is_empty() {
        return Ok(found);
    }
    set_pattern(source, 2, &members)?;
    let bar = bar(firsts.len() * members.len(), "sequences of three");
    for &first in &firsts {
        for &second in &members {
            bar.inc(1);
            let weights = ask(source, collation, &[first, second])?;
            if weights != collation.expected(&text(&[first, second], &members), &known) {
                found.extend(one_by_one(source, collation, &[first, second], &members, &known)?);
            }
        }
    }
    bar.finish_and_clear();
    Ok(found)
}

/// Which of these characters, after `part`, make a sequence with weights of its own?
fn one_by_one(
    source: &mut Source,
    collation: &Collation<'_>,
    part: &[char],
    characters: &[char],
    known: &BTreeMap<[char; 2], Vec<u16>>,
) -> Result<Vec<Vec<u32>>> {
    let mut found = Vec::new();
    for some in characters.chunks(2000) {
        let sequence = |&last: &char| part.iter().copied().chain([last]).collect::<Vec<char>>();
        let texts: Vec<Vec<char>> = some.iter().map(sequence).collect();
        let asked = |text: &Vec<char>| {
            format!("WEIGHT_STRING(_utf8mb4 0x{} COLLATE {})", hex(&text.iter().collect::<String>()), collation.primary)
        };
        let query = format!("SELECT {}", texts.iter().map(asked).collect::<Vec<_>>().join(", "));
        let row: mysql::Row = source.conn.query_first(query)?.context("no row")?;
        for (text, weights) in texts.iter().zip(row.unwrap()) {
            let weights: Vec<u8> = mysql::from_value_opt(weights)?;
            if words(&weights) != collation.expected(text, known) {
                found.push(text.iter().map(|&character| character.into()).collect());
            }
        }
    }
    Ok(found)
}

fn weigh(source: &mut Source, collation: &str, level: Option<usize>, text: &[char]) -> Result<Vec<u16>> {
    let level = level.map_or(String::new(), |level| format!(" LEVEL {}", level + 1));
    let text = hex(&text.iter().collect::<String>());
    let query = format!("SELECT WEIGHT_STRING(_utf8mb4 0x{text} COLLATE {collation}{level})");
    Ok(words(&source.conn.query_first::<Vec<u8>, _>(query)?.context("no row")?))
}

fn found(source: &mut Source, collation: &Collation<'_>, code_points: Vec<u32>) -> Result<Found> {
    let text: Vec<char> = code_points.iter().filter_map(|&code_point| char::from_u32(code_point)).collect();
    let mut weights = [const { Vec::new() }; 3];
    match collation.full {
        Some(full) => {
            for (level, weights) in weights.iter_mut().enumerate() {
                *weights = weigh(source, full, Some(level), &text)?;
            }
        }
        None => weights[0] = weigh(source, collation.primary, None, &text)?,
    }
    ensure!(code_points.len() <= 3, "a contraction of {} code points", code_points.len());
    Ok(Found { code_points, weights })
}
