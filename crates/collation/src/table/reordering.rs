//! Reordering: a language may put whole scripts elsewhere, as Chinese puts ideographs before Latin letters. Its table then says by which
//! ranges the parent's primary weights move, instead of new weights for a hundred thousand characters.

use super::words::{Reader, Word, number};

/// A range of the parent's weights: its first and its last; a lead that is put before each, 0 for none; what is added to each, modulo 65,536.
pub type Range = [u16; 4];

/// The ranges of a level, which don't overlap, in ascending order.
///
/// A section is the number of ranges, then the four words of each.
#[derive(Clone, Copy)]
pub(super) struct Reordering {
    ranges: &'static [[Word; 4]],
}

impl Reordering {
    /// Reads a section; nothing, where the file has ended.
    pub fn read(reader: &mut Reader) -> Self {
        let count = if reader.is_empty() { 0 } else { reader.count() };
        Self { ranges: reader.words(4 * count).as_chunks().0 }
    }

    /// Whether all weights stay as they are.
    pub fn is_empty(self) -> bool {
        self.ranges.is_empty()
    }

    /// Writes what becomes of weights to the start of `out`, as many as there is room for, and says how many there are.
    pub fn apply(self, weights: &[u16], out: &mut [u16]) -> usize {
        let mut count = 0;
        for &weight in weights {
            let found = self.ranges.partition_point(|range| number(range[1]) < weight);
            let range = self.ranges.get(found).map(|range| range.map(number));
            for weight in reordered(range, weight).into_iter().flatten() {
                let Some(slot) = out.get_mut(count) else { break };
                *slot = weight;
                count += 1;
            }
        }
        count
    }
}

/// What becomes of a weight by the first range that ends no earlier: a lead, if there is one, and a weight.
pub const fn reordered(range: Option<Range>, weight: u16) -> [Option<u16>; 2] {
    match range {
        Some([first, last, lead, difference]) if first <= weight && weight <= last => {
            [if lead == 0 { None } else { Some(lead) }, Some(weight.wrapping_add(difference))]
        }
        _ => [None, Some(weight)],
    }
}
