//! The catalogue: servers that can be installed by name.

use std::fmt;
use std::str::FromStr;

use crate::source::{Install, apt, maven, npm};
use crate::{Error, Program};

/// Name of a server in the catalogue, such as `mariadb@trixie` or its alias `mariadb@11.8`. Names
/// of the same server are equal.
#[derive(Clone, Copy, Debug)]
pub struct CatalogueName {
    entry: &'static Entry,
    /// As the user gave it: the entry's name or an alias.
    given: &'static str,
}

/// A name that is not in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the catalogue has no `{given}`; it has, nearest first: {}", nearest.join(", "))]
pub struct NotInCatalogue {
    pub given: String,
    /// All names of the catalogue, nearest first.
    pub nearest: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub name: &'static str,
    /// Short description for users.
    pub title: &'static str,
    /// Other names, such as product and version.
    pub aliases: &'static [&'static str],
    /// Repository, for users; of npm and Maven with the package.
    pub repository: &'static str,
    pub source: &'static dyn Install,
    /// Disk space during the installation, in MiB.
    pub mebibytes: u64,
}

/// Name of this machine's own MariaDB. A MariaDB server on `PATH` is preferred to an installation.
const HOST_NAME: &str = "mariadb";

fn entries() -> impl Iterator<Item = &'static Entry> {
    apt::ENTRIES.iter().chain(&npm::ENTRIES).chain(&maven::ENTRIES)
}

impl CatalogueName {
    /// Lists the servers of the catalogue, without aliases.
    pub fn all() -> impl Iterator<Item = Self> {
        entries().map(|entry| Self { entry, given: entry.name })
    }

    /// Finds a server by name or alias.
    pub fn find(name: &str) -> Option<Self> {
        entries().find_map(|entry| {
            let given = *all_names(entry).find(|candidate| **candidate == name)?;
            Some(Self { entry, given })
        })
    }

    /// Returns the name of the server in the cache, which a name and its aliases share.
    pub fn as_str(&self) -> &'static str {
        self.entry.name
    }

    /// Short description for users.
    pub fn title(&self) -> &'static str {
        self.entry.title
    }

    pub(crate) fn host() -> Self {
        Self::find(HOST_NAME).expect("the catalogue has the host's server")
    }

    /// True for this machine's own MariaDB, which may be on `PATH`.
    pub(crate) fn is_host(&self) -> bool {
        self.entry.name == HOST_NAME
    }

    pub(crate) fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Fails if the name is an alias with another version than the program's: suites of Debian get
    /// newer versions.
    pub(crate) fn check_version(&self, program: &Program) -> Result<(), Error> {
        let Some((_, version)) = self.given.split_once('@').filter(|_| self.given != self.entry.name) else {
            return Ok(());
        };
        if program.version.to_string().starts_with(&format!("{version}.")) {
            return Ok(());
        }
        let reason = format!("{} is {} now; use that name", self.entry.name, program.version);
        Err(Error::Install { name: self.given.to_owned(), reason })
    }

    /// Lists all names, the most similar to `given` first.
    pub fn nearest_first(given: &str) -> Vec<String> {
        let names = message::sort_by_similarity(given, entries().flat_map(all_names).copied());
        names.into_iter().map(str::to_owned).collect()
    }
}

fn all_names(entry: &'static Entry) -> impl Iterator<Item = &'static &'static str> {
    std::iter::once(&entry.name).chain(entry.aliases)
}

impl PartialEq for CatalogueName {
    fn eq(&self, other: &Self) -> bool {
        self.entry.name == other.entry.name
    }
}

impl Eq for CatalogueName {}

impl FromStr for CatalogueName {
    type Err = NotInCatalogue;

    fn from_str(name: &str) -> Result<Self, NotInCatalogue> {
        let unknown = || NotInCatalogue { given: name.to_owned(), nearest: Self::nearest_first(name) };
        Self::find(name).ok_or_else(unknown)
    }
}

impl fmt::Display for CatalogueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_name_the_same_server() {
        let (name, alias) =
            (CatalogueName::find("mariadb@trixie").unwrap(), CatalogueName::find("mariadb@11.8").unwrap());
        assert_eq!((name, alias.as_str(), alias.to_string().as_str()), (alias, "mariadb@trixie", "mariadb@11.8"));
        assert!("mariadb@11.9".parse::<CatalogueName>().unwrap_err().nearest.contains(&"mariadb@11.8".to_owned()));
    }

    #[test]
    fn names_are_unique() {
        let mut all: Vec<&str> = entries().flat_map(all_names).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
