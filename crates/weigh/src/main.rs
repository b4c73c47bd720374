//! The command `weigh`.
fn main() {}
