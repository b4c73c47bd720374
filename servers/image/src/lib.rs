//! Container images without a container runtime: pulled from a registry, or read from an archive or
//! an OCI layout on disk, verified, and unpacked into a folder.
//!
//! This crate does not interpret the files of an image. It verifies the digests of manifests,
//! configurations and layers, except a manifest requested by tag whose SHA-256 the registry does
//! not send. A layer's decompressed content is verified while it is unpacked; unpacking fails on a
//! mismatch. Unpacking a layer never changes a file outside the target folder: see
//! [`resolve_in_root`] and the module `layer`.

mod client;
mod contents;
mod credentials;
mod digest;
mod error;
mod layer;
mod layout;
mod monitor;
mod name;
mod registry;
mod root_path;
mod unpack;

pub use client::download;
pub use digest::sha256;
pub use error::Error;
pub use layout::Layout;
pub use monitor::Monitor;
pub use name::{Name, NameError};
pub use registry::Remote;
pub use root_path::resolve_in_root;
pub use unpack::{decompress, unpack_archive};
