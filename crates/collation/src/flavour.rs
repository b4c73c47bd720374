//! MySQL or MariaDB: the same name can mean other weights.

use core::fmt;

/// The lineage of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flavour {
    /// MySQL, and builds of it such as Percona Server.
    MySql,
    /// MariaDB.
    MariaDb,
}

impl Flavour {
    /// Both.
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
