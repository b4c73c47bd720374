//! Text serialised by PHP, which contains byte lengths.

use rules::serialized::{Serialized, classify};

use super::value_counter::ValueCounter;
use super::{Check, CheckFunction, ColumnScan, RowCheck, TableScan};
use crate::finding::Finding;
use crate::model::Example;
use crate::row::Row;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "serialized",
    title: "PHP-serialised text whose byte lengths become wrong",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "PHP's serialize() writes the length of each string in bytes (s:3:\"für\"). Where a conversion changes how many bytes a \
              character takes, and the application's connection changes with it, unserialize() fails. The application has to read and \
              write these values itself.",
    run: CheckFunction::Rows(checks),
};

fn checks<'j>(scan: &TableScan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    ColumnScan::text_columns(scan)
        .into_iter()
        .map(|column| ValueCounter::boxed(column, match_value, describe))
        .collect()
}

fn match_value(column: &ColumnScan<'_>, row: &Row<'_>) -> Option<Example> {
    let text = row.text(column.field)?;
    if matches!(classify(&text), Serialized::NotSerialized | Serialized::Ascii) {
        return None;
    }
    let after = row.converted(column.target, column.field)?.ok()?;
    (after.len() != row.value(column.field)?.len()).then(|| column.example(row))
}

fn describe(column: &ColumnScan<'_>, count: u64) -> Finding {
    Finding {
        what: format!(
            "{} {} like PHP's serialize(), and {} byte lengths become wrong",
            message::count_noun(count, "value"),
            message::agree(count, "looks", "look"),
            message::agree(count, "its", "their")
        ),
        why: "unserialize() refuses a string whose length is not the one that stands before it".into(),
        action: "let the application read them before and write them after, or repair the lengths with a tool that knows the format".into(),
        ..column.finding(&CHECK, Severity::Warning)
    }
}
