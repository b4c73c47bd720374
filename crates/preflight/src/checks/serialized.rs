//! Serialised text that counts its own bytes.

use rules::serialized::{Serialized, classify};

use super::matching::Matching;
use super::{Check, ColumnScan, RowCheck, Run, Scan};
use crate::model::{Example, Finding, Severity};
use crate::row::Row;

pub const CHECK: Check = Check {
    name: "serialized",
    summary: "PHP-serialised text whose byte lengths become wrong",
    explain: "PHP's serialize() writes the length of each string in bytes (s:3:\"für\"). Where a conversion changes how many bytes a \
              character takes, and the application's connection changes with it, unserialize() fails. The application has to read and \
              write these values itself.",
    run: Run::Rows(checks),
};

fn checks<'j>(scan: &Scan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    ColumnScan::all(scan).into_iter().map(|column| Matching::watch(column, look, tell)).collect()
}

fn look(column: &ColumnScan<'_>, row: &Row<'_>) -> Option<Example> {
    let text = row.text(column.field)?;
    if matches!(classify(&text), Serialized::No | Serialized::Ascii) {
        return None;
    }
    let after = row.converted(column.target, column.field)?.ok()?;
    (after.len() != row.value(column.field)?.len()).then(|| column.example(row))
}

fn tell(column: &ColumnScan<'_>, count: u64) -> Finding {
    Finding {
        what: format!("{count} values look like PHP's serialize(), and their byte lengths become wrong"),
        why: "unserialize() refuses a string whose length is not the one that stands before it".into(),
        todo: "let the application read them before and write them after, or repair the lengths with a tool that knows the format".into(),
        ..column.finding(&CHECK, Severity::Warning)
    }
}
