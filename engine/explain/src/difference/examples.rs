//! Selects the examples of each script, the most familiar characters first.

use std::collections::{BTreeMap, HashMap};

use unicode_script::{Script, UnicodeScript};

use super::change::{OrderChange, Sequence, familiarity_key};
use super::model::{CollationDifference, DifferenceExample, Position};
use super::ranks::{Items, Ranks};
use super::script_name;

/// Maximum number of characters that an example names. Further characters of the group are only
/// counted.
const MAX_NAMED: usize = 8;

pub(super) fn add_examples(
    difference: &mut CollationDifference,
    items: &Items,
    ranks: &Ranks,
    change: &OrderChange,
    sequences: &[Sequence],
    examples: usize,
) {
    let mut groups = group_items(items, ranks, change);
    for sequence in sequences {
        let script = script_name(items.first(sequence.item).script());
        groups
            .entry(script)
            .or_default()
            .push(Group { items: vec![sequence.item as u32], contracts: sequence.contracts });
    }
    let mut references = ReferenceCharacters::new(items, ranks, change);
    for script in &mut difference.scripts {
        let Some(mut script_groups) = groups.remove(script.script.as_str()) else { continue };
        script_groups.sort_by_key(|group| {
            (group.items[0] as usize >= items.characters(), familiarity_key(items, group.items[0]))
        });
        let selected = select_examples(script_groups, items, examples);
        script.examples = selected.iter().map(|group| build_example(group, items, change, &mut references)).collect();
    }
}

/// Differing characters that are equal under both collations, or one sequence.
struct Group {
    /// Sorted by familiarity.
    items: Vec<u32>,
    contracts: [bool; 2],
}

/// Groups the differing characters that are equal under both collations.
///
/// A group belongs to the script of its most familiar character.
fn group_items(items: &Items, ranks: &Ranks, change: &OrderChange) -> BTreeMap<&'static str, Vec<Group>> {
    let mut by_ranks: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
    for item in (0..items.characters()).filter(|&item| change.kinds(item).any()) {
        by_ranks.entry((ranks.a[item], ranks.b[item])).or_default().push(item as u32);
    }
    let mut groups: BTreeMap<&'static str, Vec<Group>> = BTreeMap::new();
    for mut all in by_ranks.into_values() {
        all.sort_unstable_by_key(|&item| familiarity_key(items, item));
        let script = script_name(items.first(all[0] as usize).script());
        groups.entry(script).or_default().push(Group { items: all, contracts: [false; 2] });
    }
    groups
}

/// Selects up to `examples` groups, characters before sequences.
///
/// Up to half of them are sequences, more if there are too few characters.
fn select_examples(groups: Vec<Group>, items: &Items, examples: usize) -> Vec<Group> {
    let is_sequence = |group: &Group| group.items[0] as usize >= items.characters();
    let (sequences, characters): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(is_sequence);
    let sequence_count = sequences.len().min((examples / 2).max(examples.saturating_sub(characters.len())));
    let character_count = characters.len().min(examples - sequence_count);
    characters.into_iter().take(character_count).chain(sequences.into_iter().take(sequence_count)).collect()
}

fn build_example(
    group: &Group,
    items: &Items,
    change: &OrderChange,
    references: &mut ReferenceCharacters<'_>,
) -> DifferenceExample {
    let first = group.items[0] as usize;
    let partners = change.partners(first);
    let before = references.preceding(first);
    let [a, b] = [0, 1].map(|side| {
        let equals = partners[side].or_else(|| references.equal_to(first, side)).map(|partner| text(items, partner));
        let after = before[side].map(|item| text(items, item));
        Position { equals, after, contracts: group.contracts[side] }
    });
    let texts = group.items.iter().take(MAX_NAMED).map(|&item| text(items, item as usize)).collect();
    DifferenceExample { texts, count: group.items.len(), a, b }
}

fn text(items: &Items, item: usize) -> String {
    items.text(item).iter().collect()
}

/// Characters that did not move. The positions of others are described relative to them.
struct ReferenceCharacters<'i> {
    items: &'i Items,
    ranks: [&'i [u32]; 2],
    by_script: HashMap<Script, Vec<u32>>,
    /// Pairs of rank and character under each collation, ascending. Filled per script on demand.
    ranked: HashMap<Script, [Vec<(u32, u32)>; 2]>,
    ascii: [Vec<(u32, u32)>; 2],
}

impl<'i> ReferenceCharacters<'i> {
    fn new(items: &'i Items, ranks: &'i Ranks, change: &OrderChange) -> Self {
        let ranks = [&ranks.a[..], &ranks.b];
        let mut by_script: HashMap<Script, Vec<u32>> = HashMap::new();
        let mut ascii = Vec::new();
        for item in (0..items.characters()).filter(|&item| change.is_unmoved(item)) {
            let character = items.first(item);
            by_script.entry(character.script()).or_default().push(item as u32);
            ascii.extend(matches!(character, 'a'..='z' | '0'..='9').then_some(item as u32));
        }
        Self { items, ranks, by_script, ranked: HashMap::new(), ascii: sort_by_rank(&ascii, ranks) }
    }

    /// Returns the most familiar character that a sequence equals. `None` for a single character.
    fn equal_to(&self, item: usize, side: usize) -> Option<usize> {
        if item < self.items.characters() {
            return None;
        }
        let ranks = self.ranks[side];
        let equal = (0..self.items.characters()).filter(|&other| ranks[other] == ranks[item]);
        equal.min_by_key(|&other| familiarity_key(self.items, other as u32))
    }

    /// Returns the reference character before an item under each collation.
    ///
    /// A Latin item gets one of a-z and 0-9. An item of another script gets a character of that
    /// script, unless no such character is before it or only a-z and 0-9 distinguish the two
    /// positions.
    fn preceding(&mut self, item: usize) -> [Option<usize>; 2] {
        let ranks = self.ranks.map(|ranks| ranks[item]);
        let nearest = |references: &[Vec<(u32, u32)>; 2]| {
            [0, 1].map(|side| {
                let below = references[side].partition_point(|&(other, _)| other < ranks[side]);
                below.checked_sub(1).map(|last| references[side][last].1 as usize)
            })
        };
        let script = self.items.first(item).script();
        let ascii = nearest(&self.ascii);
        if script == Script::Latin {
            return ascii;
        }
        match nearest(self.ranked_script(script)) {
            [Some(a), Some(b)] if a != b || ascii[0] == ascii[1] => [Some(a), Some(b)],
            _ => ascii,
        }
    }

    fn ranked_script(&mut self, script: Script) -> &[Vec<(u32, u32)>; 2] {
        let Self { ranks, by_script, ranked, .. } = self;
        ranked.entry(script).or_insert_with(|| sort_by_rank(by_script.get(&script).map_or(&[], Vec::as_slice), *ranks))
    }
}

/// Sorts characters by rank. Of characters with equal ranks only the first is kept.
fn sort_by_rank(characters: &[u32], ranks: [&[u32]; 2]) -> [Vec<(u32, u32)>; 2] {
    ranks.map(|ranks| {
        let mut all: Vec<(u32, u32)> = characters.iter().map(|&item| (ranks[item as usize], item)).collect();
        all.sort_unstable();
        all.dedup_by_key(|(rank, _)| *rank);
        all
    })
}
