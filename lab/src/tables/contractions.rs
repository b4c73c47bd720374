//! Finds the sequences of characters that have weights of their own.
//!
//! For a root table, queries every pair of characters with explicit weights. For a tailoring,
//! queries its parent's contractions, every pair of characters of [`LETTERS`] and of its own
//! blocks, and every three characters of a block of up to 200. A sequence can
//! contract although its beginning doesn't. The search therefore queries the sequences that
//! Unicode's CLDR lists for any language (`lab/data/sequences.txt`), with each letter in upper and
//! lower case, and also with the first letter doubled, as Hungarian doubles `dzs` to `ddzs`. Each
//! contraction is queried again with one more character before or after it, up to [`CODE_POINTS`]
//! characters.
//!
//! A server answers some ten million pairs per second in long strings: for each character `a`, one
//! string `a a a b a c …` with every character after it. If the result isn't the concatenation of
//! the weights of characters and contractions found before, the pairs are queried one by one.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::RangeInclusive;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use mysql_collation::oracle::format::CODE_POINTS;

use super::levels::{Level, LevelFormat, query_text_weights, read_words};
use crate::query;
use crate::servers::Source;

/// Contractions with their weights at each level.
pub type Contractions = BTreeMap<Vec<char>, Vec<Vec<u16>>>;

pub struct SearchedCollation<'a> {
    pub name: &'a str,
    pub shape: LevelFormat,
    pub levels: &'a [Level],
    /// Contractions of the parent. `None` for a root.
    pub parent: Option<&'a Contractions>,
    /// Blocks of characters that only this language needs.
    pub blocks: &'a [RangeInclusive<u32>],
    /// Prefix of every queried text: a kana in Japanese, otherwise empty. A Japanese mark has
    /// different weights at the start of a string (docs/reference/data-format.md).
    pub prefix: &'static str,
}

/// Letters and marks to query for every tailoring: Latin, Greek, Cyrillic, combining marks.
const LETTERS: [RangeInclusive<u32>; 4] = [0x20..=0x24f, 0x300..=0x345, 0x370..=0x3ff, 0x400..=0x45f];

const SEQUENCES: &str = include_str!("../../data/sequences.txt");

pub fn find_contractions(source: &mut Source, searched: &SearchedCollation<'_>) -> Result<Contractions> {
    let mut search = Search { source, searched, contractions: BTreeMap::new() };
    if let Some(parent) = searched.parent {
        search.query_parent(parent)?;
    }
    let letters = searched.letters();
    search.query_pairs(&letters)?;
    search.query_listed()?;
    search.extend()?;
    for block in searched.blocks {
        search.query_triples(&block.clone().filter_map(char::from_u32).collect::<Vec<_>>())?;
    }
    Ok(search.contractions)
}

impl SearchedCollation<'_> {
    /// Returns the characters that can be part of a contraction: characters with explicit weights,
    /// for a tailoring only from [`LETTERS`] and its blocks. Ideographs, Hangul syllables, private
    /// use and unassigned code points have computed weights.
    fn letters(&self) -> Vec<char> {
        let has_explicit_weights = |&character: &char| {
            let weights = &self.levels[0][character as usize];
            let is_syllable = ('\u{ac00}'..='\u{d7a3}').contains(&character);
            !is_syllable && weights.first().is_none_or(|&weight| weight < 0xfb00)
        };
        match self.parent {
            None => ('\0'..=char::MAX).filter(has_explicit_weights).collect(),
            Some(_) => {
                let all: BTreeSet<u32> = LETTERS.iter().chain(self.blocks).cloned().flatten().collect();
                all.into_iter().filter_map(char::from_u32).filter(has_explicit_weights).collect()
            }
        }
    }

    /// Returns the expected WEIGHT_STRING of a text, given these contractions.
    fn expected_weights(&self, text: &[char], contractions: &Contractions) -> Vec<u16> {
        let mut levels = vec![Vec::with_capacity(text.len() * 2); self.shape.count()];
        let starts: HashSet<char> = contractions.keys().map(|text| text[0]).collect();
        for character in self.prefix.chars() {
            for (index, weights) in levels.iter_mut().enumerate() {
                weights.extend(&self.levels[index][character as usize]);
            }
        }
        let mut rest = text;
        while let Some(&first) = rest.first() {
            let max_count = if starts.contains(&first) { rest.len().min(CODE_POINTS) } else { 1 };
            let longest = (2..=max_count).rev().find_map(|count| Some((count, contractions.get(&rest[..count])?)));
            for (index, weights) in levels.iter_mut().enumerate() {
                weights.extend(longest.map_or(&self.levels[index][first as usize], |(_, levels)| &levels[index]));
            }
            rest = &rest[longest.map_or(1, |(count, _)| count)..];
        }
        self.join_levels(&levels)
    }

    fn join_levels(&self, levels: &[Vec<u16>]) -> Vec<u16> {
        let mut all = Vec::new();
        for (index, weights) in levels.iter().enumerate() {
            // The zero before the fourth level is there only if weights follow.
            let is_separated =
                matches!(self.shape, LevelFormat::Separated(_)) && index > 0 && (index < 3 || !weights.is_empty());
            all.extend(is_separated.then_some(0));
            all.extend(weights);
        }
        all
    }
}

