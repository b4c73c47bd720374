//! Versions of servers.

use core::fmt;
use core::str::FromStr;

use super::Flavour;

/// A server's flavour and version.
///
/// ```
/// use mysql_collation::{Flavour, ServerVersion};
///
/// let version: ServerVersion = "10.11.6-MariaDB-0+deb12u1".parse()?;
/// assert_eq!(version, ServerVersion::new(Flavour::MariaDb, 10, 11, 6));
/// assert!(version < ServerVersion::new(Flavour::MariaDb, 11, 4, 0));
/// # Ok::<(), mysql_collation::InvalidVersion>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct ServerVersion {
    /// Flavour of the server.
    pub flavour: Flavour,
    /// First number, such as 8 in `8.0.34`.
    pub major: u16,
    /// Second number.
    pub minor: u16,
    /// Third number.
    pub patch: u16,
}

impl ServerVersion {
    /// Creates a version from its numbers.
    pub const fn new(flavour: Flavour, major: u16, minor: u16, patch: u16) -> Self {
        Self { flavour, major, minor, patch }
    }

    /// Returns `true` if this version's numbers are `major.minor.patch` or later.
    pub(crate) const fn is_at_least(self, [major, minor, patch]: [u16; 3]) -> bool {
        if self.major != major {
            return self.major > major;
        }
        if self.minor != minor {
            return self.minor > minor;
        }
        self.patch >= patch
    }
}

/// The newest server of each flavour whose collations this version of the library reproduces, as
/// verified by comparing results.
pub const DATA_VERSIONS: [ServerVersion; 2] =
    [ServerVersion::new(Flavour::MySql, 9, 7, 4), ServerVersion::new(Flavour::MariaDb, 11, 8, 9)];

/// Versions of the Unicode Collation Algorithm whose weights the library has: those of
/// `*_unicode_ci`, `*_unicode_520_ci`, MySQL's `*_0900_*`, and `*_uca1400_*`.
pub const UNICODE_VERSIONS: [&str; 4] = ["4.0.0", "5.2.0", "9.0.0", "14.0.0"];

impl fmt::Display for ServerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}.{}.{}", self.flavour, self.major, self.minor, self.patch)
    }
}

/// An error of [`ServerVersion::from_str`]: the text doesn't begin with three numbers
/// below 65,536.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidVersion;

impl fmt::Display for InvalidVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a version is the result of `SELECT VERSION()`, such as `8.0.34` or `10.11.6-MariaDB`")
    }
}

impl core::error::Error for InvalidVersion {}

/// Prefix of the version of older MariaDB servers in the client/server protocol, which replication
/// to old servers needs: `5.5.5-10.4.2-MariaDB`.
const REPLICATION_PREFIX: &str = "5.5.5-";

/// Parses the result of `SELECT VERSION()`, or the version of a server's greeting. A text with
/// `MariaDB` is a version of MariaDB, any other text one of MySQL.
impl FromStr for ServerVersion {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        let is_mariadb = text.as_bytes().windows(7).any(|word| word.eq_ignore_ascii_case(b"mariadb"));
        let flavour = if is_mariadb { Flavour::MariaDb } else { Flavour::MySql };
        let text = text.strip_prefix(REPLICATION_PREFIX).filter(|_| is_mariadb).unwrap_or(text);
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let mut numbers = text[..end].split('.').map(str::parse);
        let mut next = || numbers.next().and_then(Result::ok).ok_or(InvalidVersion);
        Ok(Self { flavour, major: next()?, minor: next()?, patch: next()? })
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn parses_versions_of_servers() {
        for (text, expected) in [
            ("8.0.34", "MySQL 8.0.34"),
            ("9.7.4-2", "MySQL 9.7.4"),
            ("5.7.22-log", "MySQL 5.7.22"),
            ("8.0.36-28.1", "MySQL 8.0.36"),
            ("10.11.18-MariaDB-0+deb12u1", "MariaDB 10.11.18"),
            ("11.8.9-MariaDB-0+deb13u1 from Debian", "MariaDB 11.8.9"),
            ("5.5.5-10.4.2-MariaDB", "MariaDB 10.4.2"),
        ] {
            assert_eq!(text.parse::<ServerVersion>().unwrap().to_string(), expected);
        }
        for text in ["", "8.0", "MariaDB", "8.x.1", "8.0.99999", "-8.0.1"] {
            assert_eq!(text.parse::<ServerVersion>(), Err(InvalidVersion), "{text}");
        }
    }
}
