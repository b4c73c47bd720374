//! Turns logs of sysbench into a run. The caller reads the files and writes the run's folder.
//!
//! [`parse`] finds every run in the text of a log and reports faults by line. A [`Pattern`] reads
//! collation, server and workload from a log's path. [`Labels`] hold these values, and [`assemble`]
//! makes one run of all logs.

mod assemble;
mod figure;
mod interval;
mod labels;
mod log;
mod pattern;

pub use assemble::{LabelledLog, assemble};
pub use labels::{LabelError, Labels, Templates};
pub use log::{Fault, LoggedRun, ParsedLog, parse};
pub use pattern::{Pattern, PatternError, Values};
