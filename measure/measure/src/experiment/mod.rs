//! The experiment: restarts private servers, loads rows, runs load, and writes every block to the
//! run folder.
//!
//! ```text
//! prepare ─▶ run ─▶ replicate 0 ─▶ replicate 1 ─▶ … ─▶ finished
//!                   │                  (or failed: resumable after the last complete replicate)
//!                   └─ load rows ─▶ conditions on these rows ─▶ drop rows
//!                                   (connect ─▶ schedule::measure_condition)
//! ```

use std::thread;
use std::time::{Duration, Instant};

use lifecycle::interrupt;
use server::Server;
use workload::Text;

use crate::environment::machine;
use crate::folder::{RunFolder, RunFolderError};
use crate::model::{Driver, FORMAT, Mode, Options, Progress, Run, ScriptRecord, ServerInfo, Variant};
use crate::plan::{buffer_pool, preview};
use crate::request::{Pin, Request, WorkloadSource};
use crate::schedule::{Clock, Ledger, Limits, TimeBudget};

mod condition_state;
mod connecting;
mod error;
mod executor;
mod instances;
mod observer;
mod replicate;
mod resume;
mod rows;

use condition_state::ConditionState;
pub use connecting::default_connections;
pub use error::Error;
use instances::Instances;
pub use observer::{Observer, Probe};
use replicate::Replicate;
pub use resume::find_changes;

/// Server settings that affect the results. Read back from each server and recorded.
const SETTINGS: [&str; 16] = [
    "character_set_server",
    "collation_server",
    "innodb_buffer_pool_size",
    "innodb_flush_log_at_trx_commit",
    "innodb_doublewrite",
    "innodb_page_size",
    "log_bin",
    "max_connections",
    "performance_schema",
    "query_cache_type",
    "sort_buffer_size",
    "sql_mode",
    "sync_binlog",
    "thread_handling",
    "tmp_table_size",
    "transaction_isolation",
];

/// Maximum time between the loss of a connection and the end of the process of a private server. On
/// a busy machine the kernel takes seconds to release the memory of a killed process.
const MAX_EXIT_TIME: Duration = Duration::from_secs(10);

/// Outcome of a run: everything measured, and the error that ended the run early.
#[derive(Debug)]
pub struct Outcome {
    /// The run as written to its folder.
    pub run: Run,
    /// Error that ended the run early.
    pub failure: Option<Error>,
    /// Number of counted blocks. If 0, the run's files have been deleted, unless it was resumed or
    /// a probe has stored something in the folder.
    pub blocks: usize,
}

/// Writes the request to the run folder before anything is started, so that the run can be resumed
/// from any point.
pub fn prepare(request: &Request, folder: &RunFolder, weigh: &str) -> Result<(), RunFolderError> {
    folder.write_run(&new_run(request, &[], weigh))
}

/// Runs a request on the servers and writes all results into the folder. Continues after the
/// complete replicates of an unfinished run in the folder. Restarts private servers for each
/// replicate except the first that is measured here. In that one, the probe is called once for each
/// condition, while loads of the native client are connected.
pub fn run<'a>(
    request: &'a Request,
    servers: &mut [Server],
    folder: RunFolder,
    weigh: &str,
    observer: &'a dyn Observer,
    probe: Option<&'a mut (dyn Probe + 'a)>,
) -> Outcome {
    let mut experiment = Experiment {
        request,
        folder,
        observer,
        probe,
        run: new_run(request, servers, weigh),
        clock: Clock::start(),
        time: TimeBudget {
            max: request.max_time,
            requested: (!request.ratios).then_some(1).or(request.replicates),
            min_replicate_time: Duration::ZERO,
            spent: Duration::ZERO,
            renewal_time: Duration::ZERO,
        },
        ledger: Ledger::new(Limits {
            precision: request.precision,
            block: request.block,
            warmup: request.warmup,
            replicates: request.max_replicates(),
            seed: request.rows.seed,
        }),
        conditions: Vec::new(),
        first: 0,
    };
    let mut instances = Instances::new(servers);
    let failure = experiment.measure(&mut instances).err().map(|error| explain_failure(&instances, error));
    experiment.note_excluded_blocks();
    experiment.run.failure = failure.as_ref().map(ToString::to_string);
    experiment.run.finished = Some(now());
    let written = experiment.folder.write_run(&experiment.run).err().map(Error::from);
    Outcome { run: experiment.run, failure: failure.or(written), blocks: experiment.folder.counted_blocks() }
}

