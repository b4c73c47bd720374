//! Sources: the repositories that servers of the catalogue come from.
//!
//! A source is one module with two parts. `ENTRIES` are the catalogue entries of its servers. An
//! implementation of [`Source`] finds and downloads a package, verifies it and unpacks it. To add a
//! source, write such a module and add its `ENTRIES` to the catalogue.

pub(crate) mod apt;
pub(crate) mod maven;
pub(crate) mod npm;

use std::fmt::Debug;
use std::path::Path;

use crate::{Error, Progress};

/// A package in a repository.
pub(crate) trait Source {
    type Download;

    /// Finds the package in its repository and downloads it, with the libraries that it needs.
    fn download(&self, target: &Target) -> Result<Self::Download, Error>;

    /// Compares the download with a hash or signature. Does nothing for a source that verifies
    /// while it downloads.
    fn verify(&self, download: &Self::Download, target: &Target) -> Result<(), Error>;

    /// Unpacks the server into the folder of `target`.
    fn unpack(&self, download: Self::Download, target: &Target) -> Result<InstalledPackage, Error>;
}

/// Folder that a server is installed into.
pub(crate) struct Target<'a> {
    /// Name of the server in the catalogue, for messages.
    pub name: &'static str,
    /// Folder in the cache. It is complete only when [`Install::install`] has returned.
    pub folder: &'a Path,
    pub progress: &'a dyn Progress,
}

impl Target<'_> {
    /// Fails on another machine than x86-64 Linux, for packages with binaries for it.
    fn require_x86_64_linux(&self) -> Result<(), Error> {
        if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
            return Ok(());
        }
        let reason = "its binaries are for x86-64 Linux only; give --server a basedir, a tarball or an image for this \
                      machine";
        Err(Error::Install { name: self.name.into(), reason: reason.into() })
    }
}

/// Package and version, as the repository names them.
pub(crate) struct InstalledPackage {
    pub package: String,
    pub version: String,
}

/// [`Source`] without its associated type, for the table of the catalogue.
pub(crate) trait Install: Debug + Sync {
    fn install(&self, target: &Target) -> Result<InstalledPackage, Error>;
}

impl<S: Source + Debug + Sync> Install for S {
    fn install(&self, target: &Target) -> Result<InstalledPackage, Error> {
        let download = self.download(target)?;
        self.verify(&download, target)?;
        self.unpack(download, target)
    }
}
