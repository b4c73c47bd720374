//! Runs a count: fresh starts of each server, several at the same time.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use fetch::Progress;
use measure::{DEFAULT_BASELINE, MeasuredFolder, PlanError};
use server::{Setting, Spec};
use workload::{Workload, WorkloadKind};

use crate::callgrind::Valgrind;
use crate::error::Error;
use crate::model::{Cell, FORMAT, FunctionCount, Options, Results};
use crate::start::{Context, Start, StartCell};
use crate::tally::Tally;

/// Interval between updates of the progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Statements to count.
#[derive(Clone, Debug)]
pub enum Source {
    BuiltIn(Vec<Workload>),
    /// Statement classes of a workload folder, each on its own.
    Folder {
        folder: Box<MeasuredFolder>,
        protocol: load::Protocol,
    },
}

impl Source {
    /// Returns the names of the workloads or classes.
    pub fn names(&self) -> Vec<String> {
        match self {
            Source::BuiltIn(workloads) => workloads.iter().map(ToString::to_string).collect(),
            Source::Folder { folder, .. } => folder.record.classes.iter().map(|class| class.name.clone()).collect(),
        }
    }
}

/// Options of a count.
#[derive(Clone, Debug)]
pub struct Request {
    pub source: Source,
    /// Collations by name, of a workload folder also `as-is`. `None`: the default list, without
    /// collations that a server lacks.
    pub collations: Option<Vec<String>>,
    /// Collation that the others are compared with.
    pub baseline: String,
    pub rows: workload::Options,
    /// Events of a workload that scans ranges, or of a statement class with long statements, in
    /// each start. Of others, ten times as many are counted: a start's singular events weigh more
    /// in short statements.
    pub events: u32,
    /// Fresh starts of each server.
    pub starts: u32,
    /// Maximum number of functions of each cell.
    pub functions: usize,
    /// Name for the count, such as a commit.
    pub label: Option<String>,
    /// Longest time of one statement.
    pub statement_time: Duration,
    /// Whether a named collation may be missing on all servers.
    pub may_lack_collations: bool,
}

impl Request {
    /// Returns the options as results record them. `settings` are those of the servers.
    pub fn options(&self, settings: &[Setting]) -> Options {
        Options {
            workloads: self.source.names(),
            collations: self.collations.clone(),
            baseline: self.baseline.clone(),
            rows: self.rows,
            events: self.events,
            starts: self.starts,
            functions: self.functions,
            settings: settings.iter().map(Setting::to_string).collect(),
            folder_sha256: match &self.source {
                Source::BuiltIn(_) => None,
                Source::Folder { folder, .. } => Some(folder.record.digest.clone()),
            },
        }
    }
}

/// Workloads that are counted by default.
pub const DEFAULT_WORKLOADS: [WorkloadKind; 8] = [
    WorkloadKind::OltpPointSelect,
    WorkloadKind::VarcharLookup,
    WorkloadKind::LikePrefix,
    WorkloadKind::VarcharJoin,
    WorkloadKind::GroupBy,
    WorkloadKind::OrderRanges,
    WorkloadKind::DistinctRanges,
    WorkloadKind::LongLiterals,
];

impl Default for Request {
    fn default() -> Self {
        Self {
            source: Source::BuiltIn(DEFAULT_WORKLOADS.map(Workload::from).into()),
            collations: None,
            baseline: DEFAULT_BASELINE.into(),
            rows: workload::Options { table_size: 1000, ..workload::Options::default() },
            events: 30,
            starts: 2,
            functions: 0,
            label: None,
            statement_time: Duration::from_secs(120),
            may_lack_collations: false,
        }
    }
}

/// Counts `request` on the servers that `specs` name, each started anew under valgrind.
pub fn run(
    request: &Request,
    specs: &[Spec],
    options: &server::Options,
    version: &str,
    progress: &dyn Progress,
) -> Result<Results, Error> {
    for spec in specs {
        // Installed first, with progress: the starts run at the same time.
        match spec {
            Spec::Private(origin) => drop(fetch::find_or_install(origin, progress)?),
            Spec::Attach(_) | Spec::Detached(_) => return Err(Error::NotPrivate { server: spec.to_string() }),
        }
    }
    let valgrind = Valgrind::find_or_install(progress)?;
    let tally = Tally::default();
    let must_have_collations = specs.len() == 1 && !request.may_lack_collations;
    let context = Context { request, options, valgrind: &valgrind, must_have_collations, tally: &tally };
    let mut starts = run_starts(&context, specs, progress)?;
    if !request.may_lack_collations
        && let Some(error) = take_missing_everywhere(&mut starts)
    {
        return Err(error.into());
    }
    let results = combine(request, request.options(&options.settings), starts, valgrind.version()?, version);
    if results.cells.is_empty() { Err(Error::Nothing) } else { Ok(results) }
}

