//! Values of made-up rows, by the types of their columns.

use mysql::prelude::Queryable;
use server::{Flavour, Version};
use sql::{SqlMode, TokenKind, quote_string, tokenize};

use crate::Error;
use crate::copy::Copy;
use crate::dictionary::{Index, is_generated};

/// A column that may get a value.
#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    pub name: String,
    data_type: String,
    column_type: String,
    /// Maximum length in characters, of binary types in bytes.
    length: Option<u64>,
    /// Digits before the decimal point; of BIT the bits.
    digits: u64,
    extra: String,
    /// Spatial reference system, of MySQL 8 and later.
    srid: u64,
    /// True if few values are repeated: the column begins a key of several columns, of which the
    /// first alone then finds many rows.
    is_repeated: bool,
    /// True if the column has a value of its own in each row because others of its key have not.
    is_last_of_key: bool,
    /// Kind of the column's values.
    pub sample: Sample,
}

/// Kind of a column's values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Sample {
    #[default]
    ByType,
    /// As by type, but dates and years from 1971, which partitions by time take.
    Early,
    /// The values of a list, as SQL.
    Listed(Vec<String>),
    /// One value for all rows, as SQL.
    Fixed(String),
}

/// Name, data type, type, length, precision, scale, and `EXTRA` of a column, and its spatial
/// reference system.
type Row = (String, String, String, Option<u64>, Option<u64>, Option<u64>, String, Option<u64>);

impl Copy<'_> {
    pub(super) fn read_columns(&self, schema: &str, name: &str) -> Result<Vec<Column>, Error> {
        let has_srid = self.flavour == Flavour::MySql && self.version >= Version::new(8, 0, 3);
        let query = format!(
            "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, EXTRA, {} \
             FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} ORDER BY ORDINAL_POSITION",
            if has_srid { "SRS_ID" } else { "NULL" },
            quote_string(schema),
            quote_string(name)
        );
        let rows: Vec<Row> =
            self.server().connect()?.query(query).map_err(|source| self.failed("read a table's columns", source))?;
        let mut columns: Vec<Column> = rows.into_iter().map(Column::new).collect();
        let indexes = self.table(schema, name)?.map(|table| table.indexes).unwrap_or_default();
        let is_key_alone = |column: &str| {
            let mut keys = indexes.iter().filter(|index| index.parts.len() == 1);
            keys.any(|index| index.parts[0].0.eq_ignore_ascii_case(column))
        };
        let alone: Vec<bool> = columns.iter().map(|column| is_key_alone(&column.name)).collect();
        for index in &indexes {
            repeat_prefix(&mut columns, &alone, index);
        }
        Ok(columns)
    }
}

/// Repeats the values of the columns of a key but the last, if the last has a value of its own in
/// each row. The key stays as unique as it was. `alone` are the columns that are a key by
/// themselves, whose values stay.
fn repeat_prefix(columns: &mut [Column], alone: &[bool], index: &Index) {
    let place = |(name, _): &(String, Option<u64>)| columns.iter().position(|one| one.name.eq_ignore_ascii_case(name));
    let places: Vec<usize> = index.parts.iter().filter_map(place).collect();
    let Some((&last, prefix)) = places.split_last() else { return };
    if places.len() < index.parts.len() || !columns[last].is_distinct() {
        return;
    }
    let mut is_changed = false;
    for &at in prefix {
        if at != last && !alone[at] && !columns[at].is_last_of_key && columns[at].can_repeat() {
            columns[at].is_repeated = true;
            is_changed = true;
        }
    }
    columns[last].is_last_of_key |= is_changed;
}

impl Column {
    fn new((name, data_type, column_type, length, precision, scale, extra, srid): Row) -> Self {
        let digits = precision.unwrap_or(0).saturating_sub(scale.unwrap_or(0));
        let srid = srid.unwrap_or(0);
        Self { name, data_type, column_type, length, digits, extra, srid, ..Self::default() }
    }

    /// False for generated columns, and for small counters: the server counts them on, as few
    /// numbers fit.
    pub fn is_written(&self) -> bool {
        let is_small_counter = self.extra.contains("auto_increment") && self.data_type == "tinyint";
        !is_small_counter && !is_generated(&self.extra)
    }

    /// True for a type of numbers that are `n + 1`, and are not counted on by the server.
    fn is_number(&self) -> bool {
        let is_wide = matches!(self.data_type.as_str(), "smallint" | "mediumint" | "int" | "bigint");
        is_wide && !self.extra.contains("auto_increment")
    }

    /// True if each row has another value.
    fn is_distinct(&self) -> bool {
        let is_counter = self.extra.contains("auto_increment");
        !self.is_repeated && (is_counter || self.is_number() || self.is_long_text())
    }

    /// True if few values can be repeated.
    fn can_repeat(&self) -> bool {
        let is_tiny = self.data_type == "tinyint" && !self.extra.contains("auto_increment");
        self.is_number() || is_tiny || self.is_long_text() || self.data_type == "date"
    }

    fn is_long_text(&self) -> bool {
        self.is_text() && self.length.is_some_and(|length| length > 7)
    }

