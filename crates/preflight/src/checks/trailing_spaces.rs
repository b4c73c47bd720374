//! Spaces at the end, where PAD SPACE becomes NO PAD.

use mysql_collation::Pad;

use super::{Check, ColumnScan, RowCheck, Run, Scan};
use crate::Error;
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

struct TrailingSpaces<'j> {
    column: ColumnScan<'j>,
    count: u64,
    examples: Vec<Example>,
}

fn checks<'j>(scan: &Scan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let loses_padding = |column: &ColumnScan<'_>| {
        let before = column.conversion().before.map(|collation| collation.info().pad);
        let after = column.target().collation.map(|collation| collation.info().pad);
        before == Some(Pad::PadSpace) && after == Some(Pad::NoPad)
    };
    let watch = |column| Box::new(TrailingSpaces { column, count: 0, examples: Vec::new() }) as Box<dyn RowCheck + 'j>;
    ColumnScan::all(scan).into_iter().filter(loses_padding).map(watch).collect()
}

impl RowCheck for TrailingSpaces<'_> {
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        if row.value(self.column.field).is_some_and(|value| value.ends_with(b" ")) {
            self.count += 1;
            if self.examples.len() < self.column.scan.job.examples {
                self.examples.push(self.column.example(row));
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Finding>, Error> {
        if self.count == 0 {
            return Ok(Vec::new());
        }
        let conversion = self.column.conversion();
        let mut found = self.column.finding(&CHECK, Severity::Warning);
        found.count = self.count;
        found.what = format!("{} values end with spaces, which come to count", self.count);
        found.why = format!(
            "{} is PAD SPACE, {} NO PAD: = finds these values only with their spaces",
            conversion.from,
            self.column.target().name
        );
        found.todo = "trim them first where the spaces mean nothing".into();
        let table = &self.column.scan.table.table;
        let name = crate::sql::identifier(&conversion.column.name);
        found.statements = vec![format!(
            "UPDATE {} SET {name} = TRIM(TRAILING ' ' FROM {name}) WHERE {name} LIKE '% '",
            crate::sql::table(&table.schema, &table.name)
        )];
        found.examples = self.examples;
        Ok(vec![found])
    }
}
