//! Which columns a server's `information_schema` has: they came one by one.

use std::collections::HashSet;

use mysql::Conn;
use mysql::prelude::Queryable;
use server::{Flavour, Version};

/// The tables and columns of `information_schema`, in upper case, and the version.
pub(super) struct Dictionary {
    pub flavour: Flavour,
    pub version: Version,
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
            flavour: match Flavour::of(&version) {
                Flavour::MariaDb => Flavour::MariaDb,
                Flavour::MySql => Flavour::of(&comment),
            },
            version: Version::find(&version).unwrap_or(Version::new(0, 0, 0)),
            columns: HashSet::from_iter::<Vec<_>>(columns),
        })
    }

    /// Whether `information_schema` has this column, both in upper case.
    pub fn has(&self, table: &str, column: &str) -> bool {
        self.columns.contains(&(table.to_owned(), column.to_owned()))
    }

    /// `SELECT` of these columns of a table, `NULL` for those that it lacks.
    pub fn select(&self, table: &str, columns: &[&str]) -> String {
        let columns: Vec<&str> =
            columns.iter().map(|column| if self.has(table, column) { *column } else { "NULL" }).collect();
        format!("SELECT {} FROM information_schema.{table}", columns.join(", "))
    }
}
