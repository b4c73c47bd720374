//! Options of all workloads of a run.

use serde::{Deserialize, Serialize};

use crate::random::Distribution;
use crate::text::Text;

/// Sizes, text and randomness. Defaults are sysbench's, except for more rows and a fixed seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Options {
    /// Number of tables of each family (`--tables`).
    pub tables: u32,
    /// Rows of each table (`--table-size`). sysbench's default of 10,000 rows is a few megabytes,
    /// which fit in any buffer pool.
    pub table_size: u32,
    /// Rows that a range scan reads (`--range-size`).
    pub range_size: u32,
    /// Kind of text in the rows (`--text`).
    pub text: Text,
    /// Omits BEGIN and COMMIT (`--skip-trx`).
    pub skip_trx: bool,
    /// Distribution of ids (`--rand-type`).
    pub distribution: Distribution,
    /// Seed of all random numbers (`--rand-seed`).
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tables: 1,
            table_size: 100_000,
            range_size: 100,
            text: Text::default(),
            skip_trx: false,
            distribution: Distribution::default(),
            seed: 1,
        }
    }
}
