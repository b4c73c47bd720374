//! Comparison of byte strings in constant functions, for choosing tables by name at compile time.

pub(crate) const fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// Returns `text` without `prefix`; `None` if `text` doesn't begin with `prefix`.
pub(crate) const fn strip_prefix<'a>(text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    match text.split_at_checked(prefix.len()) {
        Some((start, rest)) if equal(start, prefix) => Some(rest),
        _ => None,
    }
}

/// Returns `text` without `suffix`; `None` if `text` doesn't end with `suffix`.
pub(crate) const fn strip_suffix<'a>(text: &'a [u8], suffix: &[u8]) -> Option<&'a [u8]> {
    let Some(length) = text.len().checked_sub(suffix.len()) else { return None };
    let (rest, end) = text.split_at(length);
    if equal(end, suffix) { Some(rest) } else { None }
}
