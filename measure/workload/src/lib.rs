//! Schemas, rows and statements of workloads. Does no I/O.
//!
//! Tables, rows, and each connection's calls of a built-in workload depend only on [`Options`],
//! which include the seed. Workloads with sysbench's names have the tables and statements of
//! sysbench 1.0.20.
//!
//! The load driver sees a workload as a [`Script`]: its statements, and a [`Generator`] of calls
//! for each connection. Built-in workloads draw the values of calls. Workload folders give them as
//! [classes](Script::from_classes).

mod classes;
mod generator;
mod lookup;
mod names;
mod options;
mod random;
mod script;
mod table;
mod text;
mod vocabulary;
mod workload;

pub use classes::{Call, Class, Parameter, SessionSetting};
pub use generator::{Generator, Value};
pub use lookup::UnknownName;
pub use names::PersonTexts;
pub use options::Options;
pub use random::Distribution;
pub use script::{Example, Script, Statement, StatementKind};
pub use table::{Column, Family, Table, tables};
pub use text::Text;
pub use workload::{Workload, WorkloadError, WorkloadKind};
