//! Instructions that a private server executes for a statement, counted by valgrind's callgrind.
//!
//! A statement executes the same number of instructions in most fresh servers, within about 0.1 %.
//! Other work on the machine does not change the number. Instructions are not time: the kernel's
//! work, memory stalls and the processor's frequency are not in them.
//!
//! ```text
//! run ─▶ start ─▶ session    one server, started once: its rows, its statements
//!          └────▶ callgrind  the running server's counters
//!                  └▶ dump   one thread's counters, by address
//! ```

mod callgrind;
mod compare;
mod dump;
mod error;
mod functions;
mod history;
mod model;
mod run;
mod session;
mod start;
mod subject;
mod tally;
mod thread;

pub use compare::{Change, Comparison, FunctionChange, Incomparable, compare};
pub use error::Error;
pub use history::{History, HistoryEntry, Step, history};
pub use model::{Cell, FORMAT, FunctionCount, Options, Results};
pub use run::{DEFAULT_WORKLOADS, Request, Source, run};