/// Runs all starts of all servers, at most one per core at a time. Returns the starts of each
/// server.
fn run_starts(context: &Context<'_>, specs: &[Spec], progress: &dyn Progress) -> Result<Vec<Vec<Start>>, Error> {
    let request = context.request;
    let jobs: Vec<usize> = (0..specs.len()).flat_map(|server| vec![server; request.starts as usize]).collect();
    let (next, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let outcomes: Mutex<Vec<(usize, Result<Start, Error>)>> = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(jobs.len());
    let work = || {
        while let Some(&server) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = context.count(&specs[server]);
            let outcome = outcome.map_err(|error| error.name_memory(&specs[server].to_string()));
            let failed = outcome.is_err();
            outcomes.lock().expect("no worker panics while it holds the lock").push((server, outcome));
            if failed {
                // No further start: the error ends the run.
                next.store(jobs.len(), Ordering::Relaxed);
            }
        }
        ended.fetch_add(1, Ordering::Relaxed);
    };
    progress.step("starting servers under valgrind, and loading rows");
    thread::scope(|scope| {
        (0..workers).for_each(|_| drop(scope.spawn(work)));
        let mut has_rows = false;
        while ended.load(Ordering::Relaxed) < workers {
            thread::sleep(PROGRESS_INTERVAL);
            let Some((text, share)) = context.tally.describe(jobs.len()) else { continue };
            if !has_rows {
                progress.step(&text);
                has_rows = true;
            }
            progress.text(&text);
            progress.fraction(share);
        }
    });
    let mut starts: Vec<Vec<Start>> = specs.iter().map(|_| Vec::new()).collect();
    for (server, outcome) in outcomes.into_inner().expect("no worker panics while it holds the lock") {
        starts[server].push(outcome?);
    }
    Ok(starts)
}

/// Returns the error of a collation that no server has.
fn take_missing_everywhere(starts: &mut [Vec<Start>]) -> Option<PlanError> {
    let name = |error: &PlanError| match error {
        PlanError::UnknownCollation { name, .. } => Some(name.clone()),
        _ => None,
    };
    let first = starts.first()?.first()?;
    let lacks = |start: &Start, wanted: &PlanError| start.missing.iter().any(|error| name(error) == name(wanted));
    let everywhere =
        |wanted: &&PlanError| starts.iter().all(|of_server| of_server.iter().all(|start| lacks(start, wanted)));
    let at = first.missing.iter().position(|error| everywhere(&error))?;
    Some(starts[0][0].missing.swap_remove(at))
}

fn combine(request: &Request, options: Options, starts: Vec<Vec<Start>>, valgrind: String, version: &str) -> Results {
    let (mut servers, mut cells, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for (server, starts) in starts.into_iter().enumerate() {
        let label = starts.first().map_or("", |start| &start.info.label);
        let lacks = |error: &PlanError| match error {
            PlanError::UnknownCollation { name, .. } => format!("{label} has no {name}: left out"),
            error => error.to_string(),
        };
        let missing = starts.iter().flat_map(|start| &start.missing).map(lacks);
        for note in missing.chain(starts.iter().flat_map(|start| start.notes.clone())) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        let Some(first) = starts.first() else { continue };
        servers.push(first.info.clone());
        cells.extend(first.cells.iter().map(|cell| combine_cell(server, cell, &starts)));
    }
    Results {
        format: FORMAT.into(),
        weigh: version.into(),
        valgrind,
        counted_at: Some(measure::now()),
        label: request.label.clone(),
        machine: measure::describe_machine(),
        servers,
        options,
        cells,
        notes,
    }
}

fn combine_cell(server: usize, cell: &StartCell, starts: &[Start]) -> Cell {
    let same = |other: &&StartCell| other.workload == cell.workload && other.collation == cell.collation;
    let all: Vec<&StartCell> = starts.iter().filter_map(|start| start.cells.iter().find(same)).collect();
    Cell {
        server,
        workload: cell.workload.clone(),
        collation: cell.collation.clone(),
        statements: cell.statements,
        instructions: all.iter().map(|cell| cell.instructions).collect(),
        allocations: all.iter().map(|cell| cell.allocations).collect(),
        functions: mean_functions(&cell.functions, &all),
    }
}

/// Returns the functions of the first start with the means over the starts that list them.
fn mean_functions(first: &[FunctionCount], all: &[&StartCell]) -> Vec<FunctionCount> {
    let mean = |function: &FunctionCount| {
        let found = all.iter().filter_map(|cell| cell.functions.iter().find(|other| other.is_same(function)));
        let counts: Vec<f64> = found.map(|found| found.instructions).collect();
        FunctionCount {
            instructions: counts.iter().sum::<f64>() / counts.len() as f64,
            by_start: counts,
            ..function.clone()
        }
    };
    first.iter().map(mean).collect()
}
