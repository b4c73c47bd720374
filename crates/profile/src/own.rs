//! A server under its own load: what it spends and how many statements it answers, read from outside.

use std::fs;

use mysql::Conn;
use mysql::prelude::Queryable;
use server::Server;

use crate::error::Error;

/// Statements and CPU time so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    cpu_ns: u64,
    /// `SHOW GLOBAL STATUS LIKE 'Questions'`, this one included.
    questions: Option<u64>,
}

impl Reading {
    /// Server CPU time in µs a statement since an earlier reading; the statement that reads is not counted.
    pub(crate) fn cpu_us_since(&self, earlier: &Self) -> Option<f64> {
        let questions = self.questions?.checked_sub(earlier.questions?)?.checked_sub(1)?;
        let cpu = self.cpu_ns.checked_sub(earlier.cpu_ns)? as f64 / 1e3;
        (questions > 0).then_some(cpu / questions as f64)
    }
}

/// The process, and a connection to ask by where there is one.
pub(crate) struct OwnLoad {
    pid: u32,
    conn: Option<Conn>,
}

impl OwnLoad {
    pub(crate) fn new(pid: u32, server: Option<&Server>) -> Result<Self, Error> {
        Ok(Self { pid, conn: server.map(Server::control).transpose()? })
    }

    pub(crate) fn is_alive(&self) -> bool {
        is_alive(self.pid)
    }

    pub(crate) fn read(&mut self) -> Option<Reading> {
        Some(Reading { cpu_ns: cpu_ns(self.pid)?, questions: self.questions() })
    }

    fn questions(&mut self) -> Option<u64> {
        let row: (String, u64) = self.conn.as_mut()?.query_first("SHOW GLOBAL STATUS LIKE 'Questions'").ok()??;
        Some(row.1)
    }
}

/// The kernel's PF_EXITING, of a process whose end has begun.
const EXITING: u32 = 4;

/// Whether a process runs. One whose end has begun takes a while to give its memory back, and then stays in the list until its parent
/// has looked.
pub(crate) fn is_alive(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| runs(&stat) == Some(true))
}

/// What `/proc/PID/stat` says; the name, which may hold anything, stands in brackets.
fn runs(stat: &str) -> Option<bool> {
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let (state, flags) = (*fields.first()?, fields.get(6)?.parse::<u32>().ok()?);
    Some(!matches!(state, "Z" | "X") && flags & EXITING == 0)
}

/// CPU time of all threads that run now, in nanoseconds.
fn cpu_ns(pid: u32) -> Option<u64> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let of_thread = |task: fs::DirEntry| -> Option<u64> {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_ascii_whitespace().next()?.parse().ok()
    };
    Some(tasks.flatten().filter_map(of_thread).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_shared_among_the_statements_in_between() {
        let reading = |cpu_ns, questions| Reading { cpu_ns, questions: Some(questions) };
        assert_eq!(reading(3_000_000, 121).cpu_us_since(&reading(1_000_000, 20)), Some(20.0));
        assert_eq!(reading(3_000_000, 21).cpu_us_since(&reading(1_000_000, 20)), None, "nobody asked anything");
        // Threads that have ended take their time with them.
        assert_eq!(reading(0, 121).cpu_us_since(&reading(1_000_000, 20)), None);
    }

    #[test]
    fn one_that_ends_runs_no_more() {
        assert_eq!(runs("1 (a) Z 1) S 1 1 1 0 -1 4194560 9"), Some(true), "a name is no state");
        assert_eq!(runs("1 (mysqld) R 1 1 1 0 -1 4194564 9"), Some(false), "giving its memory back");
        assert_eq!(runs("1 (mysqld) Z 1 1 1 0 -1 4194560 9"), Some(false), "not looked at yet");
        assert_eq!(runs("1 (mysqld) R 1"), None);
    }

    #[test]
    fn this_process_runs() {
        assert!(is_alive(std::process::id()) && !is_alive(u32::MAX));
        assert!(cpu_ns(std::process::id()).is_some_and(|cpu| cpu > 0));
        assert!(cpu_ns(u32::MAX).is_none());
    }
}
