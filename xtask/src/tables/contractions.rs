//! Which sequences of characters have weights of their own?
//!
//! A table without a parent is searched whole: every pair of characters is asked for, without a list. Of a tailoring, every pair
//! among the letters of the scripts that tailorings are about, and its own; and, as a sequence may contract whose beginning doesn't,
//! the sequences that Unicode's CLDR names for any language (`xtask/data/sequences.txt`), in each case and with the first letter twice.
//! What is found is tried again with another character in front and after it, up to the longest.
//!
//! A server answers for some ten million pairs a second when they come in long strings: for each character `a`, one string `a b a c a
//! d …` of all others. Where the answer is not the characters' weights in a row, the pairs are asked for one by one.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::RangeInclusive;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use mysql_collation::oracle::format::CODE_POINTS;

use super::levels::{Level, Shape, weigh, words};
use crate::ask;
use crate::servers::Source;

/// Sequences with weights of their own, and these at each level.
pub type Found = BTreeMap<Vec<char>, Vec<Vec<u16>>>;

/// A collation that is searched.
pub struct Searched<'a> {
    /// Its name.
    pub name: &'a str,
    /// How the server tells its levels.
    pub shape: Shape,
    /// The weights of each character.
    pub levels: &'a [Level],
    /// What its parent has, if it is a tailoring.
    pub parent: Option<&'a Found>,
    /// Blocks of characters that the language is about.
    pub blocks: &'a [RangeInclusive<u32>],
    /// What is put in front of every text that is asked about: at the beginning, a mark of Japanese has other weights than elsewhere
    /// (docs/collation.md), and the server leaves a fourth level out that is zeros only.
    pub in_front: &'static str,
}

/// Letters and marks that every tailoring is asked about: Latin, Greek, Cyrillic, and what stands above and below them.
const LETTERS: [RangeInclusive<u32>; 4] = [0x20..=0x24f, 0x300..=0x345, 0x370..=0x3ff, 0x400..=0x45f];

const SEQUENCES: &str = include_str!("../../data/sequences.txt");

/// All contractions of a collation.
pub fn search(source: &mut Source, searched: &Searched<'_>) -> Result<Found> {
    let mut search = Search { source, searched, found: BTreeMap::new() };
    if let Some(parent) = searched.parent {
        search.keep(parent)?;
    }
    let letters = searched.letters();
    search.pairs(&letters)?;
    search.named()?;
    search.longer()?;
    for block in searched.blocks {
        search.triples(&block.clone().filter_map(char::from_u32).collect::<Vec<_>>())?;
    }
    Ok(search.found)
}

impl Searched<'_> {
    /// The characters that can be part of a contraction: those that the table names. Whole blocks of ideographs and
    /// syllables, private use and what is unassigned have weights computed from their numbers.
    fn letters(&self) -> Vec<char> {
        let is_named = |&character: &char| {
            let weights = &self.levels[0][character as usize];
            let is_syllable = ('\u{ac00}'..='\u{d7a3}').contains(&character);
            !is_syllable && weights.first().is_none_or(|&weight| weight < 0xfb00)
        };
        match self.parent {
            None => ('\0'..=char::MAX).filter(is_named).collect(),
            Some(_) => {
                let all: BTreeSet<u32> = LETTERS.iter().chain(self.blocks).cloned().flatten().collect();
                all.into_iter().filter_map(char::from_u32).filter(is_named).collect()
            }
        }
    }

    /// What WEIGHT_STRING is of a text that has these contractions.
    fn expected(&self, text: &[char], found: &Found) -> Vec<u16> {
        let mut levels = vec![Vec::with_capacity(text.len() * 2); self.shape.count()];
        let starts: HashSet<char> = found.keys().map(|text| text[0]).collect();
        for character in self.in_front.chars() {
            for (index, weights) in levels.iter_mut().enumerate() {
                weights.extend(&self.levels[index][character as usize]);
            }
        }
        let mut rest = text;
        while let Some(&first) = rest.first() {
            let most = if starts.contains(&first) { rest.len().min(CODE_POINTS) } else { 1 };
            let longest = (2..=most).rev().find_map(|count| Some((count, found.get(&rest[..count])?)));
            for (index, weights) in levels.iter_mut().enumerate() {
                weights.extend(longest.map_or(&self.levels[index][first as usize], |(_, levels)| &levels[index]));
            }
            rest = &rest[longest.map_or(1, |(count, _)| count)..];
        }
        self.joined(&levels)
    }

    /// The levels as WEIGHT_STRING puts them.
    fn joined(&self, levels: &[Vec<u16>]) -> Vec<u16> {
        let mut all = Vec::new();
        for (index, weights) in levels.iter().enumerate() {
            // The fourth level's zero is only there with weights after it.
            let is_separated =
                matches!(self.shape, Shape::Separated(_)) && index > 0 && (index < 3 || !weights.is_empty());
            all.extend(is_separated.then_some(0));
            all.extend(weights);
        }
        all
    }
}

