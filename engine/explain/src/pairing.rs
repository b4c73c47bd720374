//! Aligns two strings, row by row: each [`Step`] (a character or contraction with its weights) with
//! its counterpart.

use crate::model::{MismatchPosition, Step, View};

/// A row of aligned steps: indexes into [`View::a`] and [`View::b`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPair {
    /// `None` if the second string's step has no counterpart.
    pub a: Option<usize>,
    /// `None` if the first string's step has no counterpart.
    pub b: Option<usize>,
    /// True if the strings' first mismatch is at one of the steps.
    pub has_mismatch: bool,
}

/// Aligns steps by the number of primary weights before them.
///
/// `ß` is aligned with the first `s` of `ss`. A character without primary weights gets a row of its
/// own, unless the other string has such a character at the same position.
pub fn pair_steps(view: &View) -> Vec<StepPair> {
    let is_at = |position: &MismatchPosition, step: Option<usize>| step.is_some() && position.step == step;
    let has_mismatch =
        |a, b| view.mismatch.as_ref().is_some_and(|mismatch| is_at(&mismatch.a, a) || is_at(&mismatch.b, b));
    align(&view.a, &view.b).into_iter().map(|(a, b)| StepPair { a, b, has_mismatch: has_mismatch(a, b) }).collect()
}

fn align(a: &[Step], b: &[Step]) -> Vec<(Option<usize>, Option<usize>)> {
    let weight_count = |step: Option<&Step>| step.map(|step| step.weights.first().map_or(0, Vec::len));
    let (mut at_a, mut at_b, mut weights_a, mut weights_b) = (0, 0, 0, 0);
    let mut rows = Vec::new();
    while at_a < a.len() || at_b < b.len() {
        let (count_a, count_b) = (weight_count(a.get(at_a)), weight_count(b.get(at_b)));
        // A step gets its own row if the other string has more weights so far or has ended, or if
        // only this step has no weights.
        let (takes_a, takes_b) = match (count_a, count_b) {
            (Some(_), None) => (true, false),
            (None, _) => (false, true),
            (Some(_), Some(_)) if weights_a != weights_b => (weights_a < weights_b, weights_b < weights_a),
            (Some(0), Some(count_b)) if count_b > 0 => (true, false),
            (Some(count_a), Some(0)) if count_a > 0 => (false, true),
            _ => (true, true),
        };
        rows.push((takes_a.then_some(at_a), takes_b.then_some(at_b)));
        if takes_a {
            (at_a, weights_a) = (at_a + 1, weights_a + count_a.unwrap_or(0));
        }
        if takes_b {
            (at_b, weights_b) = (at_b + 1, weights_b + count_b.unwrap_or(0));
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
    fn aligns_expansion_with_its_equals() {
        let (a, b) = ([step("ß", 2), step("e", 1)], [step("s", 1), step("s", 1), step("e", 1)]);
        assert_eq!(align(&a, &b), [(Some(0), Some(0)), (None, Some(1)), (Some(1), Some(2))]);
    }

    #[test]
    fn gives_ignorable_a_row_of_its_own() {
        let (a, b) = ([step("e", 1), step("\u{301}", 0), step("f", 1)], [step("e", 1), step("f", 1)]);
        assert_eq!(align(&a, &b), [(Some(0), Some(0)), (Some(1), None), (Some(2), Some(1))]);
    }

    #[test]
    fn gives_rest_of_longer_string_rows_of_its_own() {
        let (a, b) = ([step("a", 1)], [step("a", 1), step("b", 1)]);
        assert_eq!(align(&a, &b), [(Some(0), Some(0)), (None, Some(1))]);
        assert_eq!(align(&[], &[]), []);
    }
}
