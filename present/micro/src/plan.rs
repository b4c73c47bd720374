//! Chooses the pairs of strings to compare.

use std::time::Duration;

use workload::Text;

use crate::instruction_set::InstructionSet;
use crate::pair::{Difference, Pair, pair};

/// Options of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Collations by name. `None`: the default list, without collations that a server lacks.
    pub collations: Option<Vec<String>>,
    pub texts: Vec<Text>,
    /// Differences of the second string from the first. Combinations that a text does not have are
    /// omitted.
    pub differences: Vec<Difference>,
    /// Instruction sets of the engine to time. Empty: the machine's best.
    pub instruction_sets: Vec<InstructionSet>,
    /// Length of each string, in characters.
    pub characters: usize,
    /// Duration of one timing inside a server.
    pub time: Duration,
    /// Number of rounds, each with a new engine process. Results have intervals from six rounds on,
    /// and are empty with fewer.
    pub rounds: u32,
}

impl Default for Request {
    /// Strings have 119 characters, the length of a sysbench `c` value.
    fn default() -> Self {
        Self {
            collations: None,
            texts: Text::ALL.to_vec(),
            differences: Difference::ALL.to_vec(),
            instruction_sets: Vec::new(),
            characters: 119,
            time: Duration::from_millis(100),
            rounds: 7,
        }
    }
}

/// A pair of strings of one kind of text.
#[derive(Clone, Debug)]
pub(crate) struct TextPair {
    pub(crate) text: Text,
    pub(crate) difference: Difference,
    pub(crate) pair: Pair,
}

/// Returns the requested pairs, text by text. Omits differences that a text does not have.
pub(crate) fn text_pairs(request: &Request) -> Vec<TextPair> {
    let mut text_pairs = Vec::new();
    for &text in &request.texts {
        for &difference in &request.differences {
            if let Some(pair) = pair(text, difference, request.characters) {
                text_pairs.push(TextPair { text, difference, pair });
            }
        }
    }
    text_pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omits_differences_that_a_text_does_not_have() {
        let request = Request {
            texts: vec![Text::Digits, Text::Ascii],
            differences: vec![Difference::Case],
            ..Request::default()
        };
        let chosen = text_pairs(&request);
        assert!(
            matches!(chosen.as_slice(), [TextPair { text: Text::Ascii, difference: Difference::Case, .. }]),
            "{chosen:?}"
        );
    }
}
