//! Bytes of a row that InnoDB keeps in its page, which take half a page at most.
//!
//! The MySQL manual, "Limits on Table Column Count and Row Size", names the limit. tests/pages.rs
//! asks the rest of servers: MySQL 5.6, 5.7, 8.0.12 and 9.7, MariaDB 10.1, 10.2, 10.5, 10.11, 11.4
//! and 11.8. Versions between them count as the one before.
//!
//! A row has a header, two or three columns of InnoDB's own, and the table's columns. A column of
//! fixed length counts whole. Of a longer one, the first bytes count, up to a number that depends
//! on the server and the row format:
//!
//! | server | DYNAMIC | COMPACT, REDUNDANT |
//! | --- | --- | --- |
//! | MySQL before 9.7, MariaDB before 10.5 | 40 | 40 |
//! | MySQL from 9.7 on | 40 | 788 |
//! | MariaDB from 10.5 on | 20; all of a VARCHAR of up to 255 bytes | 788 |
//!
//! In REDUNDANT rows a CHAR of up to 768 bytes counts whole, on MySQL 5.6 and MariaDB 10.1 any
//! CHAR.

use facts::{Column, Index, IndexKind, RowFormat, ServerFacts, Table};
use server::{Flavour, Version};

use crate::rows::{self, Size};

/// Bytes of the characters of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharacterBytes {
    pub max: u64,
    /// True if all characters have `max` bytes.
    pub is_fixed: bool,
}

impl CharacterBytes {
    /// Bytes of a column without a character set.
    pub const BINARY: Self = Self { max: 1, is_fixed: true };

    /// `charset` is the character set that has characters of up to `max` bytes.
    pub fn new(charset: &str, max: u64) -> Self {
        Self { max, is_fixed: max == 1 || ["ucs2", "utf32"].iter().any(|name| charset.eq_ignore_ascii_case(name)) }
    }
}

/// Returns the maximum bytes of a row in a page of `innodb_page_size`. `None` for other pages than
/// those of 4 to 32 KiB: with 64 KiB, servers have different limits.
pub fn max_page_row_bytes(server: &ServerFacts) -> Option<u64> {
    match server.variable("innodb_page_size").map_or(Ok(16_384_u64), str::parse) {
        Ok(4_096) => Some(1_981),
        Ok(8_192) => Some(4_029),
        Ok(16_384) => Some(8_125),
        Ok(32_768) => Some(16_317),
        _ => None,
    }
}

/// Returns the bytes that a row in a row format needs in its page, if the table's variable-length
/// columns have long values. `width` returns the bytes of a character of a column. `None` for other
/// engines, and for row formats other than DYNAMIC, COMPACT and REDUNDANT.
pub fn page_row_bytes(
    server: &ServerFacts,
    table: &Table,
    format: RowFormat,
    width: impl Fn(&Column) -> CharacterBytes,
) -> Option<u64> {
    let is_innodb = table.engine.as_deref().is_some_and(|engine| engine.eq_ignore_ascii_case("innodb"));
    if !is_innodb {
        return None;
    }
    let layout = Layout::new(server, format)?;
    let mut bytes = layout.header_bytes();
    let mut nullable = 0;
    for column in table.columns.iter().filter(|column| rows::is_stored(column)) {
        bytes += layout.column_bytes(column, width(column));
        nullable += u64::from(column.nullable);
    }
    match find_clustered_key(table) {
        Some(key) => bytes += layout.prefix_bytes(table, key, &width),
        None => bytes += layout.fixed_bytes(6),
    }
    if has_hidden_document_id(table) {
        bytes += layout.fixed_bytes(8);
    }
    Some(bytes + if layout.format == RowFormat::Redundant { 0 } else { nullable.div_ceil(8) })
}

/// True if a column of up to 255 bytes counts whole, and a longer one does not.
pub fn counts_short_columns(server: &ServerFacts, format: RowFormat) -> bool {
    Layout::new(server, format).is_some_and(|layout| layout.keeps_short_columns)
}

/// Returns the bytes of the two hidden columns of a table WITH SYSTEM VERSIONING.
pub fn hidden_period_bytes(format: RowFormat) -> u64 {
    2 * (7 + if format == RowFormat::Redundant { 2 } else { 0 })
}

/// How a server stores rows of a row format.
struct Layout {
    flavour: Flavour,
    format: RowFormat,
    /// True if the length of a short prefix of the key takes one byte, even if the length of its
    /// column takes two.
    has_short_prefixes: bool,
    /// Maximum bytes of a variable-length column in the page.
    max_local_bytes: u64,
    /// Maximum bytes of a CHAR that counts whole in REDUNDANT rows.
    max_fixed_char_bytes: u64,
    /// True if a VARCHAR of up to 255 bytes counts whole.
    keeps_short_columns: bool,
}

