//! A closed loop of load on one schema: a connection and a thread each, waiting for orders, block after block.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use server::{ConnectionCharsets, Endpoint, Server};
use workload::Script;

use crate::arrivals::Arrivals;
use crate::charset::Encoder;
use crate::client::{Block, Client, ExtraWork, Order, serve};
use crate::connection::Connection;
use crate::cpu::{Cores, ServerThreads};
use crate::error::{Error, IgnoredErrors, WireError};
use crate::handshake::{Agreed, Manners};
use crate::session::{Protocol, Session};
use crate::stream::Cut;
use crate::tally::Tally;
use crate::work::{Counters, CpuAccounting, PAGES_READ_STATUS, SAMPLED};

/// Which server and schema a load goes to.
#[derive(Clone, Debug)]
pub struct Target {
    /// The server's name in messages.
    pub server: String,
    /// Where it listens.
    pub endpoint: Endpoint,
    /// Its process, where it runs on this machine.
    pub pid: Option<u32>,
    /// The schema that holds the tables.
    pub schema: String,
}

/// The charset that the load's connections speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionCharset {
    /// MySQL's name of the charset.
    pub charset: String,
    /// Collation of the connection; the charset's default where absent.
    pub collation: Option<String>,
    /// Collation id that the client presents itself with in the handshake, which has one byte for it.
    pub handshake_collation: u8,
}

/// How the load runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Connections, each with a thread of its own.
    pub threads: u32,
    /// Prepared statements or literals in the text.
    pub protocol: Protocol,
    /// The connections' charset.
    pub connection: ConnectionCharset,
    /// What else each connection sets before it sends anything, as statements.
    pub session: Vec<String>,
    /// Whether each connection, its thread here and its thread in the server, is bound to one core: the first to the first core,
    /// and so on. The connections of a duet then meet on each core, and whatever else disturbs that core disturbs both alike.
    pub pinned: bool,
    /// Injected extra work: events that are done and not counted, for each one that is; 0.1 for one in ten. Divides throughput by one
    /// more than this, so that the self-test knows the true ratio.
    pub extra_work: f64,
    /// Events a second of an open loop, all connections together; in a closed loop, the default, each connection begins the next event when its
    /// last one has ended. In turns with another load there is no open loop.
    pub rate: Option<f64>,
    /// Level ground for servers of other flavours: nothing is agreed on that only some have, such as MariaDB's caching of metadata.
    pub level: bool,
    /// The servers' errors that are passed over; any other ends the block.
    pub ignored_errors: IgnoredErrors,
    /// Whether the pages that the server reads from disk are counted: they are this load's where no other is on that server.
    pub counts_pages_read: bool,
}

impl Target {
    /// A schema of this server.
    pub fn of(server: &Server, schema: &str) -> Self {
        Self {
            server: server.label().into(),
            endpoint: server.endpoint().clone(),
            pid: server.pid(),
            schema: schema.into(),
        }
    }
}

impl Settings {
    /// A closed loop of prepared statements, bound to no core, without extra work.
    pub fn new(threads: u32, connection: ConnectionCharset) -> Self {
        Self {
            threads,
            protocol: Protocol::Prepared,
            connection,
            session: Vec::new(),
            pinned: false,
            extra_work: 0.0,
            rate: None,
            level: false,
            ignored_errors: IgnoredErrors::default(),
            counts_pages_read: false,
        }
    }
}

/// Connections that stand ready to put load on one schema.
pub struct Load {
    target: Target,
    settings: Settings,
    script: Arc<Script>,
    /// How often the connections were made anew.
    generation: u32,
    pub(crate) workers: Vec<Worker>,
    pub(crate) server_threads: Option<ServerThreads>,
    /// Where the threads are not known: what the server itself tells of its CPU time.
    accounting: Option<CpuAccounting>,
    in_force: ConnectionCharsets,
    agreed: Agreed,
    binding: Binding,
    /// How long its turns turned out to have to be, in nanoseconds.
    slice_ns: AtomicU64,
    /// Open loops so far: each has times of its own.
    open_loops: AtomicU64,
}

/// Whether the connections' threads, here and in the server, are bound to cores: all of them or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Nobody asked for it.
    NotAsked,
    /// They are, as the system says on being asked.
    Bound,
    /// They are not, and why.
    Failed(&'static str),
}

/// A connection's thread, from the outside.
pub(crate) struct Worker {
    orders: Sender<Order>,
    pub(crate) reports: Receiver<Result<Tally, WireError>>,
    /// Ends the connection, and with it whatever the thread waits for.
    pub(crate) cut: Cut,
    thread: Option<JoinHandle<()>>,
    /// Tells once whether the thread is where it was asked to be.
    placed: Receiver<bool>,
}

impl Load {
    /// Connects, prepares every statement on every connection, and reads back what charset is in force.
    pub fn start(target: Target, settings: &Settings, script: &Arc<Script>) -> Result<Self, Error> {
        Self::connect(target, settings.clone(), Arc::clone(script), 0)
    }

