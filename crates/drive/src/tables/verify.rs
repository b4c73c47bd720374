//! Whether a table gives back what was generated.
//!
//! Both sides take a CRC-32 of every row as it stands in the INSERT, in UTF-8, and add them up; a row begins with its id, so rows cannot
//! stand in for one another.

use mysql::Conn;
use mysql::prelude::Queryable;
use workload::Table;

/// Count and checksum of a table's rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub rows: u64,
    pub text: u64,
}

impl Sum {
    /// Adds a row as [`Table::insert_row`] writes it.
    pub fn add_row(&mut self, row: &str) {
        self.rows += 1;
        self.text += u64::from(crc32fast::hash(row.as_bytes()));
    }

    pub fn add(&mut self, other: Sum) {
        self.rows += other.rows;
        self.text += other.text;
    }
}

/// Has the server sum up a table of the connection's schema.
pub(super) fn read(conn: &mut Conn, table: &Table) -> mysql::Result<Sum> {
    let (rows, text) = conn.query_first(query(table))?.unwrap_or_default();
    Ok(Sum { rows, text })
}

fn query(table: &Table) -> String {
    let columns: Vec<String> = table
        .columns()
        .iter()
        .map(|column| match column.is_text {
            true => format!("'''', CONVERT({} USING utf8mb4), ''''", column.name),
            false => column.name.to_owned(),
        })
        .collect();
    let row = format!("CONVERT(CONCAT('(', {}, ')') USING utf8mb4)", columns.join(", ',', "));
    format!("SELECT COUNT(*), CAST(COALESCE(SUM(CRC32({row})), 0) AS UNSIGNED) FROM {}", table.name)
}
