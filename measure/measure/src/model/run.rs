//! A run: the content of `run.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Condition, Machine, Options, Pair, QueryPlan, RecipeRecord, ServerInfo, TableSize, Variant, WorkloadFolderRecord,
};

/// A run without its blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Name and version of the format.
    pub format: String,
    /// Version of `weigh` that wrote the run.
    pub weigh: String,
    /// Start of the run: RFC 3339, UTC.
    pub started: String,
    /// End of the run. Absent while it is running and after a crash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// Why the run ended early. Absent if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Shell command that repeats the run, without passwords.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Origin of an imported run. Machine, settings and most options are unknown then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// The client machine. Private servers run on it as well.
    pub machine: Machine,
    /// Servers in the requested order.
    pub servers: Vec<ServerInfo>,
    /// Options of the run, after defaults.
    pub options: Options,
    /// Recipe of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<RecipeRecord>,
    /// Workload folder measured in place of built-in workloads.
    #[serde(rename = "recording", default, skip_serializing_if = "Option::is_none")]
    pub workload_folder: Option<WorkloadFolderRecord>,
    /// sysbench script run in place of built-in workloads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<ScriptRecord>,
    /// All measured variants.
    pub variants: Vec<Variant>,
    /// All conditions.
    #[serde(alias = "cells")]
    pub conditions: Vec<Condition>,
    /// Pairs of variants to compare.
    pub pairs: Vec<Pair>,
    /// Table sizes of each variant, read once after loading. Copies are left out. Empty with a
    /// workload folder or a script.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<TableSize>,
    /// Query plans of the statements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<QueryPlan>,
    /// Notes for the reader, for example on excluded variants.
    pub notes: Vec<String>,
    /// Progress of the run. Absent if the run cannot be resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
}

/// A custom script that sysbench ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScriptRecord {
    /// Workload name in the conditions: the file name without extension.
    pub name: String,
    /// File as given by the user.
    pub file: String,
    /// Options of the script.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// SHA-256 of the file. A run is resumed only with the same file.
    pub digest: String,
}

impl From<&load::SysbenchScript> for ScriptRecord {
    fn from(script: &load::SysbenchScript) -> Self {
        let load::SysbenchScript { name, given_path, options, digest, .. } = script.clone();
        Self { name, file: given_path, options, digest }
    }
}

/// The complete replicates of a run. Blocks of later replicates are dropped when the run is
/// resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// Number of complete replicates.
    pub replicates: u32,
    /// Measuring time used by the complete replicates, in seconds.
    pub load_s: f64,
    /// Longest time for starting servers and loading rows in a replicate, in seconds.
    pub renewal_s: f64,
}

/// "no whole replicate", "1 whole replicate", "3 whole replicates"
impl std::fmt::Display for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.replicates {
            0 => f.write_str("no whole replicate"),
            1 => f.write_str("1 whole replicate"),
            several => write!(f, "{several} whole replicates"),
        }
    }
}

/// Origin of a run that another program measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// The program, such as `sysbench 1.0.20`.
    pub from: String,
    /// Files as given by the user.
    pub files: Vec<String>,
}

impl Run {
    /// Who may read the run's files. A workload folder's rows and statements can be personal data.
    pub fn access(&self) -> files::Access {
        access_for(self.workload_folder.is_some())
    }
}

pub(crate) fn access_for(has_workload_folder: bool) -> files::Access {
    if has_workload_folder { files::Access::OwnerOnly } else { files::Access::Umask }
}
