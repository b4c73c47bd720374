//! A simulated network between `weigh` and a server.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

/// Behaviour towards the server's replies.
#[derive(Clone, Copy)]
pub enum Network {
    Forwards,
    Swallows,
    /// Delays each piece by a second.
    Drips,
}

/// A TCP port that forwards to a Unix socket.
pub struct Tunnel {
    pub port: u16,
    network: Arc<AtomicU8>,
}

impl Tunnel {
    pub fn open(socket: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let network = Arc::new(AtomicU8::new(Network::Forwards as u8));
        let state = Arc::clone(&network);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                forward(client, &socket, &state);
            }
        });
        Self { port, network }
    }

    pub fn set_network(&self, network: Network) {
        self.network.store(network as u8, Ordering::SeqCst);
    }
}

fn forward(client: TcpStream, socket: &Path, network: &Arc<AtomicU8>) {
    client.set_nodelay(true).unwrap();
    let server = UnixStream::connect(socket).unwrap();
    let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    thread::spawn(move || drop(std::io::copy(&mut from_client, &mut to_server)));
    let (mut from_server, mut to_client, network) = (server, client, Arc::clone(network));
    thread::spawn(move || {
        let mut piece = [0; 16384];
        while let Ok(length @ 1..) = from_server.read(&mut piece) {
            match network.load(Ordering::SeqCst) {
                state if state == Network::Swallows as u8 => continue,
                state if state == Network::Drips as u8 => thread::sleep(Duration::from_secs(1)),
                _ => {}
            }
            if to_client.write_all(&piece[..length]).is_err() {
                return;
            }
        }
    });
}
