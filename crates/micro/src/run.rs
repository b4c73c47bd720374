//! The measurement itself: everything is made ready, then timed round by round, each on private servers started anew and with the engine
//! in a new process.

use std::process::Command;
use std::time::Duration;

use explain::Verdict;
use measure::ServerInfo;
use mysql_collation::Collation;
use server::{CollationInfo, Progress, Server};
use workload::Text;

use crate::engine::Compare;
use crate::error::Error;
use crate::instruction_set::InstructionSet;
use crate::model::{Call, Cell, FORMAT, Options, Results, Round};
use crate::pair::{Difference, Pair};
use crate::plan::{self, Request, Sample};
use crate::process::{EngineProcess, Question};
use crate::session::{Held, Session};
use crate::summary;
use crate::timing::calibrate;

/// The settings of a server that are written down.
const SETTINGS: [&str; 2] = ["version_compile_machine", "version_compile_os"];

/// The program that measures.
pub struct Program<'a> {
    /// Its version.
    pub version: &'a str,
    /// How to start a process of it that does [`answer_questions`](crate::answer_questions).
    pub engine: &'a dyn Fn() -> Command,
}

/// Measures what a request means on these servers. They are only read from.
pub fn run(
    request: &Request,
    servers: &mut [Server],
    program: &Program<'_>,
    progress: &dyn Progress,
) -> Result<Results, Error> {
    let mut notes = Vec::new();
    let infos = servers.iter().map(|server| ServerInfo::read(server, &SETTINGS)).collect::<Result<Vec<_>, _>>()?;
    let collations = plan::collations(request.collations.as_deref(), &measure::facts(servers)?, &mut notes)?;
    let mut sessions = open(servers)?;
    let clocks = sessions.iter().map(Session::clock).collect();
    let mut probes = Vec::new();
    for (server, collations) in collations.iter().enumerate() {
        let flavour = flavour(servers[server].flavour());
        let session = &mut sessions[server];
        let instruction_sets = &request.instruction_sets;
        let mut of_server = Prepare { server, flavour, instruction_sets, session, notes: &mut notes };
        probes.extend(of_server.probes(&plan::samples(request), collations)?);
    }
    if !probes.iter().any(|probe| matches!(probe.what, What::Text(..))) {
        return Err(Error::Nothing);
    }
    ready(&mut probes, &mut sessions, request.time, progress)?;
    drop(sessions);
    measure(&mut probes, servers, program, request, progress)?;
    let (cells, calls) = finish(&probes);
    notes.extend(summary::disagreements(&cells, &infos));
    Ok(Results {
        format: FORMAT.into(),
        weigh: program.version.into(),
        machine: measure::this_machine(),
        servers: infos,
        clocks,
        options: Options { characters: request.characters, time_s: request.time.as_secs_f64(), rounds: request.rounds },
        cells,
        calls,
        notes,
    })
}

fn open(servers: &[Server]) -> Result<Vec<Session<'_>>, Error> {
    servers.iter().map(Session::open).collect()
}

fn flavour(flavour: server::Flavour) -> mysql_collation::Flavour {
    match flavour {
        server::Flavour::MySql => mysql_collation::Flavour::MySql,
        server::Flavour::MariaDb => mysql_collation::Flavour::MariaDb,
    }
}

/// What a probe times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// The strings of a text.
    Text(Text, Difference),
    /// Being called.
    Call,
}

/// A pair of strings under a collation of a server, and what was timed of it.
struct Probe {
    server: usize,
    what: What,
    collation: CollationInfo,
    pair: Pair,
    held: Held,
    engine: Option<Collation>,
    verdict: Verdict,
    /// How often the server repeats the comparison in one timing.
    times: u64,
    series: Vec<Series>,
}

/// The rounds of a probe with one of the engine's instruction sets. The server's and `memcmp`'s times are those of every series.
#[derive(Default)]
struct Series {
    instruction_set: Option<InstructionSet>,
    rounds: Vec<Round>,
}

/// Turns what was planned for a server into probes.
struct Prepare<'p, 'a> {
    server: usize,
    flavour: mysql_collation::Flavour,
    instruction_sets: &'p [InstructionSet],
    session: &'p mut Session<'a>,
    notes: &'p mut Vec<String>,
}

impl Prepare<'_, '_> {
    fn probes(&mut self, samples: &[Sample], collations: &[CollationInfo]) -> Result<Vec<Probe>, Error> {
        let mut probes = Vec::new();
        for sample in samples {
            for collation in collations {
                match self.probe(What::Text(sample.text, sample.difference), &sample.pair, collation)? {
                    Some(probe) => probes.push(probe),
                    None => self.note(format!("{} can't hold {} text: left out", collation.charset, sample.text)),
                }
            }
        }
        let letters = Pair { a: "a".into(), b: "b".into() };
        for collation in collations {
            probes.extend(self.probe(What::Call, &letters, collation)?);
        }
        Ok(probes)
    }

