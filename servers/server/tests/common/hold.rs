//! Test program: opens a server, prints its process id and address, and keeps it until a signal.
//!
//! The second argument changes the end: `panic` panics when the server is ready, `stubborn` ignores
//! signals.

use std::thread;
use std::time::Duration;

use lifecycle::interrupt;
use server::{NoProgress, Options, Spec, open};

fn main() {
    if let Err(error) = hold() {
        eprintln!("hold-server: {error}");
        std::process::exit(2);
    }
}

fn hold() -> Result<(), Box<dyn std::error::Error>> {
    interrupt::install()?;
    let spec = match std::env::args().nth(1).as_deref() {
        None | Some("") => Spec::default(),
        Some(text) => text.parse()?,
    };
    let end = std::env::args().nth(2).unwrap_or_default();
    let options = Options { buffer_pool: Some(64 << 20), ..Options::default() };
    let server = open(&spec, &options, &NoProgress)?;
    println!("{} {}", server.pid().unwrap_or_default(), server.endpoint().address);
    assert_ne!(end, "panic", "requested by the argument");
    while end == "stubborn" || !interrupt::is_pending() {
        thread::sleep(Duration::from_millis(20));
    }
    server.stop()?;
    Ok(())
}
