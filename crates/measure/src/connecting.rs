//! The loads of a condition, connected to the schemas of its variants.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use drive::{Agreed, Binding, ConnectionCharset, Load, Settings, StatementPlan, Target};
use server::Server;

use crate::error::Error;
use crate::executor::Loads;
use crate::instances::Instances;
use crate::loading::Home;
use crate::model::{Condition, Driver, Plan, PlanStep, Run, Variant};
use crate::plan::Facts;
use crate::recording::Recording;
use crate::request::{Pin, Request};
use crate::subject::Subject;
use crate::turn;

/// Presented in the handshake where a charset has no collation id of one byte.
const UTF8MB4_GENERAL_CI: u8 = 45;

/// How many connections a variant may have on so many cores where their threads are not bound to cores: each has two for itself, one for its
/// thread here and one for the server's. With more, which threads share a core decides between speeds far apart, and stays for a good
/// part of a block. With MariaDB 10.11 on two cores, A/A pairs of ten seconds each were ± 7.4 % wide with eight connections, and ± 1.4 % with
/// one: medians (docs/measurement.md).
const fn unbound_connections(cores: u32) -> u32 {
    if cores < 2 { 1 } else { cores / 2 }
}

/// The most connections that a variant has where nobody says how many.
const MOST_BY_DEFAULT: u32 = 16;

/// How many connections a variant has where nobody says: as many as this machine has cores, up to 16, and fewer where servers run already,
/// so that their threads are not bound to cores.
pub fn default_connections(unbound: bool) -> u32 {
    let cores = cores();
    let wanted = if unbound { unbound_connections(cores) } else { cores };
    wanted.min(MOST_BY_DEFAULT)
}

fn cores() -> u32 {
    thread::available_parallelism().map_or(1, usize::from) as u32
}

/// The loads of a condition, to be connected in one replicate.
pub(crate) struct Connecting<'a> {
    pub(crate) request: &'a Request,
    pub(crate) subject: &'a Subject,
    pub(crate) condition: &'a Condition,
    pub(crate) instances: &'a Instances<'a>,
    pub(crate) facts: &'a [Facts],
    /// Where the rows of each variant are.
    pub(crate) homes: &'a BTreeMap<usize, Home>,
    /// From 0: each replicate connects in another order.
    pub(crate) replicate: u32,
}

impl Connecting<'_> {
    /// Connects them. Where one side's threads cannot be bound, neither side's are, and the run says so.
    pub(crate) fn connect_placed(&self, run: &mut Run) -> Result<Loads, Error> {
        let loads = self.connect(run)?;
        let Loads::Native(connected) = &loads else { return Ok(loads) };
        let failed = connected.values().find_map(|load| match load.binding() {
            Binding::Failed(reason) => {
                Some(format!("connections are not bound to cores: {}: {reason}", load.target().server))
            }
            _ => None,
        });
        let Some(note) = failed else { return Ok(loads) };
        drop(loads);
        run.notes.push(note);
        run.options.pinned = false;
        self.connect(run)
    }

    /// Connects a load to the schema of each variant, and writes down in the run what its connections have in force.
    fn connect(&self, run: &mut Run) -> Result<Loads, Error> {
        // A folder's rows are of no kind of text, and nothing is generated for them.
        let text = self.condition.text.parse().unwrap_or(self.request.rows.text);
        let rows = workload::Options { text, ..self.request.rows };
        let targets: BTreeMap<usize, (Target, Settings)> = self
            .homes
            .iter()
            .map(|(&index, home)| {
                let target = Target::of(self.instances.get(home.instance), &home.schema);
                (index, (target, self.settings(run, index)))
            })
            .collect();
        if let (Driver::Sysbench, Some(work)) = (self.request.driver, self.subject.for_sysbench()) {
            return Ok(Loads::Sysbench { work, rows, targets });
        }
        let script = Arc::new(self.subject.script(&rows));
        let mut loads = BTreeMap::new();
        for (index, (target, settings)) in self.in_order(targets) {
            let load = Load::start(target, &settings, &script)?;
            if let Some(layers) = run.variants[index].layers.as_mut() {
                layers.connection = Some(load.in_force().clone());
                layers.handshake_collation_id = Some(settings.connection.handshake_collation.into());
            }
            run.servers[run.variants[index].server].agreed = agreed(&load);
            loads.insert(index, load);
        }
        note_cpu(run, loads.values());
        Ok(Loads::Native(loads))
    }

    /// Where in a server's memory a connection's state lies depends on how many came before, and a connection that is made anew has the place of
    /// the one that it follows: through a replicate it stays where the first one was.
    fn in_order<T>(&self, targets: BTreeMap<usize, T>) -> Vec<(usize, T)> {
        let mut targets: Vec<(usize, T)> = targets.into_iter().collect();
        turn::rotate(&mut targets, self.replicate);
        targets
    }

    fn settings(&self, run: &Run, variant: usize) -> Settings {
        let variant = &run.variants[variant];
        let connection = connection_charset(variant, &self.facts[variant.server]);
        let recording = self.request.recording.as_ref();
        Settings {
            threads: self.condition.threads,
            protocol: self.request.protocol,
            // What an application says after connecting is the same whatever its tables are converted to.
            connection: ConnectionCharset {
                collation: connection.collation.filter(|_| recording.is_none()),
                ..connection
            },
            session: recording.map(Recording::session).unwrap_or_default(),
            pinned: run.options.pinned,
            extra_work: variant.extra_work.unwrap_or(0.0),
            rate: self.request.rate,
            level: self.request.level,
            ignored_errors: self.request.ignored_errors.clone(),
            counts_pages_read: self.request.buffer_pool.is_some(),
        }
    }
}

