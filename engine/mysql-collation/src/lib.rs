//! The collations of MySQL and MariaDB, exact to the last weight, without a server.
//!
//! A [`Collation`] is looked up by flavour and name, or by flavour and id. It compares, sorts and
//! matches strings of its character set as a server of that flavour does. Equal strings have equal
//! hashes.
//!
//! ```
//! use core::cmp::Ordering;
//! use mysql_collation::{Collation, Flavour};
//!
//! let mysql = Collation::by_name(Flavour::MySql, "utf8mb4_0900_ai_ci")?;
//! assert!(mysql.equals("Straße".as_bytes(), "STRASSE".as_bytes()));
//! let older = Collation::by_name(Flavour::MySql, "utf8mb4_general_ci")?;
//! assert_eq!(older.compare("Straße".as_bytes(), "STRASSE".as_bytes()), Ordering::Less);
//! # Ok::<(), mysql_collation::LookupError>(())
//! ```
//!
//! A name can denote different weights in MySQL and in MariaDB: see [`Flavour`]. [`catalogue`]
//! lists the collations of a flavour's servers.
//!
//! Lookups find the collations of enabled features. All features below are enabled by default. The
//! constants of [`mysql`] and [`mariadb`] need none.
//!
//! | feature | collations that lookups find |
//! | --- | --- |
//! | none | those of UTF-8 without UCA, such as `general_ci` and `bin`; `latin1`, `ascii`, `binary` |
//! | `uca` | UCA without a language |
//! | `languages` | the languages of UCA; includes `uca` |
//! | `legacy-8bit` | the other 8-bit character sets |
//! | `cjk` | Chinese, Japanese and Korean character sets |
//! | `utf16-32` | `ucs2`, `utf16`, `utf16le`, `utf32` |
//!
//! A UCA collation of `gb18030`, `ucs2`, UTF-16 or UTF-32 needs two features.
//!
//! The library does no I/O. Without the feature `std` it depends only on `core` and `alloc`. No
//! function panics for any input bytes. The weights are those that running servers return;
//! docs/explanation/collations.md describes how they were derived and verified.

#![no_std]
#![deny(missing_docs)]
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "only vector code uses some functions of tables and blocks")
)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod api;
mod catalogue;
mod charset;
mod const_bytes;
mod dispatch;
#[cfg(test)]
mod module_graph;
mod operations;
#[cfg(any(test, feature = "oracle"))]
#[cfg_attr(not(feature = "oracle"), allow(dead_code, reason = "tests use some of it"))]
#[doc(hidden)]
pub mod oracle;
mod simd;
mod tables;
#[cfg(test)]
mod tests;
mod weights;

pub use api::{
    Alphabet, AsCollated, Coercibility, Collated, CollatedBuf, Collation, CollationChoice, Column, ColumnError,
    ColumnIter, ColumnKeys, CombinedCollation, Direction, Expression, FindIter, KEY_FORMAT, KeyRange, LikePattern,
    LookupError, Meaning, Offset, Operand, RowKey, Side, SliceTooShort, UnknownFlavour, choose_collation,
    combine_collations, mariadb, mysql, similar_names,
};
pub use catalogue::{
    DATA_VERSIONS, Flavour, Info, InvalidVersion, Levels, Pad, ServerVersion, UNICODE_VERSIONS, catalogue,
};
pub use charset::{
    Character, Characters, Charset, Content, Converted, Unconvertible, Undecodable, Unencodable, UnknownCharset,
};
pub use operations::elements::{Element, Weights};

/// Returns the instruction set that the library uses on this machine: `avx512`, `avx2`, `sse2`,
/// `neon`, or `scalar` on processors without an implementation. Without the feature `std`, one that
/// the build enables.
pub fn instruction_set() -> &'static str {
    simd::get().name
}
