//! Operations on columns of strings in Arrow's layout: values, and offsets into them.

use std::ffi::c_void;

use engine::{Column, ColumnIter, Offset};

use crate::handle::mcoll_collation;
use crate::pattern::mcoll_pattern;
use crate::text::{copy_prefix, slice};
use crate::{MCOLL_INVALID_ARGUMENT, MCOLL_INVALID_COLUMN, MCOLL_OK, mcoll_status};

/// A column of strings in Arrow's layout. String `i` is the bytes of `values` from offset `i` to
/// offset `i + 1`. It is NULL if bit `i` of `validity` is 0; the lowest bit of a byte is first.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct mcoll_column {
    /// Number of strings, including NULLs.
    pub rows: usize,
    /// `rows + 1` aligned offsets of type `int32_t` or `int64_t`.
    pub offsets: *const c_void,
    /// Size of an offset in bytes: 4 or 8.
    pub offset_size: usize,
    /// Bytes of all strings.
    pub values: *const u8,
    /// Number of bytes in `values`.
    pub values_len: usize,
    /// One bit per string, or NULL if no string is NULL.
    pub validity: *const u8,
}

/// Result for a row in which a string is NULL.
pub const MCOLL_NULL: i8 = -1;

/// A column with 32-bit or 64-bit offsets.
enum Strings<'a> {
    Small(Column<'a, i32>),
    Large(Column<'a, i64>),
}

/// Iterator over the strings of a column.
enum Iter<'a> {
    Small(ColumnIter<'a, i32>),
    Large(ColumnIter<'a, i64>),
}

impl<'a> Iterator for Iter<'a> {
    type Item = Option<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Small(strings) => strings.next(),
            Self::Large(strings) => strings.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Small(strings) => strings.size_hint(),
            Self::Large(strings) => strings.size_hint(),
        }
    }
}

impl<'a> IntoIterator for Strings<'a> {
    type Item = Option<&'a [u8]>;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        match self {
            Self::Small(column) => Iter::Small(column.iter()),
            Self::Large(column) => Iter::Large(column.iter()),
        }
    }
}

/// Reads a column with offsets of type `T`.
///
/// # Safety
/// The column's pointers and lengths are valid for offsets of type `T`.
unsafe fn read_offsets<'a, T: Offset>(column: &mcoll_column) -> Result<Column<'a, T>, mcoll_status> {
    let count = column.rows.checked_add(1).ok_or(MCOLL_INVALID_ARGUMENT)?;
    let offsets = column.offsets.cast::<T>();
    if offsets.is_null() || !offsets.is_aligned() {
        return Err(MCOLL_INVALID_ARGUMENT);
    }
    // SAFETY: the offsets are aligned and not NULL; the caller guarantees the lengths.
    let (offsets, values) =
        unsafe { (std::slice::from_raw_parts(offsets, count), slice(column.values, column.values_len)) };
    // SAFETY: the caller guarantees it.
    let validity = unsafe { slice(column.validity, column.rows.div_ceil(8)) };
    let validity = Some(validity).filter(|_| !column.validity.is_null());
    Column::new(offsets, values, validity).map_err(|_| MCOLL_INVALID_COLUMN)
}

/// Reads a column of either offset size.
///
/// # Safety
/// The column's pointers and lengths are valid.
unsafe fn read_column<'a>(column: Option<&mcoll_column>) -> Result<Strings<'a>, mcoll_status> {
    let column = column.ok_or(MCOLL_INVALID_ARGUMENT)?;
    match column.offset_size {
        // SAFETY: the caller guarantees it.
        4 => Ok(Strings::Small(unsafe { read_offsets(column) }?)),
        // SAFETY: the caller guarantees it.
        8 => Ok(Strings::Large(unsafe { read_offsets(column) }?)),
        _ => Err(MCOLL_INVALID_ARGUMENT),
    }
}

