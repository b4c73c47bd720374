//! Preflight on real servers: what it predicts is what the real ALTER does.

mod fixtures;
mod groups;
mod lab;
mod reading;
mod round_trip;
