//! Statements from slow query logs, general query logs and SQL scripts of MySQL, MariaDB and
//! Percona Server.
//!
//! Logs are read line by line. A statement of a log that is longer than [`MAX_STATEMENT_BYTES`] is
//! dropped and reported as [`Event::Truncated`]. No input makes the readers panic. The formats
//! follow the manuals and the logs in tests/fixtures, which servers wrote.

mod entry;
mod general;
mod limit;
mod lines;
mod script;
mod slow;
mod text;

pub use entry::{Entry, Event};
pub use general::GeneralLog;
pub use limit::StatementLimit;
pub use lines::MAX_STATEMENT_BYTES;
pub use script::{Script, parse_script};
pub use slow::SlowLog;
pub use text::{ClientText, Unreadable};
