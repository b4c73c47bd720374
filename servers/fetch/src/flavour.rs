//! Server products and versions.
//!
//! MySQL and MariaDB differ in the weights of some collations with the same name, and in the names
//! of some settings.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Product family of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Flavour {
    /// MySQL and builds of it, such as Percona Server.
    MySql,
    /// MariaDB.
    MariaDb,
}

impl Flavour {
    /// Recognises the flavour in the output of `SELECT VERSION()`, `SELECT @@version_comment` or
    /// `mysqld --version`: MariaDB if the text contains "mariadb" in upper or lower case.
    pub fn from_version(version: &str) -> Self {
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

/// Version number of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u16,
    pub minor: u16,
    pub patch: u16,
}

impl Version {
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }

    /// Finds the first word that begins with `n.n.n`. White space and hyphens end a word.
    /// Example: `mysqld  Ver 10.11.11-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64`.
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
    fn recognises_versions_that_servers_print() {
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
            assert_eq!((Flavour::from_version(text), Version::find(text)), (flavour, Some(version)), "{text}");
        }
        assert_eq!(Version::find("no version here"), None);
    }
}
