//! The collations of MySQL and MariaDB, exact to the last weight, without a server.
//!
//! A [`Collation`] is looked up by flavour and name, or id, and then compares, hashes, sorts and matches bytes in its
//! character set as a server of that flavour does:
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
//! The same name can mean other weights in the other [`Flavour`]. [`catalogue`] lists all collations of a flavour's
//! servers.
//!
//! Nothing here does I/O, depends on anything outside `core` and `alloc`, or panics, whatever the bytes. The weights are
//! those that running servers answer; docs/collation.md tells how they were derived and verified.

#![no_std]
#![deny(missing_docs)]
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "only vectors ask for some of what tables and blocks have")
)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod arch;
mod bytes;
mod carried;
mod catalogue;
mod charset;
mod code_points;
mod collated;
mod collation;
mod column;
mod compare;
mod descriptor;
mod dispatch;
mod encoding;
mod flavour;
mod hash;
mod info;
mod like;
mod lookup;
pub mod mariadb;
pub mod mysql;
#[cfg(any(test, feature = "oracle"))]
mod naive;
mod row_key;
mod runs;
mod sort;
mod sort_key;
mod source;
mod stream;
mod table;
#[cfg(test)]
mod tests;
mod weight_string;
mod weights;
mod whole;

pub use catalogue::catalogue;
pub use charset::{Character, Characters, Charset, Content, Converted, Replaced};
pub use collated::{Collated, CollatedBuf};
pub use collation::Collation;
pub use column::{Column, ColumnError, ColumnIter, ColumnKeys, Offset};
pub use flavour::Flavour;
pub use info::{Info, Levels, Pad};
pub use like::LikePattern;
pub use lookup::{LookupError, Meaning, UnknownFlavour};
pub use row_key::{Direction, KEY_FORMAT, RowKey};
pub use weights::{Element, Weights};

/// The instruction set whose vectors are used on this machine: `avx512`, `avx2`, `sse2`, `neon`, or `scalar` for none.
pub fn instruction_set() -> &'static str {
    arch::get().name
}

#[doc(hidden)]
#[cfg(feature = "oracle")]
pub mod oracle {
    //! What the project's own tasks, tests and benchmarks share with the library; no part of its interface.

    pub use crate::arch::{available as instruction_sets, choose as use_instruction_set};
    pub use crate::naive::{compare, like, sort_key};
    pub use crate::weights::{Contracted, known_contractions};

    pub mod format {
        //! The format of the committed tables.
        pub use crate::table::format::*;
    }
}
