//! One fresh start of a server: loads rows and counts all cells.

use fetch::NoProgress;
use load::{SchemaOutcome, SchemaSpec, Schemas};
use measure::{MeasuredFolder, PlanError, ServerCollations, ServerInfo};
use result_diff::AS_IS;
use server::{CollationInfo, Server, Setting, Spec};
use workload::Workload;

use crate::callgrind::{Callgrind, Valgrind};
use crate::error::Error;
use crate::functions::FunctionCounter;
use crate::model::FunctionCount;
use crate::run::{Request, Source};
use crate::session::Session;
use crate::subject::{Side, Subject};
use crate::tally::Tally;
use crate::thread::find_thread;

/// Server variables that results record.
const SETTINGS: [&str; 2] = ["version_compile_machine", "version_compile_os"];

/// Settings for counting. Valgrind lacks io_uring, and cannot reserve the address space that
/// MariaDB asks for by default. The fill factor leaves space in the pages of converted tables: an
/// insert into a full page splits it, and its rollback merges it again, which takes up to 7 times
/// the instructions of the insert.
const COUNTING_SETTINGS: [(&str, &str); 4] = [
    ("loose-innodb-use-native-aio", "0"),
    ("innodb-buffer-pool-size", "134217728"),
    ("loose-innodb-buffer-pool-size-max", "134217728"),
    ("loose-innodb-fill-factor", "70"),
];

/// Name of the run in the names of schemas, equal in all starts: a server's hash tables depend on
/// names. The server is private and new, so it has no other run.
const RUN_NAME: &str = "count";

/// Counts of one start.
pub(crate) struct Start {
    pub info: ServerInfo,
    pub cells: Vec<StartCell>,
    /// Named collations that the server lacks.
    pub missing: Vec<PlanError>,
    pub notes: Vec<String>,
}

/// Counts of one workload under one collation in one start.
pub(crate) struct StartCell {
    pub workload: String,
    pub collation: String,
    pub statements: u64,
    /// Instructions per statement.
    pub instructions: f64,
    /// Allocations per statement.
    pub allocations: f64,
    /// Functions with their instructions per statement.
    pub functions: Vec<FunctionCount>,
}

/// Inputs and counters that all starts share.
pub(crate) struct Context<'a> {
    pub request: &'a Request,
    pub options: &'a server::Options,
    pub valgrind: &'a Valgrind,
    /// Whether a missing collation is an error.
    pub must_have_collations: bool,
    pub tally: &'a Tally,
}

