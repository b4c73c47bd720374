//! Handles of collations, and their lookup.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::sync::{Mutex, PoisonError};

use engine::{Collation, Flavour, LookupError, Meaning, Pad, catalogue};

use crate::text::slice;
use crate::{
    MCOLL_AMBIGUOUS, MCOLL_INVALID_ARGUMENT, MCOLL_MARIADB, MCOLL_MYSQL, MCOLL_NOT_IMPLEMENTED, MCOLL_OK,
    MCOLL_UNKNOWN, mcoll_status,
};

/// Handle of a collation. Each collation has one handle, which is valid until the process ends and
/// is never freed. Several threads may use it at once.
#[allow(non_camel_case_types)]
pub struct mcoll_collation {
    pub(crate) collation: Collation,
    name: CString,
    charset: CString,
}

/// Handles that were returned so far, by flavour and id.
static HANDLES: Mutex<BTreeMap<(Flavour, u16), &'static mcoll_collation>> = Mutex::new(BTreeMap::new());

fn handle_of(collation: Collation) -> &'static mcoll_collation {
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    handles.entry((collation.info().flavour, collation.id())).or_insert_with(|| {
        let text = |text: &str| CString::new(text).unwrap_or_default();
        let (name, charset) = (text(collation.name()), text(collation.charset().name()));
        Box::leak(Box::new(mcoll_collation { collation, name, charset }))
    })
}

pub(crate) fn parse_flavour(flavour: u32) -> Option<Flavour> {
    match flavour {
        MCOLL_MYSQL => Some(Flavour::MySql),
        MCOLL_MARIADB => Some(Flavour::MariaDb),
        _ => None,
    }
}

/// Looks up a collation and writes its handle to `out`.
///
/// # Safety
/// `out` is NULL, or a pointer can be written to it.
unsafe fn write_handle(
    out: *mut *const mcoll_collation,
    lookup: impl FnOnce() -> Option<Result<Collation, LookupError>>,
) -> mcoll_status {
    if out.is_null() {
        return MCOLL_INVALID_ARGUMENT;
    }
    let (status, handle) = match lookup() {
        None => (MCOLL_INVALID_ARGUMENT, std::ptr::null()),
        Some(Ok(collation)) => (MCOLL_OK, std::ptr::from_ref(handle_of(collation))),
        Some(Err(LookupError::Ambiguous { .. })) => (MCOLL_AMBIGUOUS, std::ptr::null()),
        Some(Err(LookupError::NotEnabled { .. } | LookupError::OneNotEnabled { .. })) => {
            (MCOLL_NOT_IMPLEMENTED, std::ptr::null())
        }
        Some(Err(_)) => (MCOLL_UNKNOWN, std::ptr::null()),
    };
    // SAFETY: it is not NULL, and the caller guarantees that it is writable.
    unsafe { out.write(handle) };
    status
}

/// Looks up a collation by its name: `name_len` bytes, without NUL at the end, in upper or lower
/// case. Sets `*collation` to NULL on failure.
///
/// # Safety
/// `name` points to `name_len` bytes, or is NULL for an empty name. `collation` is NULL, which is
/// refused, or a handle can be written to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_by_name(
    flavour: u32,
    name: *const c_char,
    name_len: usize,
    collation: *mut *const mcoll_collation,
) -> mcoll_status {
    // SAFETY: the caller guarantees it.
    let name = unsafe { slice(name.cast(), name_len) };
    let find = || {
        let flavour = self::parse_flavour(flavour)?;
        // No collation has a name that is not UTF-8.
        Some(Collation::by_name(flavour, std::str::from_utf8(name).unwrap_or_default()))
    };
    // SAFETY: the caller guarantees it.
    unsafe { write_handle(collation, find) }
}

/// Looks up a collation by a name that has one meaning: only one flavour has it, or both order all
/// well-formed strings in the same way. Returns `MCOLL_AMBIGUOUS` if they differ. Sets `*collation`
/// to NULL on failure.
///
/// # Safety
/// As for `mcoll_by_name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_of_name(
    name: *const c_char,
    name_len: usize,
    collation: *mut *const mcoll_collation,
) -> mcoll_status {
    // SAFETY: the caller guarantees it.
    let name = unsafe { slice(name.cast(), name_len) };
    let find = || Some(Collation::of_name(std::str::from_utf8(name).unwrap_or_default()).and_then(Meaning::only));
    // SAFETY: the caller guarantees it.
    unsafe { write_handle(collation, find) }
}

/// Looks up a collation by its id in the protocol and in binary logs. Sets `*collation` to NULL on
/// failure.
///
/// # Safety
/// `collation` is NULL, which is refused, or a handle can be written to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_by_id(flavour: u32, id: u16, collation: *mut *const mcoll_collation) -> mcoll_status {
    // SAFETY: the caller guarantees it.
    unsafe { write_handle(collation, || Some(Collation::by_id(self::parse_flavour(flavour)?, id))) }
}

/// Returns the number of collations of a flavour; 0 for an unknown flavour.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_collation_count(flavour: u32) -> usize {
    parse_flavour(flavour).map_or(0, |flavour| catalogue(flavour).len())
}

/// Finds a collation of a flavour by its index in the order of ids. Sets `*collation` to NULL on
/// failure. Returns `MCOLL_UNKNOWN` if `index` is not below `mcoll_collation_count`, and
/// `MCOLL_NOT_IMPLEMENTED` for a collation that this build lacks.
///
/// # Safety
/// `collation` is NULL, which is refused, or a handle can be written to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_collation_at(
    flavour: u32,
    index: usize,
    collation: *mut *const mcoll_collation,
) -> mcoll_status {
    let find = || {
        let flavour = parse_flavour(flavour)?;
        // No collation has the id 0.
        let id = catalogue(flavour).get(index).map_or(0, |info| info.id);
        Some(Collation::by_id(flavour, id))
    };
    // SAFETY: the caller guarantees it.
    unsafe { write_handle(collation, find) }
}

/// Returns the collation's flavour: `MCOLL_MYSQL` or `MCOLL_MARIADB`.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_flavour(collation: &mcoll_collation) -> u32 {
    match collation.collation.info().flavour {
        Flavour::MySql => MCOLL_MYSQL,
        Flavour::MariaDb => MCOLL_MARIADB,
    }
}

/// Returns true if the collation is the default of its character set in the newest version of its
/// flavour: for utf8mb4, `utf8mb4_0900_ai_ci` of MySQL and `utf8mb4_uca1400_ai_ci` of MariaDB.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_is_default(collation: &mcoll_collation) -> bool {
    collation.collation.info().is_default
}

/// Returns true if the collation compares the codes of bytes or characters (`binary`, `…_bin`).
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_is_binary(collation: &mcoll_collation) -> bool {
    collation.collation.info().is_binary
}

/// Returns the collation's name, NUL-terminated. The string is static.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_name(collation: &mcoll_collation) -> *const c_char {
    collation.name.as_ptr()
}

/// Returns the name of the collation's character set, NUL-terminated. The string is static.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_charset(collation: &mcoll_collation) -> *const c_char {
    collation.charset.as_ptr()
}

/// Returns the collation's id in the protocol and in binary logs.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_id(collation: &mcoll_collation) -> u16 {
    collation.collation.id()
}

/// Returns true if comparisons ignore trailing spaces (PAD SPACE).
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_pad_space(collation: &mcoll_collation) -> bool {
    collation.collation.info().pad == Pad::PadSpace
}
