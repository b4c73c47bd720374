//! Activity of a server under its own load: CPU time and number of statements, read from outside.

use std::fs;

use mysql::prelude::Queryable;
use server::Conn;
use server::Server;

use crate::error::Error;

/// Totals of statements and CPU time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Totals {
    cpu_ns: u64,
    /// `SHOW GLOBAL STATUS LIKE 'Questions'`, which counts itself.
    questions: Option<u64>,
}

impl Totals {
    /// Returns the server CPU time per statement in µs since an earlier reading. The statement that
    /// reads the counter is not counted. `None` if no other statement ran, and if a figure is
    /// unknown or has fallen.
    pub(crate) fn cpu_us_since(&self, earlier: &Self) -> Option<f64> {
        let questions = self.questions?.checked_sub(earlier.questions?)?.checked_sub(1)?;
        let cpu = self.cpu_ns.checked_sub(earlier.cpu_ns)? as f64 / 1e3;
        (questions > 0).then_some(cpu / questions as f64)
    }
}

/// A server process, with a connection if the server is known.
pub(crate) struct ServerActivity {
    pid: u32,
    conn: Option<Conn>,
}

impl ServerActivity {
    pub(crate) fn new(pid: u32, server: Option<&Server>) -> Result<Self, Error> {
        Ok(Self { pid, conn: server.map(Server::connect).transpose()? })
    }

    pub(crate) fn is_alive(&self) -> bool {
        is_alive(self.pid)
    }

    pub(crate) fn read(&mut self) -> Option<Totals> {
        Some(Totals { cpu_ns: read_cpu_ns(self.pid)?, questions: self.read_questions() })
    }

    fn read_questions(&mut self) -> Option<u64> {
        let row: (String, u64) = self.conn.as_mut()?.query_first("SHOW GLOBAL STATUS LIKE 'Questions'").ok()??;
        Some(row.1)
    }
}

/// The kernel's PF_EXITING flag: the process has begun to end.
const PF_EXITING: u32 = 4;

/// True if the process exists and has not begun to end. An ending process still exists while the
/// kernel frees its memory, and then until its parent reaps it.
pub(crate) fn is_alive(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| is_running(&stat) == Some(true))
}

/// Reads `/proc/PID/stat`. The process name is in parentheses and may contain any character.
fn is_running(stat: &str) -> Option<bool> {
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let (state, flags) = (*fields.first()?, fields.get(6)?.parse::<u32>().ok()?);
    Some(!matches!(state, "Z" | "X") && flags & PF_EXITING == 0)
}

/// Returns the CPU time of all existing threads, in nanoseconds. Threads that have ended are not
/// counted.
fn read_cpu_ns(pid: u32) -> Option<u64> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let cpu_of_thread = |task: fs::DirEntry| -> Option<u64> {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_ascii_whitespace().next()?.parse().ok()
    };
    Some(tasks.flatten().filter_map(cpu_of_thread).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divides_cpu_time_by_statements() {
        let totals = |cpu_ns, questions| Totals { cpu_ns, questions: Some(questions) };
        assert_eq!(totals(3_000_000, 121).cpu_us_since(&totals(1_000_000, 20)), Some(20.0));
        assert_eq!(totals(3_000_000, 21).cpu_us_since(&totals(1_000_000, 20)), None, "no statement");
        // The CPU time of ended threads is lost.
        assert_eq!(totals(0, 121).cpu_us_since(&totals(1_000_000, 20)), None);
    }

    #[test]
    fn ending_process_does_not_run() {
        assert_eq!(is_running("1 (a) Z 1) S 1 1 1 0 -1 4194560 9"), Some(true), "Z is part of the name");
        assert_eq!(is_running("1 (mysqld) R 1 1 1 0 -1 4194564 9"), Some(false), "exiting");
        assert_eq!(is_running("1 (mysqld) Z 1 1 1 0 -1 4194560 9"), Some(false), "zombie");
        assert_eq!(is_running("1 (mysqld) R 1"), None);
    }

    #[test]
    fn this_process_is_alive() {
        assert!(is_alive(std::process::id()) && !is_alive(u32::MAX));
        assert!(read_cpu_ns(std::process::id()).is_some_and(|cpu| cpu > 0));
        assert!(read_cpu_ns(u32::MAX).is_none());
    }
}
