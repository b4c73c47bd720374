//! Reordering of scripts. Chinese sorts ideographs before Latin letters, for example. The table of
//! Chinese moves ranges of the parent's primary weights instead of storing new weights for a
//! hundred thousand characters.

use super::words::{Reader, Word, number};

/// A range of the parent's weights: first weight, last weight, lead, difference. A lead other than
/// 0 is inserted before each weight. The difference is added to each weight modulo 65,536.
pub type Range = [u16; 4];

/// The ranges of a level in ascending order, without overlaps.
///
/// A file has the number of ranges, then four words per range.
#[derive(Clone, Copy)]
pub(super) struct Reordering {
    ranges: &'static [[Word; 4]],
}

impl Reordering {
    /// Reads the ranges. A level whose section ends here has no ranges.
    pub fn read(reader: &mut Reader) -> Self {
        let count = if reader.is_empty() { 0 } else { reader.count() };
        Self { ranges: reader.words(4 * count).as_chunks().0 }
    }

    /// Returns `true` if no weight moves.
    pub fn is_empty(self) -> bool {
        self.ranges.is_empty()
    }

    /// Writes the reordered weights to the start of `out`, as many as fit, and returns their
    /// number.
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

/// Reorders a weight by the first range whose last weight is not less. The result is the lead, if
/// the range has one, and the weight.
pub const fn reordered(range: Option<Range>, weight: u16) -> [Option<u16>; 2] {
    match range {
        Some([first, last, lead, difference]) if first <= weight && weight <= last => {
            [if lead == 0 { None } else { Some(lead) }, Some(weight.wrapping_add(difference))]
        }
        _ => [None, Some(weight)],
    }
}
