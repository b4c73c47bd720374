//! State of a condition during a run, with counts of the blocks excluded from its ratios.

use std::ops::Range;

use crate::model::{Block, Condition};
use crate::request::WorkloadSource;

pub(super) struct ConditionState {
    pub(super) source: WorkloadSource,
    /// Indices of the condition's pairs in the run.
    pub(super) pairs: Range<usize>,
    /// Counted blocks in which a side completed no transaction.
    idle: u32,
    /// Connections that were lost.
    lost: u32,
    /// Blocks in which server threads of a side were not identified, or threads were not bound.
    unbound: u32,
}

impl ConditionState {
    pub(super) fn new(source: WorkloadSource, pairs: Range<usize>) -> Self {
        Self { source, pairs, idle: 0, lost: 0, unbound: 0 }
    }

    /// Counts a block if it must be excluded.
    pub(super) fn count(&mut self, block: &Block) {
        let lost: u32 = block.sides.iter().map(|side| side.lost_connections).sum();
        let unbound = block.sides.iter().any(|side| side.unbound);
        let is_whole = !block.warm_up && lost == 0 && !unbound;
        self.lost += lost;
        self.unbound += u32::from(unbound);
        self.idle += u32::from(is_whole && block.sides.iter().any(|side| side.events == 0));
    }

    /// Returns notes on the excluded blocks.
    pub(super) fn notes(&self, condition: &Condition) -> Vec<String> {
        let unbound = format!(
            "{condition}: blocks that are left out, as the server's threads behind the connections were not found or bound: {}",
            self.unbound
        );
        let lost = format!(
            "{condition}: connections lost and made anew: {}; the blocks they were lost in are left out",
            self.lost
        );
        let idle = format!(
            "{condition}: blocks in which a side completed nothing, and which give no ratio: {}; a longer --block would",
            self.idle
        );
        let all = [(self.unbound, unbound), (self.lost, lost), (self.idle, idle)];
        all.into_iter().filter(|(count, _)| *count > 0).map(|(_, note)| note).collect()
    }
}
