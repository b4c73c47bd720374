//! Values that the target's character set lacks.

use super::{Check, ColumnScan, RowCheck, Run, Scan};
use crate::Error;
use crate::model::{Example, Finding, Severity};
use crate::row::Row;

pub const CHECK: Check = Check {
    name: "unholdable",
    summary: "values with characters that the new character set lacks, or bytes that are no characters",
    explain: "A character that the new character set lacks makes ALTER TABLE fail with error 1366 in strict mode; without strict mode it \
              becomes a question mark, for good. Ill-formed bytes, which old servers let in, are refused in the same way.",
    run: Run::Rows(checks),
};

struct Unholdable<'j> {
    column: ColumnScan<'j>,
    count: u64,
    examples: Vec<Example>,
}

fn checks<'j>(scan: &Scan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let watch = |column| Box::new(Unholdable { column, count: 0, examples: Vec::new() }) as Box<dyn RowCheck + 'j>;
    ColumnScan::all(scan).into_iter().map(watch).collect()
}

impl RowCheck for Unholdable<'_> {
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        if let Some(Err(lacking)) = row.converted(self.column.target, self.column.field) {
            self.count += 1;
            if self.examples.len() < self.column.scan.job.examples {
                self.examples.push(Example { note: Some(lacking.to_string()), ..self.column.example(row) });
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Finding>, Error> {
        if self.count == 0 {
            return Ok(Vec::new());
        }
        let charset = &self.column.target().charset;
        let mut found = self.column.finding(&CHECK, Severity::Error);
        found.count = self.count;
        found.what = format!("{} values can't be held in {charset}", self.count);
        found.why =
            "ALTER TABLE ends with error 1366 in strict mode; without it, what is lacking becomes a question mark"
                .into();
        found.todo = "convert to utf8mb4, or change these values first; run the plan in strict mode".into();
        found.examples = self.examples;
        Ok(vec![found])
    }
}
