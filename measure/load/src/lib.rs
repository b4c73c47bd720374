//! Load on servers: connections, statements, latency histograms, CPU accounting.
//!
//! A [`Load`] is a number of connections to one schema. Each connection has a thread that repeats a
//! workload's events. [`run_block`] runs one load (a solo) or two loads (a duet) for one block and
//! returns a [`Tally`] per load.
//!
//! ```text
//! sysbench ─▶ client ─▶ accounting ─▶ wire     the load's own client; sysbench in its place
//! explain ──▶ client                           query plans of a load's statements
//! tables                                       schemas and rows that the load runs on
//! ```

mod accounting;
mod client;
mod error;
mod explain;
mod sysbench;
mod tables;
mod wire;

pub use accounting::{CpuAccounting, NoCpuAccounting, ServerThread, thread_cpu_time};
pub use client::{
    Binding, ConnectionCharset, Load, Protocol, Settings, Sharing, StatementWork, Tally, Target, WorkMeter,
    new_histogram, run_block,
};
pub use error::{Error, IgnoredErrors, WireError};
pub use explain::{PlanStep, StatementPlan, explain_statement, explain_statements};
pub use sysbench::{
    DeviatingColumn, PreparedTables, SysbenchLoad, SysbenchScript, SysbenchTally, SysbenchWorkload, prepare_by_script,
    run_sysbench, sysbench_supports,
};
pub use tables::{
    LeftoverSchema, Progress, SchemaOutcome, SchemaSpec, Schemas, TableSize, TablesError, drop_leftover_schemas,
    find_leftovers, new_run_name, table_sizes,
};
pub use wire::{NegotiatedFeatures, charset_can_encode};