struct Search<'a, 's> {
    source: &'a mut Source,
    searched: &'a SearchedCollation<'s>,
    contractions: Contractions,
}

impl Search<'_, '_> {
    fn query_parent(&mut self, parent: &Contractions) -> Result<()> {
        for (text, answer) in self.query_weights(&parent.keys().cloned().collect::<Vec<_>>())? {
            if answer != self.searched.expected_weights(&text, &BTreeMap::new()) {
                let same = self.searched.join_levels(&parent[&text]) == answer;
                let weights = if same { parent[&text].clone() } else { self.weigh(&text)? };
                self.contractions.insert(text, weights);
            }
        }
        Ok(())
    }

    fn weigh(&mut self, text: &[char]) -> Result<Vec<Vec<u16>>> {
        let SearchedCollation { name, shape, levels, prefix, .. } = *self.searched;
        let text = self.with_prefix(text);
        let mut weights = query_text_weights(self.source, name, shape, &text)?;
        for (weights, level) in weights.iter_mut().zip(levels) {
            let length: usize = prefix.chars().map(|character| level[character as usize].len()).sum();
            weights.drain(..length);
        }
        Ok(weights)
    }

    fn with_prefix(&self, text: &[char]) -> String {
        self.searched.prefix.chars().chain(text.iter().copied()).collect()
    }

    fn query_pairs(&mut self, letters: &[char]) -> Result<()> {
        let bar = create_bar(letters.len(), self.searched.name);
        for &first in letters {
            bar.inc(1);
            self.query_next(&[first], letters)?;
        }
        bar.finish_and_clear();
        Ok(())
    }

    /// Queries every sequence of three letters. Does nothing for more than 200 letters.
    fn query_triples(&mut self, letters: &[char]) -> Result<()> {
        if letters.len() > 200 {
            return Ok(());
        }
        let bar = create_bar(letters.len(), self.searched.name);
        for &first in letters {
            bar.inc(1);
            for &second in letters {
                self.query_next(&[first, second], letters)?;
            }
        }
        bar.finish_and_clear();
        self.extend()
    }

    /// Finds the letters that form a contraction with `part` before them.
    fn query_next(&mut self, part: &[char], letters: &[char]) -> Result<()> {
        let text: Vec<char> = letters.iter().flat_map(|letter| part.iter().chain([letter])).copied().collect();
        if self.query_text(&text)? == self.searched.expected_weights(&text, &self.contractions) {
            return Ok(());
        }
        let sequences: Vec<Vec<char>> = letters.iter().map(|&letter| [part, &[letter]].concat()).collect();
        self.query_sequences(&sequences)
    }

    fn query_listed(&mut self) -> Result<()> {
        let lines = SEQUENCES.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let mut sequences = BTreeSet::new();
        for line in lines {
            let code_points = line.split(' ').map(|digits| u32::from_str_radix(digits, 16));
            let text: Vec<char> = code_points.filter_map(|code_point| char::from_u32(code_point.ok()?)).collect();
            for text in case_variants(&text) {
                if text.len() < CODE_POINTS {
                    sequences.insert([&text[..1], &text].concat());
                }
                sequences.insert(text);
            }
        }
        // Shorter sequences first, because longer ones can contain them.
        let mut sequences: Vec<_> = sequences.into_iter().collect();
        sequences.sort_by_key(Vec::len);
        for length in 2..=CODE_POINTS {
            let some: Vec<_> = sequences.iter().filter(|text| text.len() == length).cloned().collect();
            self.query_sequences(&some)?;
        }
        Ok(())
    }

