//! The content of a run's report, in all formats.

use measure::{Analysis, PublishedFigure, Run};
use profile::Profiles;
use recipe::Claim;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::format::json::to_json;
use crate::run::verdict::quality;
use crate::run::{headline, sentence, warning};

/// Name and version of the JSON format that this version of `weigh` writes.
const FORMAT: &str = "weighbridge-report/1";

/// A run, its analysis, and both in sentences: the content of all formats.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Name and version of the format.
    pub format: String,
    /// Warnings to read before the figures.
    pub warnings: Vec<String>,
    /// Results in short: the workloads by what they cost, and the cores that the difference takes.
    /// For a workload folder, one sentence per number of connections and side.
    pub headlines: Vec<String>,
    /// Results as sentences.
    pub sentences: Vec<String>,
    /// Claims of the study that the run's recipe repeats, with verdicts.
    pub claims: Vec<Claim>,
    /// Figures that the study published.
    pub published: Vec<PublishedFigure>,
    pub run: Run,
    pub analysis: Analysis,
    /// CPU profiles, or the reason why they are missing. Absent if the run was not profiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profiles: Option<Profiles>,
}

impl Report {
    /// Derives warnings, headlines, sentences and verdicts on claims from a run.
    pub fn new(run: Run, analysis: Analysis) -> Self {
        let warnings = warning::warnings(&run, &analysis);
        let headlines = headline::headlines(&run, &analysis);
        let sentences = sentence::sentences(&run, &analysis);
        let claims = recipe::judge(&run, &analysis);
        let published = run.recipe.as_ref().map(|recipe| recipe.published.clone()).unwrap_or_default();
        let format = FORMAT.into();
        Self { format, warnings, headlines, sentences, claims, published, run, analysis, profiles: None }
    }

    /// Returns why the run can't tell anything, and what to do. `None` for other runs.
    pub fn cannot_tell(&self) -> Option<String> {
        quality::cannot_tell(&self.run, &self.analysis)
    }

    /// Adds the profiles that were taken during the run.
    pub fn with_profiles(self, profiles: Option<Profiles>) -> Self {
        Self { profiles, ..self }
    }
}

/// Returns the report as JSON (`schemas/report.schema.json`).
pub fn json(report: &Report) -> String {
    to_json(report)
}
