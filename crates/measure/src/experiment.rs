//! The experiment itself: in each replicate servers are started, rows loaded, and variants put under load in turn; every block is written
//! down.

use std::thread;
use std::time::{Duration, Instant};

use server::{Server, interrupt};
use workload::Text;

use crate::buffer_pool;
use crate::error::Error;
use crate::folder::{Folder, FolderError};
use crate::instances::Instances;
use crate::machine;
use crate::model::{Condition, Driver, FORMAT, Mode, Options, Progress, Run, ScriptRecord, ServerInfo, Variant};
use crate::preview;
use crate::request::{Observer, Pin, Probe, Request};
use crate::schedule::{Ledger, Limits};
use crate::subject::Subject;
use crate::time::{Clock, Time};

mod planned;
mod replicate;
mod resume;

use planned::Planned;
use replicate::Replicate;
pub use resume::changes;

/// Settings that bear on what is measured, read back from each server and written down.
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

/// How long a server takes to be gone after its connections are.
const DYING: Duration = Duration::from_secs(2);

/// What became of a run: all that was measured, and what ended it early, if anything did.
#[derive(Debug)]
pub struct Outcome {
    /// The run as its folder holds it.
    pub run: Run,
    /// What ended it early.
    pub failure: Option<Error>,
    /// Blocks that were measured, warm-ups not counted. Where there is none, the run's folder is gone again.
    pub blocks: usize,
}

/// Writes down what is asked for before anything is done, so that a run can be resumed wherever it ends.
pub fn prepare(request: &Request, folder: &Folder, weigh: &str) -> Result<(), FolderError> {
    folder.write_run(&new_run(request, &[], weigh))
}

/// Measures what is asked for on the servers, and writes all of it into the folder. A run that the folder holds already goes on after its
/// whole replicates. Private servers are started anew for each replicate but the first. The probe, where there is one, has each
/// condition's load once its pairs are measured, in the first replicate.
pub fn run<'a>(
    request: &'a Request,
    servers: &mut [Server],
    folder: Folder,
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
        time: Time {
            max: request.max_time,
            asked: (!request.ratios).then_some(1).or(request.replicates),
            shortest: Duration::ZERO,
            spent: Duration::ZERO,
            renewal: Duration::ZERO,
        },
        ledger: Ledger::new(Limits {
            precision: request.precision,
            block: request.block,
            warmup: request.warmup,
            replicates: request.most_replicates(),
            seed: request.rows.seed,
        }),
        conditions: Vec::new(),
        first: 0,
    };
    let mut instances = Instances::new(servers);
    let failure = experiment.measure(&mut instances).err().map(|error| explain(&instances, error));
    experiment.note_blocks_left_out();
    experiment.run.failure = failure.as_ref().map(ToString::to_string);
    experiment.run.finished = Some(now());
    let written = experiment.folder.write_run(&experiment.run).err().map(Error::from);
    Outcome { run: experiment.run, failure: failure.or(written), blocks: experiment.folder.blocks() }
}

fn new_run(request: &Request, servers: &[Server], weigh: &str) -> Run {
    // All or none: a duet of a bound and an unbound side would favour one.
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
        machine: machine::describe(),
        servers: Vec::new(),
        options: Options { pinned, turns: Some(ours), ..request.options() },
        recipe: request.recipe.clone(),
        recording: request.recording.as_ref().map(|recording| recording.record.clone()),
        script: request.script.as_ref().map(ScriptRecord::from),
        variants: Vec::new(),
        conditions: Vec::new(),
        pairs: Vec::new(),
        sizes: Vec::new(),
        plans: Vec::new(),
        notes: Vec::new(),
        progress: request.can_be_resumed().then(Progress::default),
    }
}

fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// What a signal broke is no failure. And if a private server has died, its end is what there is to tell, not how it was noticed,
/// which may be a moment earlier.
fn explain(instances: &Instances<'_>, error: Error) -> Error {
    if interrupt::interrupted() {
        return Error::Interrupted;
    }
    if let Error::Load(load) = &error
        && let Some(server) = instances.all().find(|server| load.silent_server() == Some(server.label()))
    {
        return match server.check_answers() {
            Err(silent @ server::Error::Silent { .. }) => Error::ServerSilent(format!("{silent}\n({error})")),
            _ => error,
        };
    }
    let patience = if error.is_lost_connection() { DYING } else { Duration::ZERO };
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
    folder: Folder,
    observer: &'a dyn Observer,
    probe: Option<&'a mut (dyn Probe + 'a)>,
    run: Run,
    clock: Clock,
    time: Time,
    ledger: Ledger,
    /// The run's conditions, in its order.
    conditions: Vec<Planned>,
    /// The first replicate that is measured now.
    first: u32,
}

/// What is asked of the servers: texts with their variants.
type Plans = [(Text, Vec<Variant>)];

