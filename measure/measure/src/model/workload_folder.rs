//! The workload folder of a run, as recorded in `run.json`.

use result_diff::ResultDiff;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::is_zero;

/// The workload folder that a run measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadFolderRecord {
    /// Name of the workload in conditions that measure the mix of all classes. Conditions that
    /// measure one class alone are named `NAME:CLASS`.
    pub name: String,
    /// Folder as given by the user.
    pub folder: String,
    /// SHA-256 of the folder's files. A run is resumed only with the same files.
    #[serde(default)]
    pub digest: String,
    /// Whether columns with an explicit collation were converted as well.
    pub convert_all: bool,
    /// Statement classes under load. If calls were timed, ordered by their share of the mix's time,
    /// largest first.
    pub classes: Vec<ClassRecord>,
    /// Calls that were excluded on all sides.
    #[serde(rename = "left_out", default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<ExcludedCalls>,
    /// Result diffs between the sides, by server, from the comparison before the load.
    #[serde(rename = "parity", default, skip_serializing_if = "Vec::is_empty")]
    pub result_diffs: Vec<ResultDiff>,
}

impl WorkloadFolderRecord {
    /// Returns the class that a condition measures alone. `None` for the mix.
    pub fn find_class(&self, workload: &str) -> Option<&ClassRecord> {
        let class = workload.strip_prefix(&self.name)?.strip_prefix(':')?;
        self.classes.iter().find(|one| one.name == class)
    }
}

/// A statement class under load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassRecord {
    /// Name of the class.
    pub name: String,
    /// Text of the statement.
    pub text: String,
    /// Share of the mix's calls, as a fraction.
    pub share: f64,
    /// Whether the class changes rows.
    pub writes: bool,
    /// Number of value samples that are sent.
    pub samples: u64,
    /// Pause of a connection after each call, in seconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub think_seconds: f64,
    /// Mean time of a call on the control in the comparison before the load, in seconds. The
    /// longest, of several servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Whether the class is also measured alone.
    pub by_itself: bool,
}

/// Calls that are not under load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExcludedCalls {
    /// Name of the class.
    pub class: String,
    /// Number of its excluded samples.
    pub samples: u64,
    /// Whether all samples of the class are excluded.
    pub all: bool,
    /// Reason: the side and the server's error.
    pub reason: String,
}
