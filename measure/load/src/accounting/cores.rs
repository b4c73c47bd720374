//! Binding threads to cores.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The cores that this process may use.
#[derive(Clone, Debug)]
pub(crate) struct Cores(Vec<usize>);

impl Cores {
    pub(crate) fn allowed() -> Self {
        let set = sched_getaffinity(None).unwrap_or_default();
        Self((0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
    }

    /// Binds a thread to the allowed core number `index` modulo the number of allowed cores.
    /// Returns whether the kernel then reports this core as the thread's only one. `thread` is
    /// `None` for the calling thread.
    pub(crate) fn pin(&self, thread: Option<Pid>, index: usize) -> bool {
        let Some(&core) = self.0.get(index % self.0.len().max(1)) else { return false };
        let mut set = CpuSet::new();
        set.set(core);
        let is_bound = |bound: CpuSet| bound.count() == 1 && bound.is_set(core);
        sched_setaffinity(thread, &set).is_ok() && sched_getaffinity(thread).is_ok_and(is_bound)
    }

    /// Lets a thread run on all cores of this process again.
    pub(super) fn free(&self, thread: Option<Pid>) {
        let mut set = CpuSet::new();
        self.0.iter().for_each(|&core| set.set(core));
        // An error is harmless: the thread has ended, or binding it was not permitted either.
        let _ = sched_setaffinity(thread, &set);
    }
}
