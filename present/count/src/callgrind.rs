//! Control of callgrind, which runs a private server.

use std::fs;
use std::io::{self, Read};
use std::iter;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fetch::{Progress, Tool};
use lifecycle::interrupt;
use server::{Companion, RunUnder, Server};

use crate::dump::{self, Malformed, ThreadInstructions};
use crate::error::Error;

/// Environment variables that valgrind and vgdb put into the names of their files. With equal
/// values, vgdb finds its valgrind.
const IDENTITY: [(&str, &str); 4] = [("LOGNAME", USER), ("USER", USER), ("HOST", HOST), ("HOSTNAME", HOST)];
const USER: &str = "weigh";
const HOST: &str = "localhost";

/// Environment variables and values by which an allocation takes equal instructions in all starts.
/// Each thread of the server has a memory arena of its own, and its free blocks of up to 1 KiB are
/// kept for the next allocation of their size. Larger blocks are mapped. Splitting and merging free
/// blocks takes up to 240 instructions per statement more or less. MariaDB 10.1 brings jemalloc,
/// which returns free memory to the system now and then. With these values it keeps that memory,
/// and each thread keeps blocks of up to 1 MiB.
const ALLOCATOR: [(&str, &str); 3] = [
    ("MALLOC_ARENA_MAX", "1000"),
    (
        "GLIBC_TUNABLES",
        "glibc.malloc.tcache_max=1032:glibc.malloc.tcache_count=1000:\
         glibc.malloc.mmap_threshold=1024:glibc.malloc.mmap_max=1000000",
    ),
    ("MALLOC_CONF", "lg_dirty_mult:-1,lg_tcache_max:20"),
];

/// Longest time of one command to valgrind.
const MAX_CONTROL_TIME: Duration = Duration::from_secs(300);
/// Interval of waiting for the end of a command.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Maximum size of the dumps of all threads together. A thread's has some MB.
const MAX_DUMP_BYTES: u64 = 512 << 20;

/// Prefix of the files in the server's temporary folder by which vgdb reaches valgrind.
const VGDB_PREFIX: &str = "vgdb";
/// Prefix of the dumps that callgrind writes to the server's temporary folder.
const DUMP_PREFIX: &str = "callgrind";

/// Installed programs of valgrind.
#[derive(Clone, Debug)]
pub(crate) struct Valgrind {
    program: PathBuf,
    vgdb: PathBuf,
}

impl Valgrind {
    /// Finds valgrind, or installs it into the cache.
    pub fn find_or_install(progress: &dyn Progress) -> Result<Self, Error> {
        let program = Tool::Valgrind.find_or_install(progress)?;
        let vgdb = Tool::Valgrind.find_companion("vgdb");
        let vgdb = vgdb.ok_or_else(|| Error::NoVgdb { valgrind: program.clone() })?;
        Ok(Self { program, vgdb })
    }

    /// Returns valgrind's version. Example: `3.19.0`.
    pub fn version(&self) -> Result<String, Error> {
        let mut command = Command::new(&self.program);
        let output = command.arg("--version").output().map_err(Error::io("run", &self.program))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().trim_start_matches("valgrind-").to_owned())
    }

    /// Returns how to run a server under callgrind. Nothing is counted before
    /// [`Callgrind::start`].
    pub fn run_under(&self) -> RunUnder {
        let option = |name: &str, prefix: &str| format!("--{name}={{folder}}/{prefix}");
        let command = vec![
            self.program.display().to_string(),
            "--tool=callgrind".into(),
            "--separate-threads=yes".into(),
            "--dump-instr=yes".into(),
            "--instr-atstart=no".into(),
            // Without it, a thread that spins can keep the others from running: MariaDB 11.4 then
            // stops in its start.
            "--fair-sched=try".into(),
            "--vgdb=yes".into(),
            option("vgdb-prefix", VGDB_PREFIX),
            option("callgrind-out-file", DUMP_PREFIX),
            "--quiet".into(),
        ];
        let environment = IDENTITY.into_iter().chain(ALLOCATOR);
        let environment = environment.map(|(name, value)| (name.into(), value.into())).collect();
        RunUnder { command, readable: self.own_files(), environment }
    }

    /// Returns the program's folder, which in the cache holds all of valgrind, and the folders of
    /// an installation's tools and libraries.
    fn own_files(&self) -> Vec<PathBuf> {
        let Some(folder) = self.program.parent() else { return vec![self.program.clone()] };
        let beside = folder.parent().unwrap_or(folder);
        let installed = ["libexec/valgrind", "lib/valgrind", "lib64/valgrind", "lib/debug"];
        iter::once(folder.to_owned()).chain(installed.map(|name| beside.join(name))).collect()
    }
}

