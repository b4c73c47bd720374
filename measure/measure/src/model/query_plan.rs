//! Query plans of the statements of a run, as reported by EXPLAIN.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Query plan of one statement of a condition for one variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueryPlan {
    /// Index in [`Run::conditions`](super::Run::conditions).
    pub condition: usize,
    /// Index in [`Run::variants`](super::Run::variants).
    pub variant: usize,
    /// The statement, with `?` or a name for each parameter.
    pub statement: String,
    /// One step per row of EXPLAIN, in its order.
    pub steps: Vec<PlanStep>,
    /// Output of `EXPLAIN FORMAT=JSON`. Absent if the server does not support it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
}

/// A row of EXPLAIN without the estimates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanStep {
    /// Table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Access type: `const`, `range`, `index`, `ALL`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
    /// Index used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Column `Extra`: `Using temporary; Using filesort`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
}

impl std::fmt::Display for PlanStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [&self.access, &self.key, &self.extra];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        f.write_str(&parts.join(", "))
    }
}
