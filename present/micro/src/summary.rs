//! Computes medians of rounds, and describes verdicts on which engine and server disagree.

use measure::{Estimate, ServerInfo, median_with_interval};

use crate::model::{ComparisonCost, Round};

/// Medians of one comparison over its rounds.
pub(crate) struct MedianFigures {
    pub(crate) server: Estimate,
    pub(crate) engine: Option<Estimate>,
    pub(crate) memcmp: Estimate,
    pub(crate) ratio: Option<Estimate>,
}

/// Returns the medians. `None` with fewer than six rounds, which give no interval.
pub(crate) fn median_figures(rounds: &[Round]) -> Option<MedianFigures> {
    let median_of = |figure: fn(&Round) -> Option<f64>| {
        let values: Option<Vec<f64>> = rounds.iter().map(figure).collect();
        median_with_interval(&values?)
    };
    // Noise can make the server's time negative. Then there is no ratio.
    let ratio = |round: &Round| round.engine.filter(|_| round.server > 0.0).map(|engine| round.server / engine);
    Some(MedianFigures {
        server: median_of(|round| Some(round.server))?,
        engine: median_of(|round| round.engine),
        memcmp: median_of(|round| Some(round.memcmp))?,
        ratio: median_of(ratio),
    })
}

/// Returns a sentence for each comparison on which the engine disagrees with the server.
pub(crate) fn describe_disagreements(costs: &[ComparisonCost], servers: &[ServerInfo]) -> Vec<String> {
    let disagreeing = costs.iter().filter(|cell| !cell.agrees());
    let sentence = |cell: &ComparisonCost| {
        let with = cell.instruction_set.as_ref().map(|name| format!(" with {name}")).unwrap_or_default();
        format!(
            "{} and the engine{with} disagree on {} text with difference {} under {}: please report it",
            servers[cell.server].label, cell.text, cell.difference, cell.collation
        )
    };
    disagreeing.map(sentence).collect()
}

impl ComparisonCost {
    /// True if the engine's verdict is the server's, or if the engine lacks the collation.
    pub fn agrees(&self) -> bool {
        self.engine_verdict.is_none_or(|engine| engine == self.verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(servers: &[f64], engine: Option<f64>) -> Vec<Round> {
        servers.iter().map(|&server| Round { server, engine, memcmp: 1.0 }).collect()
    }

    #[test]
    fn figures_are_medians_of_the_rounds() {
        let figures = median_figures(&rounds(&[40.0, 44.0, 42.0, 400.0, 41.0, 43.0, 42.0], Some(2.0))).unwrap();
        assert_eq!((figures.server.value, figures.server.low, figures.server.high), (42.0, 40.0, 400.0));
        assert_eq!((figures.engine.unwrap().value, figures.ratio.unwrap().value), (2.0, 21.0));
        assert_eq!(figures.memcmp.value, 1.0);
    }

    #[test]
    fn collation_unknown_to_the_engine_has_no_ratio() {
        let figures = median_figures(&rounds(&[40.0; 6], None)).unwrap();
        assert!(figures.engine.is_none() && figures.ratio.is_none());
    }

    #[test]
    fn negative_time_has_no_ratio() {
        let figures = median_figures(&rounds(&[1.0, 1.0, 1.0, 1.0, 1.0, -0.5], Some(2.0))).unwrap();
        assert!(figures.ratio.is_none() && figures.server.low < 0.0);
    }

    #[test]
    fn fewer_than_six_rounds_have_no_figures() {
        assert!(median_figures(&rounds(&[40.0; 5], Some(2.0))).is_none());
    }
}
