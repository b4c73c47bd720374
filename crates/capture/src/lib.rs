//! From a server, a dump, a log to a workload's folder.
//!
//! ```text
//! server or dump ─▶ tables (create) ─▶ schema.sql ──────────────┐
//!        │              └─▶ rows, closed under foreign keys ─▶ rows/
//! logs ──┴─▶ entries ─▶ judge (known) ─▶ classes ─▶ statements/ ┘
//! ```
//!
//! The server is only read from: its sessions are `READ ONLY` and limited in time. What is judged and how samples are drawn is pure.

mod classes;
mod create;
mod dump;
mod error;
mod known;
mod model;
mod reason;
mod rows;
mod run;
mod server_source;
mod source;
mod statistics;

pub use error::Error;
pub use model::{Captured, CapturedClass, CapturedTable, LeftOut};
pub use reason::Reason;
pub use run::{From, Log, LogKind, Request, capture};
