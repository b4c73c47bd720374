//! The key by which a table is read in chunks, and the condition of the next chunk.

use facts::{Column, Facts, IndexKind, Table};

/// Visible unique key without NULLs, prefixes and descending columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkKey {
    pub index: String,
    pub columns: Vec<String>,
}

/// Returns the primary key if it is suitable, else the suitable unique key with the fewest columns.
pub fn chunk_key(table: &Table) -> Option<ChunkKey> {
    let is_suitable = |index: &&facts::Index| {
        let is_exact_column = |part: &facts::IndexPart| {
            let column = part.column.as_deref().and_then(|name| table.column(name));
            part.prefix.is_none()
                && !part.descending
                && column.is_some_and(|column| !column.nullable && literal_kind(column).is_some())
        };
        index.unique && !index.invisible && index.kind == IndexKind::Btree && index.parts.iter().all(is_exact_column)
    };
    let key =
        table.indexes.iter().filter(is_suitable).min_by_key(|index| (index.name != "PRIMARY", index.parts.len()))?;
    let columns = key.parts.iter().filter_map(|part| part.column.clone()).collect();
    Some(ChunkKey { index: key.name.clone(), columns })
}

/// How a value is written as a literal that compares exactly like the column, in a session with
/// UTC as its time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LiteralKind {
    Number,
    Time,
    Text,
    Bytes,
}

/// Returns the kind of a column's literals. `None` for types whose literals compare inexactly, and
/// for types that no key should have, such as TEXT. Floating-point values are inexact. ENUM and SET
/// are ordered by number and compared as text.
fn literal_kind(column: &Column) -> Option<LiteralKind> {
    Some(match column.data_type.as_str() {
        "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "decimal" | "year" => LiteralKind::Number,
        "date" | "datetime" | "timestamp" | "time" => LiteralKind::Time,
        "char" | "varchar" if column.charset.is_some() => LiteralKind::Text,
        "binary" | "varbinary" => LiteralKind::Bytes,
        _ => return None,
    })
}

/// Returns a key's value as a literal. `None` if the value isn't of the type's form.
///
/// Text has the column's character set and collation, because otherwise the server would convert
/// the column and not use its index.
pub fn key_literal(facts: &Facts, column: &Column, value: &[u8]) -> Option<String> {
    let consists_of = |allowed: &[u8]| value.iter().all(|byte| byte.is_ascii_digit() || allowed.contains(byte));
    Some(match literal_kind(column)? {
        LiteralKind::Number if consists_of(b"-+.") => String::from_utf8_lossy(value).into_owned(),
        LiteralKind::Time if consists_of(b" :.-") => format!("'{}'", String::from_utf8_lossy(value)),
        LiteralKind::Number | LiteralKind::Time => return None,
        LiteralKind::Bytes => sql::hex_literal(value),
        LiteralKind::Text => {
            let charset = crate::quote::charset_name(facts, column.charset.as_deref()?);
            format!("_{charset} {} COLLATE {}", sql::hex_literal(value), column.collation.as_deref()?)
        }
    })
}

/// Returns the condition for keys greater than the literals. For two columns:
///
/// `` `a` >= 1 AND (`a` > 1 OR (`a` = 1 AND `b` > 2)) ``.
pub fn rows_after(columns: &[String], literals: &[String]) -> String {
    let names: Vec<String> = columns.iter().map(|name| sql::quote_identifier(name)).collect();
    let mut condition = String::new();
    for at in (0..names.len()).rev() {
        let greater = format!("{} > {}", names[at], literals[at]);
        condition = if condition.is_empty() {
            greater
        } else {
            format!("({greater} OR ({} = {} AND {condition}))", names[at], literals[at])
        };
    }
    match names.as_slice() {
        // The range of the first column lets servers use the index.
        [first, _, ..] => format!("{first} >= {} AND {condition}", literals[0]),
        _ => condition,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::{Index, IndexPart};

    #[test]
    fn compares_keys_of_several_columns() {
        let condition = |columns: &[&str], literals: &[&str]| {
            let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
            rows_after(&owned(columns), &owned(literals))
        };
        assert_eq!(condition(&["a"], &["1"]), "`a` > 1");
        assert_eq!(condition(&["a", "b"], &["1", "2"]), "`a` >= 1 AND (`a` > 1 OR (`a` = 1 AND `b` > 2))");
        assert_eq!(
            condition(&["a", "b", "c"], &["1", "2", "3"]),
            "`a` >= 1 AND (`a` > 1 OR (`a` = 1 AND (`b` > 2 OR (`b` = 2 AND `c` > 3))))"
        );
    }

    #[test]
    fn skips_keys_with_nulls_and_unsuitable_types() {
        let column = |name: &str, data_type: &str, nullable| Column {
            name: name.into(),
            data_type: data_type.into(),
            nullable,
            charset: Some("latin1".into()),
            ..Column::default()
        };
        let index = |name: &str, column: &str, prefix| Index {
            name: name.into(),
            unique: true,
            kind: IndexKind::Btree,
            invisible: false,
            parts: vec![IndexPart { column: Some(column.into()), prefix, ..IndexPart::default() }],
        };
        let columns = vec![
            column("e", "enum", false),
            column("n", "varchar", true),
            column("v", "varchar", false),
            column("w", "varchar", false),
        ];
        let indexes =
            vec![index("PRIMARY", "e", None), index("n", "n", None), index("v", "v", Some(5)), index("w", "w", None)];
        let table = Table { columns, indexes, ..Table::default() };
        assert_eq!(chunk_key(&table).unwrap().index, "w");
    }
}
