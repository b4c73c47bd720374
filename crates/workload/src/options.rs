//! What all workloads of a run have in common.

use serde::{Deserialize, Serialize};

use crate::random::Distribution;
use crate::text::Text;

/// Sizes, text and randomness; the defaults are sysbench's, but for more rows and a fixed seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Options {
    /// Tables of each family (`--tables`).
    pub tables: u32,
    /// Rows of each table (`--table-size`). sysbench's own default, 10,000, is a few megabytes that every cache holds.
    pub table_size: u32,
    /// Rows that a range scan reads (`--range-size`).
    pub range_size: u32,
    /// Text of the rows (`--text`).
    pub text: Text,
    /// Whether to leave out BEGIN and COMMIT (`--skip-trx`).
    pub skip_trx: bool,
    /// How ids are drawn (`--rand-type`).
    pub distribution: Distribution,
    /// What all randomness flows from (`--rand-seed`).
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
