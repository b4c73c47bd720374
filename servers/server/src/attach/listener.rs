//! Listening TCP sockets of this machine, as `/proc/net` shows them (proc(5)).

use std::fs;

/// State of a listening socket.
const LISTENING: &str = "0A";

/// First user id of people (`UID_MIN` in `login.defs`). Accounts of services have lower ones.
const FIRST_PERSON: u32 = 1000;

pub(super) struct Listener {
    port: u16,
    pub user: u32,
    pub inode: u64,
}

/// Lists the sockets that listen on `port`, on any address.
pub(super) fn find_listeners(port: u16) -> Vec<Listener> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| fs::read_to_string(table).unwrap_or_default());
    let lines = tables.iter().flat_map(|table| table.lines().skip(1));
    lines.filter_map(parse_line).filter(|socket| socket.port == port).collect()
}

/// True if all sockets that listen on `port` belong to root, to accounts of services or to this
/// user. False without a listening socket, as for a port that a packet filter forwards.
pub(crate) fn is_trusted_port(port: u16) -> bool {
    let own = rustix::process::geteuid().as_raw();
    let listeners = find_listeners(port);
    !listeners.is_empty() && listeners.iter().all(|socket| socket.user < FIRST_PERSON || socket.user == own)
}

/// Parses a line of a table. `None` for a socket that does not listen.
fn parse_line(line: &str) -> Option<Listener> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [_, local, _, state, _, _, _, user, _, inode, ..] = fields[..] else { return None };
    let port = u16::from_str_radix(local.rsplit(':').next()?, 16).ok()?;
    (state == LISTENING).then_some(Listener { port, user: user.parse().ok()?, inode: inode.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn own_port_is_trusted_while_it_listens() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(is_trusted_port(port));
        drop(listener);
        assert!(!is_trusted_port(port));
    }
}
