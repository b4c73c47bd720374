//! What can go wrong between an image's name and its files on disk.

use std::io;
use std::path::PathBuf;

/// An error of this crate: one sentence that can stand behind "cannot install NAME:".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The watcher asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// No answer from a registry or web server.
    #[error("{host} cannot be reached ({reason})")]
    Unreachable {
        /// Host and port.
        host: String,
        /// What the network said.
        reason: String,
    },
    /// The registry has no such image.
    #[error("{registry} has no image {repository}:{tag}{}", it_has(nearest))]
    NoTag {
        /// Host and port.
        registry: String,
        /// The repository.
        repository: String,
        /// The tag or digest.
        tag: String,
        /// The tags that it has, nearest first, at most five.
        nearest: Vec<String>,
    },
    /// The registry wants to know who asks, or lets nobody in.
    #[error(
        "{registry} gives {repository} to nobody who {}; check the name, or log in (docker login, podman login, skopeo login)",
        if *anonymous { "is not logged in" } else { "logs in as you do" }
    )]
    Denied {
        /// Host and port.
        registry: String,
        /// The repository.
        repository: String,
        /// Whether no credentials were found.
        anonymous: bool,
    },
    /// The registry limits how much may be pulled.
    #[error("{registry} lets no more be pulled for now; log in (docker login), or try again later")]
    RateLimited {
        /// Host and port.
        registry: String,
    },
    /// The registry or web server failed.
    #[error("{host} answered {status} when asked for {what}")]
    Status {
        /// Host and port.
        host: String,
        /// The HTTP status.
        status: u16,
        /// What it was asked for.
        what: String,
    },
    /// What was sent or read is not what was asked for.
    #[error("{what} should be {expected} and is {actual}: it is damaged or was tampered with")]
    Digest {
        /// Which piece.
        what: String,
        /// The digest it should have.
        expected: String,
        /// The digest it has.
        actual: String,
    },
    /// A digest that we can't verify.
    #[error("{what} has the digest {digest}, and only sha256 can be verified")]
    DigestAlgorithm {
        /// Which piece.
        what: String,
        /// The digest.
        digest: String,
    },
    /// A manifest or configuration that we can't read.
    #[error("{what} is no {expected}: {reason}")]
    Malformed {
        /// Which piece.
        what: String,
        /// What it should be.
        expected: &'static str,
        /// Why it is not.
        reason: String,
    },
    /// The image is for other machines.
    #[error("the image is for {}, and this machine is {host}", images.join(", "))]
    Platform {
        /// The platforms of the image.
        images: Vec<String>,
        /// The platform of this machine.
        host: String,
    },
    /// An archive or layout with more than one image.
    #[error("it holds {} images ({}); save the one that is meant alone", names.len(), names.join(", "))]
    Several {
        /// Their names.
        names: Vec<String>,
    },
    /// A layer that tries to reach a file outside of the image, or holds what a layer may not hold.
    #[error("the layer {layer} {what}; the image is refused")]
    Hostile {
        /// The layer's digest.
        layer: String,
        /// What it tries, with the path.
        what: String,
    },
    /// Credentials that can't be read.
    #[error("the credentials in {} cannot be read ({reason})", path.display())]
    Credentials {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The operating system refused something.
    #[error("cannot {what} {} ({source})", path.display())]
    Io {
        /// A verb: "create", "read".
        what: &'static str,
        /// What it was done to.
        path: PathBuf,
        /// The refusal.
        source: io::Error,
    },
}

impl Error {
    /// Wraps an I/O error with what was done to which path.
    pub(crate) fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Error::Io { what, path, source }
    }

    /// Whether the remedy is to look after the network.
    pub fn is_network(&self) -> bool {
        matches!(self, Error::Unreachable { .. })
    }
}

fn it_has(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; it has, nearest first: {}", nearest.join(", ")) }
}
