//! Values that the target's character set lacks.

use super::matching::Matching;
use super::{Check, ColumnScan, RowCheck, Run, Scan};
use crate::model::{Example, Finding, Severity};
use crate::row::Row;

pub const CHECK: Check = Check {
    name: "unholdable",
    summary: "values with characters that the new character set lacks, or bytes that are no characters",
    explain: "A character that the new character set lacks makes ALTER TABLE fail with error 1366 in strict mode; without strict mode it \
              becomes a question mark, for good. Ill-formed bytes, which old servers let in, are refused in the same way.",
    run: Run::Rows(checks),
};

fn checks<'j>(scan: &Scan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    ColumnScan::all(scan).into_iter().map(|column| Matching::watch(column, look, tell)).collect()
}

fn look(column: &ColumnScan<'_>, row: &Row<'_>) -> Option<Example> {
    let lacking = row.converted(column.target, column.field)?.err()?;
    Some(Example { note: Some(lacking.to_string()), ..column.example(row) })
}

fn tell(column: &ColumnScan<'_>, count: u64) -> Finding {
    Finding {
        what: format!("{count} values can't be held in {}", column.target().charset),
        why: "ALTER TABLE ends with error 1366 in strict mode; without it, what is lacking becomes a question mark"
            .into(),
        todo: "convert to utf8mb4, or change these values first; run the plan in strict mode".into(),
        ..column.finding(&CHECK, Severity::Error)
    }
}
