//! Names of images, as in container runtimes.

use std::fmt;
use std::str::FromStr;

use oci_spec::distribution::Reference;

/// Name of an image: `mysql:8.0`, `percona/percona-server:8.0`, `127.0.0.1:5000/mariadb@sha256:…`.
/// As in Docker, the default registry is Docker Hub, and the default user there `library`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    given: String,
    reference: Reference,
}

/// A text that is not the name of an image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not the name of an image, such as mysql:8.0 or registry.example:5000/mariadb:11.8 ({reason})")]
pub struct NameError {
    pub given: String,
    pub reason: String,
}

impl Name {
    /// True if the text looks like a name with a tag or digest. Other forms of a server have
    /// neither.
    pub fn has_tag_or_digest(text: &str) -> bool {
        let last = text.rsplit('/').next().unwrap_or(text);
        text.contains("@sha256:") || (last.contains(':') && text.parse::<Self>().is_ok())
    }

    /// Host and port of the registry.
    pub fn registry(&self) -> &str {
        self.reference.registry()
    }

    pub(crate) fn reference(&self) -> &Reference {
        &self.reference
    }

    /// Returns the digest, or else the tag, or else `latest`.
    pub(crate) fn tag_or_digest(&self) -> &str {
        self.reference.digest().or(self.reference.tag()).unwrap_or("latest")
    }
}

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let error = |reason: String| NameError { given: text.to_owned(), reason };
        let reference: Reference = text.parse().map_err(|source| error(format!("{source}")))?;
        Ok(Self { given: text.to_owned(), reference })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_names_like_docker() {
        let parts = |text: &str| {
            let name: Name = text.parse().unwrap();
            let reference = name.reference();
            (reference.registry().to_owned(), reference.repository().to_owned(), name.tag_or_digest().to_owned())
        };
        let owned = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(parts("mysql:5.7.25"), owned("docker.io", "library/mysql", "5.7.25"));
        assert_eq!(parts("percona/percona-server:8.0"), owned("docker.io", "percona/percona-server", "8.0"));
        assert_eq!(parts("127.0.0.1:5000/mariadb:11.8"), owned("127.0.0.1:5000", "mariadb", "11.8"));
        let digest = format!("sha256:{}", "0".repeat(64));
        assert_eq!(parts(&format!("mysql:8.0@{digest}")), owned("docker.io", "library/mysql", &digest));
    }

    #[test]
    fn requires_tag_or_digest() {
        let digest = format!("mysql@sha256:{}", "0".repeat(64));
        for text in ["mysql:8.0", "localhost:5000/mysql:8.0", "quay.io/a/b:c", digest.as_str(), "mysql@sha256:12"] {
            assert!(Name::has_tag_or_digest(text), "{text}");
        }
        for text in ["mysql", "mysql@sid", "/opt/mysql", "localhost:5000/mysql", "a b:c", "MYSQL:8"] {
            assert!(!Name::has_tag_or_digest(text), "{text}");
        }
        let refused = "mysql@sha256:12".parse::<Name>().unwrap_err().to_string();
        assert!(refused.contains("mysql@sha256:12"), "{refused}");
    }
}
