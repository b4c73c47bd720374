//! The name of an image, as users of container runtimes write it.

use std::fmt;
use std::str::FromStr;

use oci_spec::distribution::Reference;

/// The name of an image: `mysql:8.0`, `percona/percona-server:8.0`, `127.0.0.1:5000/mariadb@sha256:…`. Without a
/// registry it is Docker Hub's, without a user there an official image, as for Docker and Podman.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    typed: String,
    reference: Reference,
}

/// A text that is no image's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no image's name, such as mysql:8.0 or registry.example:5000/mariadb:11.8 ({reason})")]
pub struct NameError {
    /// The user's text.
    pub given: String,
    /// Why not.
    pub reason: String,
}

impl Name {
    /// Whether a text can only be meant as the name of an image: it ends in a tag or a digest.
    pub fn is_meant_by(text: &str) -> bool {
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

    /// What the registry is asked for: the digest where there is one, else the tag.
    pub(crate) fn version(&self) -> &str {
        self.reference.digest().or(self.reference.tag()).unwrap_or("latest")
    }
}

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let refused = |reason: String| NameError { given: text.to_owned(), reason };
        let reference: Reference = text.parse().map_err(|error| refused(format!("{error}")))?;
        Ok(Self { typed: text.to_owned(), reference })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.typed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_what_they_mean_to_docker() {
        let parts = |text: &str| {
            let name: Name = text.parse().unwrap();
            let reference = name.reference();
            (reference.registry().to_owned(), reference.repository().to_owned(), name.version().to_owned())
        };
        let owned = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(parts("mysql:5.7.25"), owned("docker.io", "library/mysql", "5.7.25"));
        assert_eq!(parts("percona/percona-server:8.0"), owned("docker.io", "percona/percona-server", "8.0"));
        assert_eq!(parts("127.0.0.1:5000/mariadb:11.8"), owned("127.0.0.1:5000", "mariadb", "11.8"));
        let digest = format!("sha256:{}", "0".repeat(64));
        assert_eq!(parts(&format!("mysql:8.0@{digest}")), owned("docker.io", "library/mysql", &digest));
    }

    #[test]
    fn only_a_tag_or_a_digest_makes_a_name() {
        let digest = format!("mysql@sha256:{}", "0".repeat(64));
        for text in ["mysql:8.0", "localhost:5000/mysql:8.0", "quay.io/a/b:c", digest.as_str(), "mysql@sha256:12"] {
            assert!(Name::is_meant_by(text), "{text}");
        }
        for text in ["mysql", "mysql@sid", "/opt/mysql", "localhost:5000/mysql", "a b:c", "MYSQL:8"] {
            assert!(!Name::is_meant_by(text), "{text}");
        }
        let refused = "mysql@sha256:12".parse::<Name>().unwrap_err().to_string();
        assert!(refused.contains("mysql@sha256:12"), "{refused}");
    }
}
