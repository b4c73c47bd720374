//! What must be undone before the process ends, for the one case where the stack does not unwind in time.
//!
//! Whoever creates something outside the process (a server, a folder, a schema) registers how to undo it and keeps the
//! [`Registration`] beside it; dropping the registration, after the orderly undoing, takes the action off the list.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long one action may take: a server that is frozen answers no statement that would drop a schema.
const ACTION_WITHIN: Duration = Duration::from_secs(10);

type Action = Box<dyn FnOnce() + Send>;

struct Registry {
    next: u64,
    actions: Vec<(u64, Action)>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { next: 0, actions: Vec::new() });

fn registry() -> MutexGuard<'static, Registry> {
    // A panic elsewhere must not keep us from cleaning up, and the list is valid between any two statements.
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps an action on the list; dropping it takes the action off without running it.
#[must_use = "the action is taken off the list when this is dropped"]
#[derive(Debug)]
pub struct Registration(u64);

impl Drop for Registration {
    fn drop(&mut self) {
        let removed = {
            let mut registry = registry();
            let position = registry.actions.iter().position(|(id, _)| *id == self.0);
            position.map(|position| registry.actions.remove(position))
        };
        // Dropped outside the lock: what the action owns may itself hold a registration.
        drop(removed);
    }
}

/// Puts an action on the list. It may run on another thread, while the orderly way is still at work on the same thing,
/// so it must be harmless then.
pub fn register(action: impl FnOnce() + Send + 'static) -> Registration {
    let mut registry = registry();
    let id = registry.next;
    registry.next += 1;
    registry.actions.push((id, Box::new(action)));
    Registration(id)
}

/// Runs every registered action once, newest first. For whoever is about to end the process without unwinding. An action that hangs is
/// left behind, so that it keeps neither the others nor the process from ending.
pub fn run_all() {
    loop {
        let Some((_, action)) = registry().actions.pop() else { return };
        let (done, wait) = channel();
        let run = move || {
            // One failing action must not keep the others from running; the panic hook has reported it.
            let _ = catch_unwind(AssertUnwindSafe(action));
            let _ = done.send(());
        };
        if thread::Builder::new().name("cleanup".into()).spawn(run).is_ok() {
            let _ = wait.recv_timeout(ACTION_WITHIN);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn actions_run_newest_first_once_and_not_after_their_registration_is_dropped() {
        let log = Arc::new(Mutex::new(Vec::new()));
        let note = |n: u32| {
            let log = Arc::clone(&log);
            move || log.lock().unwrap().push(n)
        };
        let first = register(note(1));
        let forgotten = register(note(2));
        let failing = register(|| panic!("on purpose"));
        let third = register(note(3));
        drop(forgotten);
        run_all();
        run_all();
        assert_eq!(*log.lock().unwrap(), [3, 1]);
        drop((first, failing, third));
    }
}
