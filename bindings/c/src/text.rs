//! Operations on strings: pointer and length, in the collation's character set. NULL is an empty string.

use std::cell::RefCell;
use std::cmp::Ordering;

use crate::handle::mcoll_collation;

/// The bytes that C points to; none for NULL.
///
/// # Safety
/// `bytes` is NULL, or points to `len` bytes that nobody writes to while the slice lives.
pub(crate) unsafe fn slice<'a>(bytes: *const u8, len: usize) -> &'a [u8] {
    if bytes.is_null() {
        return &[];
    }
    // SAFETY: it is not NULL, and the caller says the rest.
    unsafe { std::slice::from_raw_parts(bytes, len) }
}

/// Copies as much of `bytes` as there is room for, and answers how many there are.
///
/// # Safety
/// `out` is NULL, or `size` bytes can be written to it.
pub(crate) unsafe fn put(bytes: &[u8], out: *mut u8, size: usize) -> usize {
    if !out.is_null() {
        // SAFETY: so many bytes are there to be read, so many may be written, and nobody else knows of `bytes`.
        unsafe { out.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len().min(size)) };
    }
    bytes.len()
}

/// An escape character from its code point. 0 is none, and so is what is no character.
pub(crate) fn escape(code_point: u32) -> Option<char> {
    char::from_u32(code_point).filter(|&character| character != '\0')
}

thread_local! {
    /// Where keys are made before they are copied: once it is long enough, nothing is allocated.
    static KEY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// -1, 0 or 1: `a` sorts before `b`, equals it, or sorts after it.
///
/// # Safety
/// `a` points to `a_len` bytes, `b` to `b_len`; each may be NULL for an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_compare(
    collation: &mcoll_collation,
    a: *const u8,
    a_len: usize,
    b: *const u8,
    b_len: usize,
) -> i32 {
    // SAFETY: the caller says so.
    let (a, b) = unsafe { (slice(a, a_len), slice(b, b_len)) };
    match collation.collation.compare(a, b) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// Whether `a` equals `b`.
///
/// # Safety
/// `a` points to `a_len` bytes, `b` to `b_len`; each may be NULL for an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_equal(
    collation: &mcoll_collation,
    a: *const u8,
    a_len: usize,
    b: *const u8,
    b_len: usize,
) -> bool {
    // SAFETY: the caller says so.
    let (a, b) = unsafe { (slice(a, a_len), slice(b, b_len)) };
    collation.collation.equals(a, b)
}

/// A hash: equal strings have equal hashes. It can change with the version of the library, and does not withstand somebody who wants
/// strings to collide.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_hash(collation: &mcoll_collation, text: *const u8, text_len: usize) -> u64 {
    // SAFETY: the caller says so.
    collation.collation.hash_one(unsafe { slice(text, text_len) })
}

/// Writes the beginning of the sort key of `text` to `key`, at most `key_size` bytes, and returns the length of the whole key: as
/// snprintf, but without a NUL. Keys compare by memcmp, the shorter one first where one begins with the other, as their strings do.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string; `key_size` bytes can be written to `key`, or it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_sort_key(
    collation: &mcoll_collation,
    text: *const u8,
    text_len: usize,
    key: *mut u8,
    key_size: usize,
) -> usize {
    KEY.with_borrow_mut(|made| {
        made.clear();
        // SAFETY: the caller says so.
        collation.collation.sort_key_into(unsafe { slice(text, text_len) }, made);
        // SAFETY: the caller says so.
        unsafe { put(made, key, key_size) }
    })
}

/// Writes the beginning of what the server answers to `WEIGHT_STRING(text)`, at most `weights_size` bytes, and returns the length of the
/// whole answer.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string; `weights_size` bytes can be written to `weights`, or it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_weight_string(
    collation: &mcoll_collation,
    text: *const u8,
    text_len: usize,
    weights: *mut u8,
    weights_size: usize,
) -> usize {
    // SAFETY: the caller says so.
    let answer = collation.collation.weight_string(unsafe { slice(text, text_len) });
    // SAFETY: the caller says so.
    unsafe { put(&answer, weights, weights_size) }
}

/// Whether `text LIKE pattern ESCAPE escape`. `escape` is a code point, for servers a backslash unless they are told otherwise; 0 is none.
///
/// # Safety
/// `text` points to `text_len` bytes, `pattern` to `pattern_len`; each may be NULL for an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_like(
    collation: &mcoll_collation,
    text: *const u8,
    text_len: usize,
    pattern: *const u8,
    pattern_len: usize,
    escape: u32,
) -> bool {
    // SAFETY: the caller says so.
    let (text, pattern) = unsafe { (slice(text, text_len), slice(pattern, pattern_len)) };
    collation.collation.like(text, pattern, crate::text::escape(escape))
}
