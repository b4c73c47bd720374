//! A closed loop of load on one schema: a connection and a thread each, waiting for orders, block after block.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use server::{ConnectionCharsets, Endpoint};
use workload::Script;

use crate::charset::Encoder;
use crate::connection::Connection;
use crate::cpu::{Cores, ServerThreads, own_cpu_ns};
use crate::error::Error;
use crate::error::WireError;
use crate::session::{Protocol, Session};
use crate::turns::Turns;

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
    /// Whether each connection, its thread here and its thread in the server, is bound to one core: the first to the first core,
    /// and so on. The connections of a duet then meet on each core, and whatever else disturbs that core disturbs both alike.
    pub pinned: bool,
    /// Events that are done beside each one that is counted, 0.1 for one in ten: a known handicap, by which the measuring itself is
    /// measured. Throughput is then what it would be, divided by one more than this.
    pub handicap: f64,
}

/// Connections that stand ready to put load on one schema.
pub struct Load {
    target: Target,
    settings: Settings,
    script: Arc<Script>,
    /// How often the connections were made anew.
    generation: u32,
    workers: Vec<Worker>,
    server_threads: Option<ServerThreads>,
    in_force: ConnectionCharsets,
}

struct Worker {
    orders: Sender<Order>,
    reports: Receiver<Result<Tally, WireError>>,
    thread: Option<JoinHandle<()>>,
}

/// Load until `end`, counting what begins from `begin` on; in turns with others where there are turns to take.
#[derive(Clone)]
struct Order {
    begin: Instant,
    end: Instant,
    turns: Option<(Arc<Turns>, usize)>,
}

/// What one load did in one block.
#[derive(Clone, Debug)]
pub struct Tally {
    /// How long the load was on, counted, in seconds: the block's length, or in turns the sum of this side's.
    pub seconds: f64,
    /// Events (transactions, in sysbench's terms) completed in that time.
    pub events: u64,
    /// Statements of those events.
    pub queries: u64,
    /// Rows that the server sent for them.
    pub rows: u64,
    /// Statements of the whole time under load, lead-in included: what the CPU times below were spent on.
    pub all_queries: u64,
    /// Failed events by the server's error number.
    pub errors: BTreeMap<u16, u64>,
    /// Latency of the events, in nanoseconds.
    pub latency: Histogram<u64>,
    /// CPU time of the client's threads, in nanoseconds.
    pub client_cpu_ns: u64,
    /// CPU time of the server's threads behind the connections, in nanoseconds, where it can be told.
    pub server_cpu_ns: Option<u64>,
}

impl Tally {
    fn new() -> Self {
        Self {
            seconds: 0.0,
            events: 0,
            queries: 0,
            rows: 0,
            all_queries: 0,
            errors: BTreeMap::new(),
            latency: new_histogram(),
            client_cpu_ns: 0,
            server_cpu_ns: None,
        }
    }

    fn add(&mut self, other: &Tally) {
        self.seconds += other.seconds;
        self.events += other.events;
        self.queries += other.queries;
        self.rows += other.rows;
        self.all_queries += other.all_queries;
        self.client_cpu_ns += other.client_cpu_ns;
        for (&code, &count) in &other.errors {
            *self.errors.entry(code).or_default() += count;
        }
        self.latency.add(&other.latency).expect("all histograms have the same bounds");
    }
}

/// A histogram of latencies from 100 ns to 1,000 s, three significant digits.
pub fn new_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(100, 1_000_000_000_000, 3).expect("the bounds are valid")
}

impl Load {
    /// Connects, prepares every statement on every connection, and reads back what charset is in force.
    pub fn start(target: Target, settings: &Settings, script: &Arc<Script>) -> Result<Self, Error> {
        Self::connect(target, settings.clone(), Arc::clone(script), 0)
    }

