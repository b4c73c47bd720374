//! Handles of collations, and finding them.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::sync::{Mutex, PoisonError};

use engine::{Collation, Flavour, LookupError, Pad};

use crate::text::slice;
use crate::{
    MCOLL_INVALID_ARGUMENT, MCOLL_MARIADB, MCOLL_MYSQL, MCOLL_NOT_IMPLEMENTED, MCOLL_OK, MCOLL_UNKNOWN, mcoll_status,
};

/// A collation. A handle is valid as long as the process runs, is never freed, and may be used by several threads at once. The same
/// collation has the same handle.
#[allow(non_camel_case_types)]
pub struct mcoll_collation {
    pub(crate) collation: Collation,
    name: CString,
    charset: CString,
}

/// The handles that were given out.
static HANDLES: Mutex<BTreeMap<(Flavour, u16), &'static mcoll_collation>> = Mutex::new(BTreeMap::new());

fn handle(collation: Collation) -> &'static mcoll_collation {
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    handles.entry((collation.info().flavour, collation.id())).or_insert_with(|| {
        let text = |text: &str| CString::new(text).unwrap_or_default();
        let (name, charset) = (text(collation.name()), text(collation.charset().name()));
        Box::leak(Box::new(mcoll_collation { collation, name, charset }))
    })
}

fn flavour(flavour: u32) -> Option<Flavour> {
    match flavour {
        MCOLL_MYSQL => Some(Flavour::MySql),
        MCOLL_MARIADB => Some(Flavour::MariaDb),
        _ => None,
    }
}

/// Hands a collation out.
///
/// # Safety
/// `out` is NULL, or a pointer can be written to it.
unsafe fn answer(
    out: *mut *const mcoll_collation,
    found: impl FnOnce() -> Option<Result<Collation, LookupError>>,
) -> mcoll_status {
    if out.is_null() {
        return MCOLL_INVALID_ARGUMENT;
    }
    let (status, found) = match found() {
        None => (MCOLL_INVALID_ARGUMENT, std::ptr::null()),
        Some(Ok(collation)) => (MCOLL_OK, std::ptr::from_ref(handle(collation))),
        Some(Err(LookupError::NotEnabled { .. })) => (MCOLL_NOT_IMPLEMENTED, std::ptr::null()),
        Some(Err(_)) => (MCOLL_UNKNOWN, std::ptr::null()),
    };
    // SAFETY: it is not NULL, and the caller says that it can be written to.
    unsafe { out.write(found) };
    status
}

/// Finds a collation by its name, in any case: `name_len` bytes, without a NUL. `*collation` is NULL where there is none.
///
/// # Safety
/// `name` points to `name_len` bytes; a handle can be written to `collation`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_by_name(
    flavour: u32,
    name: *const c_char,
    name_len: usize,
    collation: *mut *const mcoll_collation,
) -> mcoll_status {
    // SAFETY: the caller says so.
    let name = unsafe { slice(name.cast(), name_len) };
    let find = || {
        let flavour = self::flavour(flavour)?;
        // What is not UTF-8 is nobody's name.
        Some(Collation::by_name(flavour, std::str::from_utf8(name).unwrap_or_default()))
    };
    // SAFETY: the caller says so.
    unsafe { answer(collation, find) }
}

/// Finds a collation by its id, as the protocol and binary logs have it. `*collation` is NULL where there is none.
///
/// # Safety
/// A handle can be written to `collation`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcoll_by_id(flavour: u32, id: u16, collation: *mut *const mcoll_collation) -> mcoll_status {
    // SAFETY: the caller says so.
    unsafe { answer(collation, || Some(Collation::by_id(self::flavour(flavour)?, id))) }
}

/// The collation's name, ended by a NUL. It is static.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_name(collation: &mcoll_collation) -> *const c_char {
    collation.name.as_ptr()
}

/// The name of the character set of the collation's strings, ended by a NUL. It is static.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_charset(collation: &mcoll_collation) -> *const c_char {
    collation.charset.as_ptr()
}

/// The collation's id.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_id(collation: &mcoll_collation) -> u16 {
    collation.collation.id()
}

/// Whether trailing spaces are ignored in comparisons (PAD SPACE).
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_pad_space(collation: &mcoll_collation) -> bool {
    collation.collation.info().pad == Pad::PadSpace
}
