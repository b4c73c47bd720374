//! Errors of images.

use std::io;
use std::path::PathBuf;

/// An error whose message fits after "cannot install NAME:".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// [`Monitor::is_interrupted`](crate::Monitor::is_interrupted) returned `true`.
    #[error("interrupted")]
    Interrupted,
    #[error("{host} cannot be reached ({reason})")]
    Unreachable { host: String, reason: String },
    #[error("{registry} has no image {repository}:{tag}{}", list_nearest(nearest))]
    NoTag {
        registry: String,
        repository: String,
        /// Tag or digest.
        tag: String,
        /// Up to five tags of the repository, nearest first.
        nearest: Vec<String>,
    },
    /// The registry requires a login, or refuses the account.
    #[error(
        "{registry} refuses {repository} {}; check the name, or log in (docker login, podman login, skopeo login)",
        if *anonymous { "without a login" } else { "to this account" }
    )]
    Denied {
        registry: String,
        repository: String,
        /// Whether no credentials were found.
        anonymous: bool,
    },
    #[error("{registry} limits the rate of pulls; log in (docker login), or try again later")]
    RateLimited { registry: String },
    /// Unexpected HTTP status.
    #[error("{host} answered {status} to the request for {what}")]
    Status { host: String, status: u16, what: String },
    /// The digest of a file differs from the expected one.
    #[error("{what} should be {expected} and is {actual}: it is damaged or was tampered with")]
    Digest { what: String, expected: String, actual: String },
    /// The digest's algorithm is not SHA-256.
    #[error("{what} has the digest {digest}, and only sha256 can be verified")]
    DigestAlgorithm { what: String, digest: String },
    #[error("{what} is not a valid {expected}: {reason}")]
    Malformed { what: String, expected: &'static str, reason: String },
    #[error("{what} is larger than {limit} bytes; the download is refused")]
    TooLarge { what: String, limit: u64 },
    #[error("its disk has {free} MiB free; the download stopped, to leave {reserve} MiB")]
    DiskSpace { free: u64, reserve: u64 },
    /// The image is for other platforms.
    #[error("the image is for {}, and this machine is {host}", images.join(", "))]
    Platform { images: Vec<String>, host: String },
    /// An index, archive or layout contains no image.
    #[error("it contains no image")]
    NoImage,
    /// An archive or layout contains several images for this machine.
    #[error("it contains {} images ({}); save only one of them", names.len(), names.join(", "))]
    MultipleImages { names: Vec<String> },
    /// An archive would change files outside its folder, contains a forbidden entry, or unpacks to
    /// too much.
    #[error("{archive} {what}; the {noun} is refused")]
    Hostile {
        /// "the layer sha256:…" or "the archive NAME".
        archive: String,
        /// Verb phrase with the path: "holds the device file sda".
        what: String,
        noun: &'static str,
    },
    #[error("the credentials in {} cannot be read ({reason})", path.display())]
    Credentials { path: PathBuf, reason: String },
    #[error("cannot {what} {} ({source})", path.display())]
    Io {
        /// Verb: "create", "read".
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

impl Error {
    /// Returns a closure that wraps an I/O error for `map_err`: `Error::io("read", &path)`.
    pub(crate) fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Error::Io { what, path, source }
    }

    /// True if a host could not be reached. False for an unexpected HTTP status.
    pub fn is_network(&self) -> bool {
        matches!(self, Error::Unreachable { .. })
    }
}

fn list_nearest(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; it has, nearest first: {}", nearest.join(", ")) }
}
