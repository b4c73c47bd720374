//! Sort keys of several columns. Each part of a key is self-delimiting, so that parts can be
//! concatenated.

use alloc::vec::Vec;

use super::Collation;

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
/// ```
///
/// A descending column inverts all bits of its part.
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
        let start = self.0.len();
        match text {
            None => self.0.push(NULL),
            Some(text) => {
                self.0.push(PRESENT);
                let from = self.0.len();
                collation.sort_key_into(text, &mut self.0);
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
}
