//! Registry of clean-up actions for exits that skip destructors.
//!
//! Code that creates something outside the process (a server, a folder, a schema) registers how to
//! remove it, and keeps the [`Registration`] next to it. When the process unwinds, the destructor
//! removes the created thing. Dropping the registration afterwards removes the action from the
//! registry.

use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Time limit of one action. A frozen server never answers the statement that drops a schema.
const ACTION_TIMEOUT: Duration = Duration::from_secs(10);

type Action = Box<dyn FnOnce() + Send>;

struct Registry {
    next_id: u64,
    actions: Vec<(u64, Action)>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { next_id: 0, actions: Vec::new() });

fn registry() -> MutexGuard<'static, Registry> {
    // A poisoned lock is usable: the list is valid between any two statements.
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Handle of a registered action. Dropping the handle removes the action without running it.
#[must_use = "dropping it removes the action from the registry"]
#[derive(Debug)]
pub struct Registration(u64);

impl Drop for Registration {
    fn drop(&mut self) {
        let removed = {
            let mut registry = registry();
            let position = registry.actions.iter().position(|(id, _)| *id == self.0);
            position.map(|position| registry.actions.remove(position))
        };
        // Dropped after the lock is released: the action may itself own a registration.
        drop(removed);
    }
}

/// Registers an action. The action may run on another thread while a destructor removes the same
/// thing, so it must tolerate that.
pub fn register(action: impl FnOnce() + Send + 'static) -> Registration {
    let mut registry = registry();
    let id = registry.next_id;
    registry.next_id += 1;
    registry.actions.push((id, Box::new(action)));
    Registration(id)
}

/// Runs every registered action once, newest first, with a time limit of 10 s each. Call only
/// before the process exits without unwinding.
pub fn run_all() {
    loop {
        let Some((_, action)) = registry().actions.pop() else { return };
        let (done, wait) = channel();
        let run = move || {
            // A failed action must not stop the rest.
            if let Err(error) = crate::contain(action) {
                eprintln!("weigh: cannot clean up: {error}");
            }
            let _ = done.send(());
        };
        if thread::Builder::new().name("cleanup".into()).spawn(run).is_ok() {
            let _ = wait.recv_timeout(ACTION_TIMEOUT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn runs_actions_once_newest_first_without_dropped_registrations() {
        let log = Arc::new(Mutex::new(Vec::new()));
        let note = |n: u32| {
            let log = Arc::clone(&log);
            move || log.lock().unwrap().push(n)
        };
        let first = register(note(1));
        let dropped = register(note(2));
        let failing = register(|| panic!("on purpose"));
        let third = register(note(3));
        drop(dropped);
        run_all();
        run_all();
        assert_eq!(*log.lock().unwrap(), [3, 1]);
        drop((first, failing, third));
    }
}
