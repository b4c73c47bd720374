//! A profile as it is stored and printed (`schemas/profile.schema.json`).

use measure::{Estimate, Incomparability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::image::Naming;

/// Name and version of the format that this version reads and writes.
pub const FORMAT: &str = "weighbridge-profile/1";

/// Profiles of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Profiles {
    /// Name and version of the format.
    pub format: String,
    /// Profiles, at most one per condition of a run. Outside a run, there is one profile.
    pub profiles: Vec<Profile>,
    /// Reasons for missing profiles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
}

/// CPU profile of one condition, or of one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Profile {
    /// Title: the condition, the process, or the imported file.
    pub title: String,
    /// Index in the run's conditions. Absent for a profile outside a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<usize>,
    pub sampling: SamplingInfo,
    /// Number of windows of time that intervals are computed over.
    pub windows: usize,
    /// Length of a window in seconds: the sum of the slices of all sides. Absent for imported
    /// samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_s: Option<f64>,
    /// A profile per variant, server, process or imported file. Further ones are compared with the
    /// first.
    pub sides: Vec<SideProfile>,
    /// Comparison of each further side with the first.
    pub differences: Vec<Difference>,
    /// Remarks for the reader.
    pub notes: Vec<String>,
}

/// How the samples were taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SamplingInfo {
    /// Program that took the samples, with its version. For imported samples, names their file
    /// instead of the version.
    pub by: String,
    /// Samples per second of CPU time. Absent for imported samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<u32>,
    /// `fp` or `dwarf`. Absent for imported samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_graph: Option<String>,
    /// `cores`: all cores were sampled, and the servers' threads were selected afterwards.
    /// `threads`: only these threads were sampled, which slows them down more. Absent for imported
    /// samples and in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// CPU profile of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideProfile {
    /// Collation, with the connection charset if it differs from the collation's, and with the
    /// server if there are several. Outside a run, the server, the process or the imported file.
    pub label: String,
    /// Index in the run's variants. Absent for a profile outside a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<usize>,
    pub samples: u64,
    /// Samples of threads that belong to no side (purge, flushing) in the same time. All other
    /// counts exclude these samples.
    pub background_samples: u64,
    /// How samples in the server's own program were resolved.
    pub coverage: Coverage,
    /// Server CPU time per statement in µs. `null` if unknown.
    pub cpu_us: Option<Estimate>,
    /// Share of text processing (categories charset, compare, sort-key and hash), as a fraction.
    pub text_share: Share,
    /// All categories in a fixed order. The shares add up to 1.
    pub categories: Vec<CategoryShare>,
    /// Functions with most samples, at most 40.
    pub functions: Vec<FunctionShare>,
    /// File name of the flame graph, in the folder of this file.
    pub flame_graph: Option<String>,
    /// File name of the folded stacks, in the folder of this file.
    pub folded: Option<String>,
}

/// How samples in user space, in the server's own program, were resolved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Samples whose innermost frame is in the server's program.
    pub samples: u64,
    /// Resolved by a symbol.
    pub symbol: u64,
    /// Resolved by a slot of a charset's or collation's table.
    pub handler: u64,
    /// Only the bounds of the function are known.
    pub bounds: u64,
    /// Not resolved.
    pub unknown: u64,
}

/// Share as a fraction, with an interval if at least two windows have samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    pub value: f64,
    /// 95 % interval over the windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Estimate>,
}

/// Share of a category.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CategoryShare {
    pub category: Category,
    pub samples: u64,
    pub share: Share,
    /// Server CPU time per statement in µs. Absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<Estimate>,
}

/// Share of a function itself, without its callees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionShare {
    /// Name in words: `hash_sort of utf8mb4_bin`, `unnamed code in mariadbd (0x10f8800)`.
    pub name: String,
    /// Symbol, or where the function was found: `hash_sort@utf8mb4_bin`, `mariadbd+0x10f8800`.
    #[serde(default)]
    pub raw_name: String,
    pub file: String,
    pub naming: Naming,
    /// Category of most of the samples.
    pub category: Category,
    pub samples: u64,
    /// Share as a fraction.
    pub share: f64,
    /// Server CPU time per statement in µs. Absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<f64>,
}

/// Comparison of a side with the first side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Index in [`Profile::sides`].
    pub side: usize,
    /// Additional server CPU time of this side per statement, in µs. `null` if unknown.
    pub cpu_us: Option<Estimate>,
    /// Additional server CPU time of text processing per statement, in µs. `null` if unknown.
    pub text_cpu_us: Option<Estimate>,
    /// Different work of the two sides besides the collations', by the sessions' status counters.
    /// Absent if none was found, and for sides on different servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_comparable: Option<Incomparability>,
    /// Differences by category, in a fixed order.
    pub categories: Vec<CategoryDifference>,
    /// Functions that differ most, at most 40.
    pub functions: Vec<FunctionDifference>,
    /// File name of the differential flame graph, in the folder of this file.
    pub flame_graph: Option<String>,
}

/// Difference between a side and the first side in one category.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CategoryDifference {
    pub category: Category,
    /// Difference of the shares, as a fraction.
    pub share: f64,
    /// Additional server CPU time of this side per statement, in µs. Absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<Estimate>,
}

/// Difference between a side and the first side in one function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionDifference {
    /// Name in words: `hash_sort of utf8mb4_bin`, `unnamed code in mariadbd (0x10f8800)`.
    pub name: String,
    /// Symbol, or where the function was found: `hash_sort@utf8mb4_bin`, `mariadbd+0x10f8800`.
    #[serde(default)]
    pub raw_name: String,
    pub naming: Naming,
    /// Category of most samples of the function, on the side with more samples of the function.
    pub category: Category,
    /// Share of the first side's samples, as a fraction.
    pub share_first: f64,
    /// Share of this side's samples, as a fraction.
    pub share: f64,
    /// Additional server CPU time of this side per statement, in µs. Absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<Estimate>,
}
