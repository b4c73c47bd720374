//! Why a statement fails or loses an index because of collations, and how to fix it.
//!
//! ```text
//! dump or server ─ load ─▶ Copy (private server)
//! statement ─ syntax ─▶ Source ─ spots ─▶ Judged: each side's collation, asked on no rows
//!                                   └─▶ Fault ─ remedy ─▶ Change, tried on the copy ─▶ Finding
//! ```
//!
//! The server decides which collation a side has, whether it refuses an expression, which plan it
//! takes, and whether a remedy works. The reader of statements only finds places to ask about.
//! Running servers are never written to: changes are tried on the copy alone.

mod clause;
mod copy;
mod ddl;
mod dictionary;
mod error;
mod fill;
mod groups;
mod judge;
mod keep;
mod load;
mod model;
mod name;
mod natural;
mod number;
mod origin;
mod placeholder;
mod plan;
mod prepare;
mod refused;
mod remedy;
mod run;
mod source;
mod spot;
mod statements;
mod statistics;
mod syntax;
mod tables;
mod trial;
mod trigger_row;
mod unjudged;
mod variables;

pub use clause::{Clause, replace_in_clauses};
pub use copy::{Copy, Refusal, Session};
pub use error::Error;
pub use fill::ROWS;
pub use load::{
    DEFAULT_SCHEMA, Encoding, Loaded, RefusedStatement, copy_schemas, create_definers, describe_left_out, list_schemas,
    load_dump, refuse_missing_schemas,
};
pub use model::*;
pub use name::NO_TABLE;
pub use refused::{
    ProgramQuery, Refused, is_taken, program_queries, refused_in_program, refused_in_view, refused_patterns,
};
pub use remedy::splice;
pub use run::{Found, Given, JudgedProgram, Request, diagnose, diagnose_program, diagnose_view, sets_up};
pub use source::confirm;
pub use statements::{SlowClasses, parse_script, read_slow_log};
pub use syntax::MAX_PARSED_BYTES;
