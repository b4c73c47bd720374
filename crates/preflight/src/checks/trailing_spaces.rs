//! Spaces at the end, where PAD SPACE becomes NO PAD.

use mysql_collation::Pad;

use super::matching::Matching;
use super::{Check, ColumnScan, RowCheck, Run, Scan};
use crate::model::{Example, Finding, Severity};
use crate::row::Row;

pub const CHECK: Check = Check {
    name: "trailing-spaces",
    summary: "values that end with spaces, where spaces at the end come to count (PAD SPACE to NO PAD)",
    explain: "Under PAD SPACE 'a' equals 'a  '; under NO PAD (utf8mb4_0900_…, …_nopad_…) it doesn't. A row that was found by \
              WHERE name = 'a' isn't found any more, and a second row 'a' gets past a unique key. CHAR is left out: its spaces are not \
              given back by the server.",
    run: Run::Rows(checks),
};

fn checks<'j>(scan: &Scan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let loses_padding = |column: &ColumnScan<'_>| {
        let before = column.conversion().before.map(|collation| collation.info().pad);
        let after = column.target().collation.map(|collation| collation.info().pad);
        before == Some(Pad::PadSpace) && after == Some(Pad::NoPad)
    };
    let columns = ColumnScan::all(scan).into_iter().filter(loses_padding);
    columns.map(|column| Matching::watch(column, look, tell)).collect()
}

fn look(column: &ColumnScan<'_>, row: &Row<'_>) -> Option<Example> {
    row.value(column.field).filter(|value| value.ends_with(b" ")).map(|_| column.example(row))
}

fn tell(column: &ColumnScan<'_>, count: u64) -> Finding {
    let conversion = column.conversion();
    let table = &column.scan.table.table;
    let name = crate::sql::identifier(&conversion.column.name);
    Finding {
        what: format!("{count} values end with spaces, which come to count"),
        why: format!(
            "{} is PAD SPACE, {} NO PAD: = finds these values only with their spaces",
            conversion.from,
            column.target().name
        ),
        todo: "trim them first where the spaces mean nothing".into(),
        statements: vec![format!(
            "UPDATE {} SET {name} = TRIM(TRAILING ' ' FROM {name}) WHERE {name} LIKE '% '",
            crate::sql::table(&table.schema, &table.name)
        )],
        ..column.finding(&CHECK, Severity::Warning)
    }
}
