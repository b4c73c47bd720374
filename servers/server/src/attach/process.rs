//! Finding the process of an attached server.

use std::fs;
use std::os::unix::net::UnixStream;
use std::path::Path;

use lifecycle::ProcessIdentity;
use mysql::prelude::Queryable;

use super::listener::find_listeners;
use crate::connect::{Address, Conn, Endpoint};

/// Maximum difference between the age of a process and the uptime of its server.
const MAX_AGE_DIFFERENCE_SECONDS: f64 = 10.0;

/// A pid file contains a number and a line break.
const MAX_PID_FILE_BYTES: u64 = 32;

/// Finds the server's process. `None` if it is on another machine, not visible to this user, or not
/// certain.
pub(crate) fn find_pid(endpoint: &Endpoint, conn: &mut Conn) -> Option<u32> {
    match &endpoint.address {
        Address::Socket(path) => {
            let stream = UnixStream::connect(path).ok()?;
            let peer = rustix::net::sockopt::socket_peercred(&stream).ok()?;
            u32::try_from(peer.pid.as_raw_pid()).ok()
        }
        Address::Tcp { port, .. } if endpoint.address.is_local() => find_by_pid_file(conn, *port),
        Address::Tcp { .. } => None,
    }
}

/// Finds the process by the server's pid file. A local port may be forwarded to a container or
/// another machine, where the server may name any file and process ids differ. The process must
/// therefore listen on the port, have the arguments of a server, and its age must differ by less
/// than 10 s from the server's uptime.
fn find_by_pid_file(conn: &mut Conn, port: u16) -> Option<u32> {
    let file: String = conn.query_first("SELECT @@pid_file").ok()??;
    let content = files::read_small(Path::new(&file), MAX_PID_FILE_BYTES).ok()?;
    let pid = String::from_utf8(content).ok()?.trim().parse().ok()?;
    let process = ProcessIdentity::from_pid(pid)?;
    let is_server = process.arguments().iter().any(|word| word.contains("mysqld") || word.contains("mariadbd"));
    let (_, uptime): (String, f64) = conn.query_first("SHOW GLOBAL STATUS LIKE 'Uptime'").ok()??;
    let same_age = (process.age_seconds()? - uptime).abs() < MAX_AGE_DIFFERENCE_SECONDS;
    (is_server && same_age && listens(pid, port)).then_some(pid)
}

/// True if the process has a listening TCP socket on `port`. For a process whose files this user
/// may not see: if a socket of the process's user listens there.
fn listens(pid: u32, port: u16) -> bool {
    let mut on_port = find_listeners(port).into_iter();
    match fs::read_dir(format!("/proc/{pid}/fd")) {
        Ok(files) => {
            let links: Vec<_> = files.flatten().filter_map(|file| fs::read_link(file.path()).ok()).collect();
            on_port.any(|socket| links.iter().any(|link| link.as_os_str() == &*format!("socket:[{}]", socket.inode)))
        }
        Err(_) => {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let user =
                status.lines().find_map(|line| line.strip_prefix("Uid:")?.split_whitespace().next()?.parse().ok());
            user.is_some_and(|user: u32| on_port.any(|socket| socket.user == user))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn only_the_process_with_the_socket_listens() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(listens(std::process::id(), port));
        let mut other = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let is_other = listens(other.id(), port);
        other.kill().unwrap();
        other.wait().unwrap();
        assert!(!is_other);
        drop(listener);
        assert!(!listens(std::process::id(), port));
    }
}
