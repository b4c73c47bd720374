//! Origins: the forms in which a user names a server program.

pub(crate) mod archive;
mod download;
pub(crate) mod image;

use std::fmt;
use std::path::{Path, PathBuf};

pub(crate) use self::archive::unpack_tar;
pub use self::download::Download;
use crate::CatalogueName;

/// Origin of a server program, as the user named it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Origin {
    /// `mariadbd` or `mysqld` from `PATH` or a usual folder of daemons, or else `mariadb` from the
    /// catalogue. For users who name no server.
    #[default]
    Host,
    /// A folder of server binaries, or an OCI layout.
    Basedir(PathBuf),
    /// A tarball of server binaries, or an archive of `docker save` or `podman save`.
    Archive(PathBuf),
    /// An archive on a web server, with its SHA-256: `https://…/mysql-8.0.36.tar.xz#sha256=…`.
    Download(Download),
    /// A container image, such as `mysql:5.7.25` or `registry.example/mariadb@sha256:…`.
    Image(::image::Name),
    /// A name from the catalogue, such as `mariadb@trixie`.
    Catalogue(CatalogueName),
}

/// A text that has the form of an origin and is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    /// A download whose URL has no host, no valid digest, or a login.
    #[error("bad server download: {0}")]
    Download(String),
    #[error(transparent)]
    Image(#[from] ::image::NameError),
}

const ARCHIVE_SUFFIXES: [&str; 5] = [".tar.xz", ".tar.gz", ".tgz", ".txz", ".tar"];

impl Origin {
    /// Parses an origin. `None` if the text has no form of an origin.
    pub fn parse(text: &str) -> Result<Option<Self>, OriginError> {
        if Self::is_download(text) {
            return download::parse(text).map(Self::Download).map(Some).map_err(OriginError::Download);
        }
        if let Some(name) = CatalogueName::find(text) {
            return Ok(Some(Self::Catalogue(name)));
        }
        if ARCHIVE_SUFFIXES.iter().any(|suffix| text.ends_with(suffix)) {
            return Ok(Some(Self::Archive(text.into())));
        }
        let path = Path::new(text);
        if path.is_dir() || text.starts_with(['/', '.', '~']) {
            return Ok(Some(Self::Basedir(text.into())));
        }
        if ::image::Name::has_tag_or_digest(text) {
            return Ok(Some(Self::Image(text.parse()?)));
        }
        Ok(text.contains('/').then(|| Self::Basedir(text.into())))
    }

    /// True if the text is a URL of a download: `http://…` or `https://…`.
    pub fn is_download(text: &str) -> bool {
        text.starts_with("https://") || text.starts_with("http://")
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("the server of this machine"),
            Self::Basedir(path) | Self::Archive(path) => path.display().fmt(f),
            Self::Download(download) => download.fmt(f),
            Self::Image(name) => name.fmt(f),
            Self::Catalogue(name) => name.fmt(f),
        }
    }
}
