//! Statements out of slow query logs, general query logs and scripts of MySQL, MariaDB and Percona Server.
//!
//! Logs are read as they come, a line at a time: memory is bounded by the longest statement that is kept ([`LONGEST_STATEMENT`]). No input makes it
//! panic; what isn't understood is passed over. Formats are those of the manuals and of logs that servers wrote (tests/fixtures).

mod entry;
mod general;
mod lines;
mod script;
mod slow;

pub use entry::{Entry, Event};
pub use general::GeneralLog;
pub use lines::LONGEST_STATEMENT;
pub use script::script;
pub use slow::SlowLog;