impl Context<'_> {
    /// Starts the server that `spec` names and counts all cells.
    pub fn count(&self, spec: &Spec) -> Result<Start, Error> {
        let server = self.open(spec)?;
        self.count_on(&server).map_err(|error| match server.describe_failure() {
            Some(reason) => server::Error::Died(reason).into(),
            None => error,
        })
    }

    fn count_on(&self, server: &Server) -> Result<Start, Error> {
        let info = ServerInfo::read(server, &SETTINGS)?;
        let mut notes = Vec::new();
        let mut missing = Vec::new();
        let collations = self.collations(server, &mut missing)?;
        let schemas = Schemas::new(server, RUN_NAME)?;
        let sides = match &self.request.source {
            Source::BuiltIn(workloads) => self.load(workloads, &schemas, &collations, &mut notes)?,
            Source::Folder { folder, .. } => fill(folder, server, &schemas, &collations)?,
        };
        let cells = self.count_cells(server, &sides, &mut notes)?;
        Ok(Start { info, cells, missing, notes })
    }

    fn open(&self, spec: &Spec) -> Result<Server, Error> {
        let mut options = self.options.clone();
        options.run_under = Some(self.valgrind.run_under());
        let settings = COUNTING_SETTINGS.map(|(name, value)| Setting::known(name, value));
        options.settings.splice(0..0, settings);
        server::open(spec, &options, &NoProgress).map_err(|error| match error {
            server::Error::Start { label, reason } => Error::Unsupported { server: label, reason },
            error => error.into(),
        })
    }

    /// Returns the collations to count. Named ones that this server lacks go to `missing`, or are
    /// an error if the servers must have them.
    fn collations(&self, server: &Server, missing: &mut Vec<PlanError>) -> Result<Vec<SchemaSpec>, Error> {
        let facts = ServerCollations {
            label: server.label().into(),
            flavour: server.flavour(),
            collations: server.read_collations()?,
        };
        let facts = std::slice::from_ref(&facts);
        let Some(names) = &self.request.collations else {
            let found = measure::choose_collations(None, facts, &mut Vec::new())?.remove(0);
            return Ok(found.iter().map(spec).collect());
        };
        let mut chosen = Vec::new();
        for name in names {
            if name == AS_IS && matches!(self.request.source, Source::Folder { .. }) {
                chosen.push(SchemaSpec { charset: String::new(), collation: name.clone() });
                continue;
            }
            match measure::choose_collations(Some(std::slice::from_ref(name)), facts, &mut Vec::new()) {
                Ok(found) => chosen.extend(found.iter().flatten().map(spec)),
                Err(error) if self.must_have_collations => return Err(error.into()),
                Err(error) => missing.push(error),
            }
        }
        Ok(chosen)
    }

    /// Loads a schema for each collation. Leaves out collations that cannot hold the text.
    fn load(
        &self,
        workloads: &[Workload],
        schemas: &Schemas<'_>,
        wanted: &[SchemaSpec],
        notes: &mut Vec<String>,
    ) -> Result<Vec<Side>, Error> {
        let tables = workload::tables(workloads, &self.request.rows);
        let outcomes = schemas.load(&tables, wanted, &|_| {})?;
        let mut sides = Vec::new();
        for (SchemaSpec { charset, collation }, outcome) in wanted.iter().cloned().zip(outcomes) {
            match outcome {
                SchemaOutcome::Schema { name } => sides.push(Side { collation, charset, schema: name }),
                SchemaOutcome::CannotHold { reason } => notes.push(format!("{collation} is left out: {reason}")),
            }
        }
        Ok(sides)
    }

    fn count_cells(&self, server: &Server, sides: &[Side], notes: &mut Vec<String>) -> Result<Vec<StartCell>, Error> {
        let callgrind = Callgrind::new(self.valgrind, server)?;
        let mut session = Session::open(server, self.request.statement_time)?;
        if let Source::Folder { folder, .. } = &self.request.source {
            session.set(&folder.session_statements())?;
        }
        callgrind.start()?;
        let thread = find_thread(&callgrind, &mut session, server.label())?;
        let limit = self.request.statement_time;
        let mut subjects = Vec::new();
        let all = Subject::all(self.request, sides);
        self.tally.add_start(all.len());
        for subject in all {
            let name = subject.name();
            let warmed_up = subject.warm_up(&mut session, &callgrind, thread, server.label(), notes);
            match warmed_up.map_err(|error| error.name_slow(server.label(), &name, limit))? {
                Some(subject) => {
                    self.tally.add_warmed_up();
                    subjects.push(subject);
                }
                None => self.tally.remove_refused(),
            }
        }
        let preferred: Vec<String> = sides.iter().map(|side| side.collation.clone()).collect();
        let mut functions = FunctionCounter::new(server.pid(), preferred);
        let mut cells = Vec::new();
        for subject in &mut subjects {
            let name = subject.name();
            let slow = |error: Error| error.name_slow(server.label(), &name, limit);
            let prepared = subject.open(&mut session).map_err(slow)?;
            callgrind.reset()?;
            let statements = subject.run(&mut session, &prepared).map_err(slow)?;
            let threads = callgrind.take()?;
            session.close(prepared)?;
            let Some(count) = threads.iter().find(|count| count.thread == thread) else { continue };
            cells.push(StartCell {
                workload: subject.workload.clone(),
                collation: subject.side.collation.clone(),
                statements,
                instructions: count.instructions as f64 / statements as f64,
                allocations: count.allocations as f64 / statements as f64,
                functions: functions.count(count, statements, self.request.functions),
            });
            self.tally.add_counted();
        }
        Ok(cells)
    }
}

/// Fills a schema from a workload folder for each collation.
fn fill(
    folder: &MeasuredFolder,
    server: &Server,
    schemas: &Schemas<'_>,
    collations: &[SchemaSpec],
) -> Result<Vec<Side>, Error> {
    let fill_one = |SchemaSpec { collation, .. }: &SchemaSpec| {
        let name = Some(collation.as_str()).filter(|name| *name != AS_IS);
        let filled = result_diff::fill(server, &folder.folder, schemas, name, folder.convert_all, &[])?;
        Ok(Side { collation: collation.clone(), charset: folder.charset().to_owned(), schema: filled.schema })
    };
    collations.iter().map(fill_one).collect()
}

fn spec(collation: &CollationInfo) -> SchemaSpec {
    SchemaSpec { charset: collation.charset.clone(), collation: collation.name.clone() }
}
