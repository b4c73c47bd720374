//! How much room a table takes, as the server's own statistics tell.

use mysql::prelude::Queryable;
use server::Server;
use workload::Table;

use super::TablesError;
use super::error::code;

/// ER_UNKNOWN_SYSTEM_VARIABLE.
const UNKNOWN_VARIABLE: u16 = 1193;

/// The room that InnoDB has allocated for a table, in whole pages, and in a small table in whole extents: more than is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSize {
    /// The table's name.
    pub table: String,
    /// Rows that it holds, as they were counted when it was verified.
    pub rows: u64,
    /// Bytes of the clustered index, which is where the rows are (`DATA_LENGTH` of `information_schema.tables`).
    pub data_bytes: u64,
    /// Bytes of all other indexes (`INDEX_LENGTH`).
    pub index_bytes: u64,
    /// Pages of the clustered index that hold rows (`n_leaf_pages` of `mysql.innodb_index_stats`); absent where the account may not
    /// read it.
    pub leaf_pages: Option<u64>,
    /// Bytes of a page (`innodb_page_size`).
    pub page_bytes: u64,
}

/// Reads the sizes of the tables of a schema whose statistics are fresh, as loading leaves them.
pub fn table_sizes(server: &Server, schema: &str, tables: &[Table]) -> Result<Vec<TableSize>, TablesError> {
    let mut conn = server.control()?;
    read(&mut conn, schema, tables)
        .map_err(TablesError::refused(server.label(), format!("tell the size of the tables of {schema}")))
}

fn read(conn: &mut mysql::Conn, schema: &str, tables: &[Table]) -> mysql::Result<Vec<TableSize>> {
    // MySQL 8 and later answer from a cache that may be a day old; the others know no such variable.
    match conn.query_drop("SET SESSION information_schema_stats_expiry = 0") {
        Err(error) if code(&error) != Some(UNKNOWN_VARIABLE) => return Err(error),
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

fn leaf_pages(conn: &mut mysql::Conn, schema: &str, table: &str) -> mysql::Result<Option<u64>> {
    let told = conn.exec_first(
        "SELECT stat_value FROM mysql.innodb_index_stats \
         WHERE database_name = ? AND table_name = ? AND index_name = 'PRIMARY' AND stat_name = 'n_leaf_pages'",
        (schema, table),
    );
    match told {
        // No right to read it, or statistics are not kept.
        Err(mysql::Error::MySqlError(_)) => Ok(None),
        told => told,
    }
}