    /// Extends the contractions by one character before or after, until no more are found or they
    /// have [`CODE_POINTS`] characters. The added characters are those of the contractions found
    /// before, and combining marks.
    fn extend(&mut self) -> Result<()> {
        let members: BTreeSet<char> =
            self.contractions.keys().flatten().copied().chain('\u{300}'..='\u{36f}').collect();
        let members: Vec<char> = members.into_iter().collect();
        let mut last: Vec<Vec<char>> =
            self.contractions.keys().filter(|text| text.len() < CODE_POINTS).cloned().collect();
        while !last.is_empty() {
            let before = self.contractions.clone();
            let bar = create_bar(last.len(), self.searched.name);
            for text in &last {
                bar.inc(1);
                self.query_next(text, &members)?;
                let extended: Vec<Vec<char>> = members.iter().map(|&member| [&[member], &text[..]].concat()).collect();
                let all: Vec<char> = extended.iter().flatten().copied().collect();
                if self.query_text(&all)? != self.searched.expected_weights(&all, &self.contractions) {
                    self.query_sequences(&extended)?;
                }
            }
            bar.finish_and_clear();
            last = self
                .contractions
                .keys()
                .filter(|text| !before.contains_key(*text) && text.len() < CODE_POINTS)
                .cloned()
                .collect();
        }
        Ok(())
    }

    /// Adds the sequences that have weights of their own.
    fn query_sequences(&mut self, sequences: &[Vec<char>]) -> Result<()> {
        for (text, answer) in self.query_weights(sequences)? {
            if answer != self.searched.expected_weights(&text, &self.contractions) {
                ensure!(text.len() <= CODE_POINTS, "a contraction of {} code points", text.len());
                let weights = self.weigh(&text)?;
                self.contractions.insert(text, weights);
            }
        }
        Ok(())
    }

    fn query_weights(&mut self, texts: &[Vec<char>]) -> Result<Vec<(Vec<char>, Vec<u16>)>> {
        let mut answers = Vec::with_capacity(texts.len());
        for some in texts.chunks(1000) {
            let name = self.searched.name;
            let expression = |text: &Vec<char>| {
                format!("WEIGHT_STRING({} COLLATE {name})", query::format_literal(&self.with_prefix(text)))
            };
            let query = format!("SELECT {}", some.iter().map(expression).collect::<Vec<_>>().join(", "));
            let row: mysql::Row = query::query_first(self.source, &query)?.context("no row")?;
            for (text, weights) in some.iter().zip(row.unwrap()) {
                let weights: Vec<u8> = mysql::from_value_opt(weights)?;
                answers.push((text.clone(), read_words(&weights)));
            }
        }
        Ok(answers)
    }

    fn query_text(&mut self, text: &[char]) -> Result<Vec<u16>> {
        let text = self.with_prefix(text);
        let query = format!("SELECT WEIGHT_STRING({} COLLATE {})", query::format_literal(&text), self.searched.name);
        let weights: Option<Option<Vec<u8>>> = query::query_first(self.source, &query)?;
        Ok(read_words(&weights.flatten().context("the server answers NULL")?))
    }
}

fn case_variants(text: &[char]) -> Vec<Vec<char>> {
    text.iter().fold(vec![Vec::new()], |texts, &character| {
        let both = [Some(character), other_case(character)];
        texts.iter().flat_map(|text| both.into_iter().flatten().map(|last| [&text[..], &[last]].concat())).collect()
    })
}

/// Returns the other case of a letter; `None` if it has none or that is several characters.
fn other_case(character: char) -> Option<char> {
    let (upper, lower): (Vec<char>, Vec<char>) =
        (character.to_uppercase().collect(), character.to_lowercase().collect());
    [upper, lower].into_iter().filter(|case| case.len() == 1).map(|case| case[0]).find(|&case| case != character)
}

fn create_bar(length: usize, what: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent} % {eta}");
    let bar = ProgressBar::new(length as u64).with_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
