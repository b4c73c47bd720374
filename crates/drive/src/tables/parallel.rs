//! Work shared out among connections, and a count of what is done.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use mysql::Conn;

use super::Progress;

/// Does `work` for every task, in order, as many at a time as there are connections. After the first error no task begins.
pub(super) fn each<T: Sync, E: Send>(
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

/// Counts rows and tells whoever watches.
pub(super) struct Counter<'a> {
    done: AtomicU64,
    total: u64,
    watcher: &'a (dyn Fn(Progress) + Sync),
}

impl<'a> Counter<'a> {
    pub fn new(total: u64, watcher: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self { done: AtomicU64::new(0), total, watcher }
    }

    /// So many rows more. Rows that a charset turns out not to hold count too, so the total may be reached early, but is never passed.
    pub fn add(&self, rows: u64) {
        let done = self.done.fetch_add(rows, Ordering::Relaxed) + rows;
        (self.watcher)(Progress { done: done.min(self.total), total: self.total });
    }

    /// All is done, also what turned out to be impossible.
    pub fn finish(&self) {
        (self.watcher)(Progress { done: self.total, total: self.total });
    }
}
