//! What a report says, before it is put into a form.

use measure::{Analysis, PublishedFigure, Run};
use profile::Profiles;
use recipe::Claim;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{headline, sentence, warning};

/// A run and what follows from its samples: the content of every output.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// What a reader must know before the figures.
    pub warnings: Vec<String>,
    /// What each collation costs over all that was measured, a sentence each.
    pub headlines: Vec<String>,
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
        let headlines = headline::headlines(&run, &analysis);
        let sentences = sentence::sentences(&run, &analysis);
        let claims = recipe::judge(&run, &analysis);
        let published = run.recipe.as_ref().map(|recipe| recipe.published.clone()).unwrap_or_default();
        Self { warnings, headlines, sentences, claims, published, run, analysis, profiles: None }
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
pub(crate) fn document(content: &impl Serialize) -> String {
    serde_json::to_string_pretty(content).expect("plain data") + "\n"
}
