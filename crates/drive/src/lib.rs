//! The load: connections, statements, latency histograms, CPU accounting.
//!
//! A [`Load`] is a number of connections to one schema, each with a thread that repeats a workload's events. [`run_block`] puts
//! one load (a solo) or two (a duet) to work for a stretch of time and returns a [`Tally`] of each.

mod arrivals;
mod block;
mod charset;
mod client;
mod connection;
mod cpu;
mod error;
mod handshake;
mod load;
mod plans;
mod rest;
mod session;
mod stream;
mod sysbench;
mod tables;
mod tally;
mod turns;
mod wire;
mod work;

pub use block::{Sharing, run_block};
pub use charset::connection_holds;
pub use cpu::{ServerThread, own_cpu};
pub use error::{Error, IgnoredErrors, WireError};
pub use handshake::Agreed;
pub use load::{Binding, ConnectionCharset, Load, Settings, Target};
pub use plans::{PlanStep, StatementPlan, explain, plans};
pub use session::Protocol;
pub use sysbench::{
    OtherColumn, Prepared, SysbenchLoad, SysbenchScript, SysbenchTally, SysbenchWork, prepare_by_script, run_sysbench,
    sysbench_has,
};
pub use tables::{
    Leftover, Loaded, Progress, Schemas, TableSize, TablesError, Wanted, drop_leftovers, leftovers, run_name,
    table_sizes,
};
pub use tally::{Tally, new_histogram};
pub use work::{CpuAccounting, Work, WorkGauge};
