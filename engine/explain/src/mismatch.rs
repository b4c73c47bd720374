//! Finds the first weights in which two strings differ.

use mysql_collation::Element;

use crate::model::{Level, Mismatch, MismatchPosition};

/// Finds the first mismatch, level by level. `None` if all weights are equal.
///
/// A weight is written with at least `digits` hexadecimal digits. `space` returns the weight of
/// padding at a level, `None` under NO PAD.
pub(crate) fn find_mismatch(
    a: &[Element],
    b: &[Element],
    levels: impl Iterator<Item = usize>,
    digits: usize,
    space: impl Fn(usize) -> Option<u32>,
) -> Option<Mismatch> {
    for level in levels {
        let (mut a, mut b) = (weights(a, level), weights(b, level));
        loop {
            let (weight_a, weight_b) = (a.next(), b.next());
            if weight_a.is_none() && weight_b.is_none() {
                break;
            }
            let (place_a, place_b) = (place(weight_a, space(level)), place(weight_b, space(level)));
            if place_a.weight != place_b.weight {
                return Some(Mismatch {
                    level: Level::from_index(level),
                    a: place_a.position(digits),
                    b: place_b.position(digits),
                });
            }
        }
    }
    None
}

/// Returns the weights of a level, each with the index of its element.
fn weights(elements: &[Element], level: usize) -> impl Iterator<Item = (usize, u32)> {
    let steps = elements.iter().enumerate();
    steps.flat_map(move |(step, element)| {
        element.weights.get(level).into_iter().flatten().map(move |&weight| (step, weight))
    })
}

struct WeightAt {
    step: Option<usize>,
    weight: Option<u32>,
}

fn place(weight: Option<(usize, u32)>, space: Option<u32>) -> WeightAt {
    match weight {
        Some((step, weight)) => WeightAt { step: Some(step), weight: Some(weight) },
        None => WeightAt { step: None, weight: space },
    }
}

impl WeightAt {
    fn position(&self, digits: usize) -> MismatchPosition {
        MismatchPosition { step: self.step, weight: self.weight.map(|weight| format!("{weight:0digits$X}")) }
    }
}
