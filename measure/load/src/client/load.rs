//! A load on one schema: one connection and one thread per worker, waiting for the next block.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use server::ConnectionCharsets;
use workload::Script;

use super::arrivals::Arrivals;
use super::session::Session;
use super::settings::{Settings, Target};
use super::tally::Tally;
use super::worker::{Block, Command, ExtraWork, WorkerContext, run_commands};
use crate::accounting::{
    Cores, Counters, CpuAccounting, MAX_SAMPLED_CONNECTIONS, NoCpuAccounting, PAGES_READ_STATUS, ServerThreads,
};
use crate::error::{Error, WireError};
use crate::wire::{Connection, ConnectionCutter, Encoder, HandshakeOptions, NegotiatedFeatures};

/// Open connections, ready to run blocks of load on one schema.
pub struct Load {
    target: Target,
    settings: Settings,
    script: Arc<Script>,
    /// Number of restarts so far.
    generation: u32,
    pub(crate) workers: Vec<Worker>,
    pub(crate) server_threads: Option<ServerThreads>,
    /// The server's own CPU accounting, if the server threads are unknown.
    accounting: Result<CpuAccounting, NoCpuAccounting>,
    in_force: ConnectionCharsets,
    features: NegotiatedFeatures,
    binding: Binding,
    /// Length of a slice at the end of the last block with turns, in nanoseconds: the next block
    /// begins with it. 0 before the first one.
    slice_ns: AtomicU64,
    /// Seed of the next block's due times in an open loop: the number of blocks since the last
    /// restart, plus the number of restarts × 2³².
    arrival_seed: AtomicU64,
}

/// Whether all client and server threads of a load are bound to cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    NotRequested,
    /// Bound, as read back from the operating system.
    Bound,
    /// Not all threads are bound, for this reason.
    Failed(&'static str),
}

pub(crate) struct Worker {
    commands: Sender<Command>,
    pub(crate) reports: Receiver<Result<Tally, WireError>>,
    /// Ends the connection, and with it the thread's wait for the server.
    pub(crate) cutter: ConnectionCutter,
    thread: Option<JoinHandle<()>>,
    /// Receives once: `false` if the thread couldn't be bound to its core.
    binding_result: Receiver<bool>,
}

impl Load {
    /// Opens the connections, reads back the character sets in force on the first connection,
    /// identifies the server threads, and prepares the statements on every connection.
    pub fn start(target: Target, settings: &Settings, script: &Arc<Script>) -> Result<Self, Error> {
        Self::connect(target, settings.clone(), Arc::clone(script), 0)
    }

    /// Closes all connections and opens new ones. Each connection gets a new random sequence of
    /// statements.
    pub fn restart(self) -> Result<Self, Error> {
        let (target, settings, script) = (self.target.clone(), self.settings.clone(), Arc::clone(&self.script));
        let (generation, slice) = (self.generation + 1, self.last_slice_length());
        drop(self);
        let load = Self::connect(target, settings, script, generation)?;
        load.set_last_slice_length(slice);
        Ok(load)
    }

    fn connect(target: Target, settings: Settings, script: Arc<Script>, generation: u32) -> Result<Self, Error> {
        let encoder = Encoder::for_charset(&settings.connection.charset).ok_or_else(|| Error::UnknownCharset {
            server: target.server.clone(),
            charset: settings.connection.charset.clone(),
        })?;
        let failed = |doing| {
            let server = target.server.clone();
            move |source| Error::Wire { server, doing, source }
        };

        let mut connections = (0..settings.threads)
            .map(|_| open(&target, &settings, &encoder))
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed("connecting the load"))?;
        let (in_force, features) = match connections.first_mut() {
            Some(connection) => {
                let in_force =
                    read_connection_charsets(connection).map_err(failed("reading back the connection's charset"))?;
                (in_force, connection.negotiated_features())
            }
            None => return Err(Error::NoThreads),
        };
        let server_threads = match target.pid {
            Some(pid) => {
                ServerThreads::find(pid, connections.iter_mut()).map_err(failed("finding the server's threads"))?
            }
            None => None,
        };
        let accounting = match (&server_threads, connections.first_mut()) {
            (None, Some(connection)) => {
                CpuAccounting::find(connection).map_err(failed("asking for the server's accounting of CPU time"))?
            }
            _ => Err(NoCpuAccounting::Unneeded),
        };
        let cores = Cores::allowed();
        let mut binding = match (settings.pinned, &server_threads) {
            (false, _) => Binding::NotRequested,
            (true, None) => Binding::Failed("the server threads of the connections cannot be identified"),
            (true, Some(threads)) if threads.pin(&cores) => Binding::Bound,
            (true, Some(_)) => Binding::Failed(
                "this user may not bind the server's threads: run weigh as the server's own user, or as root",
            ),
        };
        let cores = (binding == Binding::Bound).then_some(cores);
        let first = generation.wrapping_mul(settings.threads);
        let workers = (0..)
            .zip(connections)
            .map(|(index, connection)| {
                let session = Session::prepare(connection, &script, settings.protocol)?;
                let generator = script.generator(first.wrapping_add(index)).with_segment(index, settings.threads);
                let extra_work = ExtraWork::new(settings.extra_work);
                let client = WorkerContext { session, generator, extra_work, ignored: settings.ignored_errors.clone() };
                Ok(Worker::spawn(client, index as usize, cores.clone()))
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed("preparing the workload's statements"))?;
        if !workers.iter().all(Worker::receive_binding_result) {
            binding = Binding::Failed("the threads of weigh itself cannot be bound");
        }
        let (slice_ns, arrival_seed) = (AtomicU64::new(0), AtomicU64::new(u64::from(generation) << 32));
        Ok(Self {
            target,
            settings,
            script,
            generation,
            workers,
            server_threads,
            accounting,
            in_force,
            features,
            binding,
            slice_ns,
            arrival_seed,
        })
    }

