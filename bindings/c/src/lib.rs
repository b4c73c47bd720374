//! The C interface of `mysql-collation`; `include/mysql_collation.h` is generated from it.
//!
//! `handle` finds collations · `text` works on strings · `pattern` on LIKE patterns · `column` on columns. Nothing here weighs
//! anything. Nothing unwinds into C: a panic ends the process (`extern "C"`, and `panic = "abort"`).

mod column;
mod handle;
mod pattern;
mod text;

/// The version of this interface. A program asks `mcoll_abi_version` for that of the library that it runs with.
pub const MCOLL_ABI_VERSION: u32 = 1;

/// MySQL, and builds of it such as Percona Server.
pub const MCOLL_MYSQL: u32 = 1;
/// MariaDB.
pub const MCOLL_MARIADB: u32 = 2;

/// Done.
pub const MCOLL_OK: i32 = 0;
/// The flavour's servers have no such collation.
pub const MCOLL_UNKNOWN: i32 = 1;
/// The flavour's servers have it; the library was built without the feature that it belongs to.
pub const MCOLL_NOT_IMPLEMENTED: i32 = 2;
/// A pointer that must not be NULL is, or a number is none of those that are allowed.
pub const MCOLL_INVALID_ARGUMENT: i32 = 3;
/// The offsets of a column are not in order, or point beyond its values.
pub const MCOLL_INVALID_COLUMN: i32 = 4;

/// What functions answer that can fail: `MCOLL_OK`, or the reason.
#[allow(non_camel_case_types)]
pub type mcoll_status = i32;

/// The version of the interface that the library has. It is compatible with a header of the same `MCOLL_ABI_VERSION`.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_abi_version() -> u32 {
    MCOLL_ABI_VERSION
}

/// The version of the format of sort keys. Keys that are stored compare with keys of the same version only.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_key_format() -> u32 {
    engine::KEY_FORMAT
}

/// A sentence about a status, in English, ended by a NUL. It is static.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_status_message(status: mcoll_status) -> *const std::ffi::c_char {
    let message = match status {
        MCOLL_OK => c"done",
        MCOLL_UNKNOWN => c"the server has no collation of this name or id",
        MCOLL_NOT_IMPLEMENTED => c"the server has this collation, but the library was built without it",
        MCOLL_INVALID_ARGUMENT => c"a pointer is NULL, or a number is none of those that are allowed",
        MCOLL_INVALID_COLUMN => c"the offsets of a column are not in order, or point beyond its values",
        _ => c"no such status",
    };
    message.as_ptr()
}
