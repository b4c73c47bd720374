//! MySQL or MariaDB: the same collation name can have other weights, and many settings other names.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The lineage of a server. Percona Server counts as MySQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Flavour {
    /// MySQL, or a build of it.
    MySql,
    /// MariaDB.
    MariaDb,
}

impl Flavour {
    /// Reads the flavour off `SELECT VERSION()`, `@@version_comment` or `mysqld --version`.
    pub fn of(version: &str) -> Self {
        if version.to_ascii_lowercase().contains("mariadb") { Flavour::MariaDb } else { Flavour::MySql }
    }
}

impl fmt::Display for Flavour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flavour::MySql => "MySQL",
            Flavour::MariaDb => "MariaDB",
        })
    }
}

/// A server's version number, for what depends on it: which settings exist, how a data folder is initialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The first number.
    pub major: u16,
    /// The second.
    pub minor: u16,
    /// The third.
    pub patch: u16,
}

impl Version {
    /// The version of these numbers.
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }

    /// The first `n.n.n` in a text such as `mysqld  Ver 10.11.11-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64`.
    pub fn find(text: &str) -> Option<Self> {
        text.split(|c: char| c.is_whitespace() || c == '-').find_map(|word| {
            let digits = word.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
            let mut numbers = digits.split('.').map(str::parse);
            match (numbers.next()?, numbers.next()?, numbers.next()?) {
                (Ok(major), Ok(minor), Ok(patch)) => Some(Self { major, minor, patch }),
                _ => None,
            }
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_and_flavour_come_from_what_servers_print() {
        for (text, flavour, version) in [
            (
                "mysqld  Ver 10.11.11-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64",
                Flavour::MariaDb,
                Version::new(10, 11, 11),
            ),
            (
                "/x/5.6.1/mysqld  Ver 5.6.24 for Linux on x86_64 (MySQL Community Server (GPL))",
                Flavour::MySql,
                Version::new(5, 6, 24),
            ),
            ("mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))", Flavour::MySql, Version::new(9, 7, 4)),
            ("8.0.36-28", Flavour::MySql, Version::new(8, 0, 36)),
        ] {
            let text = text.rsplit("  Ver ").next().unwrap_or(text);
            assert_eq!((Flavour::of(text), Version::find(text)), (flavour, Some(version)), "{text}");
        }
        assert_eq!(Version::find("no version here"), None);
    }
}
