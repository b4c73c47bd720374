//! Tasks distributed over connections, and a progress counter.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use server::Conn;

use super::Progress;

/// Runs `work` for every task in order, one task per connection at a time. No task begins after the
/// first error.
pub(super) fn run_tasks<T: Sync, E: Send>(
    conns: &mut [Conn],
    tasks: &[T],
    work: impl Fn(&mut Conn, &T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let run = |conn: &mut Conn| {
        while !failed.load(Ordering::Relaxed)
            && let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed))
        {
            work(conn, task).inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = conns.iter_mut().map(|conn| scope.spawn(|| run(conn))).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

pub(super) struct ProgressCounter<'a> {
    done: AtomicU64,
    total: u64,
    watcher: &'a (dyn Fn(Progress) + Sync),
}

impl<'a> ProgressCounter<'a> {
    pub fn new(total: u64, watcher: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self { done: AtomicU64::new(0), total, watcher }
    }

    /// Adds rows and reports the progress. Loading a schema ends early if it cannot hold the text,
    /// so the sum can stay below the total until [`ProgressCounter::finish`].
    pub fn add(&self, rows: u64) {
        let done = self.done.fetch_add(rows, Ordering::Relaxed) + rows;
        (self.watcher)(Progress { done: done.min(self.total), total: self.total });
    }

    /// Reports the total as done.
    pub fn finish(&self) {
        (self.watcher)(Progress { done: self.total, total: self.total });
    }
}
