//! LIKE patterns that are read once and matched many times.

use engine::LikePattern;

use crate::handle::mcoll_collation;
use crate::text::slice;

/// A LIKE pattern under a collation. It may be used by several threads at once, until one of them frees it.
#[allow(non_camel_case_types)]
pub struct mcoll_pattern(pub(crate) LikePattern);

/// Reads a pattern, whose bytes are copied. `escape` is as for `mcoll_like`. Free it by `mcoll_pattern_free`.
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
    // SAFETY: the caller says so.
    let pattern = unsafe { slice(pattern, pattern_len) };
    Box::into_raw(Box::new(mcoll_pattern(collation.collation.like_pattern(pattern, crate::text::escape(escape)))))
}

/// Whether a string matches.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_pattern_matches(pattern: &mcoll_pattern, text: *const u8, text_len: usize) -> bool {
    // SAFETY: the caller says so.
    pattern.0.matches(unsafe { slice(text, text_len) })
}

/// Frees a pattern; NULL is none.
///
/// # Safety
/// `pattern` is NULL, or comes from `mcoll_pattern_new` and is not used after this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_pattern_free(pattern: *mut mcoll_pattern) {
    if !pattern.is_null() {
        // SAFETY: the caller says so.
        drop(unsafe { Box::from_raw(pattern) });
    }
}