struct Search<'a, 's> {
    source: &'a mut Source,
    searched: &'a Searched<'s>,
    found: Found,
}

impl Search<'_, '_> {
    /// Asks for the sequences that the parent has.
    fn keep(&mut self, parent: &Found) -> Result<()> {
        for (text, answer) in self.ask_all(&parent.keys().cloned().collect::<Vec<_>>())? {
            if answer != self.searched.expected(&text, &BTreeMap::new()) {
                let same = self.searched.joined(&parent[&text]) == answer;
                let weights = if same { parent[&text].clone() } else { self.weigh(&text)? };
                self.found.insert(text, weights);
            }
        }
        Ok(())
    }

    /// The weights at each level.
    fn weigh(&mut self, text: &[char]) -> Result<Vec<Vec<u16>>> {
        let Searched { name, shape, levels, in_front, .. } = *self.searched;
        let text = self.asked(text);
        let mut weights = weigh(self.source, name, shape, &text)?;
        for (weights, level) in weights.iter_mut().zip(levels) {
            let length: usize = in_front.chars().map(|character| level[character as usize].len()).sum();
            weights.drain(..length);
        }
        Ok(weights)
    }

    /// The text that is asked about.
    fn asked(&self, text: &[char]) -> String {
        self.searched.in_front.chars().chain(text.iter().copied()).collect()
    }

    /// Every pair of these.
    fn pairs(&mut self, letters: &[char]) -> Result<()> {
        let bar = bar(letters.len(), self.searched.name);
        for &first in letters {
            bar.inc(1);
            self.after(&[first], letters)?;
        }
        bar.finish_and_clear();
        Ok(())
    }

    /// Every sequence of three of these.
    fn triples(&mut self, letters: &[char]) -> Result<()> {
        if letters.len() > 200 {
            return Ok(());
        }
        let bar = bar(letters.len(), self.searched.name);
        for &first in letters {
            bar.inc(1);
            for &second in letters {
                self.after(&[first, second], letters)?;
            }
        }
        bar.finish_and_clear();
        self.longer()
    }

    /// Which of these characters, after `part`, make a sequence with weights of its own?
    fn after(&mut self, part: &[char], letters: &[char]) -> Result<()> {
        let text: Vec<char> = letters.iter().flat_map(|letter| part.iter().chain([letter])).copied().collect();
        if self.ask(&text)? == self.searched.expected(&text, &self.found) {
            return Ok(());
        }
        let sequences: Vec<Vec<char>> = letters.iter().map(|&letter| [part, &[letter]].concat()).collect();
        self.try_all(&sequences)
    }

    /// The sequences that are named for some language.
    fn named(&mut self) -> Result<()> {
        let lines = SEQUENCES.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let mut sequences = BTreeSet::new();
        for line in lines {
            let code_points = line.split(' ').map(|digits| u32::from_str_radix(digits, 16));
            let text: Vec<char> = code_points.filter_map(|code_point| char::from_u32(code_point.ok()?)).collect();
            for text in cases(&text) {
                if text.len() < CODE_POINTS {
                    sequences.insert([&text[..1], &text].concat());
                }
                sequences.insert(text);
            }
        }
        // Shorter ones first: what they contract is then known.
        let mut sequences: Vec<_> = sequences.into_iter().collect();
        sequences.sort_by_key(Vec::len);
        for length in 2..=CODE_POINTS {
            let some: Vec<_> = sequences.iter().filter(|text| text.len() == length).cloned().collect();
            self.try_all(&some)?;
        }
        Ok(())
    }

