//! Container images without a container runtime: pulled from a registry, or read from an archive or an OCI layout on
//! disk, verified, and unpacked into a folder.
//!
//! This crate knows nothing of what is in an image. Every manifest, configuration and layer is checked against its
//! digest before any of it is used, and nothing in a layer reaches a file outside of the folder that it is unpacked
//! into: see [`inside`] and the module `layer`.

mod client;
mod contents;
mod credentials;
mod digest;
mod error;
mod inside;
mod layer;
mod layout;
mod name;
mod registry;
mod unpack;
mod watch;

pub use client::download;
pub use digest::of as sha256;
pub use error::Error;
pub use inside::inside;
pub use layout::Layout;
pub use name::{Name, NameError};
pub use registry::Remote;
pub use watch::Watch;
