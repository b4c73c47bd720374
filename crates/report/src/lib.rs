//! Terminal tables, Markdown, CSV and JSON of a run; reads results, measures nothing.

mod csv_rows;
mod number;
mod sentence;
mod table;
mod text;

pub use csv_rows::csv;
pub use sentence::sentences;
pub use text::{Style, markdown, text};

use measure::{Analysis, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run and what follows from its samples: the content of every output.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The run.
    pub run: Run,
    /// Its results.
    pub analysis: Analysis,
    /// The results in plain sentences.
    pub sentences: Vec<String>,
}

impl Report {
    /// Puts a run and its results together.
    pub fn new(run: Run, analysis: Analysis) -> Self {
        let sentences = sentences(&run, &analysis);
        Self { run, analysis, sentences }
    }
}

/// The report as JSON (`schemas/report.schema.json`).
pub fn json(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("a report is plain data");
    text.push('\n');
    text
}
