//! Columns of `information_schema`, which differ between server versions.

use std::collections::HashSet;

use mysql::prelude::Queryable;
use server::Conn;
use server::{Flavour, Version};

/// Flavour and version of a server, and the columns of its `information_schema`.
pub(super) struct Dictionary {
    pub flavour: Flavour,
    pub version: Version,
    /// Table and column names in upper case.
    columns: HashSet<(String, String)>,
}

impl Dictionary {
    pub fn read(conn: &mut Conn) -> mysql::Result<Self> {
        let (version, comment): (String, String) =
            conn.query_first("SELECT VERSION(), @@version_comment")?.unwrap_or_default();
        let columns = conn.query(
            "SELECT UPPER(TABLE_NAME), UPPER(COLUMN_NAME) FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = 'information_schema'",
        )?;
        Ok(Self {
            flavour: match Flavour::from_version(&version) {
                Flavour::MariaDb => Flavour::MariaDb,
                Flavour::MySql => Flavour::from_version(&comment),
            },
            version: Version::find(&version).unwrap_or(Version::new(0, 0, 0)),
            columns: HashSet::from_iter::<Vec<_>>(columns),
        })
    }

    /// True if `information_schema` has the column. Both names are in upper case.
    pub fn has(&self, table: &str, column: &str) -> bool {
        self.columns.contains(&(table.to_owned(), column.to_owned()))
    }

    /// Returns a `SELECT` of columns of a table, with `NULL` for missing columns.
    pub fn select(&self, table: &str, columns: &[&str]) -> String {
        let columns: Vec<&str> =
            columns.iter().map(|column| if self.has(table, column) { *column } else { "NULL" }).collect();
        format!("SELECT {} FROM information_schema.{table}", columns.join(", "))
    }
}
