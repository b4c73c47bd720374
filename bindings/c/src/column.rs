//! Operations on columns of strings: offsets into values, as Arrow has them.

use std::ffi::c_void;

use engine::{Column, ColumnIter, Offset};

use crate::handle::mcoll_collation;
use crate::pattern::mcoll_pattern;
use crate::text::{put, slice};
use crate::{MCOLL_INVALID_ARGUMENT, MCOLL_INVALID_COLUMN, MCOLL_OK, mcoll_status};

/// A column of strings, in Arrow's layout. String `i` is the bytes of `values` from offset `i` up to offset `i + 1`, and NULL where bit `i`
/// of `validity` (lowest bit of the first byte first) is 0.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct mcoll_column {
    /// How many strings there are, NULLs included.
    pub rows: usize,
    /// `rows + 1` offsets: `int32_t` or `int64_t`, aligned as these are.
    pub offsets: *const c_void,
    /// The size of an offset: 4 or 8.
    pub offset_size: usize,
    /// The bytes of the strings.
    pub values: *const u8,
    /// How many bytes there are.
    pub values_len: usize,
    /// A bit a string, or NULL where no string is NULL.
    pub validity: *const u8,
}

/// The answer for a row that is NULL, or of a pair of which one is.
pub const MCOLL_NULL: i8 = -1;

/// A column of either kind of offsets.
enum Strings<'a> {
    Small(Column<'a, i32>),
    Large(Column<'a, i64>),
}

/// Its strings.
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

/// The offsets that C points to.
///
/// # Safety
/// Those of `T` that the column says are there.
unsafe fn strings<'a, T: Offset>(column: &mcoll_column) -> Result<Column<'a, T>, mcoll_status> {
    let count = column.rows.checked_add(1).ok_or(MCOLL_INVALID_ARGUMENT)?;
    let offsets = column.offsets.cast::<T>();
    if offsets.is_null() || !offsets.is_aligned() {
        return Err(MCOLL_INVALID_ARGUMENT);
    }
    // SAFETY: the pointers are not NULL and aligned; the caller says what they point to.
    let (offsets, values) =
        unsafe { (std::slice::from_raw_parts(offsets, count), slice(column.values, column.values_len)) };
    // SAFETY: the caller says so.
    let validity = unsafe { slice(column.validity, column.rows.div_ceil(8)) };
    let validity = Some(validity).filter(|_| !column.validity.is_null());
    Column::new(offsets, values, validity).map_err(|_| MCOLL_INVALID_COLUMN)
}

/// A column that C handed in.
///
/// # Safety
/// It points to what it says.
unsafe fn column<'a>(column: Option<&mcoll_column>) -> Result<Strings<'a>, mcoll_status> {
    let column = column.ok_or(MCOLL_INVALID_ARGUMENT)?;
    match column.offset_size {
        // SAFETY: the caller says so.
        4 => Ok(Strings::Small(unsafe { strings(column) }?)),
        // SAFETY: the caller says so.
        8 => Ok(Strings::Large(unsafe { strings(column) }?)),
        _ => Err(MCOLL_INVALID_ARGUMENT),
    }
}

/// Writes an answer for each row, if there is a column, and somewhere to write to.
///
/// # Safety
/// `out` is NULL, or as many items can be written to it as the column has rows.
unsafe fn answer<T: Copy>(
    column: Result<Strings<'_>, mcoll_status>,
    out: *mut T,
    answers: impl FnOnce(Strings<'_>) -> Vec<T>,
) -> mcoll_status {
    match column {
        Err(status) => status,
        Ok(_) if out.is_null() => MCOLL_INVALID_ARGUMENT,
        Ok(column) => {
            let answers = answers(column);
            // SAFETY: it is not NULL, there is an answer a row, and nobody else knows of them.
            unsafe { out.copy_from_nonoverlapping(answers.as_ptr(), answers.len()) };
            MCOLL_OK
        }
    }
}

fn flags(answers: Vec<Option<bool>>) -> Vec<i8> {
    answers.into_iter().map(|answer| answer.map_or(MCOLL_NULL, i8::from)).collect()
}

/// The sort keys of a column, one after the other: key `i` is the bytes of `keys` from offset `i` up to offset `i + 1`, and empty for NULL.
///
/// At most `keys_size` bytes are written; `*keys_len` is the length of all keys, which may be more: then call again with as much room.
///
/// # Safety
/// The column points to what it says; `rows + 1` offsets can be written to `key_offsets`, `keys_size` bytes to `keys` (or it is NULL), and a
/// length to `keys_len`.
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
        let made = collation.collation.column_keys(strings);
        // SAFETY: the caller says so.
        unsafe { keys_len.write(put(&made.values, keys, keys_size)) };
        made.offsets.into_iter().map(|offset| offset as i64).collect()
    };
    // SAFETY: the caller says so; there is an offset more than rows, and room for it.
    unsafe { answer(self::column(column), key_offsets, write) }
}

