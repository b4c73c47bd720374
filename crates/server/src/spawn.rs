//! The only place that starts processes.
//!
//! A child that must not outlive us asks the kernel for SIGKILL on our death (`PR_SET_PDEATHSIG`): the backstop for
//! SIGKILL and crashes, where nothing of ours runs any more. The kernel ties that to the *thread* that forked, not to
//! the process, so a child started from a short-lived worker thread would die with it. All such children are therefore
//! forked by one thread that lives as long as the process.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

use rustix::io::Errno;
use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};

type Request = (Command, Sender<io::Result<Child>>);

static SPAWNER: LazyLock<Mutex<Sender<Request>>> = LazyLock::new(|| {
    let (sender, requests) = channel::<Request>();
    thread::spawn(move || {
        for (mut command, reply) in requests {
            // The asker waits for this reply, so it can be gone only when the process is ending.
            let _ = reply.send(command.spawn());
        }
    });
    Mutex::new(sender)
});

/// Starts a child in a process group of its own (the terminal's ctrl-C must reach only us) that dies when we do.
pub fn bound(mut command: Command) -> io::Result<Child> {
    let parent = getpid();
    command.process_group(0);
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are allowed. It makes two bare
    // system calls (prctl, getppid), allocates nothing and takes no lock; errors carry a raw errno only.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // Had we died before the call above, nobody would tell the child any more.
            if getppid() == Some(parent) { Ok(()) } else { Err(Errno::SRCH.into()) }
        });
    }
    let (reply, answer) = channel();
    let gone = || io::Error::other("the thread that starts processes is gone");
    SPAWNER.lock().unwrap_or_else(PoisonError::into_inner).send((command, reply)).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

/// Starts a child in a process group of its own that outlives us.
pub(crate) fn detached(mut command: Command) -> io::Result<Child> {
    command.process_group(0).spawn()
}