    /// Character sets in force, as read back on the first connection.
    pub fn in_force(&self) -> &ConnectionCharsets {
        &self.in_force
    }

    pub fn negotiated_features(&self) -> NegotiatedFeatures {
        self.features
    }

    /// Whether tallies include the server's CPU time.
    pub fn has_server_cpu(&self) -> bool {
        self.server_threads.is_some()
    }

    /// The server's own CPU accounting, or why it is not used.
    pub fn cpu_accounting(&self) -> Result<CpuAccounting, NoCpuAccounting> {
        self.accounting
    }

    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Length of a slice at the end of the last block with turns. 0 before the first one.
    pub(crate) fn last_slice_length(&self) -> Duration {
        Duration::from_nanos(self.slice_ns.load(Ordering::Relaxed))
    }

    pub(crate) fn set_last_slice_length(&self, slice: Duration) {
        self.slice_ns.store(slice.as_nanos() as u64, Ordering::Relaxed);
    }

    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Ids of the server threads that serve the connections. `None` if unknown.
    pub fn server_threads(&self) -> Option<&[u32]> {
        self.server_threads.as_ref().map(ServerThreads::ids)
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn script(&self) -> &Script {
        &self.script
    }

    pub(crate) fn is_open_loop(&self) -> bool {
        self.settings.rate.is_some()
    }

    /// Returns the due times for a block with load from `start` to `end`. `None` for a closed loop.
    pub(crate) fn arrivals(&self, start: Instant, end: Instant, grace: Duration) -> Option<Arc<Arrivals>> {
        let seed = self.arrival_seed.fetch_add(1, Ordering::Relaxed);
        self.settings.rate.map(|rate| Arc::new(Arrivals::new(rate, seed, start, end, grace)))
    }

    pub(crate) fn send_block(&self, block: &Block) {
        for worker in &self.workers {
            // Fails if the worker has ended. Collecting the block then returns an error.
            let _ = worker.commands.send(Command::Work(block.clone()));
        }
    }

    /// Requests the session counters of the first [`MAX_SAMPLED_CONNECTIONS`] connections. If the
    /// settings ask for the pages read, the first connection counts them. The receivers are in the
    /// order of the connections.
    pub(crate) fn request_counters(&self) -> Vec<Receiver<Result<Counters, WireError>>> {
        let cpu = self.accounting.ok().and_then(CpuAccounting::extra_query);
        let request = |(place, worker): (usize, &Worker)| {
            let (reply, counters) = mpsc::channel();
            // One connection reads the global counters.
            let pages = (place == 0 && self.settings.counts_pages_read).then_some(PAGES_READ_STATUS);
            // Fails if the worker has ended; the receiver of the counters then returns an error.
            let _ = worker.commands.send(Command::Status(cpu.into_iter().chain(pages).collect(), reply));
            counters
        };
        self.workers.iter().take(MAX_SAMPLED_CONNECTIONS).enumerate().map(request).collect()
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            let (disconnected, _) = mpsc::channel();
            worker.commands = disconnected; // hangs up, which ends the thread
        }
        for worker in &mut self.workers {
            if let Some(thread) = worker.thread.take() {
                let _ = thread.join();
            }
        }
    }
}

fn open(target: &Target, settings: &Settings, encoder: &Encoder) -> Result<Connection, WireError> {
    let charset = &settings.connection;
    let options =
        HandshakeOptions { collation: charset.handshake_collation, cache_metadata: !settings.common_features_only };
    let mut connection = Connection::open(&target.endpoint, &target.schema, options, encoder.clone())?;
    let collate = charset.collation.as_ref().map(|collation| format!(" COLLATE {}", sql::quote_string(collation)));
    let names = format!("SET NAMES {}{}", sql::quote_string(&charset.charset), collate.unwrap_or_default());
    for statement in [&names].into_iter().chain(&settings.session) {
        // Unlike the load's statements, these have a limit of time and size.
        connection.query_first_row(statement)?;
    }
    Ok(connection)
}

fn read_connection_charsets(connection: &mut Connection) -> Result<ConnectionCharsets, WireError> {
    let variables =
        "SELECT @@character_set_client, @@character_set_connection, @@character_set_results, @@collation_connection";
    match <[Option<String>; 4]>::try_from(connection.query_first_row(variables)?) {
        Ok([Some(client), Some(connection), results, Some(collation)]) => {
            Ok(ConnectionCharsets { client, connection, results, collation })
        }
        other => Err(WireError::protocol(format!("{other:?} for the session's charsets"))),
    }
}

impl Worker {
    fn spawn(client: WorkerContext, index: usize, cores: Option<Cores>) -> Self {
        let (commands, inbox) = mpsc::channel();
        let (send, reports) = mpsc::channel();
        let cutter = client.session.cutter();
        let (report_binding, binding_result) = mpsc::channel();
        let thread = thread::spawn(move || {
            // The receiver is gone only if connecting failed.
            let _ = report_binding.send(cores.is_none_or(|cores| cores.pin(None, index)));
            run_commands(client, &inbox, &send);
        });
        Self { commands, reports, cutter, thread: Some(thread), binding_result }
    }

    fn receive_binding_result(&self) -> bool {
        self.binding_result.recv().unwrap_or(false)
    }
}
