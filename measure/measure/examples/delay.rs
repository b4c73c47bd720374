//! A TCP proxy that delays both directions. For kernels without `netem`.
//!
//!     cargo run --release -p measure --example delay -- LISTEN TARGET MICROSECONDS
//!
//! Example: `delay 10.77.0.1:3307 127.0.0.1:3306 500` adds 1 ms to each round trip.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::num::NonZeroU64;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [listen, target, microseconds] = args.as_slice() else { panic!("delay LISTEN TARGET MICROSECONDS") };
    let delay = Duration::from_micros(microseconds.parse().expect("MICROSECONDS is a number"));
    let listener = TcpListener::bind(listen).unwrap_or_else(|error| panic!("{listen}: {error}"));
    for client in listener.incoming() {
        let client = client.expect("the server accepts a connection");
        let server = TcpStream::connect(target).unwrap_or_else(|error| panic!("{target}: {error}"));
        let copy = |stream: &TcpStream| stream.try_clone().expect("the socket is cloned");
        forward(copy(&client), copy(&server), delay);
        forward(server, client, delay);
    }
}

/// Forwards one direction of a connection, until the sender closes it.
fn forward(mut from: TcpStream, to: TcpStream, delay: Duration) {
    to.set_nodelay(true).expect("TCP_NODELAY is set");
    let (queue, pieces) = mpsc::channel();
    thread::spawn(move || deliver(&pieces, to));
    thread::spawn(move || {
        let mut piece = vec![0; 1 << 16];
        while let Ok(length @ 1..) = from.read(&mut piece) {
            if queue.send((Instant::now() + delay, piece[..length].to_vec())).is_err() {
                break;
            }
        }
    });
}

/// Writes each piece when it is due.
fn deliver(pieces: &Receiver<(Instant, Vec<u8>)>, mut to: TcpStream) {
    // By default the kernel wakes a thread up to 50 µs late.
    rustix::thread::set_current_timer_slack(NonZeroU64::new(1)).expect("the timer slack is set");
    for (due, piece) in pieces {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&piece).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