    /// Gives up all connections and makes them anew; the statements to come are drawn anew too.
    pub fn restart(self) -> Result<Self, Error> {
        let (target, settings, script) = (self.target.clone(), self.settings.clone(), Arc::clone(&self.script));
        let (generation, slice) = (self.generation + 1, self.slice());
        drop(self);
        let load = Self::connect(target, settings, script, generation)?;
        load.learn_slice(slice);
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
        let (in_force, agreed) = match connections.first_mut() {
            Some(connection) => {
                let in_force = read_in_force(connection).map_err(failed("reading back the connection's charset"))?;
                (in_force, connection.agreed())
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
            _ => None,
        };
        let cores = Cores::allowed();
        let mut binding = match (settings.pinned, &server_threads) {
            (false, _) => Binding::NotAsked,
            (true, None) => Binding::Failed("the server's threads behind the connections cannot be told apart"),
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
                let generator = script.generator(first.wrapping_add(index)).in_segment(index, settings.threads);
                let extra_work = ExtraWork::new(settings.extra_work);
                let client = Client { session, generator, extra_work, ignored: settings.ignored_errors.clone() };
                Ok(Worker::spawn(client, index as usize, cores.clone()))
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed("preparing the workload's statements"))?;
        if !workers.iter().all(Worker::is_placed) {
            binding = Binding::Failed("the threads of weigh itself cannot be bound");
        }
        let (slice_ns, open_loops) = (AtomicU64::new(0), AtomicU64::new(u64::from(generation) << 32));
        Ok(Self {
            target,
            settings,
            script,
            generation,
            workers,
            server_threads,
            accounting,
            in_force,
            agreed,
            binding,
            slice_ns,
            open_loops,
        })
    }

    /// What the server says is in force on the connections.
    pub fn in_force(&self) -> &ConnectionCharsets {
        &self.in_force
    }

    /// What client and server agreed on while connecting.
    pub fn agreed(&self) -> Agreed {
        self.agreed
    }

    /// Whether the server's CPU time is told in the tallies.
    pub fn has_server_cpu(&self) -> bool {
        self.server_threads.is_some()
    }

    /// Where the threads behind the connections are not known: the server's own accounting of CPU time, where it is switched on.
    pub fn cpu_accounting(&self) -> Option<CpuAccounting> {
        self.accounting
    }

    /// Whether its threads are bound to cores.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// How long its turns had to be so far.
    pub(crate) fn slice(&self) -> Duration {
        Duration::from_nanos(self.slice_ns.load(Ordering::Relaxed))
    }

    pub(crate) fn learn_slice(&self, slice: Duration) {
        self.slice_ns.store(slice.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Where the load goes.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The server's threads behind the connections, where they can be told.
    pub fn server_threads(&self) -> Option<&[u32]> {
        self.server_threads.as_ref().map(ServerThreads::ids)
    }

    /// How it runs.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What they send.
    pub(crate) fn script(&self) -> &Script {
        &self.script
    }

    /// Whether it is an open loop.
    pub(crate) fn is_open(&self) -> bool {
        self.settings.rate.is_some()
    }

    /// When the events of a block are due that ends then, where it is an open loop.
    pub(crate) fn arrivals(&self, end: Instant, patience: Duration) -> Option<Arc<Arrivals>> {
        let seed = self.open_loops.fetch_add(1, Ordering::Relaxed);
        self.settings.rate.map(|rate| Arc::new(Arrivals::new(rate, seed, end, patience)))
    }

    pub(crate) fn order(&self, block: &Block) {
        for worker in &self.workers {
            // A worker that is gone has reported why, and is missed when the block is collected.
            let _ = worker.orders.send(Order::Work(block.clone()));
        }
    }

    /// Has some connections read their sessions' counters; they come in the order of the connections.
    pub(crate) fn ask_status(&self) -> Vec<Receiver<Result<Counters, WireError>>> {
        let cpu = self.accounting.and_then(CpuAccounting::statement);
        let ask = |(place, worker): (usize, &Worker)| {
            let (answer, counters) = mpsc::channel();
            // The server's own counters are the same on every connection.
            let pages = (place == 0 && self.settings.counts_pages_read).then_some(PAGES_READ_STATUS);
            // As above.
            let _ = worker.orders.send(Order::Status(cpu.into_iter().chain(pages).collect(), answer));
            counters
        };
        self.workers.iter().take(SAMPLED).enumerate().map(ask).collect()
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            let (nobody, _) = mpsc::channel();
            worker.orders = nobody; // hangs up, which ends the thread
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
    let manners = Manners { collation: charset.handshake_collation, cache_metadata: !settings.level };
    let mut connection = Connection::open(&target.endpoint, &target.schema, manners, encoder.clone())?;
    let collate = charset.collation.as_ref().map(|collation| format!(" COLLATE '{collation}'"));
    connection.query(&format!("SET NAMES '{}'{}", charset.charset, collate.unwrap_or_default()))?;
    for statement in &settings.session {
        connection.query(statement)?;
    }
    Ok(connection)
}

fn read_in_force(connection: &mut Connection) -> Result<ConnectionCharsets, WireError> {
    let variables =
        "SELECT @@character_set_client, @@character_set_connection, @@character_set_results, @@collation_connection";
    match <[Option<String>; 4]>::try_from(connection.first_row(variables)?) {
        Ok([Some(client), Some(connection), results, Some(collation)]) => {
            Ok(ConnectionCharsets { client, connection, results, collation })
        }
        other => Err(WireError::protocol(format!("{other:?} for the session's charsets"))),
    }
}

impl Worker {
    fn spawn(client: Client, index: usize, cores: Option<Cores>) -> Self {
        let (orders, received) = mpsc::channel();
        let (send, reports) = mpsc::channel();
        let cut = client.session.cut();
        let (tell, placed) = mpsc::channel();
        let thread = thread::spawn(move || {
            // Whoever made this thread waits for the answer, or has given up on all.
            let _ = tell.send(cores.is_none_or(|cores| cores.pin(None, index)));
            serve(client, &received, &send);
        });
        Self { orders, reports, cut, thread: Some(thread), placed }
    }

    fn is_placed(&self) -> bool {
        self.placed.recv().unwrap_or(false)
    }
}
