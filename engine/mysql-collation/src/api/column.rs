//! Operations on columns of strings.
//!
//! A column is any iterator over `Option<&[u8]>`, with `None` for NULL. [`Column`] reads Arrow's
//! layout (offsets, values, validity) from plain slices, without depending on Arrow.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use super::{Collation, LikePattern};

/// Integer type of a column's offsets: `i32` (`Utf8`, `Binary`) or `i64` (`LargeUtf8`,
/// `LargeBinary`).
pub trait Offset: Copy + sealed::Sealed {
    /// Returns the offset as an index; `None` if the offset is negative or exceeds `usize::MAX`.
    fn index(self) -> Option<usize>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
}

impl Offset for i32 {
    fn index(self) -> Option<usize> {
        self.try_into().ok()
    }
}

impl Offset for i64 {
    fn index(self) -> Option<usize> {
        self.try_into().ok()
    }
}

/// An error of [`Column::new`]: the slices don't form a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnError {
    /// The slice of offsets is empty. A column of no strings has one offset.
    NoOffsets,
    /// The offset with this index is negative, less than the offset before it, or beyond the
    /// values.
    Offset(usize),
    /// The validity bitmap has fewer bits than the column has strings.
    Validity,
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOffsets => f.write_str("a column has one offset more than strings"),
            Self::Offset(index) => {
                write!(f, "offset {index} is negative, less than the one before it, or beyond the values")
            }
            Self::Validity => f.write_str("the validity has fewer bits than there are strings"),
        }
    }
}

impl core::error::Error for ColumnError {}

/// A column of strings in Arrow's layout.
///
/// String `i` is `values[offsets[i]..offsets[i + 1]]`. It is NULL if bit `i` of the validity bitmap
/// is 0, counted from the lowest bit of the first byte.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a, O> {
    offsets: &'a [O],
    values: &'a [u8],
    validity: Option<&'a [u8]>,
}

impl<'a, O: Offset> Column<'a, O> {
    /// Creates a column. Without `validity`, no string is NULL.
    ///
    /// # Errors
    /// [`ColumnError`] if the slices don't form a column.
    pub fn new(offsets: &'a [O], values: &'a [u8], validity: Option<&'a [u8]>) -> Result<Self, ColumnError> {
        let count = offsets.len().checked_sub(1).ok_or(ColumnError::NoOffsets)?;
        let mut before = 0;
        for (index, offset) in offsets.iter().enumerate() {
            let here = offset.index().filter(|&here| here >= before && here <= values.len());
            before = here.ok_or(ColumnError::Offset(index))?;
        }
        if validity.is_some_and(|validity| validity.len() < count.div_ceil(8)) {
            return Err(ColumnError::Validity);
        }
        Ok(Self { offsets, values, validity })
    }

    /// Returns the number of strings, NULLs included.
    pub const fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns `true` if the column has no strings.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the string with this index; `None` if it is NULL or `index` is beyond the end.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&'a [u8]> {
        let is_valid = self
            .validity
            .is_none_or(|validity| validity.get(index / 8).is_some_and(|bits| bits >> (index % 8) & 1 == 1));
        let start = self.offsets.get(index).filter(|_| is_valid)?.index()?;
        let end = self.offsets.get(index + 1)?.index()?;
        self.values.get(start..end)
    }

    /// Iterates over the strings, with `None` for NULL.
    pub fn iter(self) -> ColumnIter<'a, O> {
        ColumnIter { column: self, rows: 0..self.len() }
    }
}

impl<'a, O: Offset> IntoIterator for Column<'a, O> {
    type Item = Option<&'a [u8]>;
    type IntoIter = ColumnIter<'a, O>;

    fn into_iter(self) -> ColumnIter<'a, O> {
        self.iter()
    }
}

/// An iterator over the strings of a [`Column`], with `None` for NULL.
#[derive(Clone, Debug)]
pub struct ColumnIter<'a, O> {
    column: Column<'a, O>,
    rows: Range<usize>,
}