    /// Gives up all connections and makes them anew; the statements to come are drawn anew too.
    pub fn restart(self) -> Result<Self, Error> {
        let (target, settings, script) = (self.target.clone(), self.settings.clone(), Arc::clone(&self.script));
        let generation = self.generation + 1;
        drop(self);
        Self::connect(target, settings, script, generation)
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
            .map(|_| open(&target, &settings.connection, &encoder))
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed("connecting the load"))?;
        let in_force = match connections.first_mut() {
            Some(connection) => read_in_force(connection).map_err(failed("reading back the connection's charset"))?,
            None => return Err(Error::NoThreads),
        };
        let server_threads = match target.pid {
            Some(pid) => {
                ServerThreads::find(pid, connections.iter_mut()).map_err(failed("finding the server's threads"))?
            }
            None => None,
        };
        let cores = settings.pinned.then(Cores::allowed);
        if let (Some(threads), Some(cores)) = (&server_threads, &cores) {
            threads.pin(cores);
        }
        let first = generation.wrapping_mul(settings.threads);
        let workers = (0..)
            .zip(connections)
            .map(|(index, connection)| {
                let session = Session::prepare(connection, &script, settings.protocol)?;
                let generator = script.generator(first.wrapping_add(index));
                let client = Client { session, generator, handicap: Handicap::new(settings.handicap) };
                Ok(Worker::spawn(client, index as usize, cores.clone()))
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed("preparing the workload's statements"))?;
        Ok(Self { target, settings, script, generation, workers, server_threads, in_force })
    }

    /// What the server says is in force on the connections.
    pub fn in_force(&self) -> &ConnectionCharsets {
        &self.in_force
    }

    /// Whether the server's CPU time is told in the tallies.
    pub fn has_server_cpu(&self) -> bool {
        self.server_threads.is_some()
    }

    /// Where the load goes.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The server's threads behind the connections, where they can be told.
    pub fn server_threads(&self) -> Option<&[u32]> {
        self.server_threads.as_ref().map(ServerThreads::ids)
    }

    fn order(&self, order: &Order) {
        for worker in &self.workers {
            // A worker that is gone has reported why; `collect` says so.
            let _ = worker.orders.send(order.clone());
        }
    }

    fn collect(&self) -> Result<Tally, Error> {
        let mut sum = Tally::new();
        let mut failure = None;
        for worker in &self.workers {
            match worker.reports.recv() {
                Ok(Ok(tally)) => sum.add(&tally),
                Ok(Err(source)) => failure = failure.or(Some(source)),
                Err(_) => failure = failure.or(Some(WireError::protocol("a connection failed in an earlier block"))),
            }
        }
        sum.seconds /= self.workers.len().max(1) as f64;
        match failure {
            None => Ok(sum),
            Some(source) => {
                Err(Error::Wire { server: self.target.server.clone(), doing: "running the workload", source })
            }
        }
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

/// How the loads of a block share its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// All at the same time.
    Together,
    /// In turns of this length.
    Turns(Duration),
}

/// Puts the loads to work in one block, for `lead_in` uncounted and then for `length` counted, and returns what each did: a duet
/// with two loads, a solo with one.
pub fn run_block(loads: &[&Load], sharing: Sharing, lead_in: Duration, length: Duration) -> Result<Vec<Tally>, Error> {
    let cpu = |load: &Load| load.server_threads.as_ref().and_then(ServerThreads::cpu_ns);
    let before: Vec<_> = loads.iter().map(|load| cpu(load)).collect();
    let begin = Instant::now() + lead_in;
    let end = begin + length;
    let turns = match sharing {
        Sharing::Turns(slice) if loads.len() > 1 => {
            let threads = loads.iter().map(|load| load.workers.len()).collect();
            Some(Arc::new(Turns::new(threads, slice, end)))
        }
        _ => None,
    };
    for (side, load) in loads.iter().enumerate() {
        let turns = turns.clone().map(|turns| (turns, side));
        load.order(&Order { begin, end, turns });
    }
    // Every load is collected, also after a failure, so that none is still running in the next block.
    let tallies: Vec<_> = loads.iter().map(|load| load.collect()).collect();
    let mut tallies = tallies.into_iter().collect::<Result<Vec<_>, _>>()?;
    for ((tally, load), before) in tallies.iter_mut().zip(loads).zip(before) {
        tally.server_cpu_ns = before.zip(cpu(load)).map(|(before, after)| after.saturating_sub(before));
    }
    Ok(tallies)
}

fn open(target: &Target, charset: &ConnectionCharset, encoder: &Encoder) -> Result<Connection, WireError> {
    let mut connection =
        Connection::open(&target.endpoint, &target.schema, charset.handshake_collation, encoder.clone())?;
    let collate = charset.collation.as_ref().map(|collation| format!(" COLLATE '{collation}'"));
    connection.query(&format!("SET NAMES '{}'{}", charset.charset, collate.unwrap_or_default()))?;
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
        let thread = thread::spawn(move || {
            if let Some(cores) = cores {
                cores.pin(None, index);
            }
            serve(client, &received, &send);
        });
        Self { orders, reports, thread: Some(thread) }
    }
}

