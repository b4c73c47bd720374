//! Made-up rows with characters that the columns' character sets hold.

use anyhow::Result;
use mysql::prelude::Queryable;
use server::Conn;
use sql::{quote_identifier, quote_string, quote_table};

/// Number of rows for each table.
const ROWS: u64 = 40;

/// Column, data type, character set, length and EXTRA.
type Column = (String, String, Option<String>, Option<u64>, String);

/// Fills each table. Rows that a table refuses are left out.
pub fn fill(conn: &mut Conn, schema: &str) -> Result<()> {
    for setting in ["sql_mode = ''", "foreign_key_checks = 0"] {
        conn.query_drop(format!("SET SESSION {setting}"))?;
    }
    let tables: Vec<String> = conn.query(format!(
        "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = {} AND TABLE_TYPE = 'BASE TABLE'",
        quote_string(schema)
    ))?;
    for table in tables {
        let columns: Vec<Column> = conn.query(format!(
            "SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_SET_NAME, CHARACTER_MAXIMUM_LENGTH, EXTRA FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} ORDER BY ORDINAL_POSITION",
            quote_string(schema),
            quote_string(&table)
        ))?;
        let is_generated =
            |extra: &str| extra.contains("VIRTUAL") || extra.contains("STORED") || extra.contains("auto_increment");
        let filled: Vec<(String, String)> = columns
            .iter()
            .filter(|column| !is_generated(&column.4))
            .filter_map(|column| Some((quote_identifier(&column.0), value(column)?)))
            .collect();
        let (names, values): (Vec<String>, Vec<String>) = filled.into_iter().unzip();
        let statement = format!(
            "INSERT IGNORE INTO {} ({}) SELECT {} FROM (SELECT x.d * 10 + y.d AS n FROM {DIGITS} x, {DIGITS} y) AS numbers WHERE n < {ROWS}",
            quote_table(schema, &table),
            names.join(", "),
            values.join(", ")
        );
        // A trigger or a CHECK that refuses the rows leaves the table as it is.
        let _ = conn.query_drop(statement);
    }
    Ok(())
}

const DIGITS: &str = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 \
    UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";

/// Returns the expression for a value of row `n`: the same in every table, so that children find
/// their parents. Texts begin with two digits of the number, so that no two texts of two or more
/// characters are equal in any collation.
fn value((_, data_type, charset, length, _): &Column) -> Option<String> {
    let characters = match charset.as_deref() {
        Some("ascii") | None => "Az",
        Some("latin1") => "ÉßÑçÿ",
        Some("utf8" | "utf8mb3") => "ÉßЖ中ﬁ",
        Some(_) => "Éß中😀",
    };
    Some(match data_type.as_str() {
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" if charset.is_some() => {
            let length = length.unwrap_or(8).min(60);
            format!("LEFT(CONCAT(LPAD(CONV(n, 10, 36), 2, '0'), '{characters}'), {length})")
        }
        "enum" | "set" => "1".into(),
        "tinyint" | "decimal" => "n".into(),
        "smallint" | "mediumint" | "int" | "bigint" | "float" | "double" => "n + 1".into(),
        "date" => "'2020-01-01' + INTERVAL n DAY".into(),
        "datetime" | "timestamp" => "'2020-01-01 00:00:00' + INTERVAL n HOUR".into(),
        "time" => "SEC_TO_TIME(n)".into(),
        "json" => "'{}'".into(),
        "char" | "varchar" | "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => {
            "LPAD(n, 4, '0')".into()
        }
        _ => return None,
    })
}
