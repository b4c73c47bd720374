//! Compares two orders of characters: which characters are equal under one order only, and which
//! moved.

use mysql_collation::Collation;

use super::ranks::{Items, Ranks, is_contraction};

const NONE: u32 = u32::MAX;

/// Differences of single characters under the collations A and B.
pub(super) struct OrderChange {
    /// For each character: its partner under A, another character that is equal to it under A only,
    /// or [`NONE`] (see [`partners`]).
    partner_a: Vec<u32>,
    /// For each character: its partner under B, another character that is equal to it under B only,
    /// or [`NONE`].
    partner_b: Vec<u32>,
    moved: Vec<bool>,
    /// Ranks under A and B of the characters that did not move, in ascending order.
    unmoved: Vec<(u32, u32)>,
}

/// Ways in which a character differs.
#[derive(Clone, Copy)]
pub(super) struct ChangeKinds {
    pub equal_under_a: bool,
    pub equal_under_b: bool,
    pub moved: bool,
}

impl ChangeKinds {
    pub fn any(self) -> bool {
        self.equal_under_a || self.equal_under_b || self.moved
    }
}

impl OrderChange {
    pub fn compute(items: &Items, ranks: &Ranks) -> Self {
        let count = items.characters();
        let mut order: Vec<u32> = (0..count as u32).collect();
        let mut sorted = |first: &[u32], second: &[u32]| -> Vec<u32> {
            order.sort_unstable_by_key(|&item| (first[item as usize], second[item as usize], item));
            order.clone()
        };
        let partner_b = partners(items, &ranks.b, &ranks.a, &sorted(&ranks.b, &ranks.a));
        let by_a = sorted(&ranks.a, &ranks.b);
        let partner_a = partners(items, &ranks.a, &ranks.b, &by_a);
        let unmoved_items = longest_ascending_subsequence(&by_a, &ranks.b);
        let mut moved = vec![true; count];
        unmoved_items.iter().for_each(|&item| moved[item as usize] = false);
        let unmoved = unmoved_items.iter().map(|&item| (ranks.a[item as usize], ranks.b[item as usize])).collect();
        Self { partner_a, partner_b, moved, unmoved }
    }

    pub fn kinds(&self, item: usize) -> ChangeKinds {
        ChangeKinds {
            equal_under_a: self.partner_a[item] != NONE,
            equal_under_b: self.partner_b[item] != NONE,
            moved: self.moved[item],
        }
    }

    /// Returns the partner of `item` under A and its partner under B. Both are `None` for a
    /// sequence.
    pub fn partners(&self, item: usize) -> [Option<usize>; 2] {
        [&self.partner_a, &self.partner_b]
            .map(|partners| partners.get(item).filter(|&&partner| partner != NONE).map(|&partner| partner as usize))
    }

    pub fn is_unmoved(&self, item: usize) -> bool {
        !self.moved[item]
    }

    /// Returns the sequences that are contractions under one collation only, or under both and
    /// moved.
    pub fn sequences(&self, items: &Items, ranks: &Ranks, a: Collation, b: Collation) -> Vec<Sequence> {
        let sequence = |item: usize| Sequence {
            item,
            contracts: [a, b].map(|collation| is_contraction(collation, items.text(item))),
            moved: self.is_moved(ranks.a[item], ranks.b[item]),
        };
        (items.characters()..items.len()).map(sequence).filter(Sequence::differs).collect()
    }

    /// True if an item with these ranks is before an unmoved character under one collation and
    /// after it under the other.
    fn is_moved(&self, a: u32, b: u32) -> bool {
        let below = self.unmoved.partition_point(|ranks| ranks.0 < a);
        let above = self.unmoved.partition_point(|ranks| ranks.0 <= a);
        below.checked_sub(1).is_some_and(|last| self.unmoved[last].1 > b)
            || self.unmoved.get(above).is_some_and(|first| first.1 < b)
    }
}

/// A sequence of characters that is a contraction under at least one collation.
pub(super) struct Sequence {
    pub item: usize,
    pub contracts: [bool; 2],
    pub moved: bool,
}

/// Contraction under A only, under B only, or under both with another position.
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

/// Returns a partner for each character: equal to it by the ranks `class`, but not by the ranks
/// `other`. [`NONE`] for a character without a partner.
///
/// Characters with the same rank in `class` fall into groups by their rank in `other`. The largest
/// group gets no partners. Its most familiar character is the partner of the characters in the
/// smaller groups. `order` is sorted by `class`, then by `other`.
fn partners(items: &Items, class: &[u32], other: &[u32], order: &[u32]) -> Vec<u32> {
    let mut partners = vec![NONE; items.characters()];
    for class in order.chunk_by(|&one, &next| class[one as usize] == class[next as usize]) {
        let groups = || class.chunk_by(|&one, &next| other[one as usize] == other[next as usize]);
        // Of several largest groups, the one with the most familiar character gets no partners.
        let staying = groups()
            .max_by_key(|group| (group.len(), std::cmp::Reverse(familiarity_key(items, most_familiar(items, group)))));
        let Some(staying) = staying.filter(|staying| staying.len() < class.len()) else { continue };
        let partner = most_familiar(items, staying);
        let stays = other[partner as usize];
        class.iter().filter(|&&item| other[item as usize] != stays).for_each(|&item| partners[item as usize] = partner);
    }
    partners
}

fn most_familiar(items: &Items, group: &[u32]) -> u32 {
    group.iter().copied().min_by_key(|&item| familiarity_key(items, item)).unwrap_or(NONE)
}

/// Sort key of familiarity, by the item's first character: a-z and digits, A-Z, other lower-case
/// letters, other letters and digits, the rest; each by code point.
pub(super) fn familiarity_key(items: &Items, item: u32) -> (u8, char) {
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

/// Returns one of the longest subsequences of `order` with non-descending ranks, by patience
/// sorting (Fredman 1975).
fn longest_ascending_subsequence(order: &[u32], ranks: &[u32]) -> Vec<u32> {
    // Last item of the best subsequence of each length, and the predecessor of each item.
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
        /// Compares the result with all subsequences.
        #[test]
        fn no_longer_subsequence_ascends(ranks in prop::collection::vec(0_u32..6, 0..10)) {
            let order: Vec<u32> = (0..ranks.len() as u32).collect();
            let found = longest_ascending_subsequence(&order, &ranks);
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
