//! How far a count is, for its progress display.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Statements of all starts so far. A statement is one workload or class under one collation.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Starts whose rows are loaded.
    starts: AtomicUsize,
    /// Statements of these starts.
    statements: AtomicUsize,
    warmed_up: AtomicUsize,
    counted: AtomicUsize,
}

impl Tally {
    /// Adds the statements of a start.
    pub fn add_start(&self, statements: usize) {
        self.statements.fetch_add(statements, Ordering::Relaxed);
        self.starts.fetch_add(1, Ordering::Relaxed);
    }

    pub fn add_warmed_up(&self) {
        self.warmed_up.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes back a statement that the server refuses.
    pub fn remove_refused(&self) {
        self.statements.fetch_sub(1, Ordering::Relaxed);
    }

    pub fn add_counted(&self) {
        self.counted.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns what is under way, and the share of the work that is done. `None` while no start has
    /// its rows. Starts that have not begun count as many statements as the others.
    pub fn describe(&self, starts: usize) -> Option<(String, f64)> {
        let read = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let (warmed_up, counted) = (read(&self.warmed_up), read(&self.counted));
        let begun = Some(read(&self.starts)).filter(|begun| *begun > 0)?;
        let all = (read(&self.statements) * starts).div_ceil(begun).max(1);
        let text = match counted {
            0 => format!("warming up under valgrind: statement {warmed_up} of {all}"),
            counted => format!("counting instructions under valgrind: statement {counted} of {all}"),
        };
        Some((text, ((warmed_up + counted) as f64 / (2 * all) as f64).min(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_how_many_statements_are_done() {
        let tally = Tally::default();
        assert_eq!(tally.describe(2), None);
        tally.add_start(5);
        tally.remove_refused();
        (0..3).for_each(|_| tally.add_warmed_up());
        let (text, share) = tally.describe(2).unwrap();
        assert_eq!((text.as_str(), share), ("warming up under valgrind: statement 3 of 8", 3.0 / 16.0));
        tally.add_warmed_up();
        tally.add_counted();
        let (text, share) = tally.describe(2).unwrap();
        assert_eq!((text.as_str(), share), ("counting instructions under valgrind: statement 1 of 8", 5.0 / 16.0));
        tally.add_start(4);
        assert!(tally.describe(2).unwrap().0.ends_with("1 of 8"));
    }
}