    /// What was found, with a member of another or a mark after it or in front of it, as long as there is more.
    fn longer(&mut self) -> Result<()> {
        let members: BTreeSet<char> = self.found.keys().flatten().copied().chain('\u{300}'..='\u{36f}').collect();
        let members: Vec<char> = members.into_iter().collect();
        let mut last: Vec<Vec<char>> = self.found.keys().cloned().collect();
        while !last.is_empty() && last[0].len() < CODE_POINTS {
            let before = self.found.clone();
            let bar = bar(last.len(), self.searched.name);
            for text in &last {
                bar.inc(1);
                self.after(text, &members)?;
                let in_front: Vec<Vec<char>> = members.iter().map(|&member| [&[member], &text[..]].concat()).collect();
                let all: Vec<char> = in_front.iter().flatten().copied().collect();
                if self.ask(&all)? != self.searched.expected(&all, &self.found) {
                    self.try_all(&in_front)?;
                }
            }
            bar.finish_and_clear();
            last = self
                .found
                .keys()
                .filter(|text| !before.contains_key(*text) && text.len() < CODE_POINTS)
                .cloned()
                .collect();
        }
        Ok(())
    }

    /// Notes which of these sequences have weights of their own.
    fn try_all(&mut self, sequences: &[Vec<char>]) -> Result<()> {
        for (text, answer) in self.ask_all(sequences)? {
            if answer != self.searched.expected(&text, &self.found) {
                ensure!(text.len() <= CODE_POINTS, "a contraction of {} code points", text.len());
                let weights = self.weigh(&text)?;
                self.found.insert(text, weights);
            }
        }
        Ok(())
    }

    /// What the server answers for each of these.
    fn ask_all(&mut self, texts: &[Vec<char>]) -> Result<Vec<(Vec<char>, Vec<u16>)>> {
        let mut answers = Vec::with_capacity(texts.len());
        for some in texts.chunks(1000) {
            let name = self.searched.name;
            let asked = |text: &Vec<char>| format!("WEIGHT_STRING({} COLLATE {name})", ask::literal(&self.asked(text)));
            let query = format!("SELECT {}", some.iter().map(asked).collect::<Vec<_>>().join(", "));
            let row: mysql::Row = ask::first(self.source, &query)?.context("no row")?;
            for (text, weights) in some.iter().zip(row.unwrap()) {
                let weights: Vec<u8> = mysql::from_value_opt(weights)?;
                answers.push((text.clone(), words(&weights)));
            }
        }
        Ok(answers)
    }

    fn ask(&mut self, text: &[char]) -> Result<Vec<u16>> {
        let text = self.asked(text);
        let query = format!("SELECT WEIGHT_STRING({} COLLATE {})", ask::literal(&text), self.searched.name);
        let weights: Option<Option<Vec<u8>>> = ask::first(self.source, &query)?;
        Ok(words(&weights.flatten().context("the server answers NULL")?))
    }
}

/// A text with each of its letters in either case.
fn cases(text: &[char]) -> Vec<Vec<char>> {
    text.iter().fold(vec![Vec::new()], |texts, &character| {
        let both = [Some(character), other_case(character)];
        texts.iter().flat_map(|text| both.into_iter().flatten().map(|last| [&text[..], &[last]].concat())).collect()
    })
}

/// The other case of a letter, if that is one character.
fn other_case(character: char) -> Option<char> {
    let (upper, lower): (Vec<char>, Vec<char>) =
        (character.to_uppercase().collect(), character.to_lowercase().collect());
    [upper, lower].into_iter().filter(|case| case.len() == 1).map(|case| case[0]).find(|&case| case != character)
}

fn bar(length: usize, what: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent} % {eta}");
    let bar = ProgressBar::new(length as u64).with_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
