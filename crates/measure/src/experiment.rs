//! The experiment itself: rows loaded, variants put under load in turn, every block written down.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use drive::{ConnectionCharset, Load, Loaded, Schemas, Settings, Target, Wanted};
use server::{Layers, Server, interrupt};
use workload::{Table, Text, Workload};

use crate::error::Error;
use crate::executor::{Loads, MOST_RESTARTED, Real};
use crate::folder::Folder;
use crate::machine;
use crate::model::{Block, Cell, Driver, FORMAT, Mode, Options, Pair, Run, ServerInfo, TableSize, Variant};
use crate::plan::{self, Facts, PlanError};
use crate::preview::{self, schema_key};
use crate::request::{Observer, Probe, Request};
use crate::schedule::{self, Limits, Standing, Task};

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

/// Presented in the handshake where a charset has no collation id of one byte.
const UTF8MB4_GENERAL_CI: u8 = 45;

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

/// Measures what is asked for on the servers, and writes all of it into the folder. The probe, where there is one, has each cell's load
/// once its pairs are measured.
pub fn run<'a>(
    request: &'a Request,
    servers: &'a [Server],
    folder: Folder,
    weigh: &str,
    observer: &'a dyn Observer,
    probe: Option<&'a mut (dyn Probe + 'a)>,
) -> Outcome {
    let mut experiment = Experiment {
        request,
        servers,
        folder,
        observer,
        probe,
        run: new_run(request, servers, weigh),
        started: Instant::now(),
        spent: Duration::ZERO,
        cells_left: request.axes.texts.len() * request.workloads.len() * request.threads.len(),
    };
    let failure = experiment.measure().err().map(|error| experiment.explain(error));
    experiment.run.failure = failure.as_ref().map(ToString::to_string);
    experiment.run.finished = Some(now());
    let written = experiment.folder.write_run(&experiment.run).err().map(Error::from);
    Outcome { run: experiment.run, failure: failure.or(written), blocks: experiment.folder.blocks() }
}

fn new_run(request: &Request, servers: &[Server], weigh: &str) -> Run {
    // All or none: a duet of a bound and an unbound side would favour one. Where a stranger's server runs its threads is not ours
    // to say.
    let ours = request.mode == Mode::Duet && request.driver == Driver::Native;
    let pinned = request.pin && ours && servers.iter().all(Server::is_private);
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
        options: Options { pinned, ..request.options() },
        recipe: request.recipe.clone(),
        variants: Vec::new(),
        cells: Vec::new(),
        pairs: Vec::new(),
        sizes: Vec::new(),
        notes: Vec::new(),
    }
}

fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

struct Experiment<'a> {
    request: &'a Request,
    servers: &'a [Server],
    folder: Folder,
    observer: &'a dyn Observer,
    probe: Option<&'a mut (dyn Probe + 'a)>,
    run: Run,
    started: Instant,
    /// Time spent measuring; loading rows and connecting are not in it.
    spent: Duration,
    cells_left: usize,
}

/// The schemas of one text, on all servers.
struct Rows<'a> {
    /// Dropped with this.
    schemas: Vec<Schemas<'a>>,
    /// The schema of each variant of the run that holds this text.
    names: BTreeMap<usize, String>,
}

impl<'a> Experiment<'a> {
    fn measure(&mut self) -> Result<(), Error> {
        self.read_servers()?;
        let facts = preview::facts(self.servers)?;
        let request = self.request;
        // All texts are planned first: what can't be measured is told before anything is.
        let mut plans = Vec::new();
        for &text in &request.axes.texts {
            plans.push((text, preview::variants(request, text, &facts, &mut self.run.notes)?));
        }
        self.folder.write_run(&self.run)?;
        for (text, variants) in plans {
            let rows = self.load_rows(text, &variants)?;
            for workload in &request.workloads {
                for &threads in &request.threads {
                    let cell = Cell { workload: workload.to_string(), text: text.to_string(), threads };
                    self.measure_cell(*workload, cell, &facts, &rows)?;
                }
            }
            for schemas in rows.schemas {
                schemas.remove()?;
            }
        }
        Ok(())
    }

    /// What a signal broke is no failure. And if a private server has died, its end is what there is to tell, not how it was noticed,
    /// which may be a moment earlier.
    fn explain(&self, error: Error) -> Error {
        if interrupt::interrupted() {
            return Error::Interrupted;
        }
        if let Error::Load(load) = &error
            && let Some(server) = self.servers.iter().find(|server| load.silent_server() == Some(server.label()))
        {
            return match server.check_answers() {
                Err(silent @ server::Error::Silent { .. }) => Error::ServerSilent(format!("{silent}\n({error})")),
                _ => error,
            };
        }
        let patience = if error.is_lost_connection() { DYING } else { Duration::ZERO };
        let deadline = Instant::now() + patience;
        loop {
            match self.servers.iter().find_map(Server::describe_failure) {
                Some(what) => return Error::ServerDied(what),
                None if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
                _ => return error,
            }
        }
    }

    fn read_servers(&mut self) -> Result<(), Error> {
        for server in self.servers {
            self.run.servers.push(ServerInfo::read(server, &SETTINGS)?);
        }
        Ok(())
    }

