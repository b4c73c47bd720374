//! What breaks when columns are converted to another collation, and the statements that convert them.
//!
//! ```text
//! facts ──▶ Job (which columns, to what) ──▶ checks of facts ─────────────────┐
//!                 └──▶ units ──▶ rows, each table once ──▶ checks of rows ──▶ findings ──▶ Plan ──▶ trial (algorithms, times)
//! ```
//!
//! Rows are compared by `mysql-collation`, never by the server. Nothing is written to the server that is read.

mod assemble;
mod checkpoint;
pub mod checks;
mod error;
mod files;
mod job;
mod limits;
mod model;
mod plan;
mod read;
mod row;
mod scan;
mod sql;
mod text;
pub mod trial;

pub use assemble::{Options, Source, check_names, preflight};
pub use checkpoint::Checkpoint;
pub use error::Error;
pub use files::{CsvRows, DumpRows, ParquetRows, TableFile, dumps};
pub use job::{Job, Request, TableJob};
pub use model::*;
pub use plan::ProgramSource;
pub use read::{Definitions, EachRow, Keyless, ReadOptions, RowSource, ServerRows, creates, program_sources};
pub use row::Fields;
pub use scan::{OpenSource, Watcher};
