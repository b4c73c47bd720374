//! For the tests: opens a server, tells its pid and address, and holds it until a signal comes.
//!
//! A second word changes how it ends: `panic` panics as soon as the server is ready, `stubborn` pays no heed to signals.

use std::thread;
use std::time::Duration;

use server::{NoProgress, Options, Spec, interrupt, open};

fn main() {
    if let Err(error) = hold() {
        eprintln!("hold-server: {error}");
        std::process::exit(2);
    }
}

fn hold() -> Result<(), Box<dyn std::error::Error>> {
    interrupt::install()?;
    let spec = match std::env::args().nth(1).as_deref() {
        None | Some("") => Spec::Default,
        Some(text) => text.parse()?,
    };
    let end = std::env::args().nth(2).unwrap_or_default();
    let options = Options { buffer_pool: Some(64 << 20), ..Options::default() };
    let server = open(&spec, &options, &NoProgress)?;
    println!("{} {}", server.pid().unwrap_or_default(), server.endpoint().address);
    assert_ne!(end, "panic", "as asked");
    while end == "stubborn" || !interrupt::interrupted() {
        thread::sleep(Duration::from_millis(20));
    }
    server.stop()?;
    Ok(())
}
