//! Size of rows, and the servers' limit (MySQL manual, "Limits on Table Column Count and Row
//! Size").

use facts::{Column, Table};
use server::Flavour;

/// Maximum bytes of a row's columns in every engine. Of `TEXT` and `BLOB`, only length and pointer
/// count.
pub const MAX_ROW_BYTES: u64 = 65_535;

/// Returns the size of the longest possible row in bytes, with the bitmap of NULLs. Virtual
/// generated columns are not stored and do not count. `width` returns the bytes of a character of a
/// column.
pub fn longest_row_bytes(flavour: Flavour, table: &Table, width: impl Fn(&Column) -> u64) -> u64 {
    let (mut bytes, mut nullable) = (0, 0);
    for column in table.columns.iter().filter(|column| is_stored(column)) {
        bytes += longest_value_bytes(flavour, column, width(column));
        nullable += u64::from(column.nullable);
    }
    bytes + nullable.div_ceil(8)
}

/// True for all columns except virtual generated ones.
pub(crate) fn is_stored(column: &Column) -> bool {
    column.generated.as_ref().is_none_or(|generated| generated.stored)
}

/// Returns the size of the longest possible value in bytes, with characters of `width` bytes.
pub fn longest_value_bytes(flavour: Flavour, column: &Column, width: u64) -> u64 {
    match measure(flavour, column, width) {
        Size::Fixed(bytes) | Size::Char(bytes) => bytes,
        Size::Variable(bytes) => add_length_prefix(bytes),
        Size::Blob(bytes) => bytes,
    }
}

/// Bytes of the longest value of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Fixed(u64),
    /// `CHAR`.
    Char(u64),
    /// Without the length: `VARCHAR`, `VARBINARY`.
    Variable(u64),
    /// Length and pointer: `TEXT`, `BLOB` and types that are stored as a BLOB.
    Blob(u64),
}

/// Measures the longest value of a column, with characters of `width` bytes.
pub(crate) fn measure(flavour: Flavour, column: &Column, width: u64) -> Size {
    let characters = column.characters.unwrap_or(0);
    // MariaDB writes a byte before a compressed value.
    let compression = u64::from(column.column_type.to_ascii_uppercase().contains(" COMPRESSED"));
    match column.data_type.as_str() {
        "char" => Size::Char(characters * width),
        "varchar" => Size::Variable(characters * width + compression),
        "binary" => Size::Fixed(characters),
        "varbinary" => Size::Variable(characters + compression),
        "tinytext" | "tinyblob" => Size::Blob(9),
        "text" | "blob" => Size::Blob(10),
        "mediumtext" | "mediumblob" => Size::Blob(11),
        // MariaDB stores a vector as VARBINARY of four bytes a dimension, MySQL as a BLOB.
        "vector" if flavour == Flavour::MariaDb => Size::Variable(characters),
        "longtext" | "longblob" | "json" | "geometry" | "point" | "linestring" | "polygon" | "multipoint"
        | "multilinestring" | "multipolygon" | "geometrycollection" | "geomcollection" | "vector" => Size::Blob(12),
        _ => Size::Fixed(fixed_bytes(column)),
    }
}

/// Adds the length prefix: 1 byte for lengths up to 255, otherwise 2.
fn add_length_prefix(bytes: u64) -> u64 {
    bytes + if bytes > 255 { 2 } else { 1 }
}