/// Writes down how the servers carry out the statements, the first time that a variant is connected in a condition. Where they don't tell, that
/// is noted, and is no failure.
pub(crate) fn read_plans(
    run: &mut Run,
    instances: &Instances<'_>,
    homes: &BTreeMap<usize, Home>,
    condition: usize,
    loads: &Loads,
) {
    let Loads::Native(loads) = loads else { return };
    for (&variant, load) in loads {
        if run.plans.iter().any(|plan| plan.condition == condition && plan.variant == variant) {
            continue;
        }
        match drive::plans(instances.get(homes[&variant].instance), load) {
            Ok(plans) => run.plans.extend(plans.into_iter().map(|plan| of_statement(condition, variant, plan))),
            Err(error) => {
                let note = format!("plans are not known: {error}");
                if !run.notes.contains(&note) {
                    run.notes.push(note);
                }
            }
        }
    }
}

fn of_statement(condition: usize, variant: usize, plan: StatementPlan) -> Plan {
    let step =
        |step: drive::PlanStep| PlanStep { table: step.table, access: step.access, key: step.key, extra: step.extra };
    let StatementPlan { statement, steps, json } = plan;
    Plan { condition, variant, statement, steps: steps.into_iter().map(step).collect(), json }
}

/// Writes down what limits the precision of a duet on servers that run anyway, and what would help.
pub(crate) fn note_placement(request: &Request, run: &mut Run, servers: &[Server], condition: &Condition) {
    let options = &run.options;
    if !options.took_turns() {
        return;
    }
    let running = servers.iter().filter(|server| !server.is_private());
    let mut notes: Vec<String> = running
        .map(|server| {
            format!(
                "{} was not started for this run: intervals are of this one start of it, and another start may differ by more",
                server.label()
            )
        })
        .collect();
    let advised = unbound_connections(cores());
    if !options.pinned && condition.threads > advised {
        let bind = match request.pin {
            Pin::Private if servers.iter().all(|server| server.pid().is_some()) => {
                ", or --pin-server binds the threads behind weigh's own connections"
            }
            _ => "",
        };
        notes.push(format!(
            "{condition}: with more connections than one for two cores it matters which threads the operating system lets share a core, \
             which widens intervals: --threads {advised} avoids that{bind}"
        ));
    }
    notes.retain(|note| !run.notes.contains(note));
    run.notes.extend(notes);
}

fn agreed(load: &Load) -> BTreeMap<String, String> {
    let Agreed { deprecate_eof, cache_metadata, tls } = load.agreed();
    let named =
        [("CLIENT_DEPRECATE_EOF", deprecate_eof), ("MARIADB_CLIENT_CACHE_METADATA", cache_metadata), ("TLS", tls)];
    named.map(|(name, on)| (name.into(), if on { "on" } else { "off" }.into())).into()
}

/// Writes down where the CPU time of servers comes from whose threads are not known.
fn note_cpu<'a>(run: &mut Run, loads: impl Iterator<Item = &'a Load>) {
    for load in loads.filter(|load| !load.has_server_cpu()) {
        let server = &load.target().server;
        let note = match load.cpu_accounting() {
            Some(accounting) => format!(
                "server CPU of {server} is by its own accounting ({accounting}), which leaves out what a connection does between statements"
            ),
            None => format!(
                "server CPU is not told for {server}: it runs elsewhere, or its threads cannot be told apart, and its own accounting is off, or not \
                 for this account to see (docs/measurement.md)"
            ),
        };
        if !run.notes.contains(&note) {
            run.notes.push(note);
        }
    }
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
