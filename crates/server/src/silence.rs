//! A server that does not answer: whether it does on a new connection, and what can be told of why.

use std::fs;
use std::time::Duration;

use mysql::prelude::Queryable;

use crate::endpoint::Endpoint;
use crate::{Error, connect};

/// How long a server that left a statement unanswered has to answer a new connection.
const PROBE: Duration = Duration::from_secs(5);

/// Below this much free room a server's disk counts as full.
const FULL_BELOW_MEBIBYTES: u64 = 1;

/// An error unless the server answers `SELECT 1` on a new connection, within a few seconds.
pub(crate) fn probe(endpoint: &Endpoint) -> Result<(), Error> {
    let endpoint = Endpoint { timeout: PROBE.min(endpoint.timeout), ..endpoint.clone() };
    let mut conn = connect::connect(&endpoint)?;
    conn.query_drop("SELECT 1").map_err(|source| Error::Statement {
        label: endpoint.to_string(),
        what: "answer SELECT 1",
        source,
    })
}

/// What the operating system tells of a process that does nothing; `None` where it is not seen or may well be working.
pub(crate) fn stopped(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    match stat.rsplit_once(')')?.1.trim_start().chars().next()? {
        'T' => Some(format!("its process {pid} is stopped (SIGSTOP); `kill -CONT {pid}` lets it go on")),
        't' => Some(format!("its process {pid} is held by a debugger")),
        _ => None,
    }
}

/// Whether the disk of a private instance is full, in a sentence.
pub(crate) fn full_disk(folder: &std::path::Path) -> Option<String> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    let free = (disk.f_bavail * disk.f_frsize) >> 20;
    (free < FULL_BELOW_MEBIBYTES).then(|| format!("its disk is full\n{}", crate::disk::remedy(folder)))
}
