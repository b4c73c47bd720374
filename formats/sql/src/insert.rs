//! Multi-row `INSERT` statements.

/// Length at which a statement is returned, in bytes. The default of `max_allowed_packet` is larger
/// on every supported server.
const FLUSH_BYTES: usize = 512 << 10;

/// Collects rows into `INSERT` statements of about 512 KiB.
#[derive(Clone, Debug)]
pub struct InsertBuilder {
    head: String,
    statement: String,
}

impl InsertBuilder {
    /// Creates a builder. Table and columns are given quoted, as SQL has them.
    pub fn new(table: &str, columns: &[String]) -> Self {
        let head = format!("INSERT INTO {table} ({}) VALUES ", columns.join(", "));
        Self { statement: head.clone(), head }
    }

    /// Adds a row of literals. Returns a statement once it has 512 KiB or more.
    pub fn push(&mut self, literals: &[String]) -> Option<String> {
        let separator = if self.statement.len() > self.head.len() { "," } else { "" };
        self.statement += &format!("{separator}({})", literals.join(","));
        (self.statement.len() >= FLUSH_BYTES).then(|| std::mem::replace(&mut self.statement, self.head.clone()))
    }

    /// Returns the statement of the remaining rows, if any.
    pub fn finish(self) -> Option<String> {
        (self.statement.len() > self.head.len()).then_some(self.statement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_are_in_a_statement() {
        let mut inserts = InsertBuilder::new("`t`", &["`a`".to_owned(), "`b`".to_owned()]);
        assert_eq!(inserts.clone().finish(), None);
        assert_eq!(inserts.push(&["1".to_owned(), "NULL".to_owned()]), None);
        assert_eq!(inserts.push(&["2".to_owned(), "3".to_owned()]), None);
        assert_eq!(inserts.clone().finish().unwrap(), "INSERT INTO `t` (`a`, `b`) VALUES (1,NULL),(2,3)");
        let full = inserts.push(&["4".to_owned(), "9".repeat(FLUSH_BYTES)]).unwrap();
        assert!(full.contains("(1,NULL),(2,3),(4,9"));
        assert_eq!(inserts.finish(), None);
    }
}
