//! How long work tells its watcher where it stands, and is told to stop.

use crate::Error;

/// A watcher of a download or an unpacking.
pub trait Watch {
    /// A new step begins, such as "downloading mysql:8.0".
    fn step(&self, what: &str);
    /// The part of the current step that is done, from 0 to 1.
    fn fraction(&self, done: f64);
    /// Whether the work should stop; asked several times a second.
    fn is_interrupted(&self) -> bool;
}

/// An error if the work should stop.
pub(crate) fn check(watch: &dyn Watch) -> Result<(), Error> {
    if watch.is_interrupted() { Err(Error::Interrupted) } else { Ok(()) }
}
