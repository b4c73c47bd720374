//! Processes as /proc shows them. A pid alone can be reused; a pid and its start time cannot.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

/// One process, for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Process {
    /// Its id.
    pub pid: u32,
    /// Its start, in clock ticks since boot.
    pub start: u64,
}

impl Process {
    /// The process that has this id now.
    pub fn now(pid: u32) -> Option<Self> {
        Some(Self { pid, start: start_ticks(pid)? })
    }

    /// Whether it is still there. A zombie is not.
    pub fn is_alive(&self) -> bool {
        start_ticks(self.pid) == Some(self.start)
    }

    /// Its arguments, where we may read them.
    pub fn arguments(&self) -> Vec<String> {
        let raw = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        raw.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
    }

    /// How long it has run.
    pub fn age_seconds(&self) -> Option<f64> {
        let uptime: f64 = fs::read_to_string("/proc/uptime").ok()?.split(' ').next()?.parse().ok()?;
        Some(uptime - self.start as f64 / rustix::param::clock_ticks_per_second() as f64)
    }

    /// Kills it and waits until it is gone; a killed process still holds its files for a moment.
    pub fn end(&self) {
        self.kill();
        let deadline = Instant::now() + Duration::from_secs(10);
        while self.is_alive() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills it, if it is still the same one.
    pub fn kill(&self) {
        if let (true, Some(pid)) = (self.is_alive(), i32::try_from(self.pid).ok().and_then(Pid::from_raw)) {
            // Gone in between is as good.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Field 22 of /proc/PID/stat; `None` for no such process and for a zombie.
fn start_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold anything, brackets and spaces included.
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
    let state = fields.next()?;
    if state == "Z" { None } else { fields.nth(18)?.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn we_are_alive_and_nobody_with_our_id_and_another_start_is() {
        let us = Process::now(std::process::id()).unwrap();
        assert!(us.is_alive());
        assert!(!Process { start: us.start + 1, ..us }.is_alive());
        assert!(!us.arguments().is_empty());
    }
}
