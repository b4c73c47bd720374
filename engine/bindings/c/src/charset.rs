//! Character sets: lookup, validation and conversion.

use std::ffi::c_char;

use engine::Charset;

use crate::handle::parse_flavour;
use crate::text::{copy_prefix, slice};
use crate::{MCOLL_INVALID_ARGUMENT, MCOLL_OK, MCOLL_UNKNOWN, mcoll_status};

/// A converted string. `mcoll_convert` fills it.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct mcoll_converted {
    /// Room for the string, or NULL.
    pub out: *mut u8,
    /// Size of `out` in bytes.
    pub out_size: usize,
    /// Length of the whole string, which can exceed `out_size`.
    pub out_len: usize,
    /// Number of characters of the text that the string lacks: each that became `?`, and all from
    /// where MySQL cuts the string on. An ill-formed byte counts as one. Characters that a small
    /// `out` has no room for are not lost.
    pub lost: usize,
    /// Number of the text's bytes that were converted: all, unless MySQL cuts the string.
    pub taken: usize,
}

fn find(charset: u32) -> Option<Charset> {
    Charset::ALL.get(usize::try_from(charset).ok()?).copied()
}

/// Looks up a character set by its name: `name_len` bytes, without NUL at the end, in upper or
/// lower case. `utf8` means `utf8mb3`. The number is valid until the process ends.
///
/// # Safety
/// `name` points to `name_len` bytes, or is NULL for an empty name. `charset` is NULL, which is
/// refused, or a number can be written to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_charset_by_name(
    name: *const c_char,
    name_len: usize,
    charset: *mut u32,
) -> mcoll_status {
    if charset.is_null() {
        return MCOLL_INVALID_ARGUMENT;
    }
    // SAFETY: the caller guarantees it.
    let name = std::str::from_utf8(unsafe { slice(name.cast(), name_len) }).unwrap_or_default();
    let found = Charset::by_name(name);
    let number = Charset::ALL.into_iter().position(|other| Some(other) == found);
    let Some(number) = number.and_then(|number| u32::try_from(number).ok()) else { return MCOLL_UNKNOWN };
    // SAFETY: it is not NULL, and the caller guarantees that it is writable.
    unsafe { charset.write(number) };
    MCOLL_OK
}

/// Returns the length in bytes of the longest well-formed prefix of `text`, which MySQL accepts in
/// a column; 0 for an unknown character set.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_well_formed_prefix(charset: u32, text: *const u8, text_len: usize) -> usize {
    // SAFETY: the caller guarantees it.
    let text = unsafe { slice(text, text_len) };
    find(charset).map_or(0, |charset| charset.well_formed_prefix(text))
}

/// Returns the length of `text` in characters. Each ill-formed byte counts as a character. 0 for an
/// unknown character set.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_char_len(charset: u32, text: *const u8, text_len: usize) -> usize {
    // SAFETY: the caller guarantees it.
    let text = unsafe { slice(text, text_len) };
    find(charset).map_or(0, |charset| charset.char_len(text))
}

/// Converts `text` from one character set to another, as CONVERT(text USING to) of the flavour's
/// servers: a character that `to` lacks becomes `?`. `MCOLL_INVALID_ARGUMENT` for an unknown
/// flavour or character set.
///
/// # Safety
/// `text` points to `text_len` bytes, or is NULL for an empty string. `converted->out` has room for
/// `converted->out_size` bytes, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_convert(
    flavour: u32,
    from: u32,
    to: u32,
    text: *const u8,
    text_len: usize,
    converted: &mut mcoll_converted,
) -> mcoll_status {
    let (Some(flavour), Some(from), Some(to)) = (parse_flavour(flavour), find(from), find(to)) else {
        return MCOLL_INVALID_ARGUMENT;
    };
    // SAFETY: the caller guarantees it.
    let done = from.convert(unsafe { slice(text, text_len) }, to, flavour);
    // SAFETY: the caller guarantees it.
    converted.out_len = unsafe { copy_prefix(&done.bytes, converted.out, converted.out_size) };
    converted.lost = done.lost;
    converted.taken = done.taken;
    MCOLL_OK
}
