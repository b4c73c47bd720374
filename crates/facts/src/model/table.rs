//! Tables and what they are made of.

use serde::{Deserialize, Serialize};

/// A base table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Schema.
    pub schema: String,
    /// Name.
    pub name: String,
    /// Storage engine, such as `InnoDB`; absent where the server can't open the table.
    pub engine: Option<String>,
    /// Row format in force.
    pub row_format: RowFormat,
    /// Default collation of new columns. Columns that are there have their own.
    pub collation: Option<String>,
    /// Rows: the engine's estimate for InnoDB.
    pub rows: Option<u64>,
    /// Bytes of rows (of the clustered index, for InnoDB).
    pub data_bytes: Option<u64>,
    /// Bytes of secondary indexes.
    pub index_bytes: Option<u64>,
    /// `CREATE_OPTIONS`: `partitioned`, `row_format=…`, `KEY_BLOCK_SIZE=…`.
    pub create_options: String,
    /// Comment.
    pub comment: String,
    /// Columns in their order.
    pub columns: Vec<Column>,
    /// Indexes, the primary key first, the others by name.
    pub indexes: Vec<Index>,
    /// Foreign keys of which this is the child, by name.
    pub foreign_keys: Vec<ForeignKey>,
    /// Check constraints, by name.
    pub checks: Vec<CheckConstraint>,
    /// How it is partitioned.
    pub partitioning: Option<Partitioning>,
}

/// InnoDB's row formats, which decide how long an index prefix may be, and those of other engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowFormat {
    /// `DYNAMIC`: index prefixes of up to 3072 bytes.
    Dynamic,
    /// `COMPACT`: up to 767 bytes.
    Compact,
    /// `REDUNDANT`: up to 767 bytes.
    Redundant,
    /// `COMPRESSED`: up to 3072 bytes.
    Compressed,
    /// `FIXED`, `PAGE`, or not known.
    #[default]
    Other,
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Place in the table, from 1.
    pub position: u32,
    /// Type without length, in lower case: `varchar`, `enum`, `int`.
    pub data_type: String,
    /// Type in full: `varchar(20)`, `enum('a','b')`, `int(10) unsigned`.
    pub column_type: String,
    /// Character set, where it holds text.
    pub charset: Option<String>,
    /// Collation, where it holds text.
    pub collation: Option<String>,
    /// Most characters that it holds (bytes for binary types).
    pub characters: Option<u64>,
    /// Most bytes that it holds.
    pub bytes: Option<u64>,
    /// Digits of an exact number, those of the fraction, and of a time's fraction of a second.
    pub precision: Option<u64>,
    /// Digits after the decimal point.
    pub scale: Option<u64>,
    /// Whether NULL is allowed.
    pub nullable: bool,
    /// Default as `information_schema` writes it. MariaDB quotes literals (`'a'`, `NULL`), MySQL doesn't (`a`).
    pub default: Option<String>,
    /// How it is computed, for a generated column.
    pub generated: Option<Generated>,
    /// `EXTRA`: `auto_increment`, `on update CURRENT_TIMESTAMP`, `DEFAULT_GENERATED`, `INVISIBLE`.
    pub extra: String,
    /// Comment.
    pub comment: String,
}

/// How a generated column is computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generated {
    /// Expression as the server prints it.
    pub expression: String,
    /// Whether the value is stored, or computed when it is read.
    pub stored: bool,
}

/// What kind of text type a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextType {
    /// `CHAR`.
    Char,
    /// `VARCHAR`.
    Varchar,
    /// `TINYTEXT`, `TEXT`, `MEDIUMTEXT`, `LONGTEXT`.
    Text,
    /// `ENUM`: stored as a number, compared as text.
    Enum,
    /// `SET`: stored as a bitmap, compared as text.
    Set,
}

/// An index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Index {
    /// Name; `PRIMARY` is the primary key.
    pub name: String,
    /// Whether equal keys are refused.
    pub unique: bool,
    /// B-tree, hash, full-text, spatial.
    pub kind: IndexKind,
    /// Its parts in their order.
    pub parts: Vec<IndexPart>,
}

/// What kind of index it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IndexKind {
    /// `BTREE`.
    #[default]
    Btree,
    /// `HASH`.
    Hash,
    /// `FULLTEXT`.
    Fulltext,
    /// `SPATIAL` or `RTREE`.
    Spatial,
    /// Any other.
    Other,
}

/// A part of an index: a column, a prefix of one, or an expression.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexPart {
    /// Column; absent for an expression.
    pub column: Option<String>,
    /// Length of the prefix in characters (bytes for binary types); absent where the whole column is indexed.
    pub prefix: Option<u64>,
    /// Expression of a functional key part (MySQL 8.0.13).
    pub expression: Option<String>,
    /// Whether it is sorted downwards.
    pub descending: bool,
}

/// A foreign key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignKey {
    /// Name of the constraint.
    pub name: String,
    /// Schema of the child table.
    pub schema: String,
    /// Child table.
    pub table: String,
    /// Columns of the child, in the key's order.
    pub columns: Vec<String>,
    /// Schema of the parent table.
    pub parent_schema: String,
    /// Parent table.
    pub parent_table: String,
    /// Columns of the parent, in the key's order.
    pub parent_columns: Vec<String>,
    /// `RESTRICT`, `CASCADE`, `SET NULL`, `NO ACTION`.
    pub on_update: String,
    /// As `on_update`.
    pub on_delete: String,
}

/// A check constraint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckConstraint {
    /// Name.
    pub name: String,
    /// Expression as the server prints it.
    pub expression: String,
}

/// How a table is partitioned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partitioning {
    /// `RANGE`, `RANGE COLUMNS`, `LIST`, `LIST COLUMNS`, `HASH`, `KEY`, `LINEAR KEY`, `SYSTEM_TIME`.
    pub method: String,
    /// Expression, or list of columns.
    pub expression: Option<String>,
    /// Method of subpartitions.
    pub sub_method: Option<String>,
    /// Expression of subpartitions.
    pub sub_expression: Option<String>,
    /// Partitions in their order, subpartitions each on its own.
    pub partitions: Vec<Partition>,
}

/// A partition, or a subpartition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partition {
    /// Name.
    pub name: String,
    /// Name of the subpartition.
    pub sub_name: Option<String>,
    /// Values: the bound of a range, the list of a list.
    pub description: Option<String>,
    /// Rows, estimated.
    pub rows: Option<u64>,
}

impl Table {
    /// The column of this name, in any case, as the servers take it.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns
            .iter()
            .find(|column| column.name.eq_ignore_ascii_case(name) || column.name.to_lowercase() == name.to_lowercase())
    }

    /// The primary key.
    pub fn primary_key(&self) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == "PRIMARY")
    }

    /// The indexes that this column is a part of.
    pub fn indexes_of<'a>(&'a self, column: &'a str) -> impl Iterator<Item = &'a Index> {
        let has = move |part: &IndexPart| part.column.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(column));
        self.indexes.iter().filter(move |index| index.parts.iter().any(has))
    }

    /// Character set of the table's default collation.
    pub fn charset(&self) -> Option<&str> {
        self.collation.as_deref().map(charset_of)
    }
}

impl Column {
    /// What kind of text it holds; `None` for numbers, times, binary strings and the like. MySQL's JSON is none, MariaDB's is a `LONGTEXT`.
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

/// A collation's name begins with its character set's, up to the first underscore; `binary` is both.
pub(crate) fn charset_of(collation: &str) -> &str {
    collation.split('_').next().unwrap_or(collation)
}
