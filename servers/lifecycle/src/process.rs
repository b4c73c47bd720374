//! Processes as `/proc` shows them.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

/// Maximum time that [`ProcessIdentity::kill_and_wait`] waits.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);

/// A process id and a start time. The kernel reuses a process id, but not the pair, until the next
/// boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIdentity {
    pub pid: u32,
    /// Start time in clock ticks since boot.
    pub start: u64,
}

impl ProcessIdentity {
    /// Looks up the process that has the id `pid` now.
    pub fn from_pid(pid: u32) -> Option<Self> {
        Some(Self { pid, start: read_start_ticks(pid)? })
    }

    /// True if a thread of the process still runs.
    pub fn is_alive(&self) -> bool {
        read_start_ticks(self.pid) == Some(self.start)
    }

    /// Command-line arguments, followed by an empty text. Only the empty text if this user may not
    /// read them.
    pub fn arguments(&self) -> Vec<String> {
        let raw = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        raw.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
    }

    /// Seconds since the process started.
    pub fn age_seconds(&self) -> Option<f64> {
        let uptime: f64 = fs::read_to_string("/proc/uptime").ok()?.split(' ').next()?.parse().ok()?;
        Some(uptime - self.start as f64 / rustix::param::clock_ticks_per_second() as f64)
    }

    /// Kills the process and waits up to 10 s until it is gone. A killed process keeps its files
    /// open for a moment.
    pub fn kill_and_wait(&self) {
        self.kill();
        let deadline = Instant::now() + KILL_TIMEOUT;
        while self.is_alive() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Sends SIGKILL if the id still belongs to this process.
    pub fn kill(&self) {
        if let (true, Some(pid)) = (self.is_alive(), i32::try_from(self.pid).ok().and_then(Pid::from_raw)) {
            // Fails if the process has ended in between.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// True if a process has a running thread. `state` is the state of its first thread in `/proc`. If
/// the first thread has ended (`Z`, zombie), other threads may still run: `threads` counts them,
/// too.
pub(crate) fn runs(state: &str, threads: u64) -> bool {
    !state.starts_with('Z') || threads > 1
}

/// Reads field 22 of `/proc/PID/stat` (proc(5)). `None` for a process that is missing or has ended.
fn read_start_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain parentheses and spaces. Field 3 follows it.
    let fields: Vec<&str> = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace().collect();
    let (state, threads, start) = (fields.first()?, fields.get(17)?.parse().ok()?, fields.get(19)?.parse().ok()?);
    runs(state, threads).then_some(start)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::process::Command;

    use super::*;

    /// Returns the command of a process whose first thread ends and whose second one sleeps.
    pub fn without_first_thread() -> Command {
        let script = format!(
            "import ctypes, threading, time\n\
             threading.Thread(target=time.sleep, args=(60,)).start()\n\
             ctypes.CDLL(None).syscall({}, 0)",
            libc::SYS_exit
        );
        let mut command = Command::new("python3");
        command.args(["-c", &script]);
        command
    }

    /// Waits up to 60 s until the first thread of the process has ended.
    pub fn await_end_of_first_thread(pid: u32) {
        let is_zombie = || fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().contains(") Z ");
        let deadline = Instant::now() + Duration::from_secs(60);
        while !is_zombie() {
            assert!(Instant::now() < deadline, "the first thread still runs");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn process_lives_until_its_last_thread_ends() {
        let mut child = without_first_thread().spawn().unwrap();
        await_end_of_first_thread(child.id());
        let identity = ProcessIdentity::from_pid(child.id()).unwrap();
        identity.kill_and_wait();
        // Not reaped yet.
        assert!(!identity.is_alive());
        child.wait().unwrap();
    }

    #[test]
    fn reused_id_with_another_start_time_is_not_alive() {
        let own = ProcessIdentity::from_pid(std::process::id()).unwrap();
        assert!(own.is_alive());
        assert!(!ProcessIdentity { start: own.start + 1, ..own }.is_alive());
        assert!(!own.arguments().is_empty());
    }
}
