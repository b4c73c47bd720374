//! Sort keys of several columns. Each part of a key is self-delimiting, so that parts can be
//! concatenated.

use alloc::vec::Vec;

use super::Collation;
use crate::operations::weight_string_char::first_characters;

/// Version of the formats of [`Collation::sort_key`] and [`RowKey`]. Stored keys are comparable
/// only with keys of the same version. A release that changes the bytes of any key increments the
/// version.
pub const KEY_FORMAT: u32 = 2;

/// Sort direction of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Smallest value first, after NULL.
    Ascending,
    /// Greatest value first, NULL last.
    Descending,
}

/// A sort key of several columns. Keys of the same columns compare bytewise as their rows compare
/// under `ORDER BY`.
///
/// Each column is a part of the key:
///
/// ```text
/// NULL    1
/// string  2 · sort key, with FF after each 00 · 00 00
/// bytes   2 · the bytes, with FF after each 00 · 00 00
/// ```
///
/// A descending column inverts all bits of its part.
///
/// Columns of other types are bytes that compare as their values do ([`RowKey::push_bytes`]):
/// integers big-endian, with the sign bit inverted; dates and times as integers or as text.
///
/// ```
/// use mysql_collation::{Collation, Direction, Flavour, RowKey};
///
/// let collation = Collation::by_name(Flavour::MySql, "utf8mb4_0900_ai_ci")?;
/// let key = |city: Option<&str>, name: &str| {
///     let mut key = RowKey::new();
///     key.push(collation, city.map(str::as_bytes), Direction::Ascending);
///     key.push(collation, Some(name.as_bytes()), Direction::Descending);
///     key
/// };
/// assert!(key(None, "Zoe") < key(Some("Aachen"), "Anna"));
/// assert!(key(Some("aachen"), "Zoe") < key(Some("AACHEN"), "Anna"));
/// assert!(key(Some("Aachen"), "Anna") < key(Some("Aachen Süd"), "Zoe"));
/// # Ok::<(), mysql_collation::LookupError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowKey(Vec<u8>);

const NULL: u8 = 1;
const PRESENT: u8 = 2;

impl RowKey {
    /// Creates a key without columns.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Appends a column with this string, `None` for NULL.
    pub fn push(&mut self, collation: Collation, text: Option<&[u8]>, direction: Direction) {
        self.push_part(text, direction, |text, key| collation.sort_key_into(text, key));
    }

    /// Appends the first `characters` characters of a string, as in a prefix index: `KEY (a(10),
    /// b)`. A character of `binary` is a byte.
    ///
    /// ```
    /// use mysql_collation::{Direction, RowKey, mysql::UTF8MB4_0900_AI_CI};
    ///
    /// let key = |name: &str| {
    ///     let mut key = RowKey::new();
    ///     key.push_prefix(UTF8MB4_0900_AI_CI, Some(name.as_bytes()), 3, Direction::Ascending);
    ///     key
    /// };
    /// assert_eq!(key("Müller"), key("MULTI"));
    /// ```
    pub fn push_prefix(&mut self, collation: Collation, text: Option<&[u8]>, characters: usize, direction: Direction) {
        let prefix = text.map(|text| first_characters(collation.descriptor(), text, characters).0);
        self.push(collation, prefix, direction);
    }

    /// Appends a column of another type, as bytes that compare as its values do. `None` for NULL.
    ///
    /// ```
    /// use mysql_collation::{Direction, RowKey, mysql::UTF8MB4_0900_AI_CI};
    ///
    /// // PRIMARY KEY (name, number), with a BIGINT.
    /// let key = |name: &str, number: i64| {
    ///     let mut key = RowKey::new();
    ///     key.push(UTF8MB4_0900_AI_CI, Some(name.as_bytes()), Direction::Ascending);
    ///     let bytes = (number as u64 ^ 1 << 63).to_be_bytes();
    ///     key.push_bytes(Some(&bytes), Direction::Ascending);
    ///     key
    /// };
    /// assert!(key("a", -1) < key("A", 0) && key("A", 256) < key("ab", -1));
    /// ```
    pub fn push_bytes(&mut self, bytes: Option<&[u8]>, direction: Direction) {
        self.push_part(bytes, direction, |bytes, key| key.extend_from_slice(bytes));
    }

    fn push_part(&mut self, value: Option<&[u8]>, direction: Direction, put: impl FnOnce(&[u8], &mut Vec<u8>)) {
        let start = self.0.len();
        match value {
            None => self.0.push(NULL),
            Some(value) => {
                self.0.push(PRESENT);
                let from = self.0.len();
                put(value, &mut self.0);
                escape_zeros(&mut self.0, from);
                self.0.extend([0, 0]);
            }
        }
        if direction == Direction::Descending {
            self.0.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
        }
    }

    /// Removes all columns and keeps the capacity.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the bytes of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Converts the key into its bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Inserts 0xFF after each zero byte from `from` on.
fn escape_zeros(key: &mut Vec<u8>, from: usize) {
    let zeros = key[from..].iter().filter(|&&byte| byte == 0).count();
    let mut read = key.len();
    key.resize(key.len() + zeros, 0);
    let mut write = key.len();
    // Moving bytes from the end never overwrites a byte before it is read.
    while read < write {
        read -= 1;
        if key[read] == 0 {
            write -= 1;
            key[write] = 0xFF;
        }
        write -= 1;
        key[write] = key[read];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_escaped_in_place() {
        for (given, expected) in [
            (&[][..], &[][..]),
            (&[1, 2], &[1, 2]),
            (&[0], &[0, 0xFF]),
            (&[0, 0, 7, 0], &[0, 0xFF, 0, 0xFF, 7, 0, 0xFF]),
            (&[7, 0, 0, 8], &[7, 0, 0xFF, 0, 0xFF, 8]),
        ] {
            let mut key = [&[0, 9][..], given].concat();
            escape_zeros(&mut key, 2);
            assert_eq!(key, [&[0, 9][..], expected].concat());
        }
    }

    #[test]
    fn parts_end_by_themselves() {
        let key = |parts: &[&[u8]], direction| {
            let mut key = RowKey::new();
            parts.iter().for_each(|part| key.push_bytes(Some(part), direction));
            key
        };
        let rows: [&[&[u8]]; 6] =
            [&[b"", b"b"], &[b"\0", b""], &[b"\0\0", b"a"], &[b"a", b"z"], &[b"ab", b""], &[b"b", b""]];
        for pair in rows.windows(2) {
            assert!(key(pair[0], Direction::Ascending) < key(pair[1], Direction::Ascending), "{pair:?}");
            assert!(key(pair[0], Direction::Descending) > key(pair[1], Direction::Descending), "{pair:?}");
        }
        let mut null = RowKey::new();
        null.push_bytes(None, Direction::Ascending);
        assert!(null < key(&[b""], Direction::Ascending));
    }
}
