//! One module per command: its arguments, its help, and `run`. `shell` has three commands.

pub mod audit;
pub mod bench;
pub mod capture;
pub mod compare;
pub mod count;
pub mod explain;
pub mod import;
pub mod micro;
pub mod preflight;
pub mod profile;
pub mod report;
pub mod run;
pub mod servers;
pub mod shell;
pub mod sort;
pub mod upgrade;
pub mod version;
pub mod weights;
pub mod why;
pub mod workload;
