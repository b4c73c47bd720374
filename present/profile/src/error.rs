//! Errors of profiling.

use std::io;
use std::path::PathBuf;

/// Reason why there is no profile.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// perf is not installed.
    #[error(
        "perf is not on the PATH{}; install it (Debian: linux-perf, Ubuntu: linux-tools-generic, \
         Fedora: perf), or take the samples elsewhere and read them with --perf-script",
        describe_attempt(attempt)
    )]
    NoPerf {
        /// Reason why installing perf failed. `None` if it was not tried.
        attempt: Option<String>,
    },
    /// The kernel does not permit sampling.
    #[error(
        "perf may not sample process {pid}: {reason}; run weigh as root or as the server's own account, or allow it with `sysctl \
         kernel.perf_event_paranoid=1` (it is {paranoid} now), in a container with --cap-add PERFMON"
    )]
    Denied {
        pid: u32,
        reason: String,
        /// Value of `kernel.perf_event_paranoid`.
        paranoid: String,
    },
    /// The server's process is not on this machine.
    #[error(
        "{0} is not a process of this machine, or not visible from here, so it can't be sampled; run weigh on its machine, or take the \
         samples there and read them with --perf-script"
    )]
    Elsewhere(String),
    /// The threads that serve the load are unknown.
    #[error(
        "the threads of {0} that serve the load are unknown, so their samples can't be separated; sample all threads with --no-load"
    )]
    NoThreads(String),
    /// The process does not exist, or has ended.
    #[error("there is no process {0} to sample")]
    NoProcess(u32),
    /// The process ended while it was sampled.
    #[error("process {pid} ended while it was sampled; after {windows} windows of samples, too few to say anything")]
    Gone {
        pid: u32,
        /// Number of complete windows.
        windows: usize,
    },
    /// perf failed for another reason.
    #[error("perf {doing} failed: {reason}")]
    Perf {
        /// Subcommand of perf.
        doing: &'static str,
        /// perf's last message.
        reason: String,
    },
    /// The named server or file has no samples.
    #[error("{0}: no samples; the server was idle, or the time too short")]
    NoSamples(String),
    /// A file is not the output of `perf script`.
    #[error("{}, line {line}: {reason}; give the output of `perf script --show-mmap-events -F comm,pid,tid,time,ip,sym,dso`", path.display())]
    NotAScript {
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        reason: String,
    },
    /// A stored profile is malformed, or in another format.
    #[error("{}: {reason}", path.display())]
    Malformed { path: PathBuf, reason: String },
    /// A signal arrived.
    #[error("interrupted")]
    Interrupted,
    /// The load failed.
    #[error(transparent)]
    Load(#[from] load::Error),
    /// The server cannot be connected to.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// The flame graph cannot be drawn.
    #[error("cannot draw the flame graph: {0}")]
    FlameGraph(String),
    /// A file cannot be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// The action: `read`, `write` and so on.
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { doing, path, source }
    }
}

fn describe_attempt(attempt: &Option<String>) -> String {
    attempt.as_ref().map(|reason| format!(", and weigh cannot install it ({reason})")).unwrap_or_default()
}