    fn probe(&mut self, what: What, pair: &Pair, collation: &CollationInfo) -> Result<Option<Probe>, Error> {
        let Some(held) = self.session.convert(pair, &collation.charset)? else {
            return Ok(None);
        };
        let engine = Collation::by_id(self.flavour, collation.id).ok();
        if engine.is_none() {
            self.note(format!("the engine has no {} yet: only the server is timed", collation.name));
        }
        self.session.hold(pair, collation)?;
        let verdict = self.session.compare()?.into();
        let (server, collation, pair) = (self.server, collation.clone(), pair.clone());
        let series = self.series();
        Ok(Some(Probe { server, what, collation, pair, held, engine, verdict, times: 0, series }))
    }

    fn series(&self) -> Vec<Series> {
        if self.instruction_sets.is_empty() {
            return vec![Series::default()];
        }
        let series = |&instruction_set| Series { instruction_set: Some(instruction_set), ..Series::default() };
        self.instruction_sets.iter().map(series).collect()
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Finds out how often servers have to repeat everything.
fn ready(
    probes: &mut [Probe],
    sessions: &mut [Session<'_>],
    time: Duration,
    progress: &dyn Progress,
) -> Result<(), Error> {
    progress.step("finding out how often to repeat");
    let count = probes.len();
    for (done, probe) in probes.iter_mut().enumerate() {
        let session = &mut sessions[probe.server];
        session.hold(&probe.pair, &probe.collation)?;
        probe.times = calibrate(&mut session.comparison(), time)?;
        progress.fraction((done + 1) as f64 / count as f64);
    }
    Ok(())
}

/// Times every probe once a round, so that a slow minute of the machine hits all of them, and server and engine one after the other.
fn measure(
    probes: &mut [Probe],
    servers: &mut [Server],
    program: &Program<'_>,
    request: &Request,
    progress: &dyn Progress,
) -> Result<(), Error> {
    let all = (probes.len() as u64 * u64::from(request.rounds)) as f64;
    let mut done = 0.0;
    for round in 0..request.rounds {
        if round > 0 {
            servers.iter_mut().try_for_each(|server| server.start_anew(progress))?;
        }
        progress.step(&format!("comparing, round {} of {}", round + 1, request.rounds));
        let mut sessions = open(servers)?;
        let mut engine = EngineProcess::start((program.engine)())?;
        for probe in probes.iter_mut() {
            probe.time(&mut sessions[probe.server], &mut engine, request.time / 10, round as usize)?;
            done += 1.0;
            progress.fraction(done / all);
        }
    }
    Ok(())
}

impl Probe {
    /// Times everything once: a round of each series. What comes right after the server took longer where timings were of 0.2 ms, so each
    /// series is the first in its turn.
    fn time(
        &mut self,
        session: &mut Session<'_>,
        engine: &mut EngineProcess,
        time: Duration,
        round: usize,
    ) -> Result<(), Error> {
        session.hold(&self.pair, &self.collation)?;
        let server = session.round(self.times)?;
        let first = round % self.series.len();
        self.series.rotate_left(first);
        let answer = engine.ask(&self.question(time))?;
        for (number, series) in self.series.iter_mut().enumerate() {
            let engine = answer.engine.get(number).copied();
            series.rounds.push(Round { server, engine, memcmp: answer.memcmp });
        }
        self.series.rotate_right(first);
        Ok(())
    }

    fn question(&self, time: Duration) -> Question {
        let named = |collation: Collation| (collation.info().flavour.to_string(), collation.name().to_owned());
        let names = self.series.iter().filter_map(|series| series.instruction_set);
        Question {
            time,
            held: self.held.clone(),
            collation: self.engine.map(named),
            instruction_sets: names.map(|instruction_set| instruction_set.name().to_owned()).collect(),
        }
    }
}

impl Series {
    fn comparison<'h>(&self, collation: Collation, held: &'h Held) -> Compare<'h> {
        Compare { instruction_set: self.instruction_set, collation, a: &held.a, b: &held.b }
    }
}

/// What follows from the rounds. Fewer than six have no interval, so nothing follows from them.
fn finish(probes: &[Probe]) -> (Vec<Cell>, Vec<Call>) {
    let (mut cells, mut calls) = (Vec::new(), Vec::new());
    for probe in probes {
        match probe.what {
            What::Call => calls.extend(probe.call()),
            What::Text(text, difference) => {
                cells.extend(probe.series.iter().filter_map(|series| probe.cell(text, difference, series)));
            }
        }
    }
    (cells, calls)
}

impl Probe {
    fn cell(&self, text: Text, difference: Difference, series: &Series) -> Option<Cell> {
        let figures = summary::figures(&series.rounds)?;
        Some(Cell {
            server: self.server,
            text: text.to_string(),
            difference,
            collation: self.collation.name.clone(),
            instruction_set: series.instruction_set.map(|instruction_set| instruction_set.name().to_owned()),
            bytes: self.held.a.len(),
            verdict: self.verdict,
            engine_verdict: self.engine.map(|engine| series.comparison(engine, &self.held).verdict()),
            server_ns: figures.server,
            engine_ns: figures.engine,
            memcmp_ns: figures.memcmp,
            ratio: figures.ratio,
            rounds: series.rounds.clone(),
        })
    }

    fn call(&self) -> Option<Call> {
        let figures = summary::figures(&self.series.first()?.rounds)?;
        Some(Call { server: self.server, collation: self.collation.name.clone(), ns: figures.server })
    }
}
