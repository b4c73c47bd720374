//! Facts about a server: settings, schemas, tables, columns, indexes, foreign keys, stored
//! programs, sessions and replication.
//!
//! [`Facts`] are plain data without conclusions. They can be serialised, so that checks can be
//! tested with saved facts and with real servers. This crate reads no rows of users' tables.

mod model;
mod read;
mod runnable_names;

pub use model::*;
pub use read::{
    Limits, Privilege, SYSTEM_SCHEMAS, Scope, UnopenedViews, VARIABLES, apply_settings, connect, read,
    read_code_with_own_rights, read_replica, read_user_code, rights_beyond, schemas_without,
};
pub use runnable_names::RunnableNames;