/// Computes results from a column and writes them to `out`.
///
/// # Safety
/// `out` is NULL, or has room for the results.
unsafe fn write_results<T: Copy>(
    column: Result<Strings<'_>, mcoll_status>,
    out: *mut T,
    results: impl FnOnce(Strings<'_>) -> Vec<T>,
) -> mcoll_status {
    match column {
        Err(status) => status,
        Ok(_) if out.is_null() => MCOLL_INVALID_ARGUMENT,
        Ok(column) => {
            let results = results(column);
            // SAFETY: `out` is not NULL and has room for the results, which are not shared.
            unsafe { out.copy_from_nonoverlapping(results.as_ptr(), results.len()) };
            MCOLL_OK
        }
    }
}

fn flags(results: Vec<Option<bool>>) -> Vec<i8> {
    results.into_iter().map(|result| result.map_or(MCOLL_NULL, i8::from)).collect()
}

/// Writes the concatenated sort keys of a column. Key `i` is the bytes of `keys` from offset `i` to
/// offset `i + 1`. The key of NULL is empty.
///
/// Writes at most `keys_size` bytes, and the total length of all keys to `*keys_len`. If the total
/// is larger than `keys_size`, call again with a larger buffer.
///
/// # Safety
/// The column is valid. `key_offsets` has room for `rows + 1` offsets, and `keys_len` for a length.
/// `keys` has room for `keys_size` bytes, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_column_sort_keys(
    collation: &mcoll_collation,
    column: Option<&mcoll_column>,
    key_offsets: *mut i64,
    keys: *mut u8,
    keys_size: usize,
    keys_len: *mut usize,
) -> mcoll_status {
    if keys_len.is_null() {
        return MCOLL_INVALID_ARGUMENT;
    }
    let write = |strings: Strings<'_>| {
        let computed = collation.collation.column_keys(strings);
        // SAFETY: the caller guarantees it.
        unsafe { keys_len.write(copy_prefix(&computed.values, keys, keys_size)) };
        computed.offsets.into_iter().map(|offset| offset as i64).collect()
    };
    // SAFETY: the caller guarantees room for `rows + 1` offsets.
    unsafe { write_results(self::read_column(column), key_offsets, write) }
}

/// Writes the hash of each string. The hash of NULL is 0.
///
/// # Safety
/// The column is valid. `hashes` has room for `rows` hashes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_column_hashes(
    collation: &mcoll_collation,
    column: Option<&mcoll_column>,
    hashes: *mut u64,
) -> mcoll_status {
    // SAFETY: the caller guarantees it.
    unsafe { write_results(self::read_column(column), hashes, |strings| collation.collation.column_hashes(strings)) }
}

/// Writes the row numbers in ascending order of the strings, NULLs first. The order is stable.
///
/// # Safety
/// The column is valid. `order` has room for `rows` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_column_argsort(
    collation: &mcoll_collation,
    column: Option<&mcoll_column>,
    order: *mut usize,
) -> mcoll_status {
    // SAFETY: the caller guarantees it.
    unsafe { write_results(self::read_column(column), order, |strings| collation.collation.column_argsort(strings)) }
}

/// Writes a group number per row. Equal strings have the same number, and all NULLs are one group.
/// Numbers count from 0 in the order of first occurrence. Writes the number of groups to `count`
/// unless it is NULL.
///
/// # Safety
/// The column is valid. `groups` has room for `rows` numbers. `count` has room for one, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_column_group_ids(
    collation: &mcoll_collation,
    column: Option<&mcoll_column>,
    groups: *mut usize,
    count: *mut usize,
) -> mcoll_status {
    let write = |strings: Strings<'_>| {
        let (groups, group_count) = collation.collation.column_groups(strings);
        if !count.is_null() {
            // SAFETY: `count` is not NULL; the caller guarantees that it is writable.
            unsafe { count.write(group_count) };
        }
        groups
    };
    // SAFETY: the caller guarantees it.
    unsafe { write_results(self::read_column(column), groups, write) }
}

/// Writes for each string whether it equals `text`: 1, 0, or `MCOLL_NULL`.
///
/// # Safety
/// The column is valid, and `text` points to `text_len` bytes. `equal` has room for `rows` results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_column_equal(
    collation: &mcoll_collation,
    column: Option<&mcoll_column>,
    text: *const u8,
    text_len: usize,
    equal: *mut i8,
) -> mcoll_status {
    // SAFETY: the caller guarantees it.
    let text = unsafe { slice(text, text_len) };
    // SAFETY: the caller guarantees it.
    unsafe {
        write_results(self::read_column(column), equal, |strings| {
            flags(collation.collation.column_equals(strings, text))
        })
    }
}

/// Writes for each row whether its strings in both columns are equal: 1, 0, or `MCOLL_NULL`. The
/// columns must have the same number of rows.
///
/// # Safety
/// Both columns are valid. `equal` has room for `rows` results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_columns_equal(
    collation: &mcoll_collation,
    a: Option<&mcoll_column>,
    b: Option<&mcoll_column>,
    equal: *mut i8,
) -> mcoll_status {
    if a.map(|column| column.rows) != b.map(|column| column.rows) {
        return MCOLL_INVALID_ARGUMENT;
    }
    // SAFETY: the caller guarantees it.
    let other = match unsafe { read_column(b) } {
        Ok(other) => other,
        Err(status) => return status,
    };
    // SAFETY: the caller guarantees it.
    unsafe { write_results(read_column(a), equal, |strings| flags(collation.collation.columns_equal(strings, other))) }
}

/// Writes for each string whether it matches a pattern: 1, 0, or `MCOLL_NULL`.
///
/// # Safety
/// The column is valid. `matches` has room for `rows` results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_column_like(
    pattern: &mcoll_pattern,
    column: Option<&mcoll_column>,
    matches: *mut i8,
) -> mcoll_status {
    // SAFETY: the caller guarantees it.
    unsafe { write_results(self::read_column(column), matches, |strings| flags(pattern.0.matches_column(strings))) }
}
