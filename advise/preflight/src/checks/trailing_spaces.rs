//! Trailing spaces that become significant: PAD SPACE to NO PAD.

use mysql_collation::Pad;

use super::value_counter::ValueCounter;
use super::{Check, CheckFunction, ColumnScan, RowCheck, TableScan, keep_updated_columns, reason_against_updates};
use crate::finding::{ConversionDetails, Finding};
use crate::model::Example;
use crate::row::Row;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "trailing-spaces",
    title: "values that end with spaces, where spaces at the end come to count (PAD SPACE to NO PAD)",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "Under PAD SPACE 'a' equals 'a  '; under NO PAD (utf8mb4_0900_…, …_nopad_…) it doesn't. A row that was found by \
              WHERE name = 'a' isn't found any more, and a second row 'a' gets past a unique key. CHAR is left out: its spaces are not \
              given back by the server.",
    run: CheckFunction::Rows(checks),
};

fn checks<'j>(scan: &TableScan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let loses_padding = |column: &ColumnScan<'_>| {
        let before = column.conversion().source_collation.map(|collation| collation.info().pad);
        let after = column.target().collation.map(|collation| collation.info().pad);
        before == Some(Pad::PadSpace) && after == Some(Pad::NoPad)
    };
    let columns = ColumnScan::text_columns(scan).into_iter().filter(loses_padding);
    columns.map(|column| ValueCounter::boxed(column, match_value, describe)).collect()
}

fn match_value(column: &ColumnScan<'_>, row: &Row<'_>) -> Option<Example> {
    let value = row.value(column.field)?;
    // A space takes up to four bytes, which differ by character set.
    let may_end_with_space = value[value.len().saturating_sub(4)..].contains(&b' ');
    (may_end_with_space && row.text(column.field)?.ends_with(' ')).then(|| column.example(row))
}

fn describe(column: &ColumnScan<'_>, count: u64) -> Finding {
    let conversion = column.conversion();
    let table = &column.scan.table.table;
    let name = sql::quote_identifier(&conversion.column.name);
    let trim = format!(
        "UPDATE {} SET {name} = TRIM(TRAILING ' ' FROM {name}){} WHERE {name} LIKE '% '",
        sql::quote_table(&table.schema, &table.name),
        keep_updated_columns(table)
    );
    let finding = column.finding(&CHECK, Severity::Warning);
    let is_parent = column.scan.job.foreign_keys().any(|key| {
        key.parent_schema == table.schema
            && key.parent_table == table.name
            && key.parent_columns.contains(&conversion.column.name)
    });
    let against = reason_against_updates(table, conversion.column);
    let statements = match is_parent {
        _ if against.is_some() => Vec::new(),
        // With foreign_key_checks = 1, MySQL 8 and later change no row: the children's key is equal
        // to the trimmed one.
        true => vec!["SET foreign_key_checks = 0".into(), trim, "SET foreign_key_checks = 1".into()],
        false => vec![trim],
    };
    Finding {
        what: format!(
            "{} {} with spaces, which become significant",
            message::count_noun(count, "value"),
            message::agree(count, "ends", "end")
        ),
        why: format!(
            "{} is PAD SPACE, {} NO PAD: = finds these values only with their spaces",
            conversion.from,
            column.target().name
        ),
        action: against.unwrap_or_else(|| {
            let and_children = if is_parent { ", and the children that have them, too" } else { "" };
            format!(
                "trim them first where the spaces mean nothing{and_children}; the UPDATE fires the table's triggers"
            )
        }),
        details: ConversionDetails { statements, ..finding.details },
        ..finding
    }
}
