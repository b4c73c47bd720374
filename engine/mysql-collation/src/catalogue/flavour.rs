//! The flavour of a server. A collation can have different weights in MySQL and in MariaDB.

use core::fmt;

/// The flavour of a server: MySQL or MariaDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flavour {
    /// MySQL, including builds such as Percona Server.
    MySql,
    /// MariaDB.
    MariaDb,
}

impl Flavour {
    /// Both flavours, MySQL first.
    pub const ALL: [Self; 2] = [Self::MySql, Self::MariaDb];
}

impl fmt::Display for Flavour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flavour::MySql => "MySQL",
            Flavour::MariaDb => "MariaDB",
        })
    }
}
