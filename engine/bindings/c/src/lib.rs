//! The C interface of `mysql-collation`. `include/mysql_collation.h` is generated from it.
//!
//! `handle` looks up collations, `charset` converts between character sets, `text` works on
//! strings, `search` finds strings in strings, `pattern` works on LIKE patterns, `column` on
//! columns. All weights come from the engine. A panic doesn't unwind into C, but aborts the process
//! (`extern "C"` and `panic = "abort"`).

mod charset;
mod column;
mod handle;
mod pattern;
mod search;
mod text;

/// Version of this interface. `mcoll_abi_version` returns the version of the loaded library.
pub const MCOLL_ABI_VERSION: u32 = 1;

/// MySQL, Percona Server and other builds of MySQL.
pub const MCOLL_MYSQL: u32 = 1;
/// MariaDB.
pub const MCOLL_MARIADB: u32 = 2;

/// Success.
pub const MCOLL_OK: i32 = 0;
/// No collation or character set has the name or number.
pub const MCOLL_UNKNOWN: i32 = 1;
/// The servers have the collation, but the library was built without its feature.
pub const MCOLL_NOT_IMPLEMENTED: i32 = 2;
/// A pointer is NULL or misaligned that must not be, or a number is invalid.
pub const MCOLL_INVALID_ARGUMENT: i32 = 3;
/// The offsets of a column are negative, decrease, or exceed the length of its values.
pub const MCOLL_INVALID_COLUMN: i32 = 4;

/// The name means different orders in MySQL and in MariaDB. `mcoll_of_name` returns it.
pub const MCOLL_AMBIGUOUS: i32 = 5;

/// Result of a function that can fail: `MCOLL_OK`, or the reason.
#[allow(non_camel_case_types)]
pub type mcoll_status = i32;

/// Returns the interface version of the library. It is compatible with headers of the same
/// `MCOLL_ABI_VERSION`.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_abi_version() -> u32 {
    MCOLL_ABI_VERSION
}

/// Returns the version of the sort key format. Compare stored keys only with keys of the same
/// version.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_key_format() -> u32 {
    engine::KEY_FORMAT
}

/// Returns a sentence about a status, in English, NUL-terminated. The string is static.
#[unsafe(no_mangle)]
pub extern "C" fn mcoll_status_message(status: mcoll_status) -> *const std::ffi::c_char {
    let message = match status {
        MCOLL_OK => c"done",
        MCOLL_UNKNOWN => c"no collation or character set has this name or number",
        MCOLL_NOT_IMPLEMENTED => c"the server has this collation, but the library was built without it",
        MCOLL_INVALID_ARGUMENT => c"a pointer is NULL or misaligned, or a number is invalid",
        MCOLL_INVALID_COLUMN => c"the offsets of a column are negative, decrease, or exceed the length of its values",
        MCOLL_AMBIGUOUS => c"the name means different orders in MySQL and in MariaDB: give the flavour",
        _ => c"unknown status",
    };
    message.as_ptr()
}