    pub fn is_text(&self) -> bool {
        self.data_type.ends_with("char") || self.data_type.ends_with("text")
    }

    /// Expression for the value of a row by its number `n`. Texts are `w0000500`, with fewer digits
    /// in short columns; in columns of up to three characters, the end of `n` in base 36. A row
    /// number has the same text in every table, so that joins find rows. `None` for types without a
    /// value.
    pub fn value(&self) -> Option<String> {
        match &self.sample {
            Sample::Listed(values) => return Some(format!("ELT(1 + n % {}, {})", values.len(), values.join(", "))),
            Sample::Fixed(value) => return Some(value.clone()),
            Sample::ByType | Sample::Early => {}
        }
        let n = if self.is_repeated { "(n % 10)" } else { "n" };
        let day = if self.sample == Sample::Early { "1971-01-01" } else { "2020-01-01" };
        Some(match self.data_type.as_str() {
            "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => match self.length.unwrap_or(8) {
                0 => return None,
                length @ 1..=3 => format!("RIGHT(LPAD(CONV(n, 10, 36), 4, '0'), {length})"),
                length => format!("CONCAT('w', LPAD({n}, {}, '0'))", (length - 1).min(7)),
            },
            "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => {
                match self.length.unwrap_or(4) {
                    length @ 1..=3 => format!("RIGHT(LPAD(n, 4, '0'), {length})"),
                    _ => "LPAD(n, 4, '0')".into(),
                }
            }
            "enum" => format!("1 + n % {}", self.members().max(1)),
            "set" => "1 + n % 2".into(),
            "tinyint" if self.is_repeated => n.into(),
            "tinyint" => "n % 100".into(),
            "smallint" | "mediumint" | "int" | "bigint" | "float" | "double" => format!("{n} + 1"),
            "decimal" => format!("(n + 1) % {}", 10_u64.pow(self.digits.min(7) as u32)),
            "date" => format!("'{day}' + INTERVAL {n} DAY"),
            "datetime" | "timestamp" => format!("'{day} 00:00:00' + INTERVAL n HOUR"),
            "time" => "SEC_TO_TIME(n)".into(),
            "year" if self.sample == Sample::Early => "1971 + n % 30".into(),
            "year" => "2000 + n % 100".into(),
            "json" => "'{}'".into(),
            "bit" => format!("n % {}", 2_u64.pow(self.digits.clamp(1, 20) as u32)),
            "uuid" => "UUID()".into(),
            _ if self.column_type.contains("inet") => "NULL".into(),
            kind => format!("ST_GeomFromText('{}', {})", shape(kind)?, self.srid),
        })
    }

    /// Number of members of an ENUM.
    fn members(&self) -> usize {
        let tokens = tokenize(&self.column_type, SqlMode::default());
        tokens.filter(|token| token.kind == TokenKind::StringLiteral).count()
    }
}

/// Text of a shape, by the type of its column. `None` for other types.
fn shape(data_type: &str) -> Option<&'static str> {
    Some(match data_type {
        "geometry" | "point" => "POINT(1 1)",
        "linestring" => "LINESTRING(0 0, 1 1)",
        "polygon" => "POLYGON((0 0, 0 1, 1 1, 1 0, 0 0))",
        "multipoint" => "MULTIPOINT(1 1, 2 2)",
        "multilinestring" => "MULTILINESTRING((0 0, 1 1), (2 2, 3 3))",
        "multipolygon" => "MULTIPOLYGON(((0 0, 0 1, 1 1, 1 0, 0 0)))",
        "geometrycollection" | "geomcollection" => "GEOMETRYCOLLECTION(POINT(1 1))",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_their_types() {
        let column = |data_type: &str, column_type: &str, length, digits| Column {
            data_type: data_type.into(),
            column_type: column_type.into(),
            length,
            digits,
            ..Column::default()
        };
        let value = |column: Column| column.value().unwrap_or_default();
        assert_eq!(value(column("char", "char(1)", Some(1), 0)), "RIGHT(LPAD(CONV(n, 10, 36), 4, '0'), 1)");
        assert_eq!(value(column("enum", "enum('a','b','c')", Some(1), 0)), "1 + n % 3");
        assert_eq!(value(column("decimal", "decimal(10,2)", None, 8)), "(n + 1) % 10000000");
        assert_eq!(value(column("point", "point", None, 0)), "ST_GeomFromText('POINT(1 1)', 0)");
        assert_eq!(column("vector", "vector(3)", None, 0).value(), None);
        let mut key = ["int", "varchar"].map(|kind| Column { name: kind.into(), ..column(kind, kind, Some(100), 0) });
        let parts = ["int", "varchar"].map(|name| (name.to_owned(), None)).to_vec();
        repeat_prefix(&mut key, &[false; 2], &Index { name: "k".into(), parts, expressions: Vec::new() });
        assert_eq!(value(key[0].clone()), "(n % 10) + 1");
        let early = Column { sample: Sample::Early, ..column("date", "date", None, 0) };
        assert_eq!(value(early), "'1971-01-01' + INTERVAL n DAY");
    }
}
