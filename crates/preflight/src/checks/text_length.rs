//! TEXT values that take more bytes than their type holds.

use super::{Check, ColumnScan, RowCheck, Run, Scan};
use crate::Error;
use crate::limits::text_bytes;
use crate::model::{Example, Finding, Severity};
use crate::row::Row;

pub const CHECK: Check = Check {
    name: "text-length",
    summary: "values of TINYTEXT, TEXT and MEDIUMTEXT that take more bytes than the type holds",
    explain: "TEXT types are limited in bytes, not in characters. A latin1 text of 60,000 characters with many accents no longer fits \
              TEXT's 65,535 bytes in utf8mb4. CONVERT TO widens the type on its own; a MODIFY that keeps it fails with error 1406 (in \
              strict mode) or cuts the text.",
    run: Run::Rows(checks),
};

struct TextLength<'j> {
    column: ColumnScan<'j>,
    limit: u64,
    longest: u64,
    count: u64,
    examples: Vec<Example>,
}

fn checks<'j>(scan: &Scan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let watch = |column: ColumnScan<'j>| {
        let limit = text_bytes(&column.conversion().column.data_type)?;
        Some(Box::new(TextLength { column, limit, longest: 0, count: 0, examples: Vec::new() })
            as Box<dyn RowCheck + 'j>)
    };
    ColumnScan::all(scan).into_iter().filter_map(watch).collect()
}

impl RowCheck for TextLength<'_> {
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let Some(Ok(value)) = row.converted(self.column.target, self.column.field) else { return Ok(()) };
        let bytes = value.len() as u64;
        if bytes > self.limit {
            self.count += 1;
            self.longest = self.longest.max(bytes);
            if self.examples.len() < self.column.scan.job.examples {
                let values = vec![format!("{bytes} bytes")];
                self.examples.push(Example { values, ..self.column.example(row) });
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Finding>, Error> {
        if self.count == 0 {
            return Ok(Vec::new());
        }
        let wider = ["tinytext", "text", "mediumtext", "longtext"]
            .into_iter()
            .find(|wider| text_bytes(wider) >= Some(self.longest));
        let own = &self.column.conversion().column.data_type;
        let mut found = self.column.finding(&CHECK, Severity::Error);
        found.count = self.count;
        found.what = format!("{} values take up to {} bytes, and {own} holds {}", self.count, self.longest, self.limit);
        found.why =
            "in strict mode ALTER TABLE ends with error 1406 (data too long); without it the values are cut".into();
        found.todo = format!("the plan makes the column {}", wider.unwrap_or("longtext"));
        found.new_type = Some(wider.unwrap_or("longtext").into());
        found.in_plan = true;
        found.examples = self.examples;
        Ok(vec![found])
    }
}
