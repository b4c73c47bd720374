//! Terminal tables, Markdown, CSV and JSON of a run; reads results, measures nothing.
//!
//! A [`Report`] is a run, what [`measure::analyse`] made of its samples, and both in plain words. [`text()`], [`markdown()`], [`csv()`] and
//! [`json()`] turn it into one string each; none of them does any I/O. The tables of text and Markdown are built once, as plain
//! strings (`table`), and lined up by each renderer in its own way.
//!
//! The documents are described by JSON schemas in the workspace's `schemas/`: `run.json`, a line of `samples.jsonl`, and what
//! [`json()`] gives.

mod claims;
mod compare;
mod csv_rows;
pub mod explain;
mod head;
mod markdown;
pub mod micro;
mod name;
mod number;
mod page;
mod profile;
mod published;
mod selftest;
mod sentence;
mod sweep;
mod table;
mod text;
mod warning;

pub use compare::{Comparison, compare_csv, compare_json, compare_markdown, compare_text};
pub use csv_rows::csv;
pub use markdown::markdown;
pub use page::page;
pub use profile::{profile_csv, profile_json, profile_markdown, profile_text};
pub use selftest::self_test_text;
pub use text::{Style, text};

use ::profile::Profiles;
use measure::{Analysis, PublishedFigure, Run};
use recipe::Claim;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run and what follows from its samples: the content of every output.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// What a reader must know before the figures.
    pub warnings: Vec<String>,
    /// The results in plain sentences.
    pub sentences: Vec<String>,
    /// What the study of the run's recipe claims, and whether it holds on the servers measured.
    pub claims: Vec<Claim>,
    /// The figures that the study published.
    pub published: Vec<PublishedFigure>,
    /// The run.
    pub run: Run,
    /// Its results.
    pub analysis: Analysis,
    /// Where the servers' CPU went, where that was sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profiles: Option<Profiles>,
}

impl Report {
    /// Puts a run and its results together.
    pub fn new(run: Run, analysis: Analysis) -> Self {
        let warnings = warning::warnings(&run, &analysis);
        let sentences = sentence::sentences(&run, &analysis);
        let claims = recipe::judge(&run, &analysis);
        let published = run.recipe.as_ref().map(|recipe| recipe.published.clone()).unwrap_or_default();
        Self { warnings, sentences, claims, published, run, analysis, profiles: None }
    }

    /// The same with the profiles that were taken in the run.
    pub fn with_profiles(self, profiles: Option<Profiles>) -> Self {
        Self { profiles, ..self }
    }
}

/// The report as JSON (`schemas/report.schema.json`).
pub fn json(report: &Report) -> String {
    document(report)
}

/// Anything as a JSON document.
fn document(content: &impl Serialize) -> String {
    serde_json::to_string_pretty(content).expect("plain data") + "\n"
}
