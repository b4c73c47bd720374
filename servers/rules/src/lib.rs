//! Rules of MySQL and MariaDB as pure functions: sizes and limits of keys and rows, the collation
//! of a comparison, double encoding, PHP's serialisation, and names that run code of users.

pub mod charset;
pub mod coercibility;
pub mod conversion;
pub mod departures;
pub mod encoding;
pub mod joins;
pub mod keys;
pub mod pages;
pub mod rows;
pub mod serialized;
