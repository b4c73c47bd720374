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
    title: "PHP-serialised text whose byte lengths are wrong in UTF-8",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "PHP's serialize() writes the length of each string in bytes (s:3:\"für\"), as the application's connection has \
              them. Once a connection in another character set becomes utf8mb4 with the conversion, unserialize() fails. Values whose \
              lengths are right in UTF-8 are left out: they stay right. The application has to read and write the others itself.",
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
    if matches!(classify(&text), Serialized::NotSerialized | Serialized::Ascii | Serialized::Utf8) {
        return None;
    }
    let after = row.converted(column.target, column.field)?.ok()?;
    (after.len() != row.value(column.field)?.len()).then(|| column.example(row))
}

fn describe(column: &ColumnScan<'_>, count: u64) -> Finding {
    Finding {
        what: format!(
            "{} {} like PHP's serialize(), with byte lengths that are wrong in UTF-8",
            message::count_noun(count, "value"),
            message::agree(count, "looks", "look")
        ),
        why: "unserialize() refuses them once the application's connection is utf8mb4: it counts the bytes that it receives".into(),
        action: "let the application read them before and write them after, or repair the lengths with a tool that knows the format".into(),
        ..column.finding(&CHECK, Severity::Warning)
    }
}
