//! Two strings under one collation, beside each other: steps of equal place stand in one row.

use crate::model::{Part, Step, View};

/// A row of the two strings beside each other: an index into [`View::a`], and one into [`View::b`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The step of the first string, absent where the second's stands alone.
    pub a: Option<usize>,
    /// The step of the second.
    pub b: Option<usize>,
    /// Whether the strings part at either of the two.
    pub parts: bool,
}

/// The steps of both strings in rows. They are paired by how many primary weights came before them, so that an expansion stands beside
/// all that it can equal, and an ignorable character alone.
pub fn pairs(view: &View) -> Vec<Pair> {
    let is_at = |part: &Part, step: Option<usize>| step.is_some() && part.step == step;
    let parts = |a, b| view.parting.as_ref().is_some_and(|parting| is_at(&parting.a, a) || is_at(&parting.b, b));
    paired(&view.a, &view.b).into_iter().map(|(a, b)| Pair { a, b, parts: parts(a, b) }).collect()
}

fn paired(a: &[Step], b: &[Step]) -> Vec<(Option<usize>, Option<usize>)> {
    let weight = |step: Option<&Step>| step.map(|step| step.weights.first().map_or(0, Vec::len));
    let (mut at_a, mut at_b, mut weights_a, mut weights_b) = (0, 0, 0, 0);
    let mut rows = Vec::new();
    while at_a < a.len() || at_b < b.len() {
        let (of_a, of_b) = (weight(a.get(at_a)), weight(b.get(at_b)));
        // Alone where the other one is behind, or has none, or this one weighs nothing and the other does.
        let (takes_a, takes_b) = match (of_a, of_b) {
            (Some(_), None) => (true, false),
            (None, _) => (false, true),
            (Some(_), Some(_)) if weights_a != weights_b => (weights_a < weights_b, weights_b < weights_a),
            (Some(0), Some(of_b)) if of_b > 0 => (true, false),
            (Some(of_a), Some(0)) if of_a > 0 => (false, true),
            _ => (true, true),
        };
        rows.push((takes_a.then_some(at_a), takes_b.then_some(at_b)));
        if takes_a {
            (at_a, weights_a) = (at_a + 1, weights_a + of_a.unwrap_or(0));
        }
        if takes_b {
            (at_b, weights_b) = (at_b + 1, weights_b + of_b.unwrap_or(0));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(text: &str, weights: usize) -> Step {
        Step {
            bytes: String::new(),
            text: text.into(),
            code_points: vec!["U+0000".into()],
            weights: vec![vec!["0001".into(); weights]],
            features: Vec::new(),
        }
    }

    #[test]
    fn an_expansion_stands_beside_all_that_it_equals() {
        let (a, b) = ([step("ß", 2), step("e", 1)], [step("s", 1), step("s", 1), step("e", 1)]);
        assert_eq!(paired(&a, &b), [(Some(0), Some(0)), (None, Some(1)), (Some(1), Some(2))]);
    }

    #[test]
    fn an_ignorable_stands_alone() {
        let (a, b) = ([step("e", 1), step("\u{301}", 0), step("f", 1)], [step("e", 1), step("f", 1)]);
        assert_eq!(paired(&a, &b), [(Some(0), Some(0)), (Some(1), None), (Some(2), Some(1))]);
    }

    #[test]
    fn the_longer_string_goes_on_alone() {
        let (a, b) = ([step("a", 1)], [step("a", 1), step("b", 1)]);
        assert_eq!(paired(&a, &b), [(Some(0), Some(0)), (None, Some(1))]);
        assert_eq!(paired(&[], &[]), []);
    }
}
