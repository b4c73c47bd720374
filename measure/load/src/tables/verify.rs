//! Verifies that a table contains the generated rows.
//!
//! Client and server each sum up the CRC-32 of every row, as written in the INSERT, in UTF-8. A row
//! begins with its id, so that values swapped between rows change the sum.

use mysql::prelude::Queryable;
use server::Conn;
use workload::Table;

/// Row count and checksum of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Checksum {
    pub rows: u64,
    pub crc_sum: u64,
}

impl Checksum {
    /// Adds a row as written by [`Table::insert_row`].
    pub fn add_row(&mut self, row: &str) {
        self.rows += 1;
        self.crc_sum += u64::from(crc32fast::hash(row.as_bytes()));
    }

    pub fn add(&mut self, other: Checksum) {
        self.rows += other.rows;
        self.crc_sum += other.crc_sum;
    }
}

/// Has the server compute the checksum of a table of the default schema.
pub(super) fn read_checksum(conn: &mut Conn, table: &Table) -> mysql::Result<Checksum> {
    let (rows, crc_sum) = conn.query_first(checksum_query(table))?.unwrap_or_default();
    Ok(Checksum { rows, crc_sum })
}

fn checksum_query(table: &Table) -> String {
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
