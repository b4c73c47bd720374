//! Capture of a workload folder from a server or a dump, and from logs.
//!
//! ```text
//! server or dump ─▶ tables ─▶ schema.sql ───────────────────────────────────┐
//!        │            └─▶ sampled rows and their parents ─▶ rows/ ──────────┼─▶ workload folder
//! logs ──┴─▶ entries ─▶ CapturedSchema::classify ─▶ classes ─▶ statements/ ─┘
//! ```
//!
//! The server is only read: sessions are `READ ONLY`, and their statements have a time limit.
//! Classifying statements does no I/O.

mod captured_schema;
mod classes;
mod dump;
mod error;
mod key;
mod logs;
mod performance_schema;
mod reason;
mod row_capture;
mod run;
mod schema_text;
mod server_source;
mod source;
mod source_table;
mod summary;

pub use error::Error;
pub use logs::{Log, LogKind};
pub use reason::Reason;
pub use run::{CaptureSource, Request, capture};
pub use summary::{CaptureSummary, CapturedClass, CapturedTable, NotReplayedCount};
