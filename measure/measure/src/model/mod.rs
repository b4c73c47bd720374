//! The files of a run: `run.json` contains a [`Run`], each line of `samples.jsonl` a [`Block`].

mod block;
pub(crate) mod latency;
mod options;
mod query_plan;
mod recipe;
pub(crate) mod run;
mod server;
mod table_size;
mod variant;
mod workload_folder;

pub use block::{Block, Latency, LogFigures, LogInterval, Side};
pub use options::{Driver, Mode, Options};
pub use query_plan::{PlanStep, QueryPlan};
pub use recipe::{ClaimSpec, PublishedFigure, Range, RecipeRecord, Selector};
pub use run::{Imported, Progress, Run, ScriptRecord};
pub use server::{Machine, ServerInfo};
pub use table_size::TableSize;
pub(crate) use variant::is_mysql_uca900_name;
pub use variant::{Condition, Pair, PairKind, Variant, has_same_name_but_different_weights};
pub use workload_folder::{ClassRecord, ExcludedCalls, WorkloadFolderRecord};

/// Written format.
pub const FORMAT: &str = "weighbridge-run/2";

/// Older formats that this version reads. `weighbridge-run/1` has different names for some fields,
/// and no replicates.
pub const EARLIER_FORMATS: [&str; 1] = ["weighbridge-run/1"];

/// Name of the text in rows from a workload folder or a script, which is not one of the sample
/// texts.
pub const OWN_TEXT: &str = "own";

pub(crate) fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}
