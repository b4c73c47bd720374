//! Scripts of SQL. A script is held in memory: who writes one writes no gigabytes.

use sql::Mode;

use crate::entry::{Entry, Event};
use crate::general::sql_use;

/// The statements of a script, each with its line; `USE` and `DELIMITER` are obeyed.
pub fn script(text: &str, mode: Mode) -> Vec<Entry> {
    let (mut entries, mut schema) = (Vec::new(), None);
    let (mut line, mut counted) = (1, 0);
    for (start, statement) in sql::split(text, mode) {
        line += text[counted..start].bytes().filter(|byte| *byte == b'\n').count() as u64;
        counted = start;
        match sql_use(statement) {
            Some(name) => schema = Some(name),
            None => {
                let event = Event::Statement(statement.as_bytes().to_vec());
                entries.push(Entry::new(line, event, schema.clone()));
            }
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_with_its_lines_and_schemas() {
        let entries = script("SELECT 1;\n\nuse `shop`;\nSELECT 2\n  FROM t;SELECT 3", Mode::default());
        let shown: Vec<_> = entries.iter().map(|entry| (entry.line, entry.schema.as_deref().unwrap_or(""))).collect();
        assert_eq!(shown, [(1, ""), (4, "shop"), (5, "shop")]);
    }
}
