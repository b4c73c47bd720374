//! What can go wrong, each with what to do about it.

use std::io;
use std::path::PathBuf;

/// Why there is no profile.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no perf.
    #[error(
        "there is no perf on the PATH, which takes the samples{}; install it (Debian: linux-perf, Ubuntu: linux-tools-generic, \
         Fedora: perf), or take them elsewhere and read them with --perf-script",
        why(tried)
    )]
    NoPerf {
        /// Why it could not be installed, where that was tried.
        tried: Option<String>,
    },
    /// The kernel refuses.
    #[error(
        "perf may not sample process {pid}: {reason}; run weigh as root or as the server's own account, or allow it with `sysctl \
         kernel.perf_event_paranoid=1` (it is {paranoid} now), in a container with --cap-add PERFMON"
    )]
    Denied {
        /// The server's process.
        pid: u32,
        /// What perf says.
        reason: String,
        /// `kernel.perf_event_paranoid`.
        paranoid: String,
    },
    /// The server's process is not here.
    #[error(
        "{0} is not a process of this machine, or not visible from here, so it can't be sampled; run weigh beside it, or take the \
         samples there and read them with --perf-script"
    )]
    Elsewhere(String),
    /// Which threads serve the load is not known.
    #[error(
        "which of {0}'s threads serve the load can't be told, so their samples can't be told apart; sample all of them with --no-load"
    )]
    NoThreads(String),
    /// There is no such process, or no more.
    #[error("there is no process {0} to sample")]
    NoProcess(u32),
    /// The server went away.
    #[error("process {pid} ended while it was sampled; after {windows} windows of samples, too few to say anything")]
    Gone {
        /// The server's process.
        pid: u32,
        /// Windows that were complete.
        windows: usize,
    },
    /// perf fails in another way.
    #[error("perf {doing} failed: {reason}")]
    Perf {
        /// The subcommand.
        doing: &'static str,
        /// The end of what it said.
        reason: String,
    },
    /// Nothing was sampled.
    #[error("{0} gave not one sample; the server was idle, or the time too short")]
    NoSamples(String),
    /// What was to be read is not what perf writes.
    #[error("{}, line {line}: {reason}; give the output of `perf script --show-mmap-events -F comm,pid,tid,time,ip,sym,dso`", path.display())]
    NotAScript {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A profile on disk is not what it should be.
    #[error("{}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A signal asked to end.
    #[error("interrupted")]
    Interrupted,
    /// The load's client failed.
    #[error(transparent)]
    Load(#[from] drive::Error),
    /// The server refused.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// The flame graph can't be drawn.
    #[error("cannot draw the flame graph: {0}")]
    FlameGraph(String),
    /// A file can't be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { doing, path, source }
    }
}

fn why(tried: &Option<String>) -> String {
    tried.as_ref().map(|reason| format!(", and weigh cannot have it ({reason})")).unwrap_or_default()
}
