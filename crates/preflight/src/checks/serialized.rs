//! Serialised text that counts its own bytes.

use mysql_collation::Charset;

use super::{Check, ColumnScan, RowCheck, Run, Scan};
use crate::Error;
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

struct Serialized<'j> {
    column: ColumnScan<'j>,
    count: u64,
    examples: Vec<Example>,
}

fn checks<'j>(scan: &Scan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let watch = |column| Box::new(Serialized { column, count: 0, examples: Vec::new() }) as Box<dyn RowCheck + 'j>;
    ColumnScan::all(scan).into_iter().map(watch).collect()
}

/// Whether a text begins as PHP's serialize() writes arrays, objects and strings, and holds a counted string.
fn is_serialized(text: &[u8]) -> bool {
    let begins = matches!(text, [b'a' | b'O' | b's', b':', digit, ..] if digit.is_ascii_digit());
    let counted = |window: &[u8]| window[..2] == *b"s:" && window[2].is_ascii_digit();
    begins && text.windows(3).any(counted)
}

impl RowCheck for Serialized<'_> {
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let Some(value) = row.value(self.column.field).filter(|value| is_serialized(value)) else { return Ok(()) };
        if Charset::Ascii.validate(value).is_ok() {
            return Ok(());
        }
        let Some(Ok(after)) = row.converted(self.column.target, self.column.field) else { return Ok(()) };
        if after.len() != value.len() {
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
        let mut found = self.column.finding(&CHECK, Severity::Warning);
        found.count = self.count;
        found.what = format!("{} values look like PHP's serialize(), and their byte lengths become wrong", self.count);
        found.why = "unserialize() refuses a string whose length is not the one that stands before it".into();
        found.todo = "let the application read them before and write them after, or repair the lengths with a tool that knows the format".into();
        found.examples = self.examples;
        Ok(vec![found])
    }
}

#[cfg(test)]
mod tests {
    use super::is_serialized;

    #[test]
    fn serialised_text_is_told_by_its_beginning() {
        assert!(is_serialized("a:1:{s:4:\"name\";s:4:\"für\";}".as_bytes()) && is_serialized(b"s:3:\"abc\";"));
        assert!(!is_serialized(b"a: 1") && !is_serialized(b"as:3") && !is_serialized(b""));
    }
}