/// What one thread of a load works with.
struct Client {
    session: Session,
    generator: workload::Generator,
    handicap: Handicap,
}

/// When an event is due that does not count.
struct Handicap {
    share: f64,
    due: f64,
}

impl Handicap {
    fn new(share: f64) -> Self {
        // In the middle, so that over any number of events the extra ones are neither too many nor too few on average.
        Self { share, due: 0.5 }
    }

    /// How many events are due after one that counted.
    fn after_event(&mut self) -> u32 {
        self.due += self.share;
        let whole = self.due.floor();
        self.due -= whole;
        whole as u32
    }
}

fn serve(mut client: Client, orders: &Receiver<Order>, reports: &Sender<Result<Tally, WireError>>) {
    while let Ok(order) = orders.recv() {
        let report = work(&mut client, &order);
        let failed = report.is_err();
        if reports.send(report).is_err() || failed {
            return;
        }
    }
}

/// One connection's part of a block.
fn work(client: &mut Client, order: &Order) -> Result<Tally, WireError> {
    let mut tally = Tally::new();
    let cpu = own_cpu_ns();
    match &order.turns {
        None => stretch(client, order.begin, order.end, &mut tally)?,
        Some((turns, side)) => {
            let mut place = turns.place(*side);
            while let Some(until) = place.wait() {
                stretch(client, order.begin, until, &mut tally)?;
                place.done();
            }
        }
    }
    tally.client_cpu_ns = own_cpu_ns() - cpu;
    Ok(tally)
}

/// Event after event until a time; those that begin before `begin` are not counted. The last one ends after that time, and the
/// tally's seconds with it, so that a slow event weighs what it took.
fn stretch(client: &mut Client, begin: Instant, until: Instant, tally: &mut Tally) -> Result<(), WireError> {
    let Client { session, generator, handicap } = client;
    let mut start = Instant::now();
    let mut counted_from = None;
    while start < until {
        let (mut queries, mut rows) = (0, 0);
        let outcome = generator.event(|statement, values| {
            queries += 1;
            rows += session.run(statement, values)?;
            Ok(())
        });
        tally.all_queries += queries;
        let counts = start >= begin;
        if counts && counted_from.is_none() {
            counted_from = Some(start);
        }
        match outcome {
            Ok(()) => {
                let now = Instant::now();
                if counts {
                    tally.events += 1;
                    tally.queries += queries;
                    tally.rows += rows;
                    let nanoseconds = u64::try_from((now - start).as_nanos()).unwrap_or(u64::MAX);
                    tally.latency.saturating_record(nanoseconds);
                }
                start = now;
                for _ in 0..handicap.after_event() {
                    generator
                        .event(|statement, values| session.run(statement, values).map(drop))
                        .or_else(|error| if error.is_fatal() { Err(error) } else { session.abandon_transaction() })?;
                    start = Instant::now();
                }
            }
            Err(WireError::Server { code, .. }) => {
                *tally.errors.entry(code).or_default() += 1;
                session.abandon_transaction()?;
                start = Instant::now();
            }
            Err(fatal) => return Err(fatal),
        }
    }
    tally.seconds += counted_from.map_or(0.0, |from| (start - from).as_secs_f64());
    Ok(())
}
