//! Signals, clean-up and child processes. Children that this crate starts end with this process,
//! except those of [`spawn_detached`].
//!
//! Three mechanisms cover the ways in which a process ends:
//!
//! - normal exit, error and the first signal: the stack unwinds, and destructors clean up;
//! - a second signal, or unwinding for more than 5 s: [`interrupt`] runs the [`cleanup`] registry,
//!   as [`fatal`], once installed, does at a panic or a failed allocation;
//! - SIGKILL or a crash: the kernel kills the children, except those of [`spawn_detached`].

mod account;
pub mod cleanup;
mod confine;
pub mod fatal;
pub mod interrupt;
mod process;
mod sandbox;
mod spawn;
mod system_calls;

pub use account::{Account, find_unreadable};
pub use confine::{Confinement, limit_tool};
pub use contain::{Contained, contain};
pub use interrupt::Interrupted;
pub use process::ProcessIdentity;
pub use sandbox::{Landlock, Reach};
pub use spawn::{
    WaitError, kill_group, spawn_confined, spawn_detached, spawn_supervised, spawn_with_environment, wait_supervised,
};
