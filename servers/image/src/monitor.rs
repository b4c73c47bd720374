//! Progress reports and interruption of slow work.

use crate::Error;

/// Observer of a download or an unpacking.
pub trait Monitor {
    /// A new step begins, such as "downloading mysql:8.0".
    fn step(&self, description: &str);
    /// The share of the current step that is done, from 0 to 1.
    fn fraction(&self, done: f64);
    /// True if the work should stop. Called before each block that is received or unpacked.
    fn is_interrupted(&self) -> bool;
}

/// Fails if the work should stop.
pub(crate) fn check(monitor: &dyn Monitor) -> Result<(), Error> {
    if monitor.is_interrupted() { Err(Error::Interrupted) } else { Ok(()) }
}
