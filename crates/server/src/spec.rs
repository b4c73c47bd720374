//! What the user writes behind `--server`.

mod download;
mod dsn;
mod url;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub use self::download::Download;
use crate::catalogue::CatalogueName;
use crate::login::ClientOptions;

/// A server, named one of the ways that `--server` knows.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Spec {
    /// Nothing named: `mariadbd` or `mysqld` from PATH, else the catalogue's `mariadb`.
    #[default]
    Default,
    /// A running server: `mysql://user@host:port/db`, or a DSN `h=,P=,u=,p=,S=,D=`.
    Attach(Box<ClientOptions>),
    /// A folder of server binaries, or an OCI layout.
    Basedir(PathBuf),
    /// A tarball of server binaries, or an archive of `docker save` or `podman save`.
    Archive(PathBuf),
    /// The same on a web server, with its SHA-256: `https://…/mysql-8.0.36.tar.xz#sha256=…`.
    Download(Download),
    /// A container image, such as `mysql:5.7.25` or `registry.example/mariadb@sha256:…`.
    Image(image::Name),
    /// A name from the catalogue, such as `mariadb@trixie`.
    Catalogue(CatalogueName),
    /// An instance that `weigh servers start` left running, such as `s1`.
    Started(String),
}

/// Why a text names no server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Nothing that we know.
    #[error("unknown server `{given}`; known names, nearest first: {}; or give an image such as mysql:8.0, a URL mysql://…, a DSN h=…,u=…, a basedir or a tarball", nearest.join(", "))]
    Unknown {
        /// The user's text.
        given: String,
        /// The catalogue's names, nearest first.
        nearest: Vec<String>,
    },
    /// A URL that is not one. The text itself is left out: it may hold a password.
    #[error("bad server URL: {0}")]
    Url(String),
    /// A download without a digest, or with a bad one.
    #[error("bad server download: {0}")]
    Download(String),
    /// Text that ends as the name of an image does, and is none.
    #[error(transparent)]
    Image(#[from] image::NameError),
    /// A DSN that is not one.
    #[error("bad server DSN: {0}")]
    Dsn(String),
}

const ARCHIVE_ENDINGS: [&str; 5] = [".tar.xz", ".tar.gz", ".tgz", ".txz", ".tar"];

impl Spec {
    /// Whether it names a server that runs already, of which `weigh` starts and decides nothing.
    pub fn is_running(&self) -> bool {
        matches!(self, Spec::Attach(_) | Spec::Started(_))
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if download::looks_like(text) {
            return download::parse(text).map(Spec::Download).map_err(SpecError::Download);
        }
        if text.contains("://") {
            return url::parse(text).map(Box::new).map(Spec::Attach).map_err(SpecError::Url);
        }
        if dsn::looks_like(text) {
            return dsn::parse(text).map(Box::new).map(Spec::Attach).map_err(SpecError::Dsn);
        }
        if let Some(name) = CatalogueName::find(text) {
            return Ok(Spec::Catalogue(name));
        }
        if ARCHIVE_ENDINGS.iter().any(|ending| text.ends_with(ending)) {
            return Ok(Spec::Archive(text.into()));
        }
        let path = Path::new(text);
        if path.is_dir() || text.starts_with(['/', '.', '~']) {
            return Ok(Spec::Basedir(text.into()));
        }
        if image::Name::is_meant_by(text) {
            return Ok(Spec::Image(text.parse()?));
        }
        if text.contains('/') {
            return Ok(Spec::Basedir(text.into()));
        }
        if text.strip_prefix('s').is_some_and(|number| number.parse::<u32>().is_ok()) {
            return Ok(Spec::Started(text.to_owned()));
        }
        Err(SpecError::Unknown { given: text.to_owned(), nearest: CatalogueName::nearest(text) })
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spec::Default => f.write_str("the server of this machine"),
            Spec::Attach(options) => options.fmt(f),
            Spec::Basedir(path) | Spec::Archive(path) => path.display().fmt(f),
            Spec::Download(download) => download.fmt(f),
            Spec::Image(name) => name.fmt(f),
            Spec::Catalogue(name) => name.fmt(f),
            Spec::Started(id) => f.write_str(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attach(text: &str) -> ClientOptions {
        match text.parse() {
            Ok(Spec::Attach(options)) => *options,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn every_form_is_told_apart() {
        assert_eq!("mysql@5.6".parse::<Spec>().unwrap().to_string(), "mysql@5.6");
        assert!(matches!("mariadb".parse(), Ok(Spec::Catalogue(_))));
        assert!(matches!("/opt/mysql".parse(), Ok(Spec::Basedir(_))));
        assert!(matches!("./mysql-8.0.36.tar.xz".parse(), Ok(Spec::Archive(_))));
        assert!(matches!("a.tgz".parse(), Ok(Spec::Archive(_))));
        assert_eq!("s12".parse(), Ok(Spec::Started("s12".into())));
        for name in ["mysql:5.7.25", "127.0.0.1:5000/mariadb:11.8", "percona/percona-server:8.0"] {
            assert!(matches!(name.parse(), Ok(Spec::Image(_))), "{name}");
            assert_eq!(name.parse::<Spec>().unwrap().to_string(), name);
        }
        assert!(matches!("opt/mysql".parse(), Ok(Spec::Basedir(_))));
        assert!(matches!("./opt/mysql:8".parse(), Ok(Spec::Basedir(_))));
        assert!(matches!("mysql@sha256:12".parse::<Spec>(), Err(SpecError::Image(_))));
        assert_eq!(attach("mysql://db.example:3307/shop").port, Some(3307));
        assert_eq!(attach("h=db.example,P=3307").port, Some(3307));
    }

    #[test]
    fn an_unknown_name_lists_the_names_nearest_first() {
        let Err(SpecError::Unknown { nearest, .. }) = "mariadb@trixy".parse::<Spec>() else { panic!() };
        assert_eq!(nearest[0], "mariadb@trixie");
        assert!(nearest.iter().any(|name| name == "mysql@5.6"));
        let Err(SpecError::Unknown { nearest, .. }) = "mysql5.6".parse::<Spec>() else { panic!() };
        assert_eq!(nearest[0], "mysql@5.6");
    }

    #[test]
    fn no_rendering_shows_the_password() {
        for text in ["mysql://root:hunter2@db.example/", "h=db.example,u=root,p=hunter2"] {
            let spec: Spec = text.parse().unwrap();
            assert!(!format!("{spec} {spec:?}").contains("hunter2"));
        }
        for text in [
            "https://root:hunter2@db.example/a.tar",
            "mysql://root:hunter2@db.example:port",
            "mysq://root:hunter2@db",
            "h=db,p=hunter2,x=1",
        ] {
            let error = text.parse::<Spec>().unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
        }
    }
}
