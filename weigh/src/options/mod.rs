//! Options that several commands share.

pub mod collation;
pub mod connect;
pub mod load;
pub mod pipeline;
pub mod values;
pub mod workload_folder;
