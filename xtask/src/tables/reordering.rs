//! By which ranges does a language move its parent's primary weights?

use std::collections::{BTreeMap, HashSet};

use mysql_collation::oracle::format::{LONGEST, Range, reordered};

use super::levels::Level;

/// How weights move, and whose.
#[derive(Default)]
pub struct Moved {
    /// The ranges of the parent's weights.
    pub ranges: Vec<Range>,
    /// The characters that have the parent's weights, moved; short ones (of at most two bytes of UTF-8) apart, as vectors know
    /// only weights that stand in a table.
    pub characters: HashSet<u32>,
}

/// The first character of three bytes of UTF-8.
const LONG: u32 = 0x800;
/// Weights from here on begin implicit ones.
const IMPLICIT: u16 = 0xfb00;

/// What a level has of its parent's, moved.
pub fn find(level: &Level, parent: &Level) -> Moved {
    let ranges = ranges(level, parent);
    let mut characters = HashSet::new();
    for (code_point, (own, of_parent)) in (0..).zip(level.iter().zip(parent)) {
        let is_moved = own != of_parent && own.len() <= LONGEST && *own == apply(&ranges, of_parent);
        // A syllable has the weights of its letters, which are moved.
        let is_syllable = (0xac00..0xd7a4).contains(&code_point);
        if code_point >= LONG && is_moved && !is_syllable {
            characters.insert(code_point);
        }
    }
    Moved { ranges, characters }
}

/// By what each single weight of the parent moves, most often; neighbours that move by the same are a range.
fn ranges(level: &Level, parent: &Level) -> Vec<Range> {
    let mut moves: BTreeMap<u16, BTreeMap<(u16, u16), usize>> = BTreeMap::new();
    for (own, of_parent) in level.iter().zip(parent) {
        let &[weight] = &of_parent[..] else { continue };
        let to = match own[..] {
            [to] => (0, to.wrapping_sub(weight)),
            [lead, to] => (lead, to.wrapping_sub(weight)),
            _ => continue,
        };
        if weight < IMPLICIT {
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
        let found = ranges.partition_point(|&[_, last, ..]| last < weight);
        reordered(ranges.get(found).copied(), weight)
    };
    weights.iter().flat_map(each).flatten().collect()
}
