//! Finds the ranges by which a language moves its parent's primary weights.

use std::collections::{BTreeMap, HashSet};

use mysql_collation::oracle::format::{LONGEST, Range, reordered};

use super::levels::Level;

#[derive(Default)]
pub struct Reordering {
    /// Ranges of the parent's weights, with their moves.
    pub ranges: Vec<Range>,
    /// Characters whose weights are the parent's, moved. Only characters of three and four bytes in
    /// UTF-8: the vector code reads the weights of shorter ones from a table.
    pub characters: HashSet<u32>,
}

/// First character of three bytes in UTF-8.
const FIRST_THREE_BYTE: u32 = 0x800;
/// Smallest first word of implicit weights.
const FIRST_IMPLICIT: u16 = 0xfb00;

pub fn find_reordering(level: &Level, parent: &Level) -> Reordering {
    let ranges = find_ranges(level, parent);
    let mut characters = HashSet::new();
    for (code_point, (own, parent_weights)) in (0..).zip(level.iter().zip(parent)) {
        let is_moved = own != parent_weights && own.len() <= LONGEST && *own == apply(&ranges, parent_weights);
        // A Hangul syllable has the weights of its letters, which move themselves.
        let is_syllable = (0xac00..0xd7a4).contains(&code_point);
        if code_point >= FIRST_THREE_BYTE && is_moved && !is_syllable {
            characters.insert(code_point);
        }
    }
    Reordering { ranges, characters }
}

/// Returns the most frequent move of each single weight, with neighbours of the same move joined
/// into ranges. Leaves out weights that don't move.
fn find_ranges(level: &Level, parent: &Level) -> Vec<Range> {
    let mut moves: BTreeMap<u16, BTreeMap<(u16, u16), usize>> = BTreeMap::new();
    for (own, parent_weights) in level.iter().zip(parent) {
        let &[weight] = &parent_weights[..] else { continue };
        let to = match own[..] {
            [to] => (0, to.wrapping_sub(weight)),
            [lead, to] => (lead, to.wrapping_sub(weight)),
            _ => continue,
        };
        if weight < FIRST_IMPLICIT {
            *moves.entry(weight).or_default().entry(to).or_default() += 1;
        }
    }
    let mut ranges: Vec<Range> = Vec::new();
    for (weight, by) in moves {
        let Some((lead, difference)) = by.into_iter().max_by_key(|&(_, count)| count).map(|(by, _)| by) else {
            continue;
        };
        match ranges.last_mut() {
            Some([_, last, lead_before, before]) if (*lead_before, *before) == (lead, difference) => *last = weight,
            _ => ranges.push([weight, weight, lead, difference]),
        }
    }
    ranges.retain(|&[.., lead, difference]| (lead, difference) != (0, 0));
    ranges
}

fn apply(ranges: &[Range], weights: &[u16]) -> Vec<u16> {
    let each = |&weight: &u16| {
        let index = ranges.partition_point(|&[_, last, ..]| last < weight);
        reordered(ranges.get(index).copied(), weight)
    };
    weights.iter().flat_map(each).flatten().collect()
}
