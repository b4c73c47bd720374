//! Finds what breaks when columns are converted to another collation, and writes the statements
//! that convert them.
//!
//! ```text
//! facts ─▶ Job (columns and targets) ─▶ checks of facts ───────────────┐
//!           └▶ connected tables ─▶ rows, once ─▶ checks of rows ─▶ findings ─▶ Plan ─▶ rehearsal
//! ```
//!
//! Rows are compared by `mysql-collation`. The server compares only what weigh can't compute:
//! expressions, and columns with unknown collations. Nothing is written to the source, except by
//! [`trial::run_in_scratch_schema`]. [`apply_plan`] runs a plan on another server.

mod apply;
mod checkpoint;
pub mod checks;
mod error;
mod expression;
mod files;
mod finding;
mod job;
mod limits;
mod model;
mod plan;
mod program;
mod quote;
mod read;
mod rehearse;
mod row;
mod run;
mod scan;
mod text;
pub mod trial;
mod unread;

pub use ::rehearsal::Definitions;
pub use apply::{apply_plan, check_is_other};
pub use check::{Object, ObjectKind, Severity};
pub use checkpoint::Checkpoint;
pub use checks::Selection;
pub use error::Error;
pub use files::{CsvRows, DumpRows, ParquetRows, TableFile, list_dump_files, read_dump};
pub use finding::{ConversionDetails, Finding};
pub use job::{Job, Request, TableJob};
pub use model::*;
pub use read::{
    Keyless, ReadOptions, RowSource, RowVisitor, ServerRows, TiedSchemas, read_definitions, read_tied_schemas,
};
pub use rehearse::{Rehearsed, SampleOptions, rehearse};
pub use row::Fields;
pub use run::{Options, Source, run};
pub use scan::{OpenRows, ScanProgress};
