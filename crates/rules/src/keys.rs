//! The length of index keys, and the engines' limits on them.
//!
//! Limits of InnoDB: MySQL manual, "InnoDB Limits", and "innodb_large_prefix" of the 5.6 manual. MyISAM: "The MyISAM Storage Engine". Aria's 2300
//! bytes, and that parts are counted without the bytes for NULL and length, were measured on MySQL 5.6 and 9.7, MariaDB 10.11 and 11.8
//! (tests/servers.rs).

use facts::{Column, Index, IndexKind, IndexPart, RowFormat, ServerFacts, Table};
use server::{Flavour, Version};

use crate::rows;

/// What an engine lets an index have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLimits {
    /// The most bytes of one part. Beyond it: error 1071 or 1709 for a unique index and in strict mode, else the prefix is cut; MariaDB's MyISAM
    /// makes a unique index one of hashes.
    pub part: u64,
    /// The most bytes of all parts.
    pub whole: u64,
}

/// The limits of a table's indexes; `None` for an engine whose limits are not known here.
pub fn limits(server: &ServerFacts, table: &Table) -> Option<KeyLimits> {
    match table.engine.as_deref()?.to_lowercase().as_str() {
        "innodb" => Some(innodb(server, table.row_format)),
        "myisam" => Some(KeyLimits { part: 1000, whole: 1000 }),
        "aria" => Some(KeyLimits { part: 2300, whole: 2300 }),
        _ => None,
    }
}

/// The limits of an InnoDB table in a row format.
pub fn innodb(server: &ServerFacts, format: RowFormat) -> KeyLimits {
    let page: u64 = server.variable("innodb_page_size").and_then(|size| size.parse().ok()).unwrap_or(16_384);
    // A key is at most 3072 bytes with pages of 16 KiB and more, and less in proportion with smaller ones.
    let whole = match page {
        ..=4096 => 768,
        4097..=8192 => 1536,
        _ => 3072,
    };
    let large = match format {
        RowFormat::Dynamic | RowFormat::Compressed => large_prefix(server),
        _ => false,
    };
    KeyLimits { part: if large { whole } else { whole.min(767) }, whole }
}

/// Before MySQL 5.7.7 and MariaDB 10.2.2 `innodb_large_prefix` is off unless set; later the variable is on, then gone.
fn large_prefix(server: &ServerFacts) -> bool {
    let always = match server.flavour {
        Flavour::MySql => server.number() >= Version::new(8, 0, 0),
        Flavour::MariaDb => server.number() >= Version::new(10, 3, 1),
    };
    always || server.is_on("innodb_large_prefix")
}

/// The bytes of each part of an index, characters as wide as `width` says. Expressions count nothing: their type is not known.
pub fn part_bytes(table: &Table, index: &Index, width: impl Fn(&Column) -> u64) -> Vec<u64> {
    index.parts.iter().map(|part| one_part(table, part, &width)).collect()
}

fn one_part(table: &Table, part: &IndexPart, width: &impl Fn(&Column) -> u64) -> u64 {
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

/// Whether the limits apply: full-text and spatial indexes keep no keys of columns, and a unique index that is too long is one of hashes in
/// MariaDB (10.4 and later).
pub fn has_limits(index: &Index) -> bool {
    index.kind == IndexKind::Btree
}