impl<'a, O: Offset> Iterator for ColumnIter<'a, O> {
    type Item = Option<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next().map(|row| self.column.get(row))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl<O: Offset> ExactSizeIterator for ColumnIter<'_, O> {}

/// Sort keys of a column in one buffer: key `i` is `values[offsets[i]..offsets[i + 1]]`. The key of
/// NULL is empty; that of an empty string can be, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnKeys {
    /// Start of each key in `values`, and the end of the last key.
    pub offsets: Vec<usize>,
    /// Concatenated bytes of the keys.
    pub values: Vec<u8>,
}

/// Operations on columns. A column is any iterator over `Option<&[u8]>`, with `None` for NULL: a
/// [`Column`], or an iterator over another library's array.
///
/// ```
/// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
///
/// let words = ["Zug", "äpfel", "APFEL"];
/// let column = || words.iter().map(|word| Some(word.as_bytes()));
/// assert_eq!(UTF8MB4_0900_AI_CI.column_argsort(column()), [1, 2, 0]);
/// assert_eq!(UTF8MB4_0900_AI_CI.column_groups(column()), (vec![0, 1, 1], 2));
/// ```
impl Collation {
    /// Returns the sort key ([`Collation::sort_key`]) of each string, in one buffer.
    pub fn column_keys<'a>(&self, column: impl IntoIterator<Item = Option<&'a [u8]>>) -> ColumnKeys {
        let column = column.into_iter();
        let mut keys = ColumnKeys { offsets: Vec::with_capacity(column.size_hint().0 + 1), values: Vec::new() };
        keys.offsets.push(0);
        for text in column {
            if let Some(text) = text {
                self.sort_key_into(text, &mut keys.values);
            }
            keys.offsets.push(keys.values.len());
        }
        keys
    }

    /// Returns the hash ([`Collation::hash_one`]) of each string, 0 for NULL.
    pub fn column_hashes<'a>(&self, column: impl IntoIterator<Item = Option<&'a [u8]>>) -> Vec<u64> {
        column.into_iter().map(|text| text.map_or(0, |text| self.hash_one(text))).collect()
    }

    /// Returns the indexes of the strings in ascending order, NULLs first. The sort is stable.
    ///
    /// ```
    /// use mysql_collation::{Collation, Column, Flavour};
    ///
    /// let collation = Collation::by_name(Flavour::MySql, "utf8mb4_0900_ai_ci")?;
    /// let column = Column::new(&[0, 1, 2, 2, 4], "bA\u{e4}".as_bytes(), Some(&[0b1011])).unwrap();
    /// assert_eq!(collation.column_argsort(column), [2, 1, 3, 0]);
    /// # Ok::<(), mysql_collation::LookupError>(())
    /// ```
    pub fn column_argsort<'a>(&self, column: impl IntoIterator<Item = Option<&'a [u8]>>) -> Vec<usize> {
        let column = column.into_iter();
        let (mut order, mut present) = (Vec::new(), Vec::with_capacity(column.size_hint().0));
        for (index, text) in column.enumerate() {
            match text {
                Some(text) => present.push((index, text)),
                None => order.push(index),
            }
        }
        self.sort_by_key(&mut present, |item| item.1);
        order.extend(present.into_iter().map(|(index, _)| index));
        order
    }

    /// Returns a group number for each string, and the number of groups. Equal strings have the
    /// same group number, and all NULLs form one group. Groups are numbered from 0 by first
    /// occurrence. Strings are grouped as by `=` and `COUNT(DISTINCT …)`; `GROUP BY` of MySQL can
    /// make more groups, see [`Collation::column_group_by`].
    pub fn column_groups<'a>(&self, column: impl IntoIterator<Item = Option<&'a [u8]>>) -> (Vec<usize>, usize) {
        let column = column.into_iter();
        let (mut texts, mut hashes) = (Vec::with_capacity(column.size_hint().0), Vec::new());
        // For each string, the index of the first string of its group.
        let mut groups = Vec::with_capacity(column.size_hint().0);
        let mut first_null = None;
        for (index, text) in column.enumerate() {
            match text {
                Some(text) => {
                    hashes.push((self.hash_one(text), index));
                    groups.push(index);
                }
                None => groups.push(*first_null.get_or_insert(index)),
            }
            texts.push(text.unwrap_or_default());
        }
        // Strings with the same hash become neighbours, the least index first.
        hashes.sort_unstable();
        for same_hash in hashes.chunk_by_mut(|a, b| a.0 == b.0) {
            self.group(same_hash, &texts, &mut groups);
        }
        let count = number_groups(&mut groups);
        (groups, count)
    }

    /// Returns a group number for each string, and the number of groups, as [`Collation::column_groups`]
    /// does, but with the groups of `GROUP BY`, `SELECT DISTINCT` and `UNION` in a temporary table
    /// ([`Collation::group_key`]).
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_UNICODE_CI;
    ///
    /// let column = || ["a", "A ", "a\u{A0}"].map(|text| Some(text.as_bytes()));
    /// assert_eq!(UTF8MB4_UNICODE_CI.column_groups(column()), (vec![0, 0, 0], 1));
    /// assert_eq!(UTF8MB4_UNICODE_CI.column_group_by(column()), (vec![0, 0, 1], 2));
    /// ```
    pub fn column_group_by<'a>(&self, column: impl IntoIterator<Item = Option<&'a [u8]>>) -> (Vec<usize>, usize) {
        if !self.groups_by_hash() {
            return self.column_groups(column);
        }
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for text in column {
            let start = values.len();
            keys.push(text.map(|text| {
                self.group_key_into(text, &mut values);
                start..values.len()
            }));
        }
        let mut order: Vec<usize> = (0..keys.len()).collect();
        let key = |index: usize| keys[index].clone().map(|range| &values[range]);
        // A stable sort keeps the least index first among equal keys.
        order.sort_by_key(|&index| key(index));
        let mut groups = order.clone();
        for equal in order.chunk_by(|&a, &b| key(a) == key(b)) {
            equal.iter().for_each(|&index| groups[index] = equal[0]);
        }
        let count = number_groups(&mut groups);
        (groups, count)
    }

    /// Writes the index of each group's first string to `groups`. The strings in `same_hash` have
    /// equal hashes and ascending indexes.
    fn group(&self, same_hash: &mut [(u64, usize)], texts: &[&[u8]], groups: &mut [usize]) {
        let [(_, first), others @ ..] = same_hash else { return };
        if others.iter().all(|&(_, index)| self.equals(texts[*first], texts[index])) {
            for &(_, index) in &*others {
                groups[index] = *first;
            }
            return;
        }
        // A stable sort keeps the least index first among equal strings.
        same_hash.sort_by(|&(_, x), &(_, y)| self.compare(texts[x], texts[y]));
        for equal in same_hash.chunk_by(|&(_, x), &(_, y)| self.equals(texts[x], texts[y])) {
            for &(_, index) in equal {
                groups[index] = equal[0].1;
            }
        }
    }

    /// Returns for each string whether it equals `text`; `None` for NULL.
    pub fn column_equals<'a>(
        &self,
        column: impl IntoIterator<Item = Option<&'a [u8]>>,
        text: &[u8],
    ) -> Vec<Option<bool>> {
        column.into_iter().map(|own| Some(self.equals(own?, text))).collect()
    }

    /// Compares two columns row by row for equality; `None` if either string is NULL. The result is
    /// as long as the shorter column.
    pub fn columns_equal<'a, 'b>(
        &self,
        a: impl IntoIterator<Item = Option<&'a [u8]>>,
        b: impl IntoIterator<Item = Option<&'b [u8]>>,
    ) -> Vec<Option<bool>> {
        a.into_iter().zip(b).map(|(a, b)| Some(self.equals(a?, b?))).collect()
    }
}

