//! Schemas, rows and statements of each workload; pure, no I/O.
//!
//! Everything is a function of [`Options`], its seed among them: the rows of a [`Table`], and what a [`Generator`] sends. The statements
//! under sysbench's names are those of sysbench 1.0.20, over the tables of sysbench 1.0.20.
//!
//! A [`Script`] is what the driver knows of a workload: statements, and a [`Generator`] of calls for each connection. Those of the built-in
//! workloads draw their values; a [recorded](Script::recorded) one has them given.

mod generator;
mod name;
mod names;
mod options;
mod random;
mod recorded;
mod script;
mod table;
mod text;
mod vocabulary;
mod workload;

pub use generator::{Generator, Value};
pub use name::UnknownName;
pub use options::Options;
pub use random::Distribution;
pub use recorded::{Call, Class, Parameter};
pub use script::{Example, Script, Statement, StatementKind};
pub use table::{Column, Family, Table, tables};
pub use text::Text;
pub use workload::{Kind, Workload, WorkloadError};
