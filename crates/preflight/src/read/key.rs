//! The key that a table is read in chunks by. Pure.

use facts::{Column, Facts, IndexKind, Table};

use crate::sql;

/// A unique key without NULLs, whose order the server's is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkKey {
    /// The index.
    pub index: String,
    /// Its columns.
    pub columns: Vec<String>,
}

/// The primary key, else the shortest unique key that will do.
pub fn chunk_key(table: &Table) -> Option<ChunkKey> {
    let fits = |index: &&facts::Index| {
        let is_whole = |part: &facts::IndexPart| {
            let column = part.column.as_deref().and_then(|name| table.column(name));
            part.prefix.is_none()
                && !part.descending
                && column.is_some_and(|column| !column.nullable && kind(column).is_some())
        };
        index.unique && index.kind == IndexKind::Btree && index.parts.iter().all(is_whole)
    };
    let key = table.indexes.iter().filter(fits).min_by_key(|index| (index.name != "PRIMARY", index.parts.len()))?;
    let columns = key.parts.iter().filter_map(|part| part.column.clone()).collect();
    Some(ChunkKey { index: key.name.clone(), columns })
}

/// How a value is written as a literal that compares exactly as its column does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Time,
    Text,
    Bytes,
}

/// `None` where no literal does: floating point is not exact, ENUM and SET are ordered by number and compared as text.
fn kind(column: &Column) -> Option<Kind> {
    Some(match column.data_type.as_str() {
        "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "decimal" | "year" => Kind::Number,
        "date" | "datetime" | "timestamp" | "time" => Kind::Time,
        "char" | "varchar" if column.charset.is_some() => Kind::Text,
        "binary" | "varbinary" => Kind::Bytes,
        _ => return None,
    })
}

/// A value of a column as a literal. Text carries the column's own character set and collation: a literal of another one would have the
/// column converted, and its index lost.
pub fn literal(facts: &Facts, column: &Column, value: &[u8]) -> Option<String> {
    let is_made_of = |allowed: &[u8]| value.iter().all(|byte| byte.is_ascii_digit() || allowed.contains(byte));
    Some(match kind(column)? {
        Kind::Number if is_made_of(b"-+.") => String::from_utf8_lossy(value).into_owned(),
        Kind::Time if is_made_of(b" :.-") => format!("'{}'", String::from_utf8_lossy(value)),
        Kind::Number | Kind::Time => return None,
        Kind::Bytes => sql::bytes(value),
        Kind::Text => {
            let charset = sql::charset_name(facts, column.charset.as_deref()?);
            format!("_{charset} {} COLLATE {}", sql::bytes(value), column.collation.as_deref()?)
        }
    })
}

/// The condition for all keys after the one of these literals.
pub fn after(columns: &[String], literals: &[String]) -> String {
    let names: Vec<String> = columns.iter().map(|name| sql::identifier(name)).collect();
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
        // The range of the first column leads every server to the index.
        [first, _, ..] => format!("{first} >= {} AND {condition}", literals[0]),
        _ => condition,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::{Index, IndexPart};

    #[test]
    fn what_comes_after_a_key_of_several_columns() {
        let of = |columns: &[&str], literals: &[&str]| {
            let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
            after(&owned(columns), &owned(literals))
        };
        assert_eq!(of(&["a"], &["1"]), "`a` > 1");
        assert_eq!(of(&["a", "b"], &["1", "2"]), "`a` >= 1 AND (`a` > 1 OR (`a` = 1 AND `b` > 2))");
        assert_eq!(
            of(&["a", "b", "c"], &["1", "2", "3"]),
            "`a` >= 1 AND (`a` > 1 OR (`a` = 1 AND (`b` > 2 OR (`b` = 2 AND `c` > 3))))"
        );
    }

    #[test]
    fn a_key_with_nulls_or_prefixes_will_not_do() {
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