/// Replaces the index of each group's first string by a group number from 0, and returns the number
/// of groups.
fn number_groups(groups: &mut [usize]) -> usize {
    let mut count = 0;
    for index in 0..groups.len() {
        // A group's first index precedes its others, so its number is already in place.
        if groups[index] == index {
            groups[index] = count;
            count += 1;
        } else {
            groups[index] = groups[groups[index]];
        }
    }
    count
}

impl LikePattern {
    /// Returns for each string whether it matches; `None` for NULL.
    pub fn matches_column<'a>(&self, column: impl IntoIterator<Item = Option<&'a [u8]>>) -> Vec<Option<bool>> {
        column.into_iter().map(|text| Some(self.matches(text?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Flavour;

    #[test]
    fn rejects_offsets_outside_the_values() {
        let error = |offsets: &[i32], validity| Column::new(offsets, b"abc", validity).err();
        assert_eq!(error(&[], None), Some(ColumnError::NoOffsets));
        assert_eq!(error(&[0, 2, 1], None), Some(ColumnError::Offset(2)));
        assert_eq!(error(&[0, 4], None), Some(ColumnError::Offset(1)));
        assert_eq!(error(&[-1, 0], None), Some(ColumnError::Offset(0)));
        assert_eq!(error(&[0, 1], Some(&[])), Some(ColumnError::Validity));
        assert_eq!(error(&[1, 3, 3], Some(&[1])), None);
    }

    #[test]
    fn column_operations_equal_those_of_single_strings() {
        let collation = Collation::by_name(Flavour::MySql, "utf8mb4_general_ci").unwrap();
        let texts = [Some("b"), None, Some("A"), Some("a "), Some(""), None, Some("B"), Some("c")];
        let (mut offsets, mut values, mut validity) = (alloc::vec![0_i64], Vec::new(), alloc::vec![0_u8]);
        for (index, text) in texts.iter().enumerate() {
            values.extend_from_slice(text.unwrap_or_default().as_bytes());
            offsets.push(values.len() as i64);
            validity[0] |= u8::from(text.is_some()) << index;
        }
        let column = Column::new(&offsets, &values, Some(&validity)).unwrap();
        assert!(column.iter().eq(texts.iter().map(|text| text.map(str::as_bytes))));
        assert_eq!(collation.column_argsort(column), [1, 5, 4, 2, 3, 0, 6, 7]);
        assert_eq!(collation.column_groups(column), (alloc::vec![0, 1, 2, 2, 3, 1, 0, 4], 5));
        let mysql = Collation::by_name(Flavour::MySql, "utf8mb4_unicode_ci").unwrap();
        assert_eq!(mysql.column_group_by(column), mysql.column_groups(column));
        let mariadb = Collation::by_name(Flavour::MariaDb, "utf8mb4_unicode_ci").unwrap();
        assert_eq!(mariadb.column_group_by(column), mariadb.column_groups(column));
        // Three groups and an unrelated index, as if all four strings had the same hash.
        let mut groups = [0, 1, 2, 3, 4];
        collation.group(&mut [(7, 0), (7, 1), (7, 3), (7, 4)], &[b"b", b"a", b"", b"B", b"c"], &mut groups);
        assert_eq!(groups, [0, 1, 2, 0, 4]);
        let keys = collation.column_keys(column);
        for (index, text) in texts.iter().enumerate() {
            let key = &keys.values[keys.offsets[index]..keys.offsets[index + 1]];
            assert_eq!(key, text.map_or(Vec::new(), |text| collation.sort_key(text.as_bytes())));
            let hash = text.map_or(0, |text| collation.hash_one(text.as_bytes()));
            assert_eq!(collation.column_hashes(column)[index], hash);
        }
        let some = Some;
        assert_eq!(
            collation.column_equals(column, b"A"),
            [some(false), None, some(true), some(true), some(false), None, some(false), some(false)]
        );
        assert_eq!(collation.columns_equal(column, column)[..2], [some(true), None]);
        let pattern = collation.like_pattern(b"_", None);
        assert_eq!(pattern.matches_column(column)[..4], [some(true), None, some(true), some(false)]);
    }
}
