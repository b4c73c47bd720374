//! Server programs and tools: where they come from, and their installation into the user's cache.
//!
//! An [`Origin`] names a server program: one on `PATH`, a basedir, an archive, a download, a
//! container image, or an entry of the catalogue. [`find_or_install`] turns it into a [`Program`]
//! that can be started. This crate starts no server.
//!
//! Entries of the catalogue come from a [`source`]: an apt, npm or Maven repository. Each kind of
//! repository is one module that implements [`source::Source`].

mod catalogue;
mod certificates;
pub mod command;
mod error;
mod flavour;
mod install;
mod origin;
mod program;
mod progress;
mod source;
mod store;
mod tool;

pub use catalogue::{CatalogueName, NotInCatalogue};
pub use certificates::find_host_certificates;
pub use error::{Error, PathError};
pub use flavour::{Flavour, Version};
pub use install::{Listing, Manifest, find_or_install, install, list_servers};
pub use origin::{Download, Origin, OriginError};
pub use program::{Program, explain_unreadable};
pub use progress::{NoProgress, Progress};
pub use source::apt::{debian_mirror, unpack_debian};
pub use source::maven::Jar;
pub use store::{Cache, disk};
pub use tool::{Tool, find_on_path, find_or_install_axe, find_or_install_wasm_rustc};
