//! Size of index keys, and what a server does with longer ones.

mod limits;

use facts::{Column, Index, IndexKind, IndexPart, ServerFacts, Table};
use server::{Flavour, Version};

pub use limits::{KeyLimits, find_limits, innodb_limits, lacking_settings};

use crate::rows;

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

/// Outcome of a statement that makes an index longer than its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLong {
    /// The statement fails with this error.
    Refused(&'static str),
    /// It makes the index a hash index.
    Hash,
    /// It shortens the index to prefixes.
    Shortened,
    /// It shortens the index to prefixes. In strict mode, it fails with error 1071.
    ShortenedUnlessStrict,
}

impl TooLong {
    /// Returns the end of a sentence that begins with the statement.
    pub fn describe(self) -> String {
        match self {
            Self::Refused(error) => format!("fails with error {error}"),
            Self::Hash => "makes it a hash index, which keeps values unique and serves no search".into(),
            Self::Shortened => "shortens it to a prefix, also in strict mode".into(),
            Self::ShortenedUnlessStrict => {
                "fails with error 1071 in strict mode, and shortens it to a prefix otherwise".into()
            }
        }
    }
}

/// Returns what a server does with an index whose parts would have these bytes. `None` if it fits.
///
/// Also `None` for a unique index that is a hash index because its values are too long already.
///
/// The server itself shortens or refuses long parts, then refuses a long key, then InnoDB refuses
/// parts that its row format does not allow. An engine without known limits counts as InnoDB.
pub fn judge_length(server: &ServerFacts, table: &Table, index: &Index, part_bytes: &[u64]) -> Option<TooLong> {
    if index.kind == IndexKind::Hash && may_be_hash(server, table, index) {
        return None;
    }
    let limits = find_limits(server, table).unwrap_or_else(|| innodb_limits(server, table.row_format));
    let max_part = limits.max_server_part_bytes;
    let is_shortened = part_bytes.iter().any(|&bytes| bytes > max_part);
    let parts: Vec<u64> = part_bytes.iter().map(|&bytes| bytes.min(max_part)).collect();
    let is_key_too_long = parts.iter().sum::<u64>() > limits.max_key_bytes;
    if (is_shortened || is_key_too_long) && may_be_hash(server, table, index) {
        return Some(TooLong::Hash);
    }
    if is_shortened && index.unique {
        return Some(TooLong::Refused(long_unique_part_error(server)));
    }
    if is_key_too_long {
        return Some(TooLong::Refused("1071"));
    }
    if parts.iter().any(|&bytes| bytes > limits.max_part_bytes) {
        return Some(TooLong::Refused("1709"));
    }
    is_shortened
        .then(|| if shortens_in_strict_mode(server) { TooLong::Shortened } else { TooLong::ShortenedUnlessStrict })
}

/// True if a unique index that is too long becomes a hash index: in InnoDB and MyISAM of MariaDB
/// 10.4 and later, except the primary key.
fn may_be_hash(server: &ServerFacts, table: &Table, index: &Index) -> bool {
    let is_engine = |name: &&str| table.engine.as_deref().is_some_and(|engine| engine.eq_ignore_ascii_case(name));
    server.flavour == Flavour::MariaDb
        && server.version_number() >= Version::new(10, 4, 0)
        && index.unique
        && index.name != "PRIMARY"
        && ["innodb", "myisam"].iter().any(is_engine)
}

/// Returns the error of a unique index with a part that is too long: 3886 in MySQL 9.7, 1071 in
/// MySQL 8.0.12 and before, and in MariaDB. For MySQL versions between them, returns both.
fn long_unique_part_error(server: &ServerFacts) -> &'static str {
    match (server.flavour, server.version_number()) {
        (Flavour::MySql, version) if version >= Version::new(9, 7, 0) => "3886",
        (Flavour::MySql, version) if version >= Version::new(8, 0, 13) => "1071 or 3886",
        _ => "1071",
    }
}

/// True if non-unique indexes are shortened in strict mode, too: seen in MariaDB 10.1, and 10.5 and
/// later, but not in 10.2 and MySQL.
fn shortens_in_strict_mode(server: &ServerFacts) -> bool {
    let version = server.version_number();
    server.flavour == Flavour::MariaDb && (version < Version::new(10, 2, 0) || version >= Version::new(10, 5, 0))
}
