//! A folder in which a test runs `weigh`, and the results.

use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use measure::{Analysis, Block, Run, VariantResult};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// A benchmark of seconds: few rows, short blocks, any precision, so that two replicates suffice.
/// --max-time is for busy machines: the replicates end before it.
pub const SMALL: [&str; 7] = [
    "--table-size=500",
    "--threads=1",
    "--block=60ms",
    "--warmup-time=10ms",
    "--precision=100%",
    "--max-time=300s",
    "--replicates=2",
];

/// A load that runs until it is ended, ten minutes at most.
pub const ENDLESS: [&str; 6] =
    ["--table-size=500", "--threads=1", "--block=50ms", "--precision=0.0001%", "--max-time=10m", "--replicates=1"];

/// A load of rows that outlasts any test.
pub const ENDLESS_LOADING: [&str; 2] = ["--table-size=100000000", "--collation=utf8mb4_bin"];

/// A test's own folder: working folder of its `weigh`, with TMPDIR and results.
pub struct Workspace(TempDir);

impl Workspace {
    pub fn new() -> Self {
        let base = env::temp_dir();
        // Below a longer path, sockets would not be in TMPDIR.
        let base = if base.as_os_str().len() > 50 { PathBuf::from("/tmp") } else { base };
        let root = tempfile::Builder::new().prefix("e2e-").tempdir_in(base).unwrap();
        fs::create_dir(root.path().join("tmp")).unwrap();
        // Root's servers run as other users, who must be able to enter TMPDIR.
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Self(root)
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    /// TMPDIR, which holds private instances.
    pub fn tmp(&self) -> PathBuf {
        self.root().join("tmp")
    }

    pub fn out(&self) -> PathBuf {
        self.root().join("out")
    }

    pub fn weigh(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_weigh"));
        command.args(words);
        self.set_up(&mut command);
        command
    }

    /// Makes a command run in this workspace, with captured output.
    pub fn set_up(&self, command: &mut Command) {
        command.current_dir(self.root()).env("TMPDIR", self.tmp()).env("COLUMNS", "100");
        for name in ["MYSQL_PWD", "MYSQL_HOST", "MYSQL_TCP_PORT", "MYSQL_UNIX_PORT", "NO_COLOR"] {
            command.env_remove(name);
        }
        // A developer's option file may name another server.
        if let Some(home) = env::home_dir().filter(|home| home.join(".my.cnf").exists()) {
            command.env("HOME", self.root());
            let names_cache = ["WEIGH_CACHE", "XDG_CACHE_HOME"].iter().any(|name| env::var_os(name).is_some());
            if !names_cache && !rustix::process::geteuid().is_root() {
                command.env("XDG_CACHE_HOME", home.join(".cache"));
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    }

    pub fn bench(&self, size: &[&str], words: &[&str]) -> Command {
        let out = self.out();
        self.weigh(&[&["bench", "--out", out.to_str().unwrap()], size, words].concat())
    }

    pub fn profile(&self, words: &[&str]) -> Command {
        let out = self.out();
        self.weigh(&[&["profile", "--out", out.to_str().unwrap()], words].concat())
    }

    pub fn run_small_bench(&self, words: &[&str]) -> Finished {
        self.wait_for_end(self.bench(&SMALL, words).spawn().unwrap())
    }

    /// Runs a small benchmark that must succeed, and reads its results.
    pub fn measured(&self, words: &[&str]) -> Measured {
        let finished = self.run_small_bench(words);
        assert_eq!(finished.code, Some(0), "{finished}");
        let measured = self.read();
        assert_eq!(measured.run.failure, None);
        assert!(measured.run.finished.is_some());
        measured
    }

    pub fn read(&self) -> Measured {
        let (run, blocks) = measure::read_run(&self.out()).unwrap();
        let analysis = measure::analyse(&run, &blocks);
        Measured { run, blocks, analysis }
    }

    /// Waits for a process of this workspace to end, and asserts that no process or instance is
    /// left.
    pub fn wait_for_end(&self, child: Child) -> Finished {
        let finished = Finished::from_output(child.wait_with_output().unwrap()).without_progress();
        // A process that weigh's own child killed may be listed for a moment longer.
        let deadline = Instant::now() + Duration::from_secs(5);
        while !self.processes().is_empty() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(self.processes(), [0; 0], "processes stayed after: {finished}");
        let leftovers: Vec<PathBuf> = fs::read_dir(self.tmp()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(leftovers.is_empty(), "{leftovers:?} stayed after: {finished}");
        finished
    }

    /// Waits until a benchmark has measured some blocks.
    pub fn wait_for_blocks(&self, child: &mut Child) {
        let samples = self.out().join("samples.jsonl");
        eventually("blocks are measured", || {
            assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
            fs::read_to_string(&samples).is_ok_and(|text| text.matches(r#""warm_up":false"#).count() > 2)
        });
    }

    /// Waits until the private instance of a benchmark has rows.
    pub fn wait_for_rows(&self, child: &mut Child) {
        eventually("rows are loaded", || {
            assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
            let tables = find_by_prefixes(&self.tmp(), &["weigh-", "data", "weigh_", "sbtest1.ibd"]);
            tables.iter().any(|table| fs::metadata(table).is_ok_and(|table| table.len() > 1 << 20))
        });
    }

    /// Waits until perf has attached. Its file then has more than 1 KiB, even without a sample.
    pub fn wait_for_perf(&self, child: &mut Child) {
        eventually("perf has attached", || {
            assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
            let written = find_by_prefixes(&self.tmp(), &["weigh-perf-", "perf.data"]);
            written.iter().any(|data| fs::metadata(data).is_ok_and(|data| data.len() > 1024))
        });
    }

    /// Returns the process id of the private instance.
    pub fn server_pid(&self) -> u32 {
        let datadir = format!("--datadir={}", self.tmp().display());
        let is_server = |pid: &u32| proc_file(*pid, "cmdline").contains(&datadir);
        self.processes().into_iter().find(is_server).expect("a private instance runs")
    }

    /// Returns all living processes with this TMPDIR in their environment or arguments.
    pub fn processes(&self) -> Vec<u32> {
        let tmp = self.tmp().to_str().unwrap().to_owned();
        let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        pids.filter(|pid| ["environ", "cmdline"].iter().any(|file| proc_file(*pid, file).contains(&tmp))).collect()
    }
}

/// Returns the paths below a folder whose components begin with `names`.
pub fn find_by_prefixes(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
    let Some((first, rest)) = names.split_first() else { return vec![folder.to_owned()] };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(first));
    named.flat_map(|entry| find_by_prefixes(&entry.path(), rest)).collect()
}

fn proc_file(pid: u32, name: &str) -> String {
    String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default()).into_owned()
}

/// Waits for a condition. The limit allows for a busy machine; no test asserts a time.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(300);
    while !holds() {
        assert!(Instant::now() < deadline, "not so after five minutes: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Runs a test of sampled or timed figures up to three times: a machine that stalls for seconds
/// spoils them. If the code is wrong, each attempt fails.
pub fn retry(test: impl Fn()) {
    for attempt in 1..3 {
        if catch_unwind(AssertUnwindSafe(&test)).is_ok() {
            return;
        }
        eprintln!("attempt {attempt} failed; another follows");
    }
    test();
}

pub fn send(signal: Signal, pid: u32) {
    kill_process(Pid::from_raw(pid as i32).unwrap(), signal).unwrap();
}

/// Output of a `weigh` that has ended.
pub struct Finished {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    pub fn from_output(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Removes the lines that show every 15 s that the work goes on, on a busy machine. The lines
    /// of `--verbose`, which begin at 0 s, are left.
    fn without_progress(mut self) -> Self {
        let is_progress = |line: &&str| line.starts_with('[') && line.contains(" s] ");
        if self.stderr.lines().any(|line| is_progress(&line)) && !self.stderr.starts_with("[   0 s] ") {
            let kept: Vec<&str> = self.stderr.lines().filter(|line| !is_progress(line)).collect();
            self.stderr = kept.iter().map(|line| format!("{line}\n")).collect();
        }
        self
    }

    /// Removes the message on the cost of profiling.
    pub fn without_cost(mut self) -> Self {
        let is_cost =
            |line: &&str| line.starts_with("Sampling process ") || line.starts_with("As root, with CAP_PERFMON");
        let lines: Vec<&str> = self.stderr.lines().filter(|line| !is_cost(line)).collect();
        self.stderr = lines.join("\n");
        self
    }

    /// Asserts exit status 2 and a single message, and returns the message.
    pub fn refusal(self) -> String {
        assert_eq!(self.code, Some(2), "{self}");
        assert_eq!(self.stdout, "", "{self}");
        let message = self.stderr.trim_end();
        assert!(message.starts_with("weigh: ") || message.starts_with("error: "), "{self}");
        assert_eq!(message.matches("weigh: ").count() + message.matches("error: ").count(), 1, "{self}");
        message.to_owned()
    }

    /// Asserts [`refusal`](Self::refusal) with all of `words`.
    pub fn refuses_with(self, words: &[&str]) {
        let message = self.refusal();
        for word in words {
            assert!(message.contains(word), "`{word}` is not in: {message}");
        }
    }
}

impl std::fmt::Display for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exit status {:?}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

pub struct Measured {
    pub run: Run,
    pub blocks: Vec<Block>,
    pub analysis: Analysis,
}

impl Measured {
    /// Returns the collations on a server in order, without the second copies that A/A pairs
    /// compare.
    pub fn collations(&self, server: usize) -> Vec<&str> {
        let own = self.run.variants.iter().filter(|variant| variant.server == server && !variant.copy);
        own.map(|variant| variant.collation.as_str()).collect()
    }

    pub fn notes(&self) -> String {
        self.run.notes.join("\n")
    }

    /// Returns the rows and statements of a variant in all counted blocks of a condition.
    pub fn rows_and_queries(&self, condition: usize, variant: usize) -> (f64, f64) {
        let blocks = self.blocks.iter().filter(|block| !block.warm_up && block.condition == condition);
        let own = blocks.flat_map(|block| &block.sides).filter(|side| side.variant == variant);
        own.fold((0.0, 0.0), |(rows, queries), side| (rows + side.rows.unwrap() as f64, queries + side.queries as f64))
    }

    pub fn results(&self) -> impl Iterator<Item = &VariantResult> {
        self.analysis.conditions.iter().flat_map(|condition| &condition.variants)
    }

    /// Asserts that each pair has a ratio with an interval, and each variant a speed and no errors.
    pub fn assert_complete(&self) {
        assert!(!self.run.conditions.is_empty() && self.analysis.conditions.len() == self.run.conditions.len());
        for (condition, result) in self.run.conditions.iter().zip(&self.analysis.conditions) {
            assert!(!result.comparisons.is_empty(), "{condition}");
            for comparison in &result.comparisons {
                let variant = &self.run.variants[comparison.variant];
                let ratio =
                    comparison.throughput.unwrap_or_else(|| panic!("{condition}: {} has no ratio", variant.collation));
                assert!(ratio.low > 0.0 && ratio.contains(ratio.value), "{condition}: {ratio:?}");
            }
            for variant in &result.variants {
                assert!(variant.queries_per_s > 0.0 && variant.p50_ms <= variant.p95_ms, "{condition}: {variant:?}");
                assert!(variant.errors.is_empty(), "{condition}: {variant:?}");
            }
        }
    }
}
