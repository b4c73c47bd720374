//! Diagnosis of silent servers: servers that do not reply to a statement.

use std::fs;
use std::path::Path;
use std::time::Duration;

use fetch::disk;
use mysql::prelude::Queryable;

use super::{Endpoint, connect};
use crate::Error;

/// Longest timeout of the new connection.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// A disk with less free space counts as full.
const MIN_FREE_MEBIBYTES: u64 = 1;

/// Fails unless the server replies to `SELECT 1` on a new connection with a timeout of 5 s, or with
/// a shorter one of the endpoint.
pub(crate) fn check_replies(endpoint: &Endpoint) -> Result<(), Error> {
    let endpoint = Endpoint { timeout: PROBE_TIMEOUT.min(endpoint.timeout), ..endpoint.clone() };
    let mut conn = connect(&endpoint)?;
    conn.query_drop("SELECT 1").map_err(|source| Error::Statement {
        label: endpoint.to_string(),
        what: "answer SELECT 1",
        source,
    })
}

/// Describes a process that is stopped by a signal or a debugger. `None` for running processes, and
/// for processes that this user cannot see.
pub(crate) fn describe_stopped_process(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    match stat.rsplit_once(')')?.1.trim_start().chars().next()? {
        'T' => Some(format!("its process {pid} is stopped (SIGSTOP); `kill -CONT {pid}` lets it go on")),
        't' => Some(format!("its process {pid} is held by a debugger")),
        _ => None,
    }
}

/// Describes a full disk. `None` if the disk of `folder` has at least 1 MiB free, or cannot be
/// read.
pub(crate) fn describe_full_disk(folder: &Path) -> Option<String> {
    let free = disk::free_bytes(folder).ok()? >> 20;
    (free < MIN_FREE_MEBIBYTES).then(|| format!("its disk is full\n{}", disk::remedy(folder)))
}
