//! What a profile is, as it lies on disk and is printed (`schemas/profile.schema.json`).

use measure::Estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::image::Naming;

/// The format that this version writes, and the only one that it reads.
pub const FORMAT: &str = "weighbridge-profile/1";

/// The profiles of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Profiles {
    /// The format's name and version.
    pub format: String,
    /// One a condition, or the only one.
    pub profiles: Vec<Profile>,
    /// Why there are none, or fewer than asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
}

/// Where the CPU went while something ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Profile {
    /// What ran, in words.
    pub title: String,
    /// Index in the run's conditions, where this is of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<usize>,
    /// How samples were taken.
    pub sampling: SamplingInfo,
    /// Windows of time that intervals are taken over.
    pub windows: usize,
    /// Length of a window in seconds, all sides together; absent for samples that were taken elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_s: Option<f64>,
    /// The sides; the first is what the others are held against.
    pub sides: Vec<SideProfile>,
    /// Each other side against the first.
    pub differences: Vec<Difference>,
    /// What a reader must know.
    pub notes: Vec<String>,
}

/// How samples were taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SamplingInfo {
    /// Who took them, with the version.
    pub by: String,
    /// Samples a second of CPU time; absent for samples that were taken elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<u32>,
    /// `fp` or `dwarf`; absent for samples that were taken elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_graph: Option<String>,
    /// `cores`: all cores were sampled, and the servers' threads picked out afterwards; `threads`: those threads alone, which slows them
    /// down more; absent for samples that were taken elsewhere, and in what earlier versions wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// Where one side's CPU went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideProfile {
    /// What to call it: a collation, with the server where there are several.
    pub label: String,
    /// Index in the run's variants, where this is of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<usize>,
    /// Samples.
    pub samples: u64,
    /// Samples of threads that belong to no side (purge, flushing) in the same time; counted nowhere else.
    pub background_samples: u64,
    /// How the samples in the server's own program found their functions.
    pub coverage: Coverage,
    /// Server CPU time in µs a statement, where it can be told.
    pub cpu_us: Option<Estimate>,
    /// Share of the charset's and collation's work (the categories charset, compare, sort-key and hash), as a fraction.
    pub text_share: Share,
    /// All categories, in their order. The shares add up to 1.
    pub categories: Vec<CategoryShare>,
    /// The functions with most samples.
    pub functions: Vec<FunctionShare>,
    /// The flame graph, a file beside this one.
    pub flame_graph: Option<String>,
    /// The folded stacks, a file beside this one.
    pub folded: Option<String>,
}

/// How samples in the server's own program, user space, found their functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Samples whose innermost frame is in the server's program.
    pub samples: u64,
    /// By a symbol.
    pub symbol: u64,
    /// By a table of a charset or collation that leads there.
    pub handler: u64,
    /// By the function's bounds alone.
    pub bounds: u64,
    /// Not at all.
    pub unknown: u64,
}

/// A share, as a fraction, with its interval over the windows where there are several.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// The share.
    pub value: f64,
    /// Its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Estimate>,
}

/// A category's part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CategoryShare {
    /// The category.
    pub category: Category,
    /// Samples.
    pub samples: u64,
    /// Its share.
    pub share: Share,
    /// Server CPU time in µs a statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<Estimate>,
}

/// A function's part: what it does itself, without what it calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionShare {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// How it came by its name.
    pub naming: Naming,
    /// What most of its samples belong to.
    pub category: Category,
    /// Samples.
    pub samples: u64,
    /// Its share, as a fraction.
    pub share: f64,
    /// Server CPU time in µs a statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<f64>,
}

/// A side against the first one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Index in [`Profile::sides`].
    pub side: usize,
    /// Server CPU time in µs a statement that this side takes more.
    pub cpu_us: Option<Estimate>,
    /// The same of the charset's and collation's work.
    pub text_cpu_us: Option<Estimate>,
    /// The same by category, in their order; without CPU times, in shares.
    pub categories: Vec<CategoryDifference>,
    /// The functions that differ most.
    pub functions: Vec<FunctionDifference>,
    /// The differential flame graph, a file beside this one.
    pub flame_graph: Option<String>,
}

/// What a side takes more in a category.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CategoryDifference {
    /// The category.
    pub category: Category,
    /// Difference of the shares, as a fraction.
    pub share: f64,
    /// µs a statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<Estimate>,
}

/// What a side takes more in a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionDifference {
    /// Its name.
    pub name: String,
    /// How it came by its name.
    pub naming: Naming,
    /// What most of its samples belong to.
    pub category: Category,
    /// Share of the first side's samples, as a fraction.
    pub share_first: f64,
    /// Share of this side's.
    pub share: f64,
    /// µs a statement more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<Estimate>,
}
