//! Starting child processes, and ending them with this process.
//!
//! A supervised child asks the kernel for SIGKILL when its parent dies (`PR_SET_PDEATHSIG`). This
//! covers SIGKILL and crashes, after which no code of this process runs. The kernel ties the
//! request to the *thread* that forked, not to the process: a child forked by a short-lived worker
//! thread would die with that thread. One thread that lives as long as the process therefore forks
//! all supervised children.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Sender, channel};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpid, getppid, kill_process_group, set_parent_process_death_signal, setsid};

use crate::confine::{self, Confinement};
use crate::interrupt::{self, Interrupted};

/// Interval at which [`wait_supervised`] checks for a signal and for the end of the child.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

type Request = (Command, Sender<io::Result<Child>>);

static SPAWNER: LazyLock<Mutex<Sender<Request>>> = LazyLock::new(|| {
    let (sender, requests) = channel::<Request>();
    thread::spawn(move || {
        for (mut command, reply) in requests {
            // The receiver is gone only while the process ends.
            let _ = reply.send(command.spawn());
        }
    });
    Mutex::new(sender)
});

/// Why [`wait_supervised`] returned no exit status.
#[derive(Debug, thiserror::Error)]
pub enum WaitError {
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    #[error("cannot wait for a process: {0}")]
    Io(#[from] io::Error),
}

/// Starts a tool of this machine, which the kernel kills when this process dies. The tool gets the
/// variables that `command` sets and a few that tools need (`confine`), and no open files but the
/// standard streams. It gets its own session, so that
/// ctrl-C in the terminal reaches only this process, and that it cannot type into the terminal.
pub fn spawn_supervised(mut command: Command) -> io::Result<Child> {
    confine::isolate_tool(&mut command);
    supervise(command)
}

/// Starts a server's program within `confinement`, supervised as by [`spawn_supervised`].
pub fn spawn_confined(mut command: Command, confinement: &Confinement) -> io::Result<Child> {
    confine::confine(&mut command, confinement)?;
    supervise(command)
}

/// Like [`spawn_supervised`], with the whole environment and inherited files. For tools that run
/// code of the user, such as cargo and sysbench.
pub fn spawn_with_environment(command: Command) -> io::Result<Child> {
    supervise(command)
}

/// Starts a confined program in its own session that may outlive this process.
pub fn spawn_detached(mut command: Command, confinement: &Confinement) -> io::Result<Child> {
    confine::confine(&mut command, confinement)?;
    begin_session(&mut command);
    command.spawn()
}

/// Makes `command` start in a session of its own, which has no terminal.
fn begin_session(command: &mut Command) {
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
    // allowed. It makes one bare system call; an error carries a raw errno only.
    unsafe {
        command.pre_exec(|| Ok(setsid().map(drop)?));
    }
}

fn supervise(mut command: Command) -> io::Result<Child> {
    let parent = getpid();
    begin_session(&mut command);
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
    // allowed. It makes two bare system calls (prctl, getppid), allocates nothing and takes no
    // lock; errors carry a raw errno only.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // If the parent died before the call above, the kernel sends no signal any more.
            if getppid() == Some(parent) { Ok(()) } else { Err(Errno::SRCH.into()) }
        });
    }
    let (reply, child) = channel();
    let gone = || io::Error::other("the thread that starts processes is gone");
    SPAWNER.lock().unwrap_or_else(PoisonError::into_inner).send((command, reply)).map_err(|_| gone())?;
    child.recv().map_err(|_| gone())?
}

/// Waits for a supervised child. If a signal arrives before the child ends, kills the child's
/// process group. Returns [`WaitError::Interrupted`] after any signal.
pub fn wait_supervised(mut child: Child) -> Result<ExitStatus, WaitError> {
    loop {
        if let Some(status) = child.try_wait()? {
            // The signal still asks this process to end.
            interrupt::check()?;
            return Ok(status);
        }
        if let Err(error) = interrupt::check() {
            kill_group(&mut child);
            return Err(error.into());
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Kills the process group of a child and reaps the child. The child must lead its group, as all
/// children of this module do, and must not have been waited for: its id could be another's.
pub fn kill_group(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    /// Returns the child's id and, from its output, which is `/proc/self/stat`, the fields after
    /// the program's name: state, parent, process group, session, number of the terminal.
    fn id_and_stat_fields(child: Child) -> (String, Vec<String>) {
        let process = child.id().to_string();
        let output = child.wait_with_output().unwrap().stdout;
        let text = String::from_utf8(output).unwrap();
        (process, text.rsplit(')').next().unwrap().split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn children_have_a_session_and_no_terminal() {
        let mut command = Command::new("cat");
        command.arg("/proc/self/stat").stdout(Stdio::piped());
        let (process, fields) = id_and_stat_fields(spawn_supervised(command).unwrap());
        assert_eq!((&fields[2], &fields[3], fields[4].as_str()), (&process, &process, "0"));
    }
}
