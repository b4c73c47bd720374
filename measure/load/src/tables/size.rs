//! Table sizes, from the server's statistics.

use mysql::prelude::Queryable;
use server::{Server, error_code};
use workload::Table;

use super::TablesError;
use super::error::server_error_code;

/// Space that InnoDB has allocated for a table, used or not: whole pages, and whole extents for
/// larger tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSize {
    pub table: String,
    /// Row count by the table's definition, which loading verifies.
    pub rows: u64,
    /// Bytes of the clustered index, which contains the rows (`DATA_LENGTH` of
    /// `information_schema.tables`).
    pub data_bytes: u64,
    /// Bytes of all secondary indexes (`INDEX_LENGTH`).
    pub index_bytes: u64,
    /// Leaf pages of the clustered index (`n_leaf_pages` of `mysql.innodb_index_stats`). `None` if
    /// that table does not exist, has no such row, or may not be read.
    pub leaf_pages: Option<u64>,
    /// Page size in bytes (`innodb_page_size`).
    pub page_bytes: u64,
}

/// Reads the sizes of the tables of a schema. The statistics must be fresh, as after loading.
pub fn table_sizes(server: &Server, schema: &str, tables: &[Table]) -> Result<Vec<TableSize>, TablesError> {
    let mut conn = server.connect()?;
    read_sizes(&mut conn, schema, tables)
        .map_err(TablesError::refused(server.label(), format!("tell the size of the tables of {schema}")))
}

fn read_sizes(conn: &mut server::Conn, schema: &str, tables: &[Table]) -> mysql::Result<Vec<TableSize>> {
    // Since 8.0, MySQL caches these statistics for up to a day. Other servers do not have this
    // variable.
    match conn.query_drop("SET SESSION information_schema_stats_expiry = 0") {
        Err(error) if server_error_code(&error) != Some(error_code::UNKNOWN_SYSTEM_VARIABLE) => return Err(error),
        _ => {}
    }
    let page_bytes: u64 = conn.query_first("SELECT @@GLOBAL.innodb_page_size")?.unwrap_or_default();
    let mut sizes = Vec::with_capacity(tables.len());
    for table in tables {
        let lengths: Option<(u64, u64)> = conn.exec_first(
            "SELECT data_length, index_length FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
            (schema, &table.name),
        )?;
        let (data_bytes, index_bytes) = lengths.unwrap_or_default();
        sizes.push(TableSize {
            table: table.name.clone(),
            rows: u64::from(table.rows),
            leaf_pages: leaf_pages(conn, schema, &table.name)?,
            data_bytes,
            index_bytes,
            page_bytes,
        });
    }
    Ok(sizes)
}

fn leaf_pages(conn: &mut server::Conn, schema: &str, table: &str) -> mysql::Result<Option<u64>> {
    let pages = conn.exec_first(
        "SELECT stat_value FROM mysql.innodb_index_stats \
         WHERE database_name = ? AND table_name = ? AND index_name = 'PRIMARY' AND stat_name = 'n_leaf_pages'",
        (schema, table),
    );
    match pages {
        Err(mysql::Error::MySqlError(_)) => Ok(None),
        pages => pages,
    }
}
