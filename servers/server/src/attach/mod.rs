//! Attaching to running servers: login options from the command line, option files and the
//! environment.

mod login;
mod option_file;
mod process;
mod resolve;

pub use login::{ClientOptions, Login};
pub use option_file::OptionFileError;
pub(crate) use process::find_pid;
