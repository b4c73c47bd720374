//! A workload as a folder: tables, rows, and statements with samples of their values. Read, checked and written; no server.
//!
//! ```text
//! shop/
//!   workload.toml            name, protocol, session, where it was captured
//!   schema.sql               CREATE TABLE, CREATE VIEW, …
//!   rows/orders.csv          rows of a table; .csv.gz and .parquet as well
//!   statements/by_mail.sql   a class of statements: text with :parameters, its weight in front
//!   statements/by_mail.csv   samples of its values, a line each
//! ```
//!
//! docs/workload.md describes the format.

mod cell;
mod digest;
mod fault;
mod head;
mod manifest;
mod read;
mod rows;
mod schema;
mod statement;
mod write;

pub use cell::{Cell, Column, Type};
pub use fault::{Checked, Fault, Severity};
pub use head::Head;
pub use manifest::{FORMAT, Manifest, Origin, Protocol, Session, TableOrigin};
pub use read::{Unreadable, Workload, check, read};
pub use rows::{RowsFile, RowsReader};
pub use schema::{ColumnShape, SchemaKind, SchemaSql, SchemaStatement, TableShape, is_binary};
pub use statement::{Effect, Statement, effect};
pub use write::{Folder, RowsWriter, WriteError};
