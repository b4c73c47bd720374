//! Values of foreign keys as the server compares them: 'A' refers to the parent 'a' under a
//! collation that ignores case.

use std::collections::HashMap;

use mysql_collation::{Charset, Collation, Flavour, catalogue};
use sql::Value;
use workload_folder::Cell;

/// Values of a key. Texts that are equal under their column's collation, if it is known, are the
/// same bytes.
pub type Key = Vec<Value>;

/// Keys of rows to read, each with its values as a row has them.
#[derive(Clone, Debug, Default)]
pub struct WantedKeys(pub HashMap<Key, Vec<Value>>);

impl WantedKeys {
    pub fn has(&self, key: &Key) -> bool {
        self.0.contains_key(key)
    }

    /// Returns the values, sorted.
    pub fn values(&self) -> Vec<&Vec<Value>> {
        let mut all: Vec<_> = self.0.values().collect();
        all.sort();
        all
    }
}

/// Returns the values of columns; `None` if one is NULL, which refers to nothing.
pub fn key_values(row: &[Cell], positions: &[usize]) -> Option<Vec<Value>> {
    positions.iter().map(|position| row.get(*position).cloned().flatten()).collect()
}

/// Returns a key for values, by the collations of their columns.
pub fn key_of(values: &[Value], collations: impl Iterator<Item = Option<Collation>>) -> Key {
    let part = |(value, collation): (&Value, Option<Collation>)| match (value, collation) {
        (Value::Text(text), Some(collation)) => {
            encode(text, collation).map_or_else(|| value.clone(), |encoded| Value::Bytes(collation.sort_key(&encoded)))
        }
        _ => value.clone(),
    };
    values.iter().zip(collations).map(part).collect()
}

/// Encodes a text in a collation's character set. `None` if the character set is unknown, or lacks
/// a character of the text.
fn encode(text: &str, collation: Collation) -> Option<Vec<u8>> {
    match Charset::by_name(collation.info().charset)? {
        Charset::Utf8mb4 | Charset::Utf8mb3 => Some(text.as_bytes().to_vec()),
        charset => {
            let mut encoded = Vec::with_capacity(text.len());
            for character in text.chars() {
                let mut buffer = [0; 8];
                let length = charset.encode(character, &mut buffer)?;
                encoded.extend_from_slice(&buffer[..length]);
            }
            Some(encoded)
        }
    }
}

/// Finds a collation by name: MySQL's, or else MariaDB's.
pub fn find_collation(name: &str) -> Option<Collation> {
    [Flavour::MySql, Flavour::MariaDb].into_iter().find_map(|flavour| Collation::lookup(flavour, name).ok())
}

/// Returns the collation of a character set that `SHOW CREATE TABLE` prints without COLLATE.
/// Servers that leave COLLATE out for utf8mb4 have the default `utf8mb4_general_ci`.
pub fn default_collation(charset: &str) -> Option<Collation> {
    if charset.eq_ignore_ascii_case("utf8mb4") {
        return find_collation("utf8mb4_general_ci");
    }
    let charset = Charset::by_name(charset)?;
    let info = catalogue(Flavour::MySql).iter().find(|info| info.is_default && info.charset == charset.name())?;
    find_collation(info.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_as_the_server_does() {
        let key =
            |text: &str, collation: &str| key_of(&[Value::Text(text.into())], [find_collation(collation)].into_iter());
        assert_eq!(key("Ä", "latin1_swedish_ci"), key("ä", "latin1_swedish_ci"));
        assert_eq!(key("a ", "utf8mb4_general_ci"), key("A", "utf8mb4_general_ci"));
        assert_ne!(key("a ", "utf8mb4_0900_ai_ci"), key("A", "utf8mb4_0900_ai_ci"));
        assert_ne!(key("a", "utf8mb4_bin"), key("A", "utf8mb4_bin"));
    }
}
