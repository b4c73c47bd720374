//! TEXT values that exceed the bytes of their type.

use super::{Check, CheckFunction, ColumnScan, RowCheck, TableScan};
use crate::Error;
use crate::finding::Finding;
use crate::limits::max_text_bytes;
use crate::model::Example;
use crate::row::Row;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "text-length",
    title: "values of TINYTEXT, TEXT and MEDIUMTEXT that take more bytes than the type holds",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "TEXT types are limited in bytes, not in characters. A latin1 text of 60,000 characters with many accents no longer fits \
              TEXT's 65,535 bytes in utf8mb4. CONVERT TO widens the type on its own; a MODIFY that keeps it fails with error 1406 (in \
              strict mode) or cuts the text.",
    run: CheckFunction::Rows(checks),
};

struct TextLength<'j> {
    column: ColumnScan<'j>,
    limit: u64,
    longest: u64,
    count: u64,
    examples: Vec<Example>,
}

fn checks<'j>(scan: &TableScan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let boxed_check = |column: ColumnScan<'j>| {
        let limit = max_text_bytes(&column.conversion().column.data_type)?;
        Some(Box::new(TextLength { column, limit, longest: 0, count: 0, examples: Vec::new() })
            as Box<dyn RowCheck + 'j>)
    };
    ColumnScan::text_columns(scan).into_iter().filter_map(boxed_check).collect()
}

impl RowCheck for TextLength<'_> {
    fn reads_history(&self) -> bool {
        true
    }

    fn check_row(&mut self, row: &Row<'_>) -> Result<(), Error> {
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
        let new_type = ["tinytext", "text", "mediumtext", "longtext"]
            .into_iter()
            .find(|data_type| max_text_bytes(data_type) >= Some(self.longest))
            .unwrap_or("longtext");
        let own = &self.column.conversion().column.data_type;
        let mut finding = self.column.finding(&CHECK, Severity::Error);
        finding.details.count = self.count;
        finding.what = format!(
            "{} of up to {} bytes, and {own} holds {}",
            message::count_noun(self.count, "value"),
            self.longest,
            self.limit
        );
        finding.why =
            "in strict mode ALTER TABLE ends with error 1406 (data too long); without it the values are cut".into();
        finding.action = format!("the plan makes the column {}", new_type);
        finding.details.new_type = Some(new_type.into());
        finding.details.in_plan = true;
        finding.details.examples = self.examples;
        Ok(vec![finding])
    }
}
