//! Tests preflight on real servers: its predictions are compared with the real ALTER.

mod dumps;
mod expressions;
mod fixtures;
#[path = "../../../../servers/server/tests/common/forward.rs"]
mod forward;
mod groups;
mod lab;
mod prepared;
mod programs;
mod reading;
mod rehearsal;
mod repairs;
mod replica;
mod requests;
mod round_trip;
mod row_size;
