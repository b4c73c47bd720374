//! What checks share that count the values of a column that something is wrong with.

use super::{ColumnScan, RowCheck};
use crate::Error;
use crate::model::{Example, Finding};
use crate::row::Row;

/// Counts the values of a column that a check looks for, and keeps the first as examples.
pub struct Matching<'j> {
    column: ColumnScan<'j>,
    look: Look,
    tell: Tell,
    count: u64,
    examples: Vec<Example>,
}

/// The row as an example, where its value is one that is looked for.
pub type Look = fn(&ColumnScan<'_>, &Row<'_>) -> Option<Example>;

/// The finding, without its count and examples.
pub type Tell = fn(&ColumnScan<'_>, u64) -> Finding;

impl<'j> Matching<'j> {
    /// Watches a column.
    pub fn watch(column: ColumnScan<'j>, look: Look, tell: Tell) -> Box<dyn RowCheck + 'j> {
        Box::new(Self { column, look, tell, count: 0, examples: Vec::new() })
    }
}

impl RowCheck for Matching<'_> {
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        if let Some(example) = (self.look)(&self.column, row) {
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
        let found = (self.tell)(&self.column, self.count);
        Ok(vec![Finding { count: self.count, examples: self.examples, ..found }])
    }
}
