//! ICU4C's collator, where the system has it: the library is looked for when the benchmark runs.

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

/// The root collator, at primary strength.
pub struct Icu4c {
    /// The major version, which is part of every name in the library.
    pub version: u32,
    collator: *mut c_void,
    compare: Compare,
}

impl Icu4c {
    /// `None` where no version is installed.
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
        let (open, set_strength, compare) = unsafe {
            (
                std::mem::transmute::<*mut c_void, Open>(symbol("ucol_open")?),
                std::mem::transmute::<*mut c_void, SetStrength>(symbol("ucol_setStrength")?),
                std::mem::transmute::<*mut c_void, Compare>(symbol("ucol_strcollUTF8")?),
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
        Some(Self { version, collator, compare })
    }

    /// How `a` compares to `b`: less than zero, zero, more than zero.
    pub fn compare(&self, a: &[u8], b: &[u8]) -> i32 {
        let mut status = 0;
        let length = |text: &[u8]| i32::try_from(text.len()).unwrap_or(i32::MAX);
        // SAFETY: the collator is open as long as `self` is; the lengths are those of the slices.
        unsafe {
            (self.compare)(self.collator, a.as_ptr().cast(), length(a), b.as_ptr().cast(), length(b), &mut status)
        }
    }
}
