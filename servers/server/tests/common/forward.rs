//! A TCP port of a private server, which itself listens on a socket only.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;

use server::{Address, Server};

/// Forwards a port to a server's socket: replicas connect over TCP, and private servers listen on a
/// socket alone. Returns the port.
pub fn forward(server: &Server) -> u16 {
    let Address::Socket(socket) = server.endpoint().address.clone() else { panic!("no socket") };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || listener.incoming().flatten().for_each(|client| connect(client, socket.clone())));
    port
}

fn connect(client: TcpStream, socket: PathBuf) {
    let Ok(server) = UnixStream::connect(socket) else { return };
    let (to_server, to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    thread::spawn(move || {
        copy(client, &to_server);
        let _ = to_server.shutdown(Shutdown::Both);
    });
    thread::spawn(move || {
        copy(server, &to_client);
        let _ = to_client.shutdown(Shutdown::Both);
    });
}

fn copy(mut from: impl Read, mut to: impl Write) {
    let _ = std::io::copy(&mut from, &mut to);
}
