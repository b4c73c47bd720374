//! Interfaces for watching a run and for probing its loads.

use std::collections::BTreeMap;
use std::time::Duration;

use load::Load;

use super::Error;
use crate::model::{Block, Run};
use crate::schedule::PairProgress;

/// Uses the connected loads of each condition once, for example to profile the servers. Called
/// after the condition's pairs are measured, or before if each pair gets its own rows.
pub trait Probe {
    /// Uses the loads of a condition, by variant. Returns whether the probe stored something in the
    /// run folder, which is then kept. A probe handles its own failures; an error ends the run.
    fn condition(
        &mut self,
        run: &Run,
        condition: usize,
        loads: &BTreeMap<usize, Load>,
        observer: &dyn Observer,
    ) -> Result<bool, Error>;
}

/// Receives the progress of a run.
pub trait Observer: Sync {
    /// A longer step begins, described by `what`.
    fn stage(&self, what: &str);
    /// Progress of the current step, 0 to 1.
    fn fraction(&self, done: f64);
    /// Measuring begins or continues in a replicate, counted from 1. `replicates` is the planned
    /// number. The run ends earlier once all ratios are precise enough. It ends later if time is
    /// left and no number was requested.
    fn measuring(&self, max_time: Duration, replicate: u32, replicates: u32);
    /// A block was measured. `spent` is the measuring time used so far.
    fn block(&self, run: &Run, block: &Block, standings: &[PairProgress], spent: Duration);
}
