//! Rows as INSERTs of many rows each.

/// Bytes of an INSERT, below every server's default of max_allowed_packet.
const FULL: usize = 512 << 10;

/// Gathers rows into INSERTs.
#[derive(Clone, Debug)]
pub struct Inserts {
    head: String,
    statement: String,
}

impl Inserts {
    /// Into a table and its columns, both as they are written in SQL.
    pub fn new(table: &str, columns: &[String]) -> Self {
        let head = format!("INSERT INTO {table} ({}) VALUES ", columns.join(", "));
        Self { statement: head.clone(), head }
    }

    /// Adds a row of literals; gives a statement once it is long enough.
    pub fn push(&mut self, literals: &[String]) -> Option<String> {
        let separator = if self.statement.len() > self.head.len() { "," } else { "" };
        self.statement += &format!("{separator}({})", literals.join(","));
        (self.statement.len() >= FULL).then(|| std::mem::replace(&mut self.statement, self.head.clone()))
    }

    /// The statement of the rows that are left.
    pub fn finish(self) -> Option<String> {
        (self.statement.len() > self.head.len()).then_some(self.statement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_gathered_and_none_is_lost() {
        let mut inserts = Inserts::new("`t`", &["`a`".to_owned(), "`b`".to_owned()]);
        assert_eq!(inserts.clone().finish(), None);
        assert_eq!(inserts.push(&["1".to_owned(), "NULL".to_owned()]), None);
        assert_eq!(inserts.push(&["2".to_owned(), "3".to_owned()]), None);
        assert_eq!(inserts.clone().finish().unwrap(), "INSERT INTO `t` (`a`, `b`) VALUES (1,NULL),(2,3)");
        let full = inserts.push(&["4".to_owned(), "9".repeat(FULL)]).unwrap();
        assert!(full.contains("(1,NULL),(2,3),(4,9"));
        assert_eq!(inserts.finish(), None);
    }
}
