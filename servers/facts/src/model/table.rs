//! Tables, columns, indexes, foreign keys, check constraints and partitions.

use serde::{Deserialize, Serialize};

/// A base table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    pub schema: String,
    pub name: String,
    /// Storage engine, such as `InnoDB`. `None` if the server cannot open the table,
    /// or if a dump does not name it.
    pub engine: Option<String>,
    pub row_format: RowFormat,
    /// Default collation of new columns.
    pub collation: Option<String>,
    /// Number of rows; an estimate for InnoDB.
    pub rows: Option<u64>,
    /// Size of the rows in bytes; for InnoDB, of the clustered index.
    pub data_bytes: Option<u64>,
    /// Size of the indexes in bytes; for InnoDB, of the secondary ones.
    pub index_bytes: Option<u64>,
    /// `CREATE_OPTIONS`: `partitioned`, `row_format=…`, `KEY_BLOCK_SIZE=…`.
    pub create_options: String,
    pub comment: String,
    /// Columns in order.
    pub columns: Vec<Column>,
    /// Indexes: the primary key, then the others by name.
    pub indexes: Vec<Index>,
    /// Foreign keys with this table as child. Sorted by name if read from a server.
    pub foreign_keys: Vec<ForeignKey>,
    /// Check constraints. Sorted by name if read from a server.
    pub checks: Vec<CheckConstraint>,
    /// `None` if the table is not partitioned.
    pub partitioning: Option<Partitioning>,
}

/// Row format in force. The limits of index prefixes are InnoDB's, for pages of 16 KiB or more,
/// with `innodb_large_prefix` on servers that have this variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowFormat {
    /// Index prefixes of up to 3072 bytes.
    Dynamic,
    /// Index prefixes of up to 767 bytes.
    Compact,
    /// Index prefixes of up to 767 bytes.
    Redundant,
    /// Index prefixes of up to 3072 bytes.
    Compressed,
    /// `FIXED`, `PAGE` or unknown.
    #[default]
    Other,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    /// Position in the table, from 1.
    pub position: u32,
    /// Type without length, in lower case: `varchar`, `enum`, `int`.
    pub data_type: String,
    /// Type with attributes: `varchar(20)`, `enum('a','b')`, `int(10) unsigned`.
    pub column_type: String,
    /// `None` for numbers, times, binary strings and MySQL's JSON.
    pub charset: Option<String>,
    /// `None` for numbers, times, binary strings and MySQL's JSON.
    pub collation: Option<String>,
    /// Maximum length in characters; in bytes for binary and TEXT types. For ENUM, the length of
    /// the longest member.
    pub characters: Option<u64>,
    /// Maximum length in bytes.
    pub bytes: Option<u64>,
    /// Number of digits of a number, or of bits of a `BIT`. For times, digits of the fraction of a
    /// second.
    pub precision: Option<u64>,
    /// Number of digits after the decimal point.
    pub scale: Option<u64>,
    pub nullable: bool,
    /// Default value as in `information_schema`. MariaDB 10.2.7 and later quotes literals (`'a'`),
    /// MySQL does not (`a`).
    pub default: Option<String>,
    /// `None` if the column is not generated.
    pub generated: Option<Generated>,
    /// `EXTRA`: `auto_increment`, `on update CURRENT_TIMESTAMP`, `DEFAULT_GENERATED`, `INVISIBLE`.
    pub extra: String,
    pub comment: String,
}

/// How a generated column is computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generated {
    /// Expression as formatted by the server.
    pub expression: String,
    /// Whether the value is stored (`STORED`, `PERSISTENT`) or computed on read.
    pub stored: bool,
}

/// String type of a column, without binary strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextType {
    Char,
    Varchar,
    /// `TINYTEXT`, `TEXT`, `MEDIUMTEXT`, `LONGTEXT`.
    Text,
    /// Stored as a number. Compared with text as text, sorted by number.
    Enum,
    /// Stored as a bitmap. Compared with text as text, sorted by number.
    Set,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Index {
    /// `PRIMARY` for the primary key.
    pub name: String,
    pub unique: bool,
    pub kind: IndexKind,
    /// True for an `INVISIBLE` index (from MySQL 8.0 on) and an `IGNORED` one (from MariaDB 10.6
    /// on). The optimizer doesn't use it, and `FORCE INDEX` with it fails (error 1176), unless
    /// `use_invisible_indexes` of MySQL's `optimizer_switch` is on.
    pub invisible: bool,
    /// Key parts in order.
    pub parts: Vec<IndexPart>,
}

