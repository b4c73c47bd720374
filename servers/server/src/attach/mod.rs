//! Attaching to running servers: login options from the command line, option files and the
//! environment.

mod listener;
mod login;
mod option_file;
mod process;
mod resolve;

pub(crate) use listener::is_trusted_port;
pub use login::{ClientOptions, Login};
pub use option_file::OptionFileError;
pub(crate) use option_file::{Line as OptionLine, included_files, is_ignored, parse_line as parse_option_line};
pub(crate) use process::find_pid;
