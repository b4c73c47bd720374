//! Variants, duet schedule, stopping rule, statistics, and the results on disk.

mod analysis;
mod buffer_pool;
mod change;
mod comparability;
mod connecting;
mod error;
mod executor;
mod experiment;
mod folder;
mod instances;
mod latency;
mod loading;
mod machine;
mod model;
mod nested;
mod pairing;
mod plan;
mod preview;
mod quantity;
mod recipe;
mod recording;
mod request;
mod schedule;
mod selftest;
mod stats;
mod stolen;
mod subject;
mod time;
mod turn;
mod verdict;

pub use analysis::{Analysis, Comparison, ConditionResult, LatencyRatios, ReplicateResult, VariantResult, analyse};
pub use buffer_pool::{BufferPool, BufferPoolError, Sizing};
pub use change::{Difference, RatioChange, RunChange, ThroughputChange, change};
pub use comparability::{Incomparability, is_only_a_namesake};
pub use connecting::default_connections;
pub use error::Error;
pub use experiment::{Outcome, changes, prepare, run};
pub use folder::{Folder, FolderError, read};
pub use machine::describe as this_machine;
pub use model::{
    Block, Condition, Driver, EARLIER_FORMATS, FORMAT, Imported, Latency, LogFigures, LogInterval, Machine, Mode,
    OWN_TEXT, Options, Pair, PairKind, Plan, PlanStep, Progress, Run, ScriptRecord, ServerInfo, Side, TableSize,
    Variant,
};
pub use plan::{Axes, CrossServer, DEFAULT_BASELINE, DEFAULT_COLLATIONS, Facts, PlanError, nearest, pairs};
pub use preview::{Preview, facts, preview};
pub use quantity::{parse_duration, parse_percent};
pub use recipe::{ClaimSpec, PublishedFigure, Range, RecipeRecord, Selector};
pub use recording::{ClassRecord, LeftOut, RecordedLoad, Recording, RecordingRecord, Selection};
pub use request::{Observer, Pin, Probe, Request};
pub use schedule::Standing;
pub use selftest::{EXTRA_WORK, Found, SelfTest, self_test};
pub use stats::{Estimate, holm, mean, mean_with_interval, median, ratio_of_replicates};
pub use verdict::{Verdict, not_excluded, verdict};
