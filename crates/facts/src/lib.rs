//! Facts about a server: its settings, schemas, tables, columns, indexes, foreign keys, stored programs, sessions and replicas.
//!
//! The types are plain data. They serialise, so that whatever draws conclusions from them is tested from captured facts as well as
//! from real servers. Nothing here judges; nothing here reads a row of a user's table.

mod model;
mod read;

pub use model::*;
pub use read::{Limits, Privilege, Scope, VARIABLES, connect, read, replica};
