//! Private servers: one server process with a temporary folder, started and ended by `weigh`.

mod account;
mod arguments;
mod bootstrap;
mod companion;
mod data_template;
pub mod detached;
mod error_log;
mod folder;
mod instance;
mod option_file;
mod resources;
mod run_under;

pub use arguments::option_name;
pub use companion::Companion;
pub use detached::DetachedInstance;
pub(crate) use instance::{Instance, Lifetime};
pub use option_file::{ServerLine, read_server_lines};
pub use resources::FreeResources;
pub use run_under::RunUnder;
