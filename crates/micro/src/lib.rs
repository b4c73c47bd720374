//! What one comparison of two strings costs, in ns: inside a server, and in the engine of `mysql-collation` beside it.
//!
//! Apart from one another: what is compared ([`pair()`], [`Request`]), how something short is timed ([`timing`]), a server's
//! comparison ([`Session`]) and the engine's ([`engine`]), which has a process of its own each round, and what follows from the rounds
//! ([`Results`]). [`run()`] puts them together; benchmarks may take the parts.

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
pub use model::{Call, Cell, Clock, FORMAT, Options, Results, Round};
pub use pair::{Difference, Pair, UnknownDifference, pair};
pub use plan::Request;
pub use process::answer_questions;
pub use run::{Program, run};
pub use session::{Benchmark, Held, Session};
