//! Intervals of means and ratios over blocks and replicates. Deterministic for a given seed.

mod estimate;
mod interval;
mod nested;

pub use estimate::{CONFIDENCE_LEVEL, Estimate};
pub use interval::{
    change_ratio, geometric_mean, mean, mean_over_replicates, mean_ratio, mean_ratio_over_replicates,
    mean_with_interval, median_with_interval, quantile, significant_by_holm, unpaired_ratio,
};
pub use nested::{Design, ReplicateValues};
