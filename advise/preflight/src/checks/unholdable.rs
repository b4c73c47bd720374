//! Values that the target's character set can't represent.

use super::value_counter::ValueCounter;
use super::{Check, CheckFunction, ColumnScan, RowCheck, TableScan};
use crate::finding::Finding;
use crate::model::Example;
use crate::row::Row;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "unholdable",
    title: "values with characters that the new character set lacks, or bytes that are no characters",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "A character that the new character set lacks makes ALTER TABLE fail with error 1366 in strict mode; without strict mode it \
              becomes a question mark, for good. Ill-formed bytes, which old servers let in, are refused in the same way.",
    run: CheckFunction::Rows(checks),
};

fn checks<'j>(scan: &TableScan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    ColumnScan::text_columns(scan)
        .into_iter()
        .map(|column| ValueCounter::boxed_with_history(column, match_value, describe))
        .collect()
}

fn match_value(column: &ColumnScan<'_>, row: &Row<'_>) -> Option<Example> {
    let error = row.converted(column.target, column.field)?.err()?;
    Some(Example { note: Some(error.to_string()), ..column.example(row) })
}

fn describe(column: &ColumnScan<'_>, count: u64) -> Finding {
    Finding {
        what: format!("{} can't be held in {}", message::count_noun(count, "value"), column.target().charset),
        why: "ALTER TABLE ends with error 1366 in strict mode; without it, what is lacking becomes a question mark"
            .into(),
        action: "convert to utf8mb4, or change these values first; run the plan in strict mode".into(),
        ..column.finding(&CHECK, Severity::Error)
    }
}
