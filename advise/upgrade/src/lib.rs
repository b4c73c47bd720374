//! Rehearsal of an upgrade, or of a move to another product, on private servers of both versions.
//!
//! ```text
//! dump or definitions ─ load ─▶ old server ─┐
//!                     ─ load ─▶ new server ─┴─ refused, changed collations ─▶ Finding ─ settings ─▶ what is left
//! statements, migrations ─ run ─▶ on both ───── errors, rows, order, plans ─┘
//! ```
//!
//! A finding is what the new server was seen to do, or a collation whose weights differ between
//! products. A setting is advised only after it was seen to help. A mend with statements was seen
//! to work, or says which error is left. Only private servers are written to.

mod already;
mod charset_name;
mod check_constraint;
mod collation;
mod column_default;
mod date_literal;
mod difference;
mod error;
mod events;
mod function;
mod grammar;
mod grouped;
mod in_place;
mod label;
mod live;
mod load;
mod material;
mod mend;
mod model;
mod mysql_clause;
mod option_file;
mod probe;
mod program;
mod replica_words;
mod replication;
mod rewrite;
mod run;
mod script;
mod settings;
mod side;
mod successor;
mod text_default;
mod timestamp;

pub use error::Error;
pub use live::{LiveRequest, compare_live};
pub use material::{Dump, Given, Request, Schema, read_unseen};
pub use model::*;
pub use option_file::{hide_secret_values, open_target, refused_lines};
pub use rewrite::open_rewrite;
pub use run::rehearse;
