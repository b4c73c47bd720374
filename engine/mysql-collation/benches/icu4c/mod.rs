//! ICU4C's collator, if the system has it. The library is loaded at run time.

#![allow(dead_code, reason = "no bench uses all of it")]

use std::ffi::{CString, c_char, c_int, c_void};

#[cfg_attr(not(target_env = "msvc"), link(name = "c"))]
unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

const RTLD_NOW: c_int = 2;
const UCOL_PRIMARY: c_int = 0;

type Open = unsafe extern "C" fn(locale: *const c_char, status: *mut c_int) -> *mut c_void;
type SetStrength = unsafe extern "C" fn(collator: *mut c_void, strength: c_int);
type Compare = unsafe extern "C" fn(
    collator: *const c_void,
    a: *const c_char,
    a_length: i32,
    b: *const c_char,
    b_length: i32,
    status: *mut c_int,
) -> c_int;

type GetSortKey =
    unsafe extern "C" fn(collator: *const c_void, text: *const u16, length: i32, key: *mut u8, room: i32) -> i32;

/// The root collator, at primary strength.
pub struct Icu4c {
    /// Major version, which is part of every symbol.
    pub version: u32,
    collator: *mut c_void,
    compare: Compare,
    get_sort_key: GetSortKey,
}

impl Icu4c {
    /// Loads the latest of versions 60 to 90; `None` if none is installed.
    pub fn load() -> Option<Self> {
        (60..=90).rev().find_map(Self::load_version)
    }

    fn load_version(version: u32) -> Option<Self> {
        let name = CString::new(format!("libicui18n.so.{version}")).ok()?;
        // SAFETY: the name ends with a zero. Loading runs the library's own initialisers only.
        let library = unsafe { dlopen(name.as_ptr(), RTLD_NOW) };
        if library.is_null() {
            return None;
        }
        let symbol = |name: &str| {
            let name = CString::new(format!("{name}_{version}")).ok()?;
            // SAFETY: the library is loaded, and the name ends with a zero.
            let address = unsafe { dlsym(library, name.as_ptr()) };
            (!address.is_null()).then_some(address)
        };
        // SAFETY: ICU documents these functions (ucol.h) with the types given here.
        let (open, set_strength, compare, get_sort_key) = unsafe {
            (
                std::mem::transmute::<*mut c_void, Open>(symbol("ucol_open")?),
                std::mem::transmute::<*mut c_void, SetStrength>(symbol("ucol_setStrength")?),
                std::mem::transmute::<*mut c_void, Compare>(symbol("ucol_strcollUTF8")?),
                std::mem::transmute::<*mut c_void, GetSortKey>(symbol("ucol_getSortKey")?),
            )
        };
        let mut status = 0;
        // SAFETY: an empty locale is the root; the status starts as "no error".
        let collator = unsafe { open(c"".as_ptr(), &mut status) };
        if collator.is_null() || status > 0 {
            return None;
        }
        // SAFETY: the collator was opened just now.
        unsafe { set_strength(collator, UCOL_PRIMARY) };
        Some(Self { version, collator, compare, get_sort_key })
    }

    /// Returns the length in bytes of the sort key of a UTF-16 text.
    pub fn sort_key(&self, text: &[u16]) -> i32 {
        let mut key = [0; 2048];
        // SAFETY: the collator is open as long as `self` is; the lengths are those of the text and
        // the buffer.
        unsafe { (self.get_sort_key)(self.collator, text.as_ptr(), text.len() as i32, key.as_mut_ptr(), 2048) }
    }

    /// Compares `a` with `b`: negative if less, zero if equal, positive if greater.
    pub fn compare(&self, a: &[u8], b: &[u8]) -> i32 {
        let mut status = 0;
        let length = |text: &[u8]| i32::try_from(text.len()).unwrap_or(i32::MAX);
        // SAFETY: the collator is open as long as `self` is; the lengths are those of the slices.
        unsafe {
            (self.compare)(self.collator, a.as_ptr().cast(), length(a), b.as_ptr().cast(), length(b), &mut status)
        }
    }
}