fn new_run(request: &Request, servers: &[Server], weigh: &str) -> Run {
    // Binds the threads of all sides or of none: binding one side only would favour that side.
    let ours = request.mode == Mode::Duet && request.driver == Driver::Native;
    let pinned = ours
        && match request.pin {
            Pin::Never => false,
            Pin::Private => servers.iter().all(Server::is_private),
            Pin::Attached => servers.iter().all(|server| server.pid().is_some()),
        };
    Run {
        format: FORMAT.into(),
        weigh: weigh.into(),
        started: now(),
        finished: None,
        failure: None,
        command: request.command.clone(),
        imported: None,
        machine: machine::describe_machine(),
        servers: Vec::new(),
        options: Options { pinned, turns: Some(ours), ..request.to_options() },
        recipe: request.recipe.clone(),
        workload_folder: request.workload_folder.as_ref().map(|folder| folder.record.clone()),
        script: request.script.as_ref().map(ScriptRecord::from),
        variants: Vec::new(),
        conditions: Vec::new(),
        pairs: Vec::new(),
        sizes: Vec::new(),
        plans: Vec::new(),
        notes: Vec::new(),
        progress: request.is_resumable().then(Progress::default),
    }
}

/// Returns the UTC time now, RFC 3339.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Replaces an error by its cause. After a signal, errors are interruptions. If a private server
/// has died, its death is the error. Connections may notice the death slightly before the process
/// has ended.
fn explain_failure(instances: &Instances<'_>, error: Error) -> Error {
    if interrupt::is_pending() {
        return Error::Interrupted;
    }
    if let Error::Load(load) = &error
        && let Some(server) = instances.all().find(|server| load.silent_server() == Some(server.label()))
    {
        return match server.check_replies() {
            Err(silent @ server::Error::Silent { .. }) => Error::ServerSilent(format!("{silent}\n({error})")),
            _ => error,
        };
    }
    let may_have_died = error.is_lost_connection() && instances.all().any(Server::is_private);
    let patience = if may_have_died { MAX_EXIT_TIME } else { Duration::ZERO };
    let deadline = Instant::now() + patience;
    loop {
        match instances.all().find_map(Server::describe_failure) {
            Some(what) => return Error::ServerDied(what),
            None if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
            _ => return error,
        }
    }
}

struct Experiment<'a> {
    request: &'a Request,
    folder: RunFolder,
    observer: &'a dyn Observer,
    probe: Option<&'a mut (dyn Probe + 'a)>,
    run: Run,
    clock: Clock,
    time: TimeBudget,
    ledger: Ledger,
    /// Conditions in the order of the run.
    conditions: Vec<ConditionState>,
    /// First replicate that this process measures. Above 0 if earlier replicates were resumed.
    first: u32,
}

/// Planned variants per text.
type TextPlans = [(Text, Vec<Variant>)];

