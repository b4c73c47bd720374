//! Headlines: what a run says in short.

use measure::{Analysis, Run};

use crate::run::statements;
use crate::run::verdict::grid::grid;
use crate::run::verdict::summary::summary;

/// Returns the workloads by what they cost, and the cores that the difference takes. For a workload
/// folder, a headline per number of connections and side.
pub(crate) fn headlines(run: &Run, analysis: &Analysis) -> Vec<String> {
    match &run.workload_folder {
        Some(folder) => statements::headlines(run, analysis, folder),
        None => grid(run, analysis).map(|grid| summary(run, analysis, &grid)).unwrap_or_default(),
    }
}
