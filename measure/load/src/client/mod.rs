//! The load's own client: blocks of load over connections with a thread each.
//!
//! ```text
//! run_block ─▶ Load ─▶ worker per connection ─▶ session ─▶ wire
//!                           │
//!                           └─ paced by turns (duet), arrivals (open loop) or none (closed loop)
//! ```

mod arrivals;
mod block;
mod load;
mod session;
mod settings;
mod sleep;
mod tally;
mod turns;
mod work_meter;
mod worker;

pub use block::{Sharing, run_block};
pub use load::{Binding, Load};
pub use settings::{ConnectionCharset, Protocol, Settings, Target};
pub use tally::{Tally, new_histogram};
pub use work_meter::{StatementWork, WorkMeter};
