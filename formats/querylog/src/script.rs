//! SQL scripts.

use std::io::{self, BufRead};

use sql::{SqlMode, StatementReader};

use crate::entry::{Entry, Event};
use crate::limit::StatementLimit;

/// Reader of a script's statements with their line numbers, as [`parse_script`] returns them. Each
/// statement is held in memory.
pub struct Script<R> {
    statements: StatementReader<R>,
    schema: Option<String>,
}

impl<R: BufRead> Script<R> {
    pub fn new(input: R, mode: SqlMode) -> Self {
        Self { statements: StatementReader::with_limit(input, mode, bounded::max_item_bytes()), schema: None }
    }

    fn next_entry(&mut self) -> io::Result<Option<Entry>> {
        while let Some(statement) = self.statements.read()? {
            match sql::used_schema(statement) {
                Some(name) => self.schema = Some(name),
                None => {
                    let event = Event::Statement(statement.to_vec());
                    return Ok(Some(Entry::new(self.statements.line(), event, self.schema.clone())));
                }
            }
        }
        Ok(None)
    }
}

impl<R: BufRead> Iterator for Script<R> {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_entry().transpose()
    }
}

/// Returns the statements of a script with their line numbers. Obeys `DELIMITER`. A `USE` statement
/// sets the schema of later entries and is itself omitted. Fails beyond [`StatementLimit`].
pub fn parse_script(text: &str, mode: SqlMode) -> io::Result<Vec<Entry>> {
    let (mut entries, mut schema, mut limit) = (Vec::new(), None, StatementLimit::default());
    let (mut line, mut counted) = (1, 0);
    for (start, statement) in sql::split_statements(text, mode) {
        line += text[counted..start].bytes().filter(|byte| *byte == b'\n').count() as u64;
        counted = start;
        match sql::used_schema(statement.as_bytes()) {
            Some(name) => schema = Some(name),
            None => {
                limit.add(statement.len())?;
                let event = Event::Statement(statement.as_bytes().to_vec());
                entries.push(Entry::new(line, event, schema.clone()));
            }
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_line_numbers_and_schemas_of_scripts() {
        let text = "SELECT 1;\n\nuse`shop`;\nSELECT 2\n  FROM t;SELECT 3;USE\tlog;SELECT 4";
        let entries = parse_script(text, SqlMode::default()).unwrap();
        let shown: Vec<_> = entries.iter().map(|entry| (entry.line, entry.schema.as_deref().unwrap_or(""))).collect();
        assert_eq!(shown, [(1, ""), (4, "shop"), (5, "shop"), (5, "log")]);
        let streamed: Result<Vec<_>, _> = Script::new(text.as_bytes(), SqlMode::default()).collect();
        assert_eq!(streamed.unwrap(), entries);
    }

    #[test]
    fn scripts_of_too_many_statements_are_refused() {
        let refused = parse_script(&"x;".repeat(100_001), SqlMode::default()).unwrap_err();
        assert!(refused.to_string().contains("100,000 statements"), "{refused}");
    }
}
