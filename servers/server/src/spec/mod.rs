//! Values of `--server`.

mod dsn;
mod url;

use std::fmt;
use std::str::FromStr;

use fetch::{CatalogueName, Manifest, Origin, OriginError, Progress};

use crate::Error;
use crate::attach::ClientOptions;

/// A server as the user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// A running server: `mysql://user@host:port/db`, or a DSN `h=,P=,u=,p=,S=,D=`.
    Attach(Box<ClientOptions>),
    /// A program that `weigh` starts as a private server.
    Private(Origin),
    /// An instance that `weigh servers start` left running, such as `s1`.
    Detached(String),
}

/// Why a text names no server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("unknown server `{given}`; known names, nearest first: {}; or give an image such as mysql:8.0, a URL mysql://…, a DSN h=…,u=…, a basedir or a tarball", nearest.join(", "))]
    Unknown {
        given: String,
        /// All names of the catalogue, nearest first.
        nearest: Vec<String>,
    },
    /// Invalid URL. The error does not repeat the text, which may contain a password.
    #[error("bad server URL: {0}")]
    Url(String),
    /// Invalid DSN. The error does not repeat the text, which may contain a password.
    #[error("bad server DSN: {0}")]
    Dsn(String),
    #[error(transparent)]
    Origin(#[from] OriginError),
}

impl Spec {
    /// True for a server that runs already. [`open`](crate::open) attaches to it.
    pub fn is_running(&self) -> bool {
        matches!(self, Spec::Attach(_) | Spec::Detached(_))
    }

    /// True if whoever wrote the name chooses the program that is run or the server that is
    /// reached. False for this machine's server and the catalogue, whose packages are verified.
    pub fn needs_trust(&self) -> bool {
        !matches!(self, Spec::Private(Origin::Host | Origin::Catalogue(_)))
    }
}

impl Default for Spec {
    fn default() -> Self {
        Self::Private(Origin::default())
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if text.contains("://") && !Origin::is_download(text) {
            return url::parse(text).map(Box::new).map(Spec::Attach).map_err(SpecError::Url);
        }
        if dsn::is_dsn(text) {
            return dsn::parse(text).map(Box::new).map(Spec::Attach).map_err(SpecError::Dsn);
        }
        if has_password(text) {
            return Err(SpecError::Url(format!("an account stands in mysql://user:password@host; {}", url::ENCODING)));
        }
        if let Some(origin) = Origin::parse(text)? {
            return Ok(Spec::Private(origin));
        }
        if text.strip_prefix('s').is_some_and(|number| number.parse::<u32>().is_ok()) {
            return Ok(Spec::Detached(text.to_owned()));
        }
        Err(SpecError::Unknown { given: text.to_owned(), nearest: CatalogueName::nearest_first(text) })
    }
}

/// True for `user:password@host`, which no message may repeat. False for paths, and for images with
/// a digest.
fn has_password(text: &str) -> bool {
    let is_path = text.starts_with(['/', '.']) || text.contains("@sha256:");
    !is_path && text.rsplit_once('@').is_some_and(|(account, _)| account.contains(':'))
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spec::Attach(options) => options.fmt(f),
            Spec::Private(origin) => origin.fmt(f),
            Spec::Detached(id) => f.write_str(id),
        }
    }
}

/// Installs the program of a private server, unless it is installed. Fails if there is nothing to
/// install: for a running server, a basedir and [`Origin::Host`].
pub fn install(spec: &Spec, progress: &dyn Progress) -> Result<Manifest, Error> {
    match spec {
        Spec::Private(origin) => Ok(fetch::install(origin, progress)?),
        Spec::Attach(_) | Spec::Detached(_) => Err(fetch::Error::nothing_to_install(&spec.to_string()).into()),
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

    fn private(text: &str) -> Origin {
        match text.parse() {
            Ok(Spec::Private(origin)) => origin,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn distinguishes_all_forms() {
        assert_eq!("mysql@5.6".parse::<Spec>().unwrap().to_string(), "mysql@5.6");
        assert!(matches!(private("mariadb"), Origin::Catalogue(_)));
        assert!(matches!(private("/opt/mysql"), Origin::Basedir(_)));
        assert!(matches!(private("./mysql-8.0.36.tar.xz"), Origin::Archive(_)));
        assert!(matches!(private("a.tgz"), Origin::Archive(_)));
        assert_eq!("s12".parse(), Ok(Spec::Detached("s12".into())));
        for name in ["mysql:5.7.25", "127.0.0.1:5000/mariadb:11.8", "percona/percona-server:8.0"] {
            assert!(matches!(private(name), Origin::Image(_)), "{name}");
            assert_eq!(name.parse::<Spec>().unwrap().to_string(), name);
        }
        assert!(matches!(private("opt/mysql"), Origin::Basedir(_)));
        assert!(matches!(private("./opt/mysql:8"), Origin::Basedir(_)));
        assert!(matches!("mysql@sha256:12".parse::<Spec>(), Err(SpecError::Origin(OriginError::Image(_)))));
        assert_eq!(attach("mysql://db.example:3307/shop").port, Some(3307));
        assert_eq!(attach("h=db.example,P=3307").port, Some(3307));
    }

    #[test]
    fn an_account_without_a_scheme_is_not_repeated() {
        for text in ["me:geheim@host", "me:ge/heim@host:3306", "me:ge@heim@host"] {
            let refusal = text.parse::<Spec>().unwrap_err().to_string();
            assert!(refusal.contains("mysql://") && !refusal.contains("heim"), "{text}: {refusal}");
        }
        assert!(matches!("mysql:8.0@sha256:12".parse::<Spec>(), Err(SpecError::Origin(_))));
    }

    #[test]
    fn unknown_name_lists_nearest_names_first() {
        let Err(SpecError::Unknown { nearest, .. }) = "mariadb@trixy".parse::<Spec>() else { panic!() };
        assert_eq!(nearest[0], "mariadb@trixie");
        assert!(nearest.iter().any(|name| name == "mysql@5.6"));
        let Err(SpecError::Unknown { nearest, .. }) = "mysql5.6".parse::<Spec>() else { panic!() };
        assert_eq!(nearest[0], "mysql@5.6");
    }

    #[test]
    fn no_output_contains_the_password() {
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