impl Experiment<'_> {
    fn measure(&mut self, instances: &mut Instances<'_>) -> Result<(), Error> {
        self.resume_run()?;
        let facts = preview::read_server_collations(instances.servers())?;
        // Plan all texts before starting, so that errors in the request are reported first.
        let is_open = self.request.rate.is_some();
        let folder = self.request.workload_folder.as_ref();
        let mut notes = folder.map(|folder| folder.notes(is_open)).unwrap_or_default();
        let plans = preview::plan_variants(self.request, &facts, &mut notes)?;
        if let Some(sizing) = buffer_pool::size_buffer_pools(self.request, &plans, instances.servers())? {
            instances.start_one_per_variant(&sizing, &StageReporter(self.observer))?;
            notes.extend(describe_unequal_pools(instances)?);
        }
        self.run.servers = read_servers(instances.servers())?;
        notes.retain(|note| !self.run.notes.contains(note));
        self.run.notes.extend(notes);
        self.time.min_replicate_time = preview::min_replicate_time(self.request, &plans);
        self.folder.write_run(&self.run)?;
        for number in self.first.. {
            if number > 0 && (self.time.is_exhausted(number) || self.count_open_shares(&plans) == 0) {
                break;
            }
            let begun = Instant::now();
            if number > self.first {
                instances.start_anew(&StageReporter(self.observer))?;
            }
            let shares = self.count_open_shares(&plans);
            self.measure_replicate(Replicate::new(number, instances, &facts, begun.elapsed(), shares), &plans)?;
            self.record_progress(number + 1)?;
        }
        Ok(())
    }

    /// Records the number of complete replicates.
    fn record_progress(&mut self, replicates: u32) -> Result<(), Error> {
        let TimeBudget { spent, renewal_time, .. } = self.time;
        let progress = Progress { replicates, load_s: spent.as_secs_f64(), renewal_s: renewal_time.as_secs_f64() };
        self.run.progress = self.run.progress.map(|_| progress);
        Ok(self.folder.write_run(&self.run)?)
    }

    /// Returns the sum of the shares
    /// ([`WorkloadSource::share`](crate::request::WorkloadSource::share)) of all conditions that
    /// are not yet begun or not yet precise enough.
    fn count_open_shares(&self, plans: &TextPlans) -> usize {
        let shares: usize = self.request.workload_sources().iter().map(WorkloadSource::share).sum();
        let all = plans.len() * shares * self.request.threads.len();
        let done = self.conditions.iter().filter(|state| self.is_done(state));
        all - done.map(|state| state.source.share()).sum::<usize>()
    }

    fn is_done(&self, state: &ConditionState) -> bool {
        !state.pairs.is_empty() && state.pairs.clone().all(|pair| self.ledger.is_done(pair))
    }

    fn note_excluded_blocks(&mut self) {
        let conditions = self.conditions.iter().zip(&self.run.conditions);
        self.run.notes.extend(conditions.flat_map(|(state, condition)| state.notes(condition)));
    }
}

/// Returns a note if the buffer pool sizes in force differ between instances. `None` if they are
/// equal.
fn describe_unequal_pools(instances: &Instances<'_>) -> Result<Option<String>, server::Error> {
    let name = "innodb_buffer_pool_size";
    let read = |server: &Server| {
        let bytes = server.read_settings(&[name])?.remove(name).unwrap_or_default();
        Ok((server.label().to_owned(), bytes))
    };
    let pools: Vec<(String, String)> = instances.all().map(read).collect::<Result<_, server::Error>>()?;
    let differ = pools.windows(2).any(|two| two[0].1 != two[1].1);
    let each = || pools.iter().map(|(label, bytes)| format!("{label}: {bytes} bytes")).collect::<Vec<_>>().join("; ");
    Ok(differ.then(|| format!("servers round the size of a buffer pool differently: {}", each())))
}

fn read_servers(servers: &[Server]) -> Result<Vec<ServerInfo>, server::Error> {
    servers.iter().map(|server| ServerInfo::read(server, &SETTINGS)).collect()
}

/// Adapts an [`Observer`] to the progress interface of the server crate.
struct StageReporter<'a>(&'a dyn Observer);

impl server::Progress for StageReporter<'_> {
    fn step(&self, what: &str) {
        self.0.stage(what);
    }

    fn fraction(&self, done: f64) {
        self.0.fraction(done);
    }
}
