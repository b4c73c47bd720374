//! What changes from one order of the characters to another: which are equal under one only, and which moved.

use mysql_collation::Collation;

use super::engine::{Items, Ranks, contracts};

/// No item.
const NONE: u32 = u32::MAX;

/// What changes, character by character.
pub(super) struct Change {
    /// For a character that is equal to another under A only: that one.
    mate_a: Vec<u32>,
    /// The same under B.
    mate_b: Vec<u32>,
    moved: Vec<bool>,
    /// The ranks of the characters that did not move, in ascending order under both collations.
    kept: Vec<(u32, u32)>,
}

/// In which ways a character differs.
#[derive(Clone, Copy)]
pub(super) struct Kinds {
    pub equal_under_a: bool,
    pub equal_under_b: bool,
    pub moved: bool,
}

impl Kinds {
    pub fn any(self) -> bool {
        self.equal_under_a || self.equal_under_b || self.moved
    }
}

impl Change {
    pub fn of(items: &Items, ranks: &Ranks) -> Self {
        let count = items.characters();
        let mut order: Vec<u32> = (0..count as u32).collect();
        let mut by = |first: &[u32], second: &[u32]| -> Vec<u32> {
            order.sort_unstable_by_key(|&item| (first[item as usize], second[item as usize], item));
            order.clone()
        };
        let mate_b = mates(items, &ranks.b, &ranks.a, &by(&ranks.b, &ranks.a));
        let by_a = by(&ranks.a, &ranks.b);
        let mate_a = mates(items, &ranks.a, &ranks.b, &by_a);
        let kept_items = longest_ascending(&by_a, &ranks.b);
        let mut moved = vec![true; count];
        kept_items.iter().for_each(|&item| moved[item as usize] = false);
        let kept = kept_items.iter().map(|&item| (ranks.a[item as usize], ranks.b[item as usize])).collect();
        Self { mate_a, mate_b, moved, kept }
    }

    pub fn kinds(&self, item: usize) -> Kinds {
        Kinds {
            equal_under_a: self.mate_a[item] != NONE,
            equal_under_b: self.mate_b[item] != NONE,
            moved: self.moved[item],
        }
    }

    /// The character that this one is equal to under each collation alone.
    pub fn mates(&self, item: usize) -> [Option<usize>; 2] {
        [&self.mate_a, &self.mate_b]
            .map(|mates| mates.get(item).filter(|&&mate| mate != NONE).map(|&mate| mate as usize))
    }

    pub fn is_kept(&self, item: usize) -> bool {
        !self.moved[item]
    }

    /// The sequences that differ.
    pub fn sequences(&self, items: &Items, ranks: &Ranks, a: Collation, b: Collation) -> Vec<Sequence> {
        let of = |item: usize| Sequence {
            item,
            contracts: [a, b].map(|collation| contracts(collation, items.text(item))),
            moved: self.is_elsewhere(ranks.a[item], ranks.b[item]),
        };
        (items.characters()..items.len()).map(of).filter(Sequence::differs).collect()
    }

    /// Whether something of these ranks stands on another side of a character that did not move.
    fn is_elsewhere(&self, a: u32, b: u32) -> bool {
        let below = self.kept.partition_point(|kept| kept.0 < a);
        let above = self.kept.partition_point(|kept| kept.0 <= a);
        below.checked_sub(1).is_some_and(|last| self.kept[last].1 > b)
            || self.kept.get(above).is_some_and(|first| first.1 < b)
    }
}

/// A sequence that either collation contracts.
pub(super) struct Sequence {
    pub item: usize,
    pub contracts: [bool; 2],
    pub moved: bool,
}

/// In what a sequence differs.
#[derive(Clone, Copy)]
pub(super) enum SequenceKind {
    OnlyA,
    OnlyB,
    Moved,
}

impl Sequence {
    fn differs(&self) -> bool {
        let [a, b] = self.contracts;
        a != b || a && self.moved
    }

    pub fn kind(&self) -> SequenceKind {
        match self.contracts {
            [true, false] => SequenceKind::OnlyA,
            [false, true] => SequenceKind::OnlyB,
            _ => SequenceKind::Moved,
        }
    }
}

/// For each character that leaves its class: the one that stands for what stays. `order` has the characters by `class`, then by `other`.
fn mates(items: &Items, class: &[u32], other: &[u32], order: &[u32]) -> Vec<u32> {
    let mut mates = vec![NONE; items.characters()];
    for class in order.chunk_by(|&one, &next| class[one as usize] == class[next as usize]) {
        let groups = || class.chunk_by(|&one, &next| other[one as usize] == other[next as usize]);
        // Of groups of one size, that of the most familiar character stays.
        let staying = groups()
            .max_by_key(|group| (group.len(), std::cmp::Reverse(familiarity(items, most_familiar(items, group)))));
        let Some(staying) = staying.filter(|staying| staying.len() < class.len()) else { continue };
        let mate = most_familiar(items, staying);
        let stays = other[mate as usize];
        class.iter().filter(|&&item| other[item as usize] != stays).for_each(|&item| mates[item as usize] = mate);
    }
    mates
}

fn most_familiar(items: &Items, group: &[u32]) -> u32 {
    group.iter().copied().min_by_key(|&item| familiarity(items, item)).unwrap_or(NONE)
}

/// The familiar first: lower case of ASCII, letters and digits, the rest, each by code point.
pub(super) fn familiarity(items: &Items, item: u32) -> (u8, char) {
    let character = items.first(item as usize);
    let class = match character {
        'a'..='z' | '0'..='9' => 0,
        'A'..='Z' => 1,
        _ if character.is_lowercase() => 2,
        _ if character.is_alphanumeric() => 3,
        _ => 4,
    };
    (class, character)
}

/// The longest part of `order` whose ranks ascend or stay: patience sorting (Fredman 1975).
fn longest_ascending(order: &[u32], ranks: &[u32]) -> Vec<u32> {
    // The last item of the best sequence of each length, and the item before each.
    let mut last: Vec<u32> = Vec::new();
    let mut before = vec![NONE; ranks.len()];
    for &item in order {
        let rank = ranks[item as usize];
        let length = last.partition_point(|&other| ranks[other as usize] <= rank);
        if let Some(index) = length.checked_sub(1) {
            before[item as usize] = last[index];
        }
        match last.get_mut(length) {
            Some(slot) => *slot = item,
            None => last.push(item),
        }
    }
    let mut sequence = Vec::with_capacity(last.len());
    let mut next = last.last().copied().unwrap_or(NONE);
    while next != NONE {
        sequence.push(next);
        next = before[next as usize];
    }
    sequence.reverse();
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against all subsequences.
        #[test]
        fn no_longer_sequence_ascends(ranks in prop::collection::vec(0_u32..6, 0..10)) {
            let order: Vec<u32> = (0..ranks.len() as u32).collect();
            let found = longest_ascending(&order, &ranks);
            let ascends = |items: &[u32]| items.windows(2).all(|pair| ranks[pair[0] as usize] <= ranks[pair[1] as usize]);
            prop_assert!(ascends(&found) && found.is_sorted());
            let longest = (0_u32..1 << ranks.len())
                .map(|set| order.iter().copied().filter(|item| set >> item & 1 == 1).collect::<Vec<_>>())
                .filter(|items| ascends(items))
                .map(|items| items.len())
                .max();
            prop_assert_eq!(Some(found.len()), longest);
        }
    }
}
