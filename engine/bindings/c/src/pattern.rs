//! LIKE patterns that are compiled once and matched many times.

use engine::LikePattern;

use crate::handle::mcoll_collation;
use crate::text::slice;

/// A LIKE pattern under a collation. Several threads may use it at once until it is freed.
#[allow(non_camel_case_types)]
pub struct mcoll_pattern(pub(crate) LikePattern);

/// Compiles a pattern and copies its bytes. `escape` is as for `mcoll_like`. Free the pattern with
/// `mcoll_pattern_free`.
///
/// # Safety
/// `pattern` points to `pattern_len` bytes, or is NULL for an empty one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_pattern_new(
    collation: &mcoll_collation,
    pattern: *const u8,
    pattern_len: usize,
    escape: u32,
) -> *mut mcoll_pattern {
    // SAFETY: the caller guarantees it.
    let pattern = unsafe { slice(pattern, pattern_len) };
    Box::into_raw(Box::new(mcoll_pattern(
        collation.collation.like_pattern(pattern, crate::text::escape_character(escape)),
    )))
}

/// Returns true if a string matches the pattern.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_pattern_matches(pattern: &mcoll_pattern, text: *const u8, text_len: usize) -> bool {
    // SAFETY: the caller guarantees it.
    pattern.0.matches(unsafe { slice(text, text_len) })
}

/// Frees a pattern. NULL is allowed.
///
/// # Safety
/// `pattern` is NULL, or comes from `mcoll_pattern_new` and is not used after this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_pattern_free(pattern: *mut mcoll_pattern) {
    if !pattern.is_null() {
        // SAFETY: the caller guarantees it.
        drop(unsafe { Box::from_raw(pattern) });
    }
}
