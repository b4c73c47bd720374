//! Variants, duet schedule, stopping rule, statistics, and the results on disk.

mod analysis;
mod change;
mod error;
mod executor;
mod experiment;
mod folder;
mod latency;
mod likeness;
mod machine;
mod model;
mod plan;
mod preview;
mod quantity;
mod recipe;
mod request;
mod schedule;
mod selftest;
mod stats;

pub use analysis::{Analysis, CellResult, Comparison, VariantResult, Verdict, analyse};
pub use change::{Difference, RatioChange, RunChange, ThroughputChange, change};
pub use error::Error;
pub use experiment::{Outcome, run};
pub use folder::{Folder, FolderError, read};
pub use likeness::{Unlike, is_only_a_namesake};
pub use machine::describe as this_machine;
pub use model::{
    Block, Cell, Driver, FORMAT, Imported, Latency, LogFigures, LogInterval, Machine, Mode, Options, Pair, PairKind,
    Run, ServerInfo, Side, TableSize, Variant,
};
pub use plan::{Across, Axes, DEFAULT_BASELINE, DEFAULT_COLLATIONS, Facts, PlanError, nearest, pairs};
pub use preview::{Preview, facts, preview};
pub use quantity::{parse_duration, parse_percent};
pub use recipe::{ClaimSpec, PublishedFigure, Range, RecipeRecord, Selector};
pub use request::{Observer, Probe, Request};
pub use schedule::Standing;
pub use selftest::{Found, HANDICAPS, SelfTest, self_test};
pub use stats::{Estimate, mean, mean_with_interval, median};
