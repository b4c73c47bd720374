//! The measurement itself: everything is made ready, then timed round by round.

use std::time::Duration;

use explain::Verdict;
use measure::ServerInfo;
use mysql_collation::Collation;
use server::{CollationInfo, Progress, Server};
use workload::Text;

use crate::engine::{Compare, Memcmp};
use crate::error::Error;
use crate::instruction_set::InstructionSet;
use crate::model::{Call, Cell, FORMAT, Options, Results, Round};
use crate::pair::{Difference, Pair};
use crate::plan::{self, Request, Sample};
use crate::session::{Held, Session};
use crate::summary;
use crate::timing::{Subject, calibrate, ns};

/// The settings of a server that are written down.
const SETTINGS: [&str; 2] = ["version_compile_machine", "version_compile_os"];

/// Measures what a request means on these servers. They are only read from.
pub fn run(request: &Request, servers: &[Server], weigh: &str, progress: &dyn Progress) -> Result<Results, Error> {
    let mut notes = Vec::new();
    let infos = servers.iter().map(|server| ServerInfo::read(server, &SETTINGS)).collect::<Result<Vec<_>, _>>()?;
    let mut sessions = servers.iter().map(Session::open).collect::<Result<Vec<_>, _>>()?;
    let collations = plan::collations(request.collations.as_deref(), &measure::facts(servers)?, &mut notes)?;
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
    measure(&mut probes, &mut sessions, request.rounds, progress)?;
    let (cells, calls) = finish(&probes);
    notes.extend(summary::disagreements(&cells, &infos));
    Ok(Results {
        format: FORMAT.into(),
        weigh: weigh.into(),
        machine: measure::this_machine(),
        servers: infos,
        clocks: sessions.iter().map(Session::clock).collect(),
        options: Options { characters: request.characters, time_s: request.time.as_secs_f64(), rounds: request.rounds },
        cells,
        calls,
        notes,
    })
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
    times: Times,
    series: Vec<Series>,
}

/// How often the subjects beside the engine are repeated in one timing.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    server: u64,
    memcmp: u64,
}

/// The rounds of a probe with one of the engine's instruction sets. The server's and `memcmp`'s times are those of every series.
#[derive(Default)]
struct Series {
    instruction_set: Option<InstructionSet>,
    /// How often the engine's comparison is repeated in one timing.
    times: u64,
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
        let (times, series) = (Times::default(), self.series());
        Ok(Some(Probe { server, what, collation, pair, held, engine, verdict, times, series }))
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

/// Finds out how often to repeat everything.
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
        probe.times.server = calibrate(&mut session.comparison(), time)?;
        let short = time / 10;
        if let Some(engine) = probe.engine {
            for series in &mut probe.series {
                let Ok(times) = calibrate(&mut series.comparison(engine, &probe.held), short);
                series.times = times;
            }
        }
        let Ok(times) = calibrate(&mut probe.memcmp(), short);
        probe.times.memcmp = times;
        progress.fraction((done + 1) as f64 / count as f64);
    }
    Ok(())
}

/// Times every probe once a round, so that a slow minute of the machine hits all of them, and server and engine one after the other.
fn measure(
    probes: &mut [Probe],
    sessions: &mut [Session<'_>],
    rounds: u32,
    progress: &dyn Progress,
) -> Result<(), Error> {
    progress.step("comparing");
    let all = (probes.len() as u64 * u64::from(rounds)) as f64;
    let mut done = 0.0;
    for round in 0..rounds {
        for probe in probes.iter_mut() {
            probe.time(&mut sessions[probe.server], round as usize)?;
            done += 1.0;
            progress.fraction(done / all);
        }
    }
    Ok(())
}

impl Probe {
    fn memcmp(&self) -> Memcmp {
        Memcmp::new(&self.held.a)
    }

    /// Times everything once: a round of each series. What comes right after the server took longer where timings were of 0.2 ms, so each
    /// series is the first in its turn.
    fn time(&mut self, session: &mut Session<'_>, round: usize) -> Result<(), Error> {
        session.hold(&self.pair, &self.collation)?;
        let server = session.round(self.times.server)?;
        let count = self.series.len();
        let mut engine = vec![None; count];
        for number in (0..count).map(|place| (round + place) % count) {
            engine[number] = self.engine.map(|engine| self.series[number].time(engine, &self.held));
        }
        let Ok(memcmp) = self.memcmp().time(self.times.memcmp);
        let memcmp = ns(memcmp, self.times.memcmp);
        for (series, engine) in self.series.iter_mut().zip(engine) {
            series.rounds.push(Round { server, engine, memcmp });
        }
        Ok(())
    }
}

impl Series {
    fn comparison<'h>(&self, collation: Collation, held: &'h Held) -> Compare<'h> {
        Compare { instruction_set: self.instruction_set, collation, a: &held.a, b: &held.b }
    }

    /// One comparison in the engine, in ns.
    fn time(&self, collation: Collation, held: &Held) -> f64 {
        let Ok(took) = self.comparison(collation, held).time(self.times);
        ns(took, self.times)
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
