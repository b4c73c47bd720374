//! A check that counts the values that match a condition.

use super::{ColumnScan, RowCheck};
use crate::Error;
use crate::finding::{ConversionDetails, Finding};
use crate::model::Example;
use crate::row::Row;

/// Counts the matching values of a column, and stores the first as examples.
pub struct ValueCounter<'j> {
    column: ColumnScan<'j>,
    match_value: MatchValue,
    describe: Describe,
    reads_history: bool,
    count: u64,
    examples: Vec<Example>,
}

/// Returns the row as an example if its value matches.
pub type MatchValue = fn(&ColumnScan<'_>, &Row<'_>) -> Option<Example>;

/// Returns the finding for a number of matching values, without examples.
pub type Describe = fn(&ColumnScan<'_>, u64) -> Finding;

impl<'j> ValueCounter<'j> {
    pub fn boxed(column: ColumnScan<'j>, match_value: MatchValue, describe: Describe) -> Box<dyn RowCheck + 'j> {
        Box::new(Self::new(column, match_value, describe, false))
    }

    /// Creates a check that also counts values of past rows of system-versioned tables.
    pub fn boxed_with_history(
        column: ColumnScan<'j>,
        match_value: MatchValue,
        describe: Describe,
    ) -> Box<dyn RowCheck + 'j> {
        Box::new(Self::new(column, match_value, describe, true))
    }

    fn new(column: ColumnScan<'j>, match_value: MatchValue, describe: Describe, reads_history: bool) -> Self {
        Self { column, match_value, describe, reads_history, count: 0, examples: Vec::new() }
    }
}

impl RowCheck for ValueCounter<'_> {
    fn reads_history(&self) -> bool {
        self.reads_history
    }

    fn check_row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        if let Some(example) = (self.match_value)(&self.column, row) {
            self.count += 1;
            if self.examples.len() < self.column.scan.job.examples {
                self.examples.push(example);
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Finding>, Error> {
        if self.count == 0 {
            return Ok(Vec::new());
        }
        let finding = (self.describe)(&self.column, self.count);
        let details = ConversionDetails { count: self.count, examples: self.examples, ..finding.details };
        Ok(vec![Finding { details, ..finding }])
    }
}
