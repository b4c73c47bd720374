//! Measures the cost of one comparison of two strings, in ns, inside a server and in the engine of
//! `mysql-collation`.
//!
//! - [`Request`] and [`pair()`] say what is compared.
//! - [`timing`] times short operations by repeating them.
//! - [`Session`] compares inside a server, [`engine`] in this process.
//! - [`run()`] measures in rounds, with a new engine process per round, and returns [`Results`].

pub mod engine;
mod error;
mod instruction_set;
mod model;
mod pair;
mod plan;
mod process;
mod run;
mod session;
mod summary;
pub mod timing;

pub use error::Error;
pub use explain::Verdict;
pub use instruction_set::{InstructionSet, UnknownInstructionSet};
pub use model::{CallCost, Clock, ComparisonCost, FORMAT, Options, Results, Round};
pub use pair::{Difference, Pair, UnknownDifference, pair};
pub use plan::Request;
pub use process::serve_timing_requests;
pub use run::{Program, run};
pub use session::{Benchmark, EncodedPair, Session};
