//! The length of a row, and the server's limit on it (MySQL manual, "Limits on Table Column Count and Row Size").

use facts::{Column, Table};

/// The most bytes that the columns of a row may take together, whatever the engine. `TEXT` and `BLOB` count with a pointer.
pub const ROW_LIMIT: u64 = 65_535;

/// The bytes that a row may take at most, each column's characters as wide as `width` says, the bitmap of NULLs included.
pub fn row_bytes(table: &Table, width: impl Fn(&Column) -> u64) -> u64 {
    let stored =
        table.columns.iter().filter(|column| column.generated.as_ref().is_none_or(|generated| generated.stored));
    let (mut bytes, mut nullable) = (0, 0);
    for column in stored {
        bytes += column_bytes(column, width(column));
        nullable += u64::from(column.nullable);
    }
    bytes + nullable.div_ceil(8)
}

/// The bytes that a column takes in a row at most, its characters being `width` bytes wide.
pub fn column_bytes(column: &Column, width: u64) -> u64 {
    let characters = column.characters.unwrap_or(0);
    match column.data_type.as_str() {
        "char" => characters * width,
        "varchar" => with_length(characters * width),
        "binary" => characters,
        "varbinary" => with_length(characters),
        "tinytext" | "tinyblob" => 9,
        "text" | "blob" => 10,
        "mediumtext" | "mediumblob" => 11,
        "longtext" | "longblob" | "json" | "geometry" | "point" | "linestring" | "polygon" | "vector" => 12,
        _ => fixed_bytes(column),
    }
}

/// A length of one byte up to 255, else two.
fn with_length(bytes: u64) -> u64 {
    bytes + if bytes > 255 { 2 } else { 1 }
}

/// The bytes of a type whose length doesn't depend on a character set (MySQL manual, "Data Type Storage Requirements").
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
            if members(&column.column_type) > 255 {
                2
            } else {
                1
            }
        }
        "set" => match members(&column.column_type).div_ceil(8) {
            bytes @ 0..=4 => bytes.max(1) as u64,
            _ => 8,
        },
        "uuid" | "inet6" => 16,
        "inet4" => 4,
        _ => 0,
    }
}

/// Nine digits take four bytes; those that are left over as listed.
fn decimal_bytes(precision: u64, scale: u64) -> u64 {
    let part = |digits: u64| digits / 9 * 4 + [0, 1, 1, 2, 2, 3, 3, 4, 4][(digits % 9) as usize];
    part(precision.saturating_sub(scale)) + part(scale)
}

/// The members of `enum('a','b')` or `set(…)`. A quote within a member is doubled, so it opens and closes nothing.
fn members(column_type: &str) -> usize {
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
    fn a_row_is_its_columns_and_the_bitmap_of_nulls() {
        let mut table = Table { columns: vec![column("varchar", "varchar(100)", Some(100))], ..Table::default() };
        assert_eq!((row_bytes(&table, |_| 1), row_bytes(&table, |_| 4)), (101, 402));
        table.columns.push(Column { nullable: true, ..column("text", "text", Some(65_535)) });
        assert_eq!(row_bytes(&table, |_| 4), 402 + 10 + 1);
    }

    #[test]
    fn members_are_counted() {
        assert_eq!(members("enum('a','b,c','d''e')"), 3);
        assert_eq!(fixed_bytes(&column("set", "set('a','b')", None)), 1);
        let decimal = Column { precision: Some(20), scale: Some(6), ..column("decimal", "decimal(20,6)", None) };
        assert_eq!(fixed_bytes(&decimal), 4 + 3 + 3);
    }
}