impl Layout {
    fn new(server: &ServerFacts, format: RowFormat) -> Option<Self> {
        let is_dynamic = match format {
            RowFormat::Dynamic => true,
            RowFormat::Compact | RowFormat::Redundant => false,
            RowFormat::Compressed | RowFormat::Other => return None,
        };
        let first = match server.flavour {
            Flavour::MySql => Version::new(9, 7, 0),
            Flavour::MariaDb => Version::new(10, 5, 0),
        };
        let is_new = server.version_number() >= first;
        let max_local_bytes = match (is_new, is_dynamic, server.flavour) {
            (false, ..) | (true, true, Flavour::MySql) => 40,
            (true, true, Flavour::MariaDb) => 20,
            (true, false, _) => 788,
        };
        let first_with_limit = match server.flavour {
            Flavour::MySql => Version::new(5, 7, 0),
            Flavour::MariaDb => Version::new(10, 2, 0),
        };
        let keeps_all_of_char = server.version_number() < first_with_limit;
        Some(Self {
            flavour: server.flavour,
            format,
            has_short_prefixes: is_new && server.flavour == Flavour::MariaDb,
            max_local_bytes,
            max_fixed_char_bytes: if keeps_all_of_char { u64::MAX } else { 768 },
            keeps_short_columns: max_local_bytes == 20,
        })
    }

    /// Header of a row, with the transaction's id and the pointer to the previous version.
    fn header_bytes(&self) -> u64 {
        if self.format == RowFormat::Redundant { 26 } else { 18 }
    }

    fn fixed_bytes(&self, bytes: u64) -> u64 {
        // REDUNDANT rows have the position of the end of every column, in 2 bytes.
        bytes + if self.format == RowFormat::Redundant { 2 } else { 0 }
    }

    fn column_bytes(&self, column: &Column, width: CharacterBytes) -> u64 {
        let is_redundant = self.format == RowFormat::Redundant;
        match rows::measure(self.flavour, column, width.max) {
            Size::Fixed(bytes) => self.fixed_bytes(bytes),
            // A CHAR whose characters differ in length has a fixed length in REDUNDANT rows only,
            // up to a size.
            Size::Char(bytes) if width.is_fixed || is_redundant && bytes <= self.max_fixed_char_bytes => {
                self.fixed_bytes(bytes)
            }
            Size::Char(bytes) | Size::Variable(bytes) if self.keeps_short_columns && bytes <= 255 => bytes + 1,
            Size::Char(bytes) | Size::Variable(bytes) => self.variable_bytes(bytes.min(self.max_local_bytes), bytes),
            Size::Blob(_) => self.variable_bytes(self.max_local_bytes, u64::MAX),
        }
    }

    /// Adds the bytes of the length to a value, of which `bytes` are in the page. The value has
    /// `max_bytes` at most.
    fn variable_bytes(&self, bytes: u64, max_bytes: u64) -> u64 {
        let has_long_length = self.format == RowFormat::Redundant || bytes > 127 && max_bytes > 255;
        bytes + if has_long_length { 2 } else { 1 }
    }

    /// Returns the bytes of the prefixes of the clustered key, which are stored besides the
    /// columns.
    fn prefix_bytes(&self, table: &Table, key: &Index, width: &impl Fn(&Column) -> CharacterBytes) -> u64 {
        let prefix = |part: &facts::IndexPart| {
            let column = table.column(part.column.as_deref()?)?;
            let bytes = part.prefix? * if column.charset.is_some() { width(column).max } else { 1 };
            let is_short = self.has_short_prefixes && bytes <= 255 && self.format != RowFormat::Redundant;
            Some(bytes + if is_short { 1 } else { 2 })
        };
        key.parts.iter().filter_map(prefix).sum()
    }
}

/// Returns the key by which rows are stored: the primary key, or the first unique one of columns
/// that are not NULL.
fn find_clustered_key(table: &Table) -> Option<&Index> {
    let is_whole = |part: &facts::IndexPart| {
        let column = part.column.as_deref().and_then(|name| table.column(name));
        part.prefix.is_none() && column.is_some_and(|column| !column.nullable)
    };
    let is_unique = |index: &&Index| index.unique && index.kind == IndexKind::Btree && index.parts.iter().all(is_whole);
    let primary = table.indexes.iter().find(|index| index.name == "PRIMARY");
    primary.or_else(|| table.indexes.iter().find(is_unique))
}

/// True if InnoDB has added the column of the documents' numbers for a full-text index.
fn has_hidden_document_id(table: &Table) -> bool {
    let has_column = table.columns.iter().any(|column| column.name.eq_ignore_ascii_case("FTS_DOC_ID"));
    !has_column && table.indexes.iter().any(|index| index.kind == IndexKind::Fulltext)
}
