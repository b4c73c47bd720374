//! Ranges of keys, searches, case, stable hashes, and properties of a collation.

use crate::handle::mcoll_collation;
use crate::text::{copy_prefix, escape_character, slice};

/// A range of sort keys: all keys from `start` on that are less than `end`. `mcoll_like_range`
/// fills it.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct mcoll_range {
    /// Room for the least bytes in the range, or NULL.
    pub start: *mut u8,
    /// Size of `start` in bytes.
    pub start_size: usize,
    /// Length of the least bytes in the range, which can exceed `start_size`.
    pub start_len: usize,
    /// Room for the least bytes after the range, or NULL.
    pub end: *mut u8,
    /// Size of `end` in bytes.
    pub end_size: usize,
    /// Length of the least bytes after the range, which can exceed `end_size`. 0 if the range has
    /// no end.
    pub end_len: usize,
}

/// Writes a range that contains the sort keys of all strings that match a LIKE pattern, from its
/// characters before the first wildcard. The range can contain other keys, too. `escape` is as for
/// `mcoll_like`. The key of a prefix is not a prefix of the keys of its strings.
///
/// # Safety
/// `pattern` points to `pattern_len` bytes, or is NULL for an empty one. `start` has room for
/// `start_size` bytes, `end` for `end_size` bytes, or they are NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_like_range(
    collation: &mcoll_collation,
    pattern: *const u8,
    pattern_len: usize,
    escape: u32,
    range: &mut mcoll_range,
) {
    // SAFETY: the caller guarantees it.
    let pattern = unsafe { slice(pattern, pattern_len) };
    let found = collation.collation.like_range(pattern, escape_character(escape));
    // SAFETY: the caller guarantees it.
    range.start_len = unsafe { copy_prefix(&found.start, range.start, range.start_size) };
    // SAFETY: the caller guarantees it.
    range.end_len = unsafe { copy_prefix(&found.end.unwrap_or_default(), range.end, range.end_size) };
}

/// Returns true if `text` begins with `prefix`, as `text LIKE 'prefix%'` with all characters of
/// `prefix` taken literally.
///
/// # Safety
/// `text` points to `text_len` bytes, `prefix` to `prefix_len` bytes. NULL is an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_starts_with(
    collation: &mcoll_collation,
    text: *const u8,
    text_len: usize,
    prefix: *const u8,
    prefix_len: usize,
) -> bool {
    // SAFETY: the caller guarantees it.
    let (text, prefix) = unsafe { (slice(text, text_len), slice(prefix, prefix_len)) };
    collation.collation.starts_with(text, prefix)
}

/// Returns the byte offset of the first occurrence of `needle` in `text`, as LOCATE of MySQL 9.7
/// and MariaDB 11.8 finds it; `SIZE_MAX` if `text` does not contain it.
///
/// # Safety
/// `text` points to `text_len` bytes, `needle` to `needle_len` bytes. NULL is an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_find(
    collation: &mcoll_collation,
    text: *const u8,
    text_len: usize,
    needle: *const u8,
    needle_len: usize,
) -> usize {
    // SAFETY: the caller guarantees it.
    let (text, needle) = unsafe { (slice(text, text_len), slice(needle, needle_len)) };
    collation.collation.find(text, needle).unwrap_or(usize::MAX)
}

/// Writes at most `out_size` bytes of `UPPER(text)`. Returns the length of the whole result.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string. `out` has room for `out_size`
/// bytes, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_to_upper(
    collation: &mcoll_collation,
    text: *const u8,
    text_len: usize,
    out: *mut u8,
    out_size: usize,
) -> usize {
    // SAFETY: the caller guarantees it.
    let upper = collation.collation.to_upper(unsafe { slice(text, text_len) });
    // SAFETY: the caller guarantees it.
    unsafe { copy_prefix(&upper, out, out_size) }
}

/// Writes at most `out_size` bytes of `LOWER(text)`. Returns the length of the whole result.
///
/// # Safety
/// As for `mcoll_to_upper`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_to_lower(
    collation: &mcoll_collation,
    text: *const u8,
    text_len: usize,
    out: *mut u8,
    out_size: usize,
) -> usize {
    // SAFETY: the caller guarantees it.
    let lower = collation.collation.to_lower(unsafe { slice(text, text_len) });
    // SAFETY: the caller guarantees it.
    unsafe { copy_prefix(&lower, out, out_size) }
}

/// Returns a hash that no version of the library changes: XXH64 of the weights, with a seed. Equal
/// strings have equal hashes.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_stable_hash(
    collation: &mcoll_collation,
    text: *const u8,
    text_len: usize,
    seed: u64,
) -> u64 {
    // SAFETY: the caller guarantees it.
    collation.collation.stable_hash(unsafe { slice(text, text_len) }, seed)
}

/// Returns true if two well-formed strings are equal under the collation only if their bytes are.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_equality_is_bytewise(collation: &mcoll_collation) -> bool {
    collation.collation.equality_is_bytewise()
}

/// Returns true if two well-formed strings compare as their bytes do.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_order_is_bytewise(collation: &mcoll_collation) -> bool {
    collation.collation.order_is_bytewise()
}

/// Returns an upper bound of the length of sort keys for strings of at most `bytes` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_max_sort_key_len(collation: &mcoll_collation, bytes: usize) -> usize {
    collation.collation.max_sort_key_len(bytes)
}
