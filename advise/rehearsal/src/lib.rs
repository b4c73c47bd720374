//! Runs statements on a private copy of schemas, and lists what the server refuses and what
//! changes.
//!
//! ```text
//! source ─ read ─▶ Definitions ─ build, fill ─▶ private server ─ apply ─▶ Outcome per statement
//!                                                     └─ read ─▶ Definitions ─ compare ─▶ Changes
//!                                                     └─ prove ─▶ Faults
//! ```
//!
//! [`Definitions`] list the objects of the schemas with named parts, so that the comparison covers
//! what `SHOW CREATE` prints of tables, sequences, programs and views, except counters of
//! `AUTO_INCREMENT`. Of a schema it covers the collation. The caller supplies rows and statements,
//! and decides which changes were meant.

mod build;
mod compare;
mod create_table;
mod definitions;
mod error;
mod mismatched;
mod prove;
mod read;
mod rehearsal;

pub use build::{CopyGaps, Unbuilt, histogram_statements};
pub use compare::{Change, compare};
pub use definitions::{CreationSession, Definitions, Kind, Object, ObjectName, Unread};
pub use error::Error;
pub use prove::Fault;
pub use read::{Values, read};
pub use rehearsal::{Outcome, Rehearsal};
