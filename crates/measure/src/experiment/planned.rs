//! A condition of a run, and the blocks of it that are left out.

use std::ops::Range;

use crate::model::{Block, Condition};
use crate::subject::Subject;

/// A condition of the run.
pub(super) struct Planned {
    pub(super) subject: Subject,
    /// Its pairs, as indices in the run.
    pub(super) pairs: Range<usize>,
    /// Counted blocks in which a side completed nothing.
    idle: u32,
    /// Connections that were lost and made anew.
    lost: u32,
    /// Blocks in which a side's threads were not found or bound.
    unbound: u32,
}

impl Planned {
    pub(super) fn new(subject: Subject, pairs: Range<usize>) -> Self {
        Self { subject, pairs, idle: 0, lost: 0, unbound: 0 }
    }

    /// Counts what a block is left out for, if anything.
    pub(super) fn count(&mut self, block: &Block) {
        let lost: u32 = block.sides.iter().map(|side| side.lost_connections).sum();
        let unbound = block.sides.iter().any(|side| side.unbound);
        let is_whole = !block.warm_up && lost == 0 && !unbound;
        self.lost += lost;
        self.unbound += u32::from(unbound);
        self.idle += u32::from(is_whole && block.sides.iter().any(|side| side.events == 0));
    }

    /// What a reader must know of the blocks that are left out.
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
