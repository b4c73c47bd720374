//! Taking samples: perf, started, told when to begin, stopped, and asked what it saw. The only place of this crate that runs a
//! program.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use server::cleanup::{self, Registration};
use server::{Progress, Tool, interrupt};
use tempfile::TempDir;

use crate::error::Error;
use crate::own::is_alive;
use crate::script::{self, Script};

/// How long perf may take to attach to all threads.
const READY_WITHIN: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);

/// How stacks are walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallGraph {
    /// By frame pointers: cheap, and exact where the server was built with them (Debian's MariaDB and MySQL are).
    FramePointers,
    /// By the unwind tables, from 8 KB of stack a sample: works for every build, and costs more.
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

/// How samples are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Samples a second of CPU time, of each thread.
    pub frequency: u32,
    /// How stacks are walked.
    pub call_graph: CallGraph,
}

/// What perf watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All cores, whatever runs on them; samples of other processes are thrown away unread. The cheap way: threads are not slowed
    /// down where they are switched.
    Cores,
    /// The threads of the processes that are asked about. Every switch of one of them costs.
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

/// What the kernel lets us watch: all cores takes root, CAP_PERFMON or `kernel.perf_event_paranoid` at 0 or less. Unwind tables are
/// walked from copies of the stack, which is too much to take of everything that runs.
pub fn scope(sampling: Sampling) -> Result<Scope, Error> {
    if sampling.call_graph == CallGraph::Dwarf {
        return Ok(Scope::Threads);
    }
    let mut command = perf();
    command.args(["record", "--all-cpus", "--event=cpu-clock", "--output=/dev/null", "--", "true"]);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    Ok(if status.map_err(not_run("record"))?.success() { Scope::Cores } else { Scope::Threads })
}

/// perf at work. Dropping it ends perf and removes what it wrote.
#[derive(Debug)]
pub struct Recorder {
    child: Child,
    pids: Vec<u32>,
    folder: TempDir,
    _registration: Registration,
}

/// Installs perf into the cache, unless it is there or on the PATH.
pub fn install(progress: &dyn Progress) -> Result<(), Error> {
    Tool::Perf.find_or_install(progress).map(drop).map_err(|error| match error {
        server::Error::Interrupted => Error::Interrupted,
        error => Error::NoPerf { tried: Some(error.to_string()) },
    })
}

/// A command that runs perf.
fn perf() -> Command {
    Command::new(Tool::Perf.find().unwrap_or_else(|| Tool::Perf.name().into()))
}

/// The version of the perf that is installed, or what to do about it where there is none.
pub fn version() -> Result<String, Error> {
    let output = perf().arg("version").stdin(Stdio::null()).output().map_err(not_run("version"))?;
    if !output.status.success() {
        return Err(Error::Perf { doing: "version", reason: last_words(&String::from_utf8_lossy(&output.stderr)) });
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().trim_start_matches("perf version ").to_owned())
}

/// A script that was taken elsewhere.
pub fn read_script(path: &Path) -> Result<Script, Error> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    let read = script::read(BufReader::new(file)).map_err(Error::io("read", path))?;
    read.map_err(|bad| Error::NotAScript { path: path.to_owned(), line: bad.line, reason: bad.reason })
}

/// Refuses what cannot be sampled because it is not there.
pub fn check_alive(pids: &[u32]) -> Result<(), Error> {
    pids.iter().find(|&&pid| !is_alive(pid)).map_or(Ok(()), |&gone| Err(Error::NoProcess(gone)))
}

