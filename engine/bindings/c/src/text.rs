//! Operations on strings: pointer and length, in the collation's character set. NULL is an empty
//! string.

use std::cell::RefCell;
use std::cmp::Ordering;

use crate::handle::mcoll_collation;

/// Returns the bytes at a C pointer. Empty for NULL.
///
/// # Safety
/// `bytes` is NULL, or points to `len` bytes that are not written to while the slice lives.
pub(crate) unsafe fn slice<'a>(bytes: *const u8, len: usize) -> &'a [u8] {
    if bytes.is_null() {
        return &[];
    }
    // SAFETY: the pointer is not NULL; the caller guarantees the rest.
    unsafe { std::slice::from_raw_parts(bytes, len) }
}

/// Copies the first `size` bytes of `bytes`. Returns the length of `bytes`.
///
/// # Safety
/// `out` is NULL, or `size` bytes can be written to it.
pub(crate) unsafe fn copy_prefix(bytes: &[u8], out: *mut u8, size: usize) -> usize {
    if !out.is_null() {
        // SAFETY: the caller guarantees `size` writable bytes at `out`; no caller has access to
        // `bytes`.
        unsafe { out.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len().min(size)) };
    }
    bytes.len()
}

/// Returns the escape character for a code point. `None` for 0 and for invalid code points.
pub(crate) fn escape_character(code_point: u32) -> Option<char> {
    char::from_u32(code_point).filter(|&character| character != '\0')
}

thread_local! {
    /// Buffer for keys before they are copied, which saves an allocation per key.
    static KEY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Returns -1, 0 or 1: `a` sorts before `b`, equals `b`, or sorts after `b`.
///
/// # Safety
/// `a` points to `a_len` bytes, `b` to `b_len` bytes. NULL is an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_compare(
    collation: &mcoll_collation,
    a: *const u8,
    a_len: usize,
    b: *const u8,
    b_len: usize,
) -> i32 {
    // SAFETY: the caller guarantees it.
    let (a, b) = unsafe { (slice(a, a_len), slice(b, b_len)) };
    match collation.collation.compare(a, b) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// Returns true if `a` equals `b`.
///
/// # Safety
/// `a` points to `a_len` bytes, `b` to `b_len` bytes. NULL is an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_equal(
    collation: &mcoll_collation,
    a: *const u8,
    a_len: usize,
    b: *const u8,
    b_len: usize,
) -> bool {
    // SAFETY: the caller guarantees it.
    let (a, b) = unsafe { (slice(a, a_len), slice(b, b_len)) };
    collation.collation.equals(a, b)
}

/// Returns a hash. Equal strings have equal hashes. Versions of the library may have different
/// hashes. The hash is not safe against deliberate collisions.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_hash(collation: &mcoll_collation, text: *const u8, text_len: usize) -> u64 {
    // SAFETY: the caller guarantees it.
    collation.collation.hash_one(unsafe { slice(text, text_len) })
}

/// Writes at most `key_size` bytes of the sort key of `text` to `key`. Returns the length of the
/// whole key, like snprintf, but without NUL. Keys compare by memcmp as their strings do; a key
/// that is a prefix of another sorts first.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string. `key` has room for `key_size`
/// bytes, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_sort_key(
    collation: &mcoll_collation,
    text: *const u8,
    text_len: usize,
    key: *mut u8,
    key_size: usize,
) -> usize {
    KEY.with_borrow_mut(|buffer| {
        buffer.clear();
        // SAFETY: the caller guarantees it.
        collation.collation.sort_key_into(unsafe { slice(text, text_len) }, buffer);
        // SAFETY: the caller guarantees it.
        unsafe { copy_prefix(buffer, key, key_size) }
    })
}

/// Writes at most `weights_size` bytes of the result of `WEIGHT_STRING(text)`. Returns the length
/// of the whole result.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string. `weights` has room for
/// `weights_size` bytes, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_weight_string(
    collation: &mcoll_collation,
    text: *const u8,
    text_len: usize,
    weights: *mut u8,
    weights_size: usize,
) -> usize {
    // SAFETY: the caller guarantees it.
    let weight_string = collation.collation.weight_string(unsafe { slice(text, text_len) });
    // SAFETY: the caller guarantees it.
    unsafe { copy_prefix(&weight_string, weights, weights_size) }
}

/// Returns true if `text LIKE pattern ESCAPE escape`. `escape` is a code point. Servers use a
/// backslash by default. 0 and invalid code points disable the escape.
///
/// # Safety
/// `text` points to `text_len` bytes, `pattern` to `pattern_len` bytes. NULL is an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_like(
    collation: &mcoll_collation,
    text: *const u8,
    text_len: usize,
    pattern: *const u8,
    pattern_len: usize,
    escape: u32,
) -> bool {
    // SAFETY: the caller guarantees it.
    let (text, pattern) = unsafe { (slice(text, text_len), slice(pattern, pattern_len)) };
    collation.collation.like(text, pattern, crate::text::escape_character(escape))
}
