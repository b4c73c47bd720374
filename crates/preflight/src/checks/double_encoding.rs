//! Text that was stored as what its UTF-8 bytes look like in latin1.

use mysql_collation::Charset;
use rules::encoding::{Encoding, classify, repaired};

use super::{Check, ColumnScan, RowCheck, Run, Scan};
use crate::Error;
use crate::model::{Example, Finding, Severity};
use crate::row::Row;
use crate::sql;

pub const CHECK: Check = Check {
    name: "double-encoding",
    summary: "text that is UTF-8 read as latin1 (Ã¼ for ü), row by row, with statements that repair it",
    explain: "A client that said latin1 and sent UTF-8 leaves bytes in a latin1 column that show right only to clients of the same kind. \
              A conversion keeps what the characters seem to be, so ü stays Ã¼ for good. Each value is clean, double-encoded, mixed, or \
              undecidable. Only double-encoded rows are repaired, by key, each if it still holds the value that was read, after the \
              conversion to a character set that can hold the result.",
    run: Run::Rows(checks),
};

struct DoubleEncoding<'j> {
    column: ColumnScan<'j>,
    clean: u64,
    double: u64,
    mixed: u64,
    undecidable: u64,
    examples: Vec<Example>,
    repairs: Vec<String>,
}

fn checks<'j>(scan: &Scan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let watch = |column| {
        Box::new(DoubleEncoding {
            column,
            clean: 0,
            double: 0,
            mixed: 0,
            undecidable: 0,
            examples: Vec::new(),
            repairs: Vec::new(),
        }) as Box<dyn RowCheck + 'j>
    };
    // The text is the same for all targets.
    ColumnScan::all(scan).into_iter().filter(|column| column.target == 0).map(watch).collect()
}

impl DoubleEncoding<'_> {
    /// The statement that repairs a row; by its key, and only if it still holds what was read.
    fn repair(&self, row: &Row<'_>, meant: &str) -> Option<String> {
        let target = self.column.target().charset()?;
        let meant = crate::text::convert(meant.as_bytes(), Charset::Utf8mb4, target).ok()?.into_owned();
        let now = row.converted(0, self.column.field)?.ok()?;
        let name = sql::identifier(&self.column.conversion().column.name);
        let introducer = format!("_{}", sql::charset_name(self.column.scan.job.facts, &self.column.target().charset));
        let key = row.fields.key.iter().map(|&field| {
            let name = sql::identifier(&row.fields.columns[field].name);
            Some(format!("{name} = {}", literal(row, field, &self.column.scan)?))
        });
        let mut conditions = key.collect::<Option<Vec<_>>>()?;
        conditions.push(format!("CAST({name} AS BINARY) = {}", sql::bytes(now)));
        let table = &self.column.scan.table.table;
        Some(format!(
            "UPDATE {} SET {name} = {introducer} {} WHERE {}",
            sql::table(&table.schema, &table.name),
            sql::bytes(&meant),
            conditions.join(" AND ")
        ))
    }
}

/// A value of a key as a literal, in the character set that its column will have.
fn literal(row: &Row<'_>, field: usize, scan: &Scan<'_>) -> Option<String> {
    let of = &row.fields.columns[field];
    let introduced =
        |charset: &str, text| format!("_{} {}", sql::charset_name(scan.job.facts, charset), sql::bytes(text));
    if let Some(conversion) = of.conversion {
        let charset = &scan.table.conversions[conversion].planned().charset;
        return Some(introduced(charset, row.converted(0, field)?.ok()?));
    }
    let value = row.value(field)?;
    Some(match of.charset {
        Some(charset) => introduced(charset.name(), value),
        None if of.is_binary => sql::bytes(value),
        None => sql::string(std::str::from_utf8(value).ok()?),
    })
}

impl RowCheck for DoubleEncoding<'_> {
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        // What is ill-formed is another check's.
        let Some(text) = row.text(self.column.field) else { return Ok(()) };
        let class = classify(&text);
        let count = match class {
            Encoding::Ascii | Encoding::Clean => &mut self.clean,
            Encoding::Double(_) => &mut self.double,
            Encoding::Mixed => &mut self.mixed,
            Encoding::Undecidable => &mut self.undecidable,
        };
        *count += 1;
        if matches!(class, Encoding::Ascii | Encoding::Clean) {
            return Ok(());
        }
        if self.examples.len() < self.column.scan.job.examples {
            let note = match class {
                Encoding::Double(_) => format!("double-encoded: {}", repaired(&text)),
                Encoding::Mixed => "mixed: part of it is double-encoded".into(),
                _ => "undecidable".into(),
            };
            self.examples.push(Example { note: Some(note), ..self.column.example(row) });
        }
        if matches!(class, Encoding::Double(_))
            && !row.fields.key.is_empty()
            && self.repairs.len() < self.column.scan.job.examples
        {
            self.repairs.extend(self.repair(row, &repaired(&text)));
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Finding>, Error> {
        let count = self.double + self.mixed + self.undecidable;
        if count == 0 {
            return Ok(Vec::new());
        }
        let severity = if self.double + self.mixed > 0 { Severity::Warning } else { Severity::Notice };
        let mut found = self.column.finding(&CHECK, severity);
        found.count = count;
        found.what = format!(
            "{} double-encoded, {} mixed, {} undecidable, {} clean values",
            self.double, self.mixed, self.undecidable, self.clean
        );
        found.why =
            "a conversion keeps the characters that are stored, wrong ones too, and makes the mistake permanent".into();
        found.todo = "run the plan's repairs after the conversion; look at mixed and undecidable rows by hand".into();
        found.examples = self.examples;
        found.in_plan = self.mixed + self.undecidable == 0;
        found.statements = self.repairs;
        Ok(vec![found])
    }
}
