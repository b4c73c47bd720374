//! Size of index keys, and the limits of storage engines.
//!
//! InnoDB: MySQL manual, "InnoDB Limits", and MySQL 5.6 manual, "innodb_large_prefix". MyISAM:
//! MySQL manual, "The MyISAM Storage Engine". Two rules were measured on MySQL 5.6 and 9.7 and
//! MariaDB 10.11 and 11.8 (tests/servers.rs): Aria's limit of 2300 bytes, and that sizes exclude
//! the bytes for NULL and length.

use facts::{Column, Index, IndexKind, IndexPart, RowFormat, ServerFacts, Table};
use server::{Flavour, Version};

use crate::rows;

/// Maximum sizes of an index key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLimits {
    /// Maximum bytes of a key part. A longer part is error 1071 or 1709 in a unique index and in
    /// strict mode. Otherwise the server shortens the prefix. See [`becomes_hash`] for MariaDB.
    pub max_part_bytes: u64,
    /// Maximum bytes of all key parts.
    pub max_key_bytes: u64,
}

/// Returns the limits of a table's indexes. `None` for engines other than InnoDB, MyISAM and Aria.
pub fn find_limits(server: &ServerFacts, table: &Table) -> Option<KeyLimits> {
    match table.engine.as_deref()?.to_lowercase().as_str() {
        "innodb" => Some(innodb_limits(server, table.row_format)),
        "myisam" => Some(KeyLimits { max_part_bytes: 1000, max_key_bytes: 1000 }),
        "aria" => Some(KeyLimits { max_part_bytes: 2300, max_key_bytes: 2300 }),
        _ => None,
    }
}

/// Returns the limits of an InnoDB table with a row format.
pub fn innodb_limits(server: &ServerFacts, format: RowFormat) -> KeyLimits {
    let page: u64 = server.variable("innodb_page_size").and_then(|size| size.parse().ok()).unwrap_or(16_384);
    // 3072 bytes with pages of 16 KiB and more; proportional for smaller pages.
    let max_key_bytes = match page {
        ..=4096 => 768,
        4097..=8192 => 1536,
        _ => 3072,
    };
    let has_large_prefix = match format {
        RowFormat::Dynamic | RowFormat::Compressed => is_large_prefix_on(server),
        _ => false,
    };
    KeyLimits { max_part_bytes: if has_large_prefix { max_key_bytes } else { max_key_bytes.min(767) }, max_key_bytes }
}

/// True if index prefixes of more than 767 bytes are allowed. `innodb_large_prefix` is off by
/// default before MySQL 5.7.7 and MariaDB 10.2.2, then on. MySQL 8.0.0 and MariaDB 10.3.1 removed
/// the variable.
fn is_large_prefix_on(server: &ServerFacts) -> bool {
    let always = match server.flavour {
        Flavour::MySql => server.version_number() >= Version::new(8, 0, 0),
        Flavour::MariaDb => server.version_number() >= Version::new(10, 3, 1),
    };
    always || server.is_on("innodb_large_prefix")
}

/// Returns the bytes of each key part. `width` returns the bytes of a character of a column.
/// Expressions count 0, because their type is unknown.
pub fn part_bytes(table: &Table, index: &Index, width: impl Fn(&Column) -> u64) -> Vec<u64> {
    index.parts.iter().map(|part| measure_part(table, part, &width)).collect()
}

fn measure_part(table: &Table, part: &IndexPart, width: &impl Fn(&Column) -> u64) -> u64 {
    let Some(column) = part.column.as_deref().and_then(|name| table.column(name)) else { return 0 };
    match column.data_type.as_str() {
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => {
            part.prefix.or(column.characters).unwrap_or(0) * if column.charset.is_some() { width(column) } else { 1 }
        }
        "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => {
            part.prefix.or(column.characters).unwrap_or(0)
        }
        _ => rows::fixed_bytes(column),
    }
}

/// True if the limits apply to an index. Full-text and spatial indexes contain no column values,
/// and hash indexes only hashes.
pub fn has_limits(index: &Index) -> bool {
    index.kind == IndexKind::Btree
}

/// True if a unique index over the limits, except the primary key, becomes a hash index instead of
/// failing: in InnoDB and MyISAM of MariaDB 10.4 and later (seen on 10.11 and 11.8). Aria refuses
/// it.
pub fn becomes_hash(server: &ServerFacts, table: &Table, index: &Index) -> bool {
    let is_primary = index.name == "PRIMARY";
    let engine = table.engine.as_deref().unwrap_or("").to_lowercase();
    server.flavour == Flavour::MariaDb
        && server.version_number() >= Version::new(10, 4, 0)
        && index.unique
        && !is_primary
        && matches!(engine.as_str(), "innodb" | "myisam")
}