impl Index {
    /// True for a visible B-tree index whose first part is the column or a prefix of it.
    pub fn can_look_up(&self, column: &str) -> bool {
        self.kind == IndexKind::Btree && !self.invisible && self.parts.first().is_some_and(|part| part.has(column))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IndexKind {
    #[default]
    Btree,
    Hash,
    Fulltext,
    /// `SPATIAL` or `RTREE`.
    Spatial,
    Other,
}

/// Key part of an index: a column, a column prefix, or an expression.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexPart {
    /// `None` for an expression.
    pub column: Option<String>,
    /// Prefix length in characters; in bytes for binary types. `None` for the full column.
    pub prefix: Option<u64>,
    /// Expression of a functional key part (MySQL 8.0.13 and later).
    pub expression: Option<String>,
    pub descending: bool,
}

impl IndexPart {
    /// True if the part is a column, or a prefix of a column, of this name.
    fn has(&self, column: &str) -> bool {
        self.column.as_deref().is_some_and(|own| is_same_column_name(own, column))
    }
}

/// Compares names of columns as the servers do: without regard to case, in any script.
fn is_same_column_name(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other) || one.to_lowercase() == other.to_lowercase()
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignKey {
    pub name: String,
    /// Schema of the child table.
    pub schema: String,
    /// Child table.
    pub table: String,
    /// Columns of the child table, in the order of the key.
    pub columns: Vec<String>,
    pub parent_schema: String,
    pub parent_table: String,
    /// Columns of the parent table, in the order of the key.
    pub parent_columns: Vec<String>,
    /// `RESTRICT`, `CASCADE`, `SET NULL`, `NO ACTION`.
    pub on_update: String,
    /// `RESTRICT`, `CASCADE`, `SET NULL`, `NO ACTION`.
    pub on_delete: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckConstraint {
    pub name: String,
    /// Expression as formatted by the server.
    pub expression: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partitioning {
    /// `RANGE`, `RANGE COLUMNS`, `LIST`, `LIST COLUMNS`, `HASH`, `LINEAR HASH`, `KEY`,
    /// `LINEAR KEY`, `SYSTEM_TIME`.
    pub method: String,
    /// Expression, or list of columns.
    pub expression: Option<String>,
    pub sub_method: Option<String>,
    /// Expression of subpartitions.
    pub sub_expression: Option<String>,
    /// Partitions in order. Each subpartition has an entry.
    pub partitions: Vec<Partition>,
}

/// A partition, or a subpartition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partition {
    pub name: String,
    pub sub_name: Option<String>,
    /// Upper bound of a range, or values of a list.
    pub description: Option<String>,
    /// Number of rows; an estimate for InnoDB.
    pub rows: Option<u64>,
}

impl Table {
    /// Finds a column by name, ignoring case as the servers do.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| is_same_column_name(&column.name, name))
    }

    pub fn primary_key(&self) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == "PRIMARY")
    }

    /// Iterates over the indexes with a key part of `column`.
    pub fn indexes_with_column<'a>(&'a self, column: &'a str) -> impl Iterator<Item = &'a Index> {
        self.indexes.iter().filter(move |index| index.parts.iter().any(|part| part.has(column)))
    }

    /// Returns the character set of the default collation.
    pub fn charset(&self) -> Option<&str> {
        self.collation.as_deref().map(server::collation_charset)
    }
}

impl Column {
    /// Returns the string type. `None` for numbers, times, binary strings and other types.
    /// MariaDB's JSON is a `LONGTEXT`, MySQL's is not a string type.
    pub fn text_type(&self) -> Option<TextType> {
        self.charset.as_ref()?;
        Some(match self.data_type.as_str() {
            "char" => TextType::Char,
            "varchar" => TextType::Varchar,
            "tinytext" | "text" | "mediumtext" | "longtext" => TextType::Text,
            "enum" => TextType::Enum,
            "set" => TextType::Set,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_have_no_case() {
        let column = Column { name: "Größe".into(), ..Column::default() };
        let part = IndexPart { column: Some("Größe".into()), ..IndexPart::default() };
        let index =
            Index { name: "k".into(), unique: false, kind: IndexKind::Btree, invisible: false, parts: vec![part] };
        let table = Table { columns: vec![column], indexes: vec![index], ..Table::default() };
        for name in ["größe", "GRÖßE"] {
            assert!(table.column(name).is_some(), "{name}");
            assert_eq!(table.indexes_with_column(name).count(), 1, "{name}");
            assert!(table.indexes[0].can_look_up(name), "{name}");
        }
        assert!(!table.indexes[0].can_look_up("grosse"));
    }
}
