//! From the rounds of a cell to its figures, and from the verdicts to a warning. Pure.

use measure::{Estimate, ServerInfo, median};

use crate::model::{Cell, Round};

/// Medians of a cell.
pub(crate) struct Figures {
    pub(crate) server: Estimate,
    pub(crate) engine: Option<Estimate>,
    pub(crate) memcmp: Estimate,
    pub(crate) ratio: Option<Estimate>,
}

/// The figures of at least six rounds.
pub(crate) fn figures(rounds: &[Round]) -> Option<Figures> {
    let of = |figure: fn(&Round) -> Option<f64>| {
        let values: Option<Vec<f64>> = rounds.iter().map(figure).collect();
        median(&values?)
    };
    // A difference that noise has turned round makes no ratio.
    let ratio = |round: &Round| round.engine.filter(|_| round.server > 0.0).map(|engine| round.server / engine);
    Some(Figures {
        server: of(|round| Some(round.server))?,
        engine: of(|round| round.engine),
        memcmp: of(|round| Some(round.memcmp))?,
        ratio: of(ratio),
    })
}

/// A sentence for each collation of a server that the engine sees another way: that is a fault of the engine.
pub(crate) fn disagreements(cells: &[Cell], servers: &[ServerInfo]) -> Vec<String> {
    let unlike = cells.iter().filter(|cell| !cell.agrees());
    let sentence = |cell: &Cell| {
        let with = cell.instruction_set.as_ref().map(|name| format!(" with {name}")).unwrap_or_default();
        format!(
            "{} and the engine{with} disagree on {} text with difference {} under {}: please report it",
            servers[cell.server].label, cell.text, cell.difference, cell.collation
        )
    };
    unlike.map(sentence).collect()
}

impl Cell {
    /// Whether the engine, where it has the collation, compares the strings as the server does.
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
        let figures = figures(&rounds(&[40.0, 44.0, 42.0, 400.0, 41.0, 43.0, 42.0], Some(2.0))).unwrap();
        assert_eq!((figures.server.value, figures.server.low, figures.server.high), (42.0, 40.0, 400.0));
        assert_eq!((figures.engine.unwrap().value, figures.ratio.unwrap().value), (2.0, 21.0));
        assert_eq!(figures.memcmp.value, 1.0);
    }

    #[test]
    fn a_collation_that_the_engine_lacks_has_no_ratio() {
        let figures = figures(&rounds(&[40.0; 6], None)).unwrap();
        assert!(figures.engine.is_none() && figures.ratio.is_none());
    }

    #[test]
    fn a_difference_lost_in_noise_has_no_ratio() {
        let figures = figures(&rounds(&[1.0, 1.0, 1.0, 1.0, 1.0, -0.5], Some(2.0))).unwrap();
        assert!(figures.ratio.is_none() && figures.server.low < 0.0);
    }

    #[test]
    fn too_few_rounds_have_no_figures() {
        assert!(figures(&rounds(&[40.0; 5], Some(2.0))).is_none());
    }
}