/// The hash of each string, 0 for NULL.
///
/// # Safety
/// The column points to what it says; `rows` hashes can be written to `hashes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_column_hashes(
    collation: &mcoll_collation,
    column: Option<&mcoll_column>,
    hashes: *mut u64,
) -> mcoll_status {
    // SAFETY: the caller says so.
    unsafe { answer(self::column(column), hashes, |strings| collation.collation.column_hashes(strings)) }
}

/// The row numbers in ascending order of the strings, NULLs first; equal strings keep their order.
///
/// # Safety
/// The column points to what it says; `rows` numbers can be written to `order`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_column_argsort(
    collation: &mcoll_collation,
    column: Option<&mcoll_column>,
    order: *mut usize,
) -> mcoll_status {
    // SAFETY: the caller says so.
    unsafe { answer(self::column(column), order, |strings| collation.collation.column_argsort(strings)) }
}

/// A number for each row, the same for equal strings, counted from 0 in the order of first occurrence; the NULLs are a group. And how many
/// groups there are, unless `count` is NULL.
///
/// # Safety
/// The column points to what it says; `rows` numbers can be written to `groups`, and one to `count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_column_group_ids(
    collation: &mcoll_collation,
    column: Option<&mcoll_column>,
    groups: *mut usize,
    count: *mut usize,
) -> mcoll_status {
    let write = |strings: Strings<'_>| {
        let (groups, found) = collation.collation.column_groups(strings);
        if !count.is_null() {
            // SAFETY: it is not NULL, and the caller says that it can be written to.
            unsafe { count.write(found) };
        }
        groups
    };
    // SAFETY: the caller says so.
    unsafe { answer(self::column(column), groups, write) }
}

/// Whether each string equals `text`: 1, 0, or `MCOLL_NULL`.
///
/// # Safety
/// The column points to what it says, `text` to `text_len` bytes; `rows` answers can be written to `equal`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_column_equal(
    collation: &mcoll_collation,
    column: Option<&mcoll_column>,
    text: *const u8,
    text_len: usize,
    equal: *mut i8,
) -> mcoll_status {
    // SAFETY: the caller says so.
    let text = unsafe { slice(text, text_len) };
    // SAFETY: the caller says so.
    unsafe { answer(self::column(column), equal, |strings| flags(collation.collation.column_equals(strings, text))) }
}

/// Whether each string equals that of the other column in the same row: 1, 0, or `MCOLL_NULL`. The columns have as many rows.
///
/// # Safety
/// The columns point to what they say; `rows` answers can be written to `equal`.
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
    // SAFETY: the caller says so.
    let other = match unsafe { column(b) } {
        Ok(other) => other,
        Err(status) => return status,
    };
    // SAFETY: the caller says so.
    unsafe { answer(column(a), equal, |strings| flags(collation.collation.columns_equal(strings, other))) }
}

/// Whether each string matches a pattern: 1, 0, or `MCOLL_NULL`.
///
/// # Safety
/// The column points to what it says; `rows` answers can be written to `matches`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_column_like(
    pattern: &mcoll_pattern,
    column: Option<&mcoll_column>,
    matches: *mut i8,
) -> mcoll_status {
    // SAFETY: the caller says so.
    unsafe { answer(self::column(column), matches, |strings| flags(pattern.0.matches_column(strings))) }
}
