//! Find, install, start, stop and attach to MySQL and MariaDB servers, and read back what is in force on them.
//!
//! [`open`] turns a [`Spec`] (what the user wrote behind `--server`) into a running [`Server`]. A private server lives
//! in a temporary folder, listens on a Unix socket only, and is gone with its folder when the `Server` is dropped, when
//! the process is interrupted (see [`interrupt`]) and, by the kernel's hand, when the process is killed outright.

mod account;
mod apt;
mod archive;
mod attach;
mod bootstrap;
mod cache;
mod catalogue;
mod changed;
pub mod cleanup;
mod collations;
mod command;
mod compiler;
mod connect;
mod disk;
mod endpoint;
mod error;
mod errorlog;
mod flavour;
mod folder;
mod images;
mod install;
mod instance;
pub mod interrupt;
mod layers;
mod loader;
mod login;
mod npm;
mod optionfile;
mod options;
mod process;
mod program;
mod progress;
mod records;
mod server;
mod settings;
mod silence;
mod spawn;
mod spec;
pub mod started;
mod template;
mod tool;

pub use catalogue::{CatalogueName, NotInCatalogue};
pub use collations::CollationInfo;
pub use command::wait_bound;
pub use compiler::rustc_for_wasm;
pub use connect::{NEEDS_PRIVACY, describe as describe_driver_error};
pub use disk::{Room, room};
pub use endpoint::{Address, DEFAULT_TIMEOUT, Endpoint, Secret, Tls, TlsMode};
pub use error::Error;
pub use flavour::{Flavour, Version};
pub use install::{Listing, Manifest, install, listing};
pub use layers::{CharsetCollation, ConnectionCharsets, Layers, connection_charsets, layers};
pub use login::{ClientOptions, Login};
pub use options::Options;
pub use progress::{NoProgress, Progress};
pub use server::{Server, open};
pub use spawn::bound as start_bound;
pub use spec::{Download, Spec, SpecError};
pub use started::Started;
pub use tool::Tool;
