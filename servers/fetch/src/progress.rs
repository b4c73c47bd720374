//! Reporting the progress of slow work: installing, unpacking, starting a server.

/// Receiver of progress reports.
pub trait Progress {
    /// A new step begins, such as "downloading mysql@sid".
    fn step(&self, description: &str);
    /// The text of the current step changes, such as to "loading table 2 of 9".
    fn text(&self, _description: &str) {}
    /// The share of the current step that is done, from 0 to 1.
    fn fraction(&self, done: f64);
    /// Something that the user should know, which does not end the work.
    fn note(&self, _text: &str) {}
}

/// Ignores all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn step(&self, _description: &str) {}
    fn fraction(&self, _done: f64) {}
}