/// Returns the size in bytes of a value of fixed size: numbers, times, `ENUM`, `SET`, UUIDs and IP
/// addresses (MySQL manual, "Data Type Storage Requirements"). 0 for other types.
pub fn fixed_bytes(column: &Column) -> u64 {
    let fraction = || column.precision.unwrap_or(0).div_ceil(2);
    match column.data_type.as_str() {
        "tinyint" | "year" => 1,
        "smallint" => 2,
        "mediumint" | "date" => 3,
        "int" | "float" => 4,
        "bigint" | "double" => 8,
        "decimal" => decimal_bytes(column.precision.unwrap_or(10), column.scale.unwrap_or(0)),
        "bit" => column.precision.unwrap_or(1).div_ceil(8),
        "time" => 3 + fraction(),
        "timestamp" => 4 + fraction(),
        "datetime" => 5 + fraction(),
        "enum" => {
            if count_members(&column.column_type) > 255 {
                2
            } else {
                1
            }
        }
        "set" => match count_members(&column.column_type).div_ceil(8) {
            bytes @ 0..=4 => bytes.max(1) as u64,
            _ => 8,
        },
        "uuid" | "inet6" => 16,
        "inet4" => 4,
        _ => 0,
    }
}

/// Returns the size of a DECIMAL in bytes: on each side of the point 4 bytes for 9 digits, and 0 to
/// 4 bytes for the remaining digits.
fn decimal_bytes(precision: u64, scale: u64) -> u64 {
    let part = |digits: u64| digits / 9 * 4 + [0, 1, 1, 2, 2, 3, 3, 4, 4][(digits % 9) as usize];
    part(precision.saturating_sub(scale)) + part(scale)
}

/// Counts the members of `enum('a','b')` or `set(…)`. A quote within a member is doubled, so it
/// ends and begins a string.
fn count_members(column_type: &str) -> usize {
    let mut inside = false;
    let mut count = 0;
    for character in column_type.chars() {
        match character {
            '\'' => inside = !inside,
            ',' if !inside => count += 1,
            _ => {}
        }
    }
    count + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(data_type: &str, column_type: &str, characters: Option<u64>) -> Column {
        Column { data_type: data_type.into(), column_type: column_type.into(), characters, ..Column::default() }
    }

    #[test]
    fn row_size_includes_the_null_bitmap() {
        let mut table = Table { columns: vec![column("varchar", "varchar(100)", Some(100))], ..Table::default() };
        assert_eq!(
            (longest_row_bytes(Flavour::MySql, &table, |_| 1), longest_row_bytes(Flavour::MySql, &table, |_| 4)),
            (101, 402)
        );
        table.columns.push(Column { nullable: true, ..column("text", "text", Some(65_535)) });
        assert_eq!(longest_row_bytes(Flavour::MySql, &table, |_| 4), 402 + 10 + 1);
        for geometry in ["multipoint", "geometrycollection", "geomcollection"] {
            assert_eq!(longest_value_bytes(Flavour::MySql, &column(geometry, geometry, None), 4), 12);
        }
    }

    /// Sizes as MariaDB 11.8.9 counts them, found by the longest VARCHAR that fits into the same
    /// row.
    #[test]
    fn vectors_and_compressed_columns_of_mariadb() {
        let bytes = |column: &Column| longest_value_bytes(Flavour::MariaDb, column, 1);
        for (dimensions, expected) in [(8, 33), (63, 253), (64, 258)] {
            let vector = column("vector", &format!("vector({dimensions})"), Some(4 * dimensions));
            assert_eq!(bytes(&vector), expected);
            assert_eq!(longest_value_bytes(Flavour::MySql, &vector, 1), 12);
        }
        for (characters, expected) in [(10, 12), (254, 256), (255, 258), (256, 259)] {
            let column_type = format!("varchar({characters}) /*M!100301 COMPRESSED*/");
            assert_eq!(bytes(&column("varchar", &column_type, Some(characters))), expected);
        }
        assert_eq!(bytes(&column("text", "text /*M!100301 COMPRESSED*/", Some(65_535))), 10);
    }

    #[test]
    fn counts_members_and_fixed_sizes() {
        assert_eq!(count_members("enum('a','b,c','d''e')"), 3);
        assert_eq!(fixed_bytes(&column("set", "set('a','b')", None)), 1);
        let decimal = Column { precision: Some(20), scale: Some(6), ..column("decimal", "decimal(20,6)", None) };
        assert_eq!(fixed_bytes(&decimal), 4 + 3 + 3);
    }
}
