//! Runs perf to take samples. The only module of this crate that starts a program.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fetch::Tool;
use lifecycle::cleanup::{self, Registration};
use lifecycle::interrupt;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use server::Progress;
use tempfile::TempDir;

use crate::activity::is_alive;
use crate::error::Error;
use crate::script::{self, Script};

/// Longest time that perf may take to attach to all threads.
const MAX_START_TIME: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);

/// Method of walking stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallGraph {
    /// By frame pointers: cheap, and exact in builds with frame pointers, such as Debian's MariaDB
    /// and MySQL.
    FramePointers,
    /// By unwind tables, from a copy of 8 KiB of stack per sample: works with all builds, and costs
    /// more.
    Dwarf,
}

impl fmt::Display for CallGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FramePointers => "fp",
            Self::Dwarf => "dwarf",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Samples per second of CPU time, per thread.
    pub frequency: u32,
    pub call_graph: CallGraph,
}

/// Threads that perf samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All cores. Samples of other processes are discarded. Cheaper, because switches of threads
    /// are not slowed down.
    Cores,
    /// Only the threads of the sampled processes. Each switch of such a thread has a cost.
    Threads,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cores => "cores",
            Self::Threads => "threads",
        })
    }
}

/// Keeps perf from copying every sampled program into `~/.debug`: a server has hundreds of MB.
const NO_COPIES: &str = "--no-buildid-cache";

/// Returns the scope that the kernel permits. Sampling all cores requires root, CAP_PERFMON or
/// `kernel.perf_event_paranoid` ≤ 0. With unwind tables, the scope is always the threads: each
/// sample copies the stack, which is too large to do for all processes.
pub fn choose_scope(sampling: Sampling) -> Result<Scope, Error> {
    if sampling.call_graph == CallGraph::Dwarf {
        return Ok(Scope::Threads);
    }
    let mut command = perf_command();
    command.args(["record", NO_COPIES, "--all-cpus", "--event=cpu-clock", "--output=/dev/null", "--", "true"]);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    Ok(if status.map_err(start_error("record"))?.success() { Scope::Cores } else { Scope::Threads })
}

/// A running perf. Dropping it ends perf and removes its files.
#[derive(Debug)]
pub struct Recorder {
    child: Child,
    pids: Vec<u32>,
    folder: TempDir,
    _registration: Registration,
}

/// Installs perf into the cache, unless the cache or the PATH has it.
pub fn install(progress: &dyn Progress) -> Result<(), Error> {
    Tool::Perf.find_or_install(progress).map(drop).map_err(|error| match error {
        fetch::Error::Interrupted(_) => Error::Interrupted,
        error => Error::NoPerf { attempt: Some(error.to_string()) },
    })
}

fn perf_command() -> Command {
    Command::new(Tool::Perf.find().unwrap_or_else(|| Tool::Perf.name().into()))
}

/// Returns the version of the installed perf. If perf is missing, the error says how to install it.
pub fn version() -> Result<String, Error> {
    let output = perf_command().arg("version").stdin(Stdio::null()).output().map_err(start_error("version"))?;
    if !output.status.success() {
        return Err(Error::Perf { doing: "version", reason: last_message(&String::from_utf8_lossy(&output.stderr)) });
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().trim_start_matches("perf version ").to_owned())
}

/// Reads the output of a `perf script` that was run elsewhere.
pub fn read_script(path: &Path) -> Result<Script, Error> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    let read = script::read(BufReader::new(file)).map_err(Error::io("read", path))?;
    read.map_err(|bad| Error::NotAScript { path: path.to_owned(), line: bad.line, reason: bad.reason })
}

/// Returns an error if one of the processes has ended.
pub fn check_alive(pids: &[u32]) -> Result<(), Error> {
    pids.iter().find(|&&pid| !is_alive(pid)).map_or(Ok(()), |&gone| Err(Error::NoProcess(gone)))
}

