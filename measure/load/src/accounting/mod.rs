//! CPU time and work of a load, on both ends of its connections.

mod client_thread;
mod cores;
mod server_threads;
mod status;

pub(crate) use client_thread::client_thread_cpu_ns;
pub use client_thread::thread_cpu_time;
pub(crate) use cores::Cores;
pub use server_threads::ServerThread;
pub(crate) use server_threads::ServerThreads;
pub(crate) use status::{CPU_TIME, Counters, MAX_SAMPLED_CONNECTIONS, PAGES_READ, PAGES_READ_STATUS, STATUS};
pub use status::{CpuAccounting, NoCpuAccounting};