impl Recorder {
    /// Begins to sample all threads of these processes. When this returns, samples are being taken.
    pub fn start(pids: &[u32], sampling: Sampling, scope: Scope) -> Result<Self, Error> {
        check_alive(pids)?;
        let folder = tempfile::Builder::new()
            .prefix("weigh-perf-")
            .tempdir()
            .map_err(Error::io("create", std::env::temp_dir()))?;
        let removed = folder.path().to_owned();
        // Where the process ends without unwinding; an error leaves a few files in the temporary folder.
        let registration = cleanup::register(move || drop(fs::remove_dir_all(removed)));
        let at = |name: &str| folder.path().join(name);
        let mut control = fifo(&at("control"))?;
        let mut answer = fifo(&at("answer"))?;
        let stderr = at("stderr");
        let errors = File::create(&stderr).map_err(Error::io("create", &stderr))?;
        let mut command = perf();
        command
            .args(["record", "--event=cpu-clock", "--clockid=CLOCK_MONOTONIC", "--delay=-1"])
            .arg(format!("--freq={}", sampling.frequency))
            .arg(match sampling.call_graph {
                CallGraph::FramePointers => "--call-graph=fp",
                CallGraph::Dwarf => "--call-graph=dwarf,8192",
            })
            .arg(match scope {
                Scope::Cores => "--all-cpus".into(),
                Scope::Threads => format!("--pid={}", list(pids)),
            })
            .arg(format!("--control=fifo:{},{}", at("control").display(), at("answer").display()))
            .arg("--output")
            .arg(at("perf.data"))
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors);
        let child = server::start_bound(command).map_err(not_run("record"))?;
        let mut recorder = Self { child, pids: pids.to_vec(), folder, _registration: registration };
        control.write_all(b"enable\n").map_err(Error::io("write", recorder.at("control")))?;
        recorder.wait_for(&mut answer)?;
        Ok(recorder)
    }

    /// Ends sampling, and reads what was sampled.
    pub fn stop(mut self) -> Result<Script, Error> {
        // It has ended already where all threads that it watched have.
        if let Ok(None) = self.child.try_wait() {
            let _ = kill_process(self.pid(), Signal::INT);
        }
        let _ = self.child.wait();
        let data = self.at("perf.data");
        if fs::metadata(&data).map_or(0, |metadata| metadata.len()) == 0 {
            return Err(self.failure("record"));
        }
        self.script(&data)
    }

    fn script(&self, data: &Path) -> Result<Script, Error> {
        let stderr = self.at("stderr-script");
        let errors = File::create(&stderr).map_err(Error::io("create", &stderr))?;
        let mut command = perf();
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
            .arg(format!("--pid={}", list(&self.pids)))
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors);
        let mut child = server::start_bound(command).map_err(not_run("script"))?;
        let output =
            child.stdout.take().ok_or_else(|| Error::Perf { doing: "script", reason: "it has no output".into() })?;
        let read = script::read(BufReader::new(output));
        let status = child.wait().map_err(Error::io("wait for", "perf script"))?;
        let reason = || last_words(&fs::read_to_string(&stderr).unwrap_or_default());
        if interrupt::interrupted() {
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

    /// Waits for perf's word that it samples now, or for its end.
    fn wait_for(&mut self, answer: &mut File) -> Result<(), Error> {
        let deadline = Instant::now() + READY_WITHIN;
        loop {
            let timeout = Timespec::try_from(POLL).expect("a short time");
            let mut ready = [PollFd::new(answer, PollFlags::IN)];
            if poll(&mut ready, Some(&timeout)).is_ok_and(|count| count > 0) {
                // "ack\n"; perf says nothing else here.
                let _ = answer.read(&mut [0; 16]);
                return Ok(());
            }
            if interrupt::interrupted() {
                return Err(Error::Interrupted);
            }
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => {}
                Ok(None) => {
                    return Err(Error::Perf {
                        doing: "record",
                        reason: format!("it did not start to sample within {} s", READY_WITHIN.as_secs()),
                    });
                }
                _ => return Err(self.failure("record")),
            }
        }
    }

    /// What perf's last words mean.
    fn failure(&self, doing: &'static str) -> Error {
        let said = fs::read_to_string(self.at("stderr")).unwrap_or_default();
        if let Some(&gone) = self.pids.iter().find(|&&pid| !is_alive(pid)) {
            return Error::Gone { pid: gone, windows: 0 };
        }
        let lower = said.to_lowercase();
        let refused = ["permission", "not permitted", "access to performance", "no permission", "eacces", "eperm"];
        if refused.iter().any(|word| lower.contains(word)) {
            let paranoid = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
            let paranoid = if paranoid.trim().is_empty() { "not told".into() } else { paranoid.trim().to_owned() };
            let reason = "the kernel does not allow it".into();
            return Error::Denied { pid: self.pids.first().copied().unwrap_or(0), reason, paranoid };
        }
        Error::Perf { doing, reason: last_words(&said) }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // After `stop` it has ended and is reaped, and both fail.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn list(pids: &[u32]) -> String {
    pids.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

fn not_run(doing: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |error| match error.kind() {
        io::ErrorKind::NotFound => Error::NoPerf { tried: None },
        _ => Error::Perf { doing, reason: format!("it can't be run: {error}") },
    }
}

/// The last line that says something; where to look further is not it.
fn last_words(said: &str) -> String {
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty() && !line.contains("dmesg"));
    last.map_or_else(|| "it said nothing".into(), str::to_owned)
}

/// A named pipe, opened so that neither side waits for the other.
fn fifo(path: &Path) -> Result<File, Error> {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
        .map_err(|error| Error::io("create", path)(error.into()))?;
    OpenOptions::new().read(true).write(true).open(path).map_err(Error::io("open", path))
}
