//! Logs of sysbench, read into a run. Pure: who calls reads the files and writes the folder.
//!
//! [`parse`] finds every run in the text of a log and says what is wrong with the rest, line by line. A [`Pattern`] reads what the logs
//! don't tell (collation, server, workload) off their paths, [`Labels`] hold it, and [`assemble`] makes a run of all of them.

mod assemble;
mod figure;
mod interval;
mod labels;
mod log;
mod pattern;

pub use assemble::{Entry, assemble};
pub use labels::{LabelError, Labels, Templates};
pub use log::{Fault, Log, Parsed, parse};
pub use pattern::{Pattern, PatternError, Values};