    /// Loads the rows of one text into a schema for each collation, and adds its variants to the run.
    fn load_rows(&mut self, text: Text, variants: &[Variant]) -> Result<Rows<'a>, Error> {
        let tables = preview::tables(self.request, text);
        let mut rows = Rows { schemas: Vec::new(), names: BTreeMap::new() };
        for (index, server) in self.servers.iter().enumerate() {
            let own: Vec<&Variant> = variants.iter().filter(|variant| variant.server == index).collect();
            self.load_server(server, text, &tables, &own, &mut rows)?;
        }
        Ok(rows)
    }

    fn load_server(
        &mut self,
        server: &'a Server,
        text: Text,
        tables: &[Table],
        variants: &[&Variant],
        rows: &mut Rows<'a>,
    ) -> Result<(), Error> {
        let mut keys: Vec<(&str, bool)> = variants.iter().map(|variant| schema_key(variant)).collect();
        keys.dedup();
        let charset = |collation: &str| {
            variants.iter().find(|variant| variant.collation == collation).map_or("", |variant| &variant.charset)
        };
        let wanted: Vec<Wanted> = keys
            .iter()
            .map(|(collation, _)| Wanted { charset: charset(collation).into(), collation: (*collation).into() })
            .collect();

        self.observer.stage(&format!("{}: loading {text} text", server.label()));
        let observer = self.observer;
        let report = |progress: drive::Progress| observer.fraction(progress.done as f64 / progress.total.max(1) as f64);
        let schemas = Schemas::new(server, &run_id())?;
        let loaded = schemas.load(tables, &wanted, &report)?;
        rows.schemas.push(schemas);
        let held_before = rows.names.len();
        for &variant in variants {
            let place = keys.iter().position(|key| *key == schema_key(variant));
            match place.map(|place| &loaded[place]) {
                Some(Loaded::Schema { name }) => {
                    rows.names.insert(self.run.variants.len(), name.clone());
                    let layers = read_layers(server, name, &tables[0])?;
                    if !variant.copy {
                        self.run.sizes.extend(read_sizes(server, name, tables, self.run.variants.len())?);
                    }
                    self.run.variants.push(Variant { layers: Some(layers), ..variant.clone() });
                }
                Some(Loaded::CannotHold { reason })
                    if self.request.axes.baseline.as_ref() == Some(&variant.collation) =>
                {
                    let (name, reason) = (variant.collation.clone(), format!("{} says that {reason}", server.label()));
                    return Err(PlanError::NoBaseline { name, reason }.into());
                }
                Some(Loaded::CannotHold { reason }) => {
                    let note = format!("{}, {}: {reason}: left out", server.label(), variant.collation);
                    if !self.run.notes.contains(&note) {
                        self.run.notes.push(note);
                    }
                }
                None => unreachable!("every variant's key is among the keys"),
            }
        }
        if rows.names.len() == held_before {
            return Err(Error::NothingToMeasure { server: server.label().into(), text: text.to_string() });
        }
        Ok(())
    }

    /// Connects the loads of one cell, measures all its pairs, and writes each block down.
    fn measure_cell(&mut self, workload: Workload, cell: Cell, facts: &[Facts], rows: &Rows<'a>) -> Result<(), Error> {
        let index = self.run.cells.len();
        let first_pair = self.run.pairs.len();
        if self.request.ratios {
            self.run.pairs.extend(plan::pairs(index, &cell, &self.run.variants, &self.request.axes));
        }
        self.run.cells.push(cell.clone());
        self.observer.stage(&format!("{cell}: connecting"));
        let loads = self.connect(workload, &cell, facts, rows)?;
        self.folder.write_run(&self.run)?;

        self.observer.measuring(self.request.max_time);
        let turns = self.run.options.pinned;
        let restarts = turns && self.run.cells[index].threads <= MOST_RESTARTED;
        let mut executor = Real { loads, turns, restarts, started: self.started, lost_in_a_row: 0 };
        let begun = self.started.elapsed();
        let budget = self.request.max_time.saturating_sub(self.spent) / self.cells_left.max(1) as u32;
        self.cells_left = self.cells_left.saturating_sub(1);
        let limits = Limits {
            precision: self.request.precision,
            block: self.request.block,
            warmup: self.request.warmup,
            seed: self.request.rows.seed,
        };
        let (run, folder, observer, spent) = (&self.run, &mut self.folder, self.observer, self.spent);
        let pairs: Vec<(usize, &Pair)> = (first_pair..).zip(&run.pairs[first_pair..]).collect();
        let task = Task { cell: index, pairs: &pairs, mode: self.request.mode, limits, deadline: begun + budget };
        let started = self.started;
        let (mut idle, mut lost) = (0, 0);
        let mut sink = |block: &Block, standings: &[Standing]| -> Result<(), Error> {
            folder.append(block)?;
            let connections: u32 = block.sides.iter().map(|side| side.lost_connections).sum();
            lost += connections;
            idle += u32::from(!block.warm_up && connections == 0 && block.sides.iter().any(|side| side.events == 0));
            observer.block(run, block, standings, spent + started.elapsed() - begun);
            Ok(())
        };
        let measured = schedule::measure(&mut executor, task, &mut sink);
        self.spent += self.started.elapsed() - begun;
        if lost > 0 {
            let cell = &self.run.cells[index];
            let note =
                format!("{cell}: connections lost and made anew: {lost}; the blocks they were lost in are left out");
            self.run.notes.push(note);
        }
        if idle > 0 {
            let cell = &self.run.cells[index];
            let note = format!(
                "{cell}: blocks in which a side completed nothing, and which give no ratio: {idle}; a longer --block would"
            );
            self.run.notes.push(note);
        }
        measured?;
        self.probe(index, &executor.loads)
    }

    fn probe(&mut self, cell: usize, loads: &Loads) -> Result<(), Error> {
        let Some(probe) = self.probe.as_mut() else { return Ok(()) };
        let Loads::Native(loads) = loads else { return Ok(()) };
        if probe.cell(&self.run, cell, loads, self.observer)? {
            self.folder.keep();
        }
        if interrupt::interrupted() { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn connect(&mut self, workload: Workload, cell: &Cell, facts: &[Facts], rows: &Rows<'a>) -> Result<Loads, Error> {
        let options = workload::Options { text: cell.text.parse().expect("a text's own name"), ..self.request.rows };
        let mut targets = BTreeMap::new();
        for (&index, schema) in &rows.names {
            let variant = &self.run.variants[index];
            let server = &self.servers[variant.server];
            let target = Target {
                server: server.label().into(),
                endpoint: server.endpoint().clone(),
                pid: server.pid(),
                schema: schema.clone(),
            };
            let connection = connection_charset(variant, &facts[variant.server]);
            let pinned = self.run.options.pinned;
            let handicap = variant.handicap.unwrap_or(0.0);
            let settings =
                Settings { threads: cell.threads, protocol: self.request.protocol, connection, pinned, handicap };
            targets.insert(index, (target, settings));
        }
        if self.request.driver == Driver::Sysbench {
            return Ok(Loads::Sysbench { workload, rows: options, targets });
        }
        let script = Arc::new(workload.script(&options));
        let mut loads = BTreeMap::new();
        for (index, (target, settings)) in targets {
            let load = Load::start(target, &settings, &script)?;
            let layers = self.run.variants[index].layers.as_mut();
            if let Some(layers) = layers {
                layers.connection = Some(load.in_force().clone());
                layers.handshake_collation_id = Some(settings.connection.handshake_collation.into());
            }
            loads.insert(index, load);
        }
        if loads.values().any(|load| !load.has_server_cpu()) {
            let note = "server CPU is not told where the server runs elsewhere or its threads cannot be told apart";
            if !self.run.notes.iter().any(|known| known == note) {
                self.run.notes.push(note.into());
            }
        }
        Ok(Loads::Native(loads))
    }
}

/// A name for the schemas of this run, unlike that of others on the same server.
fn run_id() -> String {
    let nanoseconds = jiff::Timestamp::now().as_nanosecond() as u64;
    format!("{:x}_{:x}", std::process::id(), nanoseconds & 0xFFFF_FFFF)
}

fn read_layers(server: &Server, schema: &str, table: &Table) -> Result<Layers, Error> {
    let column = table.text_columns().next().unwrap_or("id");
    let mut conn = server.control()?;
    server::layers(&mut conn, schema, &table.name, column).map_err(|source| {
        let label = server.label().into();
        server::Error::Statement { label, what: "tell the charsets in force", source }.into()
    })
}

fn read_sizes(server: &Server, schema: &str, tables: &[Table], variant: usize) -> Result<Vec<TableSize>, Error> {
    let of_table = |size: drive::TableSize| TableSize {
        variant,
        table: size.table,
        rows: size.rows,
        data_bytes: size.data_bytes,
        index_bytes: size.index_bytes,
        leaf_pages: size.leaf_pages,
        page_bytes: size.page_bytes,
    };
    Ok(drive::table_sizes(server, schema, tables)?.into_iter().map(of_table).collect())
}

/// What the load's connections of a variant speak: its own collation where the charset is its own, else the charset's default.
fn connection_charset(variant: &Variant, facts: &Facts) -> ConnectionCharset {
    let own = variant.connection_charset == variant.charset;
    let default = facts
        .collations
        .iter()
        .find(|collation| collation.charset == variant.connection_charset && collation.is_default);
    // The handshake has one byte for the collation; SET NAMES follows, so any collation of the charset would do.
    let one_byte = |id: u16| u8::try_from(id).ok();
    let of_charset = || {
        let mut ids = facts.collations.iter().filter(|c| c.charset == variant.connection_charset).map(|c| c.id);
        ids.find_map(one_byte)
    };
    ConnectionCharset {
        charset: variant.connection_charset.clone(),
        collation: own.then(|| variant.collation.clone()),
        handshake_collation: default.and_then(|c| one_byte(c.id)).or_else(of_charset).unwrap_or(UTF8MB4_GENERAL_CI),
    }
}
