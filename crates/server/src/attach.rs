//! What can be learnt about a server that we did not start.

use std::fs;
use std::os::unix::net::UnixStream;

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::endpoint::{Address, Endpoint};
use crate::process::Process;

/// A process and a server that started this close together are the same.
const START_TOLERANCE_SECONDS: f64 = 10.0;

/// The server's process, where it is on this machine and visible to us.
pub(crate) fn pid(endpoint: &Endpoint, conn: &mut Conn) -> Option<u32> {
    match &endpoint.address {
        Address::Socket(path) => {
            let stream = UnixStream::connect(path).ok()?;
            let peer = rustix::net::sockopt::socket_peercred(&stream).ok()?;
            u32::try_from(peer.pid.as_raw_pid()).ok()
        }
        address if address.is_local() => from_pid_file(conn),
        Address::Tcp { .. } => None,
    }
}

/// A local port may lead into a container or to another machine, whose pid file means nothing here: the process must
/// look like a server and be as old as the server says it is.
fn from_pid_file(conn: &mut Conn) -> Option<u32> {
    let file: String = conn.query_first("SELECT @@pid_file").ok()??;
    let pid = fs::read_to_string(file).ok()?.trim().parse().ok()?;
    let process = Process::now(pid)?;
    let is_server = process.arguments().iter().any(|word| word.contains("mysqld") || word.contains("mariadbd"));
    let (_, uptime): (String, f64) = conn.query_first("SHOW GLOBAL STATUS LIKE 'Uptime'").ok()??;
    let same_age = (process.age_seconds()? - uptime).abs() < START_TOLERANCE_SECONDS;
    (is_server && same_age).then_some(pid)
}
