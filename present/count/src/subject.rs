//! One cell of the result: a workload, or a statement class, in the schema of one collation.

use load::Protocol;
use workload::{Generator, Script};

use crate::callgrind::Callgrind;
use crate::error::Error;
use crate::run::{Request, Source};
use crate::session::{Pace, Prepared, Session};

/// An event of at least this many instructions is long.
const LONG_EVENT: u64 = 500_000;

/// Ratio of the numbers of short and of long events that are counted.
const SHORT_PER_LONG: u32 = 10;

/// Events that open the tables of a subject before it is counted.
const OPENING_EVENTS: u32 = 3;

/// A schema with the rows of the workload, under one collation.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// Name of the collation, or `as-is`.
    pub collation: String,
    /// Character set of the connection.
    pub charset: String,
    pub schema: String,
}

/// Statements to count in one schema.
pub(crate) struct Subject {
    /// Name of the workload or statement class.
    pub workload: String,
    pub side: Side,
    script: Script,
    generator: Generator,
    protocol: Protocol,
    /// Events to count.
    events: u32,
    /// Whether the statements come from a workload folder: they may fail, and a call may have
    /// control statements that are not counted as statements.
    is_class: bool,
}

impl Subject {
    /// Returns the subjects of all sides, in the order of counting.
    pub fn all(request: &Request, sides: &[Side]) -> Vec<Self> {
        sides.iter().flat_map(|side| Self::of_side(request, side)).collect()
    }

    fn of_side(request: &Request, side: &Side) -> Vec<Self> {
        let new = |workload: String, script: Script, protocol, events, is_class| Self {
            workload,
            side: side.clone(),
            generator: script.generator(0),
            script,
            protocol,
            events,
            is_class,
        };
        match &request.source {
            Source::BuiltIn(workloads) => {
                let subject = |workload: &workload::Workload| {
                    let protocol = if workload.needs_text_protocol() { Protocol::Text } else { Protocol::Prepared };
                    let factor = if workload.kind.scans_ranges() { 1 } else { SHORT_PER_LONG };
                    let events = request.events.saturating_mul(factor);
                    new(workload.to_string(), workload.script(&request.rows), protocol, events, false)
                };
                workloads.iter().map(subject).collect()
            }
            Source::Folder { folder, protocol } => {
                let classes = folder.loads.first().map(|mix| mix.classes.as_slice()).unwrap_or_default();
                let subject = |(record, class): (&measure::ClassRecord, &workload::Class)| {
                    let script = Script::from_classes(std::slice::from_ref(class), request.rows.seed);
                    new(record.name.clone(), script, *protocol, request.events, true)
                };
                folder.record.classes.iter().zip(classes).map(subject).collect()
            }
        }
    }

    /// Name for messages: `group_by under utf8mb4_bin`.
    pub fn name(&self) -> String {
        format!("{} under {}", self.workload, self.side.collation)
    }

    /// Prepares the statements, and leaves the tables of the subject open, and no others.
    pub fn open(&self, session: &mut Session<'_>) -> Result<Prepared, Error> {
        session.close_tables()?;
        let prepared = self.prepare(session)?;
        session.run(&prepared, &mut self.generator.clone(), OPENING_EVENTS, Pace::Fast)?;
        Ok(prepared)
    }

    /// Enters the schema and prepares the statements.
    fn prepare(&self, session: &mut Session<'_>) -> Result<Prepared, Error> {
        session.choose(&self.side.schema, &self.side.charset)?;
        session.prepare(&self.script, self.protocol)
    }

    /// Runs all events. Returns the number of statements, of a class the number of calls.
    pub fn run(&mut self, session: &mut Session<'_>, prepared: &Prepared) -> Result<u64, Error> {
        let statements = session.run(prepared, &mut self.generator, self.events, Pace::Counted)?;
        Ok(if self.is_class { self.events.into() } else { statements })
    }

    /// Runs the events once, and decides how many events of a class are counted. `None`, with a
    /// note, if the server refuses a class.
    pub fn warm_up(
        mut self,
        session: &mut Session<'_>,
        callgrind: &Callgrind<'_>,
        thread: u32,
        server: &str,
        notes: &mut Vec<String>,
    ) -> Result<Option<Self>, Error> {
        if !self.is_class {
            let prepared = self.prepare(session)?;
            session.run(&prepared, &mut self.generator.clone(), self.events, Pace::Fast)?;
            session.close(prepared)?;
            return Ok(Some(self));
        }
        callgrind.reset()?;
        let mut warmed_up = self.generator.clone();
        let outcome = self.prepare(session).and_then(|prepared| {
            session.run(&prepared, &mut warmed_up, self.events, Pace::Fast)?;
            session.close(prepared)
        });
        if let Err(error) = outcome {
            let Some(reason) = error.refusal() else { return Err(error) };
            let reason = reason.replace(&format!("{}.", self.side.schema), "");
            session.roll_back()?;
            session.reset(&self.script)?;
            let note = format!("{server}: {} is left out: {reason}", self.workload);
            if !notes.contains(&note) {
                notes.push(note);
            }
            return Ok(None);
        }
        let threads = callgrind.take()?;
        let executed = threads.iter().find(|count| count.thread == thread).map_or(0, |count| count.instructions);
        if executed / u64::from(self.events.max(1)) < LONG_EVENT {
            self.events = self.events.saturating_mul(SHORT_PER_LONG);
        }
        Ok(Some(self))
    }
}