/// Names of the two pipes and of the shared memory by which vgdb reaches valgrind in the process
/// `pid`.
fn vgdb_files(pid: u32) -> [String; 3] {
    let name = |purpose: &str| format!("{VGDB_PREFIX}-{purpose}-{pid}-by-{USER}-on-{HOST}");
    ["from-vgdb-to", "to-vgdb-from", "shared-mem-vgdb"].map(name)
}

/// A server that runs under callgrind. The server can write to the folder of valgrind's pipes and
/// dumps, so files there are not trusted.
pub(crate) struct Callgrind<'a> {
    valgrind: &'a Valgrind,
    server: String,
    pid: u32,
    companion: Companion,
}

impl<'a> Callgrind<'a> {
    /// Fails unless `server` is a private server.
    pub fn new(valgrind: &'a Valgrind, server: &Server) -> Result<Self, Error> {
        let label = server.label().to_owned();
        let (Some(pid), Some(companion)) = (server.pid(), server.companion()) else {
            return Err(Error::NotPrivate { server: label });
        };
        let companion = companion?;
        for file in vgdb_files(pid) {
            companion.take(&file)?;
        }
        Ok(Self { valgrind, server: label, pid, companion })
    }

    /// Starts to count instructions.
    pub fn start(&self) -> Result<(), Error> {
        self.control("start counting", &["instrumentation", "on"])
    }

    /// Returns the instructions of each thread since the last call, since [`reset`](Self::reset),
    /// or since [`start`](Self::start), whichever was last.
    pub fn take(&self) -> Result<Vec<ThreadInstructions>, Error> {
        self.control("read counters", &["dump"])?;
        let mut threads = Vec::new();
        let mut remaining = MAX_DUMP_BYTES;
        for path in self.dumps()? {
            let bytes = files::read_small_unlinked(&path, remaining).map_err(Error::io("read", &path))?;
            remaining -= bytes.len() as u64;
            let thread = dump::parse(&String::from_utf8_lossy(&bytes))
                .map_err(|Malformed(line)| Error::Dump { path: path.clone(), line })?;
            threads.push(thread);
            fs::remove_file(&path).map_err(Error::io("remove", &path))?;
        }
        Ok(threads)
    }

    /// Sets all counters to 0 by a dump. The command `zero` of valgrind 3.19 keeps instructions of
    /// calls through the procedure linkage table, which the next dump then has.
    pub fn reset(&self) -> Result<(), Error> {
        self.control("reset counters", &["dump"])?;
        self.dumps()?.iter().try_for_each(|path| fs::remove_file(path).map_err(Error::io("remove", path)))
    }

    /// Lists the files of the last dump, one for each thread.
    fn dumps(&self) -> Result<Vec<PathBuf>, Error> {
        let folder = self.companion.temporary_folder();
        let entries = fs::read_dir(folder).map_err(Error::io("list", folder))?;
        let is_dump = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.strip_prefix(DUMP_PREFIX).is_some_and(|rest| rest.starts_with('.') && rest.contains('-'))
        };
        Ok(entries.flatten().map(|entry| entry.path()).filter(is_dump).collect())
    }

    fn control(&self, what: &'static str, words: &[&str]) -> Result<(), Error> {
        interrupt::check()?;
        let failed = |reason: String| Error::Control { server: self.server.clone(), what, reason };
        let (succeeded, message) = self.vgdb(words).map_err(|error| failed(error.to_string()))?;
        interrupt::check()?;
        if succeeded {
            return Ok(());
        }
        let last = message.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("vgdb failed");
        Err(failed(last.trim().to_owned()))
    }

    /// Sends a command to valgrind. Returns whether it succeeded, and vgdb's messages.
    fn vgdb(&self, words: &[&str]) -> io::Result<(bool, String)> {
        let prefix = self.companion.folder().join(VGDB_PREFIX);
        let mut command = Command::new(&self.valgrind.vgdb);
        command.arg(format!("--pid={}", self.pid)).arg(format!("--vgdb-prefix={}", prefix.display()));
        command.args(words).envs(IDENTITY).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = self.companion.spawn(command)?;
        let deadline = Instant::now() + MAX_CONTROL_TIME;
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if Instant::now() < deadline && interrupt::check().is_ok() => thread::sleep(POLL_INTERVAL),
                None => {
                    lifecycle::kill_group(&mut child);
                    return Ok((false, format!("no answer within {} s", MAX_CONTROL_TIME.as_secs())));
                }
            }
        };
        let mut message = String::new();
        if let Some(mut stderr) = child.stderr.take() {
            stderr.read_to_string(&mut message)?;
        }
        Ok((status.success(), message))
    }
}
