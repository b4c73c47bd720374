//! Where two strings part: the first weights that differ, level by level.

use mysql_collation::Element;

use crate::model::{Level, Part, Parting};

/// Finds where two strings part. A weight is written with so many `digits`; `space` is the weight of the space at a level where
/// strings are padded with it.
pub(crate) fn parting(
    a: &[Element],
    b: &[Element],
    levels: impl Iterator<Item = usize>,
    digits: usize,
    space: impl Fn(usize) -> Option<u32>,
) -> Option<Parting> {
    for level in levels {
        let (mut a, mut b) = (weights(a, level), weights(b, level));
        loop {
            let (one, other) = (a.next(), b.next());
            if one.is_none() && other.is_none() {
                break;
            }
            let (one, other) = (at(one, space(level)), at(other, space(level)));
            if one.weight != other.weight {
                return Some(Parting { level: Level::of(level), a: one.part(digits), b: other.part(digits) });
            }
        }
    }
    None
}

/// The weights of a level, each with the step that it belongs to.
fn weights(elements: &[Element], level: usize) -> impl Iterator<Item = (usize, u32)> {
    let steps = elements.iter().enumerate();
    steps.flat_map(move |(step, element)| {
        element.weights.get(level).into_iter().flatten().map(move |&weight| (step, weight))
    })
}

struct At {
    step: Option<usize>,
    weight: Option<u32>,
}

fn at(weight: Option<(usize, u32)>, space: Option<u32>) -> At {
    match weight {
        Some((step, weight)) => At { step: Some(step), weight: Some(weight) },
        None => At { step: None, weight: space },
    }
}

impl At {
    fn part(&self, digits: usize) -> Part {
        Part { step: self.step, weight: self.weight.map(|weight| format!("{weight:0digits$X}")) }
    }
}
