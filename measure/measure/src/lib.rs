//! Variants, the schedule of duets and solos, the stopping rule, analysis, and run folders.
//!
//! ```text
//! experiment ─▶ schedule, plan, folder, environment
//! change ─────▶ analysis, environment
//! analysis, schedule ─▶ pairing
//! plan ─▶ request ─▶ model
//! ```
//!
//! A module may also use the modules to its right and in the lines below. Everything uses `model`;
//! only `lib.rs` uses `experiment` and `change`.

mod analysis;
mod change;
mod environment;
mod experiment;
mod folder;
mod model;
mod pairing;
mod plan;
mod request;
mod schedule;

pub use analysis::{
    Analysis, Comparison, ConditionResult, ExtraWorkResult, Incomparability, LatencyRatios, ReplicateResult,
    SELF_TEST_EXTRA_WORK, SelfTest, VariantResult, Verdict, analyse, find_different_work, judge, plausible_range,
    summarise_self_test,
};
pub use change::{RatioChange, RunComparison, ThroughputChange, compare_runs};
pub use environment::EnvironmentDifference;
pub use environment::machine::describe_machine;
pub use experiment::{Error, Observer, Outcome, Probe, default_connections, find_changes, now, prepare, run};
pub use folder::{RunFolder, RunFolderError, check_size, read_run};
pub use model::{
    Block, ClaimSpec, ClassRecord, Condition, Driver, EARLIER_FORMATS, ExcludedCalls, FORMAT, Imported, Latency,
    LogFigures, LogInterval, Machine, Mode, OWN_TEXT, Options, Pair, PairKind, PlanStep, Progress, PublishedFigure,
    QueryPlan, Range, RecipeRecord, Run, ScriptRecord, Selector, ServerInfo, Side, TableSize, Variant,
    WorkloadFolderRecord, has_same_name_but_different_weights,
};
pub use plan::{
    BufferPoolError, BufferPoolSizing, NO_CLIENT_CHARSET, PlanError, Preview, ServerCollations, choose_collations,
    form_pairs, preview, preview_collations, read_server_collations, suggest_names,
};
pub use request::{
    Axes, BufferPool, ClassMix, CrossServer, DEFAULT_BASELINE, DEFAULT_COLLATIONS, FolderOptions, MeasuredFolder, Pin,
    Request, parse_duration, parse_percent,
};
pub use schedule::PairProgress;
pub use stats::{
    Estimate, mean, mean_ratio_over_replicates, mean_with_interval, median_with_interval, significant_by_holm,
};