impl Experiment<'_> {
    fn measure(&mut self, instances: &mut Instances<'_>) -> Result<(), Error> {
        self.take_up()?;
        let facts = preview::facts(instances.servers())?;
        // All texts are planned first: what can't be measured is told before anything is.
        let is_open = self.request.rate.is_some();
        let recording = self.request.recording.as_ref();
        let mut notes = recording.map(|recording| recording.notes(is_open)).unwrap_or_default();
        let plans = preview::plans(self.request, &facts, &mut notes)?;
        if let Some(sizing) = buffer_pool::sizing(self.request, &plans, instances.servers())? {
            instances.set_apart(&sizing, &Steps(self.observer))?;
            notes.extend(unequal_pools(instances)?);
        }
        self.run.servers = read_servers(instances.servers())?;
        notes.retain(|note| !self.run.notes.contains(note));
        self.run.notes.extend(notes);
        self.time.shortest = self.shortest(&plans);
        self.folder.write_run(&self.run)?;
        for number in self.first.. {
            if number > 0 && (self.time.is_up(number) || self.open_shares(&plans) == 0) {
                break;
            }
            let begun = Instant::now();
            if number > self.first {
                instances.start_anew(&Steps(self.observer))?;
            }
            let shares = self.open_shares(&plans);
            self.replicate(Replicate::new(number, instances, &facts, begun.elapsed(), shares), &plans)?;
            self.note_progress(number + 1)?;
        }
        Ok(())
    }

    /// Writes down that so many replicates are whole.
    fn note_progress(&mut self, replicates: u32) -> Result<(), Error> {
        let Time { spent, renewal, .. } = self.time;
        let progress = Progress { replicates, load_s: spent.as_secs_f64(), renewal_s: renewal.as_secs_f64() };
        self.run.progress = self.run.progress.map(|_| progress);
        Ok(self.folder.write_run(&self.run)?)
    }

    /// What a replicate needs for one block of each pair, or with solos of each variant.
    fn shortest(&self, plans: &Plans) -> Duration {
        let subjects = self.request.subjects();
        let blocks = plans.iter().flat_map(|plan| subjects.iter().map(move |subject| (plan, subject)));
        let blocks = blocks.map(|((text, variants), subject)| match self.request.mode {
            Mode::Solo => variants.len(),
            Mode::Duet => {
                let condition = Condition { workload: String::new(), text: self.request.text_name(*text), threads: 1 };
                subject.pairs(0, &condition, variants, &self.request.axes).len()
            }
        });
        let blocks = blocks.sum::<usize>() * self.request.threads.len();
        (self.request.warmup + self.request.block) * blocks as u32
    }

    /// The shares of conditions that have pairs that are not precise enough.
    fn open_shares(&self, plans: &Plans) -> usize {
        let shares: usize = self.request.subjects().iter().map(Subject::share).sum();
        let all = plans.len() * shares * self.request.threads.len();
        let done = self.conditions.iter().filter(|planned| self.is_done(planned));
        all - done.map(|planned| planned.subject.share()).sum::<usize>()
    }

    fn is_done(&self, planned: &Planned) -> bool {
        !planned.pairs.is_empty() && planned.pairs.clone().all(|pair| self.ledger.is_done(pair))
    }

    fn note_blocks_left_out(&mut self) {
        let conditions = self.conditions.iter().zip(&self.run.conditions);
        self.run.notes.extend(conditions.flat_map(|(planned, condition)| planned.notes(condition)));
    }
}

/// What must be told where the buffer pools are not of one size, read back from each instance.
fn unequal_pools(instances: &Instances<'_>) -> Result<Option<String>, server::Error> {
    let name = "innodb_buffer_pool_size";
    let read = |server: &Server| {
        let bytes = server.settings_in_force(&[name])?.remove(name).unwrap_or_default();
        Ok((server.label().to_owned(), bytes))
    };
    let pools: Vec<(String, String)> = instances.all().map(read).collect::<Result<_, server::Error>>()?;
    let differ = pools.windows(2).any(|two| two[0].1 != two[1].1);
    let each = || pools.iter().map(|(label, bytes)| format!("{label}: {bytes} bytes")).collect::<Vec<_>>().join("; ");
    Ok(differ.then(|| format!("servers round the size of a buffer pool in ways of their own: {}", each())))
}

fn read_servers(servers: &[Server]) -> Result<Vec<ServerInfo>, server::Error> {
    servers.iter().map(|server| ServerInfo::read(server, &SETTINGS)).collect()
}

/// An observer, as whoever starts servers wants it.
struct Steps<'a>(&'a dyn Observer);

impl server::Progress for Steps<'_> {
    fn step(&self, what: &str) {
        self.0.stage(what);
    }

    fn fraction(&self, done: f64) {
        self.0.fraction(done);
    }
}
