//! One headline a collation: what it costs over all that was measured.

use measure::{Analysis, Comparison, PairKind, Run};

use crate::name::{in_words, on_server, variant};
use crate::recording;
use crate::span::{Point, span};

/// A headline for each variant that was held against a baseline of its own server, in the order of the run.
pub(crate) fn headlines(run: &Run, analysis: &Analysis) -> Vec<String> {
    if let Some(recording) = &run.recording {
        return recording::headlines(run, analysis, recording);
    }
    let mut names: Vec<(String, Vec<Point<'_>>)> = Vec::new();
    for condition in &analysis.conditions {
        let of_collations = |comparison: &&Comparison| comparison.kind == PairKind::Collation;
        for comparison in condition.comparisons.iter().filter(of_collations) {
            let name = variant(run, comparison.variant) + &on_server(run, comparison.variant);
            let point = Point { place: format!("on {}", in_words(run, condition.condition)), comparison };
            match names.iter_mut().find(|(known, _)| *known == name) {
                Some((_, points)) => points.push(point),
                None => names.push((name, vec![point])),
            }
        }
    }
    let headline = |(name, points): &(String, Vec<Point<'_>>)| {
        let found = span(points)?;
        let colon = if found.starts_with("no difference") { ":" } else { "" };
        Some(format!("{name}{colon} {found}."))
    };
    names.iter().filter_map(headline).collect()
}
