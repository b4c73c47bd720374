//! Workload folders: tables, rows, and statements with samples of their values. Reads, checks and
//! writes them, without a server.
//!
//! ```text
//! shop/
//!   workload.toml            name, protocol, session, origin
//!   schema.sql               CREATE TABLE, CREATE VIEW, …
//!   rows/orders.csv          rows of a table; also .csv.gz and .parquet
//!   statements/by_mail.sql   a statement class: header with weight, text with :parameters
//!   statements/by_mail.csv   samples of its values, one per line
//! ```
//!
//! docs/reference/workload-folder.md describes the format.

mod cell;
mod digest;
mod encoding;
mod fault;
mod guard;
mod header;
mod manifest;
mod read;
mod rows;
mod schema;
mod statement;
mod write;

pub use cell::{Cell, CellType, Column};
pub use encoding::check_encoding;
pub use fault::{Fault, FolderCheck, Severity};
pub use guard::{OutOfScope, check_calls, check_scope};
pub use header::StatementHeader;
pub use manifest::{FORMAT, Manifest, Origin, Protocol, Session, TableOrigin};
pub use read::{InvalidWorkload, Workload, check, read};
pub use rows::{RowsFile, RowsReader};
pub use schema::{ColumnShape, SchemaSql, SchemaStatement, SchemaStatementKind, TableShape, is_binary};
pub use statement::{Effect, NotReplayable, Obstacle, Statement, statement_effect};
pub use write::{FolderWriter, RowsWriter, WriteError};
