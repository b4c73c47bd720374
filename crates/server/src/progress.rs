//! How long work tells its watcher where it stands.

/// A watcher of slow work: installing, unpacking, starting.
pub trait Progress {
    /// A new step begins, such as "downloading mysql@sid".
    fn step(&self, what: &str);
    /// The part of the current step that is done, from 0 to 1.
    fn fraction(&self, done: f64);
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn step(&self, _what: &str) {}
    fn fraction(&self, _done: f64) {}
}
