//! Examples: what stands where under both collations, the familiar first.

use std::collections::{BTreeMap, HashMap};

use unicode_script::{Script, UnicodeScript};

use super::change::{Change, Sequence, familiarity};
use super::engine::{Items, Ranks};
use super::model::{Between, Place, Seen};
use super::script_name;

/// So many characters of a group are named.
const NAMED: usize = 8;

/// Adds up to so many examples to each script.
pub(super) fn add(
    between: &mut Between,
    items: &Items,
    ranks: &Ranks,
    change: &Change,
    sequences: &[Sequence],
    examples: usize,
) {
    let mut groups = groups(items, ranks, change);
    for sequence in sequences {
        let script = script_name(items.first(sequence.item).script());
        groups
            .entry(script)
            .or_default()
            .push(Group { items: vec![sequence.item as u32], contracts: sequence.contracts });
    }
    let mut landmarks = Landmarks::new(items, ranks, change);
    for script in &mut between.scripts {
        let Some(mut of_script) = groups.remove(script.script.as_str()) else { continue };
        of_script
            .sort_by_key(|group| (group.items[0] as usize >= items.characters(), familiarity(items, group.items[0])));
        let shown = shown(of_script, items, examples);
        script.examples = shown.iter().map(|group| seen(group, items, change, &mut landmarks)).collect();
    }
}

/// Characters that differ and are equal to one another under both, or a sequence.
struct Group {
    /// The most familiar first.
    items: Vec<u32>,
    contracts: [bool; 2],
}

/// The groups of characters that differ, by script.
fn groups(items: &Items, ranks: &Ranks, change: &Change) -> BTreeMap<&'static str, Vec<Group>> {
    let mut by_ranks: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
    for item in (0..items.characters()).filter(|&item| change.kinds(item).any()) {
        by_ranks.entry((ranks.a[item], ranks.b[item])).or_default().push(item as u32);
    }
    let mut groups: BTreeMap<&'static str, Vec<Group>> = BTreeMap::new();
    for mut all in by_ranks.into_values() {
        all.sort_unstable_by_key(|&item| familiarity(items, item));
        let script = script_name(items.first(all[0] as usize).script());
        groups.entry(script).or_default().push(Group { items: all, contracts: [false; 2] });
    }
    groups
}

/// Half of the examples are sequences, where there are as many.
fn shown(groups: Vec<Group>, items: &Items, examples: usize) -> Vec<Group> {
    let is_sequence = |group: &Group| group.items[0] as usize >= items.characters();
    let (sequences, characters): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(is_sequence);
    let of_sequences = sequences.len().min((examples / 2).max(examples.saturating_sub(characters.len())));
    let of_characters = characters.len().min(examples - of_sequences);
    characters.into_iter().take(of_characters).chain(sequences.into_iter().take(of_sequences)).collect()
}

fn seen(group: &Group, items: &Items, change: &Change, landmarks: &mut Landmarks<'_>) -> Seen {
    let first = group.items[0] as usize;
    let mates = change.mates(first);
    let before = landmarks.before(first);
    let [a, b] = [0, 1].map(|side| {
        let equals = mates[side].or_else(|| landmarks.equal_to(first, side)).map(|mate| text(items, mate));
        let after = before[side].map(|item| text(items, item));
        Place { equals, after, contracts: group.contracts[side] }
    });
    let texts = group.items.iter().take(NAMED).map(|&item| text(items, item as usize)).collect();
    Seen { texts, count: group.items.len(), a, b }
}

fn text(items: &Items, item: usize) -> String {
    items.text(item).iter().collect()
}

/// Characters that did not move, by which places are told.
struct Landmarks<'i> {
    items: &'i Items,
    ranks: [&'i [u32]; 2],
    by_script: HashMap<Script, Vec<u32>>,
    /// By script and collation, each with its rank, ascending; made when a script is first asked for.
    ranked: HashMap<Script, [Vec<(u32, u32)>; 2]>,
    ascii: [Vec<(u32, u32)>; 2],
}

impl<'i> Landmarks<'i> {
    fn new(items: &'i Items, ranks: &'i Ranks, change: &Change) -> Self {
        let ranks = [&ranks.a[..], &ranks.b];
        let mut by_script: HashMap<Script, Vec<u32>> = HashMap::new();
        let mut ascii = Vec::new();
        for item in (0..items.characters()).filter(|&item| change.is_kept(item)) {
            let character = items.first(item);
            by_script.entry(character.script()).or_default().push(item as u32);
            ascii.extend(matches!(character, 'a'..='z' | '0'..='9').then_some(item as u32));
        }
        Self { items, ranks, by_script, ranked: HashMap::new(), ascii: by_rank(&ascii, ranks) }
    }

    /// The character that a sequence is equal to.
    fn equal_to(&self, item: usize, side: usize) -> Option<usize> {
        if item < self.items.characters() {
            return None;
        }
        let ranks = self.ranks[side];
        let equal = (0..self.items.characters()).filter(|&other| ranks[other] == ranks[item]);
        equal.min_by_key(|&other| familiarity(self.items, other as u32))
    }

    /// The landmark in front of an item under each collation: of its script if these tell the two places apart, else of ASCII.
    fn before(&mut self, item: usize) -> [Option<usize>; 2] {
        let ranks = self.ranks.map(|ranks| ranks[item]);
        let nearest = |landmarks: &[Vec<(u32, u32)>; 2]| {
            [0, 1].map(|side| {
                let below = landmarks[side].partition_point(|&(other, _)| other < ranks[side]);
                below.checked_sub(1).map(|last| landmarks[side][last].1 as usize)
            })
        };
        let script = self.items.first(item).script();
        let of_ascii = nearest(&self.ascii);
        if script == Script::Latin {
            return of_ascii;
        }
        match nearest(self.of(script)) {
            [Some(a), Some(b)] if a != b || of_ascii[0] == of_ascii[1] => [Some(a), Some(b)],
            _ => of_ascii,
        }
    }

    fn of(&mut self, script: Script) -> &[Vec<(u32, u32)>; 2] {
        let Self { ranks, by_script, ranked, .. } = self;
        ranked.entry(script).or_insert_with(|| by_rank(by_script.get(&script).map_or(&[], Vec::as_slice), *ranks))
    }
}

/// Items with their ranks, ascending; of equal ones the first.
fn by_rank(landmarks: &[u32], ranks: [&[u32]; 2]) -> [Vec<(u32, u32)>; 2] {
    ranks.map(|ranks| {
        let mut all: Vec<(u32, u32)> = landmarks.iter().map(|&item| (ranks[item as usize], item)).collect();
        all.sort_unstable();
        all.dedup_by_key(|(rank, _)| *rank);
        all
    })
}