impl Recorder {
    /// Starts sampling all threads of the processes, or all cores, depending on `scope`. Returns
    /// once samples are being taken.
    pub fn start(pids: &[u32], sampling: Sampling, scope: Scope) -> Result<Self, Error> {
        check_alive(pids)?;
        let folder = tempfile::Builder::new()
            .prefix("weigh-perf-")
            .tempdir_in(files::temporary_folder().map_err(Error::io("use", std::env::temp_dir()))?)
            .map_err(Error::io("create", std::env::temp_dir()))?;
        let removed = folder.path().to_owned();
        // Removes the folder if the process ends without unwinding. A failure leaves a few
        // temporary files.
        let registration = cleanup::register(move || drop(fs::remove_dir_all(removed)));
        let at = |name: &str| folder.path().join(name);
        let mut control = create_fifo(&at("control"))?;
        let mut answer = create_fifo(&at("answer"))?;
        let stderr = at("stderr");
        let errors = File::create(&stderr).map_err(Error::io("create", &stderr))?;
        let mut command = perf_command();
        command
            .args(["record", NO_COPIES, "--event=cpu-clock", "--clockid=CLOCK_MONOTONIC", "--delay=-1"])
            .arg(format!("--freq={}", sampling.frequency))
            .arg(match sampling.call_graph {
                CallGraph::FramePointers => "--call-graph=fp",
                CallGraph::Dwarf => "--call-graph=dwarf,8192",
            })
            .arg(match scope {
                Scope::Cores => "--all-cpus".into(),
                Scope::Threads => format!("--pid={}", join_pids(pids)),
            })
            .arg(format!("--control=fifo:{},{}", at("control").display(), at("answer").display()))
            .arg("--output")
            .arg(at("perf.data"))
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors);
        let child = lifecycle::spawn_supervised(command).map_err(start_error("record"))?;
        let mut recorder = Self { child, pids: pids.to_vec(), folder, _registration: registration };
        control.write_all(b"enable\n").map_err(Error::io("write", recorder.path("control")))?;
        recorder.wait_until_sampling(&mut answer)?;
        Ok(recorder)
    }

    /// Ends sampling and reads the samples.
    pub fn stop(mut self) -> Result<Script, Error> {
        // When it samples threads only, perf ends by itself once all of these have ended.
        if let Ok(None) = self.child.try_wait() {
            let _ = kill_process(self.pid(), Signal::INT);
        }
        let _ = self.child.wait();
        let data = self.path("perf.data");
        if fs::metadata(&data).map_or(0, |metadata| metadata.len()) == 0 {
            return Err(self.explain_failure("record"));
        }
        self.read_samples(&data)
    }

    fn read_samples(&self, data: &Path) -> Result<Script, Error> {
        let stderr = self.path("stderr-script");
        let errors = File::create(&stderr).map_err(Error::io("create", &stderr))?;
        let mut command = perf_command();
        command
            .args([
                "script",
                "--force",
                "--no-inline",
                "--show-mmap-events",
                "--fields=comm,pid,tid,time,ip,sym,dso",
                "--input",
            ])
            .arg(data)
            .arg(format!("--pid={}", join_pids(&self.pids)))
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors);
        let mut child = lifecycle::spawn_supervised(command).map_err(start_error("script"))?;
        let output =
            child.stdout.take().ok_or_else(|| Error::Perf { doing: "script", reason: "it has no output".into() })?;
        let read = script::read(BufReader::new(output));
        let status = child.wait().map_err(Error::io("wait for", "perf script"))?;
        let reason = || last_message(&fs::read_to_string(&stderr).unwrap_or_default());
        if interrupt::is_pending() {
            return Err(Error::Interrupted);
        }
        let failed = |reason| Error::Perf { doing: "script", reason };
        if !status.success() {
            return Err(failed(reason()));
        }
        let mut script = read
            .map_err(Error::io("read", "perf script's output"))?
            .map_err(|bad| failed(format!("line {} of its output: {}", bad.line, bad.reason)))?;
        script.mappings.retain(|mapping| self.pids.contains(&mapping.pid));
        Ok(script)
    }

    /// Waits until perf acknowledges that it samples. Fails if perf ends, after [`MAX_START_TIME`],
    /// or on a signal.
    fn wait_until_sampling(&mut self, answer: &mut File) -> Result<(), Error> {
        let deadline = Instant::now() + MAX_START_TIME;
        loop {
            let timeout = Timespec::try_from(POLL).expect("the interval is short enough for a Timespec");
            let mut ready = [PollFd::new(answer, PollFlags::IN)];
            if poll(&mut ready, Some(&timeout)).is_ok_and(|count| count > 0) {
                // The acknowledgement is "ack\n". perf writes nothing else to this pipe.
                let _ = answer.read(&mut [0; 16]);
                return Ok(());
            }
            if interrupt::is_pending() {
                return Err(Error::Interrupted);
            }
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => {}
                Ok(None) => {
                    return Err(Error::Perf {
                        doing: "record",
                        reason: format!("it did not start sampling within {} s", MAX_START_TIME.as_secs()),
                    });
                }
                _ => return Err(self.explain_failure("record")),
            }
        }
    }

    /// Explains why perf failed: the process has ended, the kernel refused, or perf's last message.
    fn explain_failure(&self, doing: &'static str) -> Error {
        let said = fs::read_to_string(self.path("stderr")).unwrap_or_default();
        if let Some(&gone) = self.pids.iter().find(|&&pid| !is_alive(pid)) {
            return Error::Gone { pid: gone, windows: 0 };
        }
        let lower = said.to_lowercase();
        let refused = ["permission", "not permitted", "access to performance", "no permission", "eacces", "eperm"];
        if refused.iter().any(|word| lower.contains(word)) {
            let paranoid = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
            let paranoid = if paranoid.trim().is_empty() { "unknown".into() } else { paranoid.trim().to_owned() };
            let reason = "the kernel does not allow it".into();
            return Error::Denied { pid: self.pids.first().copied().unwrap_or(0), reason, paranoid };
        }
        Error::Perf { doing, reason: last_message(&said) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // After `stop`, perf has ended and both calls have no effect.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn join_pids(pids: &[u32]) -> String {
    pids.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

fn start_error(doing: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |error| match error.kind() {
        io::ErrorKind::NotFound => Error::NoPerf { attempt: None },
        _ => Error::Perf { doing, reason: format!("it can't be run: {error}") },
    }
}

/// Returns the last line of a message, without perf's hint to look into `dmesg`.
fn last_message(said: &str) -> String {
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty() && !line.contains("dmesg"));
    last.map_or_else(|| "no message".into(), str::to_owned)
}

/// Creates a named pipe and opens it for reading and writing, so that opening does not block.
fn create_fifo(path: &Path) -> Result<File, Error> {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
        .map_err(|error| Error::io("create", path)(error.into()))?;
    OpenOptions::new().read(true).write(true).open(path).map_err(Error::io("open", path))
}
