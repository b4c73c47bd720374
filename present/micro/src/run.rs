//! Runs a measurement. A probe is a pair of strings under a collation of a server. Each round times
//! each probe once, with a new engine process. Private servers are replaced between rounds.

use std::process::Command;
use std::time::Duration;

use explain::Verdict;
use measure::ServerInfo;
use mysql_collation::Collation;
use server::{CollationInfo, Progress, Server};
use workload::Text;

use crate::engine::InProcessComparison;
use crate::error::Error;
use crate::instruction_set::InstructionSet;
use crate::model::{CallCost, ComparisonCost, FORMAT, Options, Results, Round};
use crate::pair::{Difference, Pair};
use crate::plan::{self, Request, TextPair};
use crate::process::{EngineProcess, TimingRequest};
use crate::session::{EncodedPair, Session};
use crate::summary;
use crate::timing::calibrate;

/// Server variables that results record.
const SETTINGS: [&str; 2] = ["version_compile_machine", "version_compile_os"];

/// Version and engine command of the program that calls [`run`].
pub struct Program<'a> {
    pub version: &'a str,
    /// Returns the command of a process that runs
    /// [`serve_timing_requests`](crate::serve_timing_requests).
    pub engine: &'a dyn Fn() -> Command,
}

/// Measures `request` on `servers`. Replaces private servers between rounds. Sets user variables
/// only; writes no data.
pub fn run(
    request: &Request,
    servers: &mut [Server],
    program: &Program<'_>,
    progress: &dyn Progress,
) -> Result<Results, Error> {
    let mut notes = Vec::new();
    let infos = servers.iter().map(|server| ServerInfo::read(server, &SETTINGS)).collect::<Result<Vec<_>, _>>()?;
    let collations = measure::choose_collations(
        request.collations.as_deref(),
        &measure::read_server_collations(servers)?,
        &mut notes,
    )?;
    let mut sessions = open_sessions(servers)?;
    let clocks = sessions.iter().map(Session::clock).collect();
    let mut probes = Vec::new();
    for (server, collations) in collations.iter().enumerate() {
        let flavour = engine_flavour(servers[server].flavour());
        let session = &mut sessions[server];
        let instruction_sets = &request.instruction_sets;
        let mut builder = ProbeBuilder { server, flavour, instruction_sets, session, notes: &mut notes };
        probes.extend(builder.build_probes(&plan::text_pairs(request), collations)?);
    }
    if !probes.iter().any(|probe| matches!(probe.kind, ProbeKind::Text(..))) {
        return Err(Error::Nothing);
    }
    calibrate_probes(&mut probes, &mut sessions, request.time, progress)?;
    drop(sessions);
    time_rounds(&mut probes, servers, program, request, progress)?;
    let (comparisons, calls) = compute_costs(&probes);
    notes.extend(summary::describe_disagreements(&comparisons, &infos));
    Ok(Results {
        format: FORMAT.into(),
        weigh: program.version.into(),
        machine: measure::describe_machine(),
        servers: infos,
        clocks,
        options: Options { characters: request.characters, time_s: request.time.as_secs_f64(), rounds: request.rounds },
        comparisons,
        calls,
        notes,
    })
}

fn open_sessions(servers: &[Server]) -> Result<Vec<Session<'_>>, Error> {
    servers.iter().map(Session::open).collect()
}

fn engine_flavour(flavour: server::Flavour) -> mysql_collation::Flavour {
    match flavour {
        server::Flavour::MySql => mysql_collation::Flavour::MySql,
        server::Flavour::MariaDb => mysql_collation::Flavour::MariaDb,
    }
}

/// Kind of cost that a probe measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProbeKind {
    /// Cost of comparing two strings of a kind of text that differ in the given way.
    Text(Text, Difference),
    /// Cost of calling a comparison, measured with `a` and `b`.
    CallCost,
}

/// A pair of strings under a collation of a server, with its timings.
struct Probe {
    server: usize,
    kind: ProbeKind,
    collation: CollationInfo,
    pair: Pair,
    encoded: EncodedPair,
    engine_collation: Option<Collation>,
    verdict: Verdict,
    /// Number of comparisons in one timing inside the server.
    repetitions: u64,
    series: Vec<Series>,
}

/// Rounds of a probe with one of the engine's instruction sets. All series of a probe have the same
/// times of server and `memcmp`.
#[derive(Default)]
struct Series {
    instruction_set: Option<InstructionSet>,
    rounds: Vec<Round>,
}

/// Builds the probes of one server.
struct ProbeBuilder<'p, 'a> {
    server: usize,
    flavour: mysql_collation::Flavour,
    instruction_sets: &'p [InstructionSet],
    session: &'p mut Session<'a>,
    notes: &'p mut Vec<String>,
}

impl ProbeBuilder<'_, '_> {
    fn build_probes(&mut self, text_pairs: &[TextPair], collations: &[CollationInfo]) -> Result<Vec<Probe>, Error> {
        let mut probes = Vec::new();
        for sample in text_pairs {
            for collation in collations {
                match self.build_probe(ProbeKind::Text(sample.text, sample.difference), &sample.pair, collation)? {
                    Some(probe) => probes.push(probe),
                    None => self.add_note(format!("{} can't hold {} text: left out", collation.charset, sample.text)),
                }
            }
        }
        let letters = Pair { a: "a".into(), b: "b".into() };
        for collation in collations {
            probes.extend(self.build_probe(ProbeKind::CallCost, &letters, collation)?);
        }
        Ok(probes)
    }

    fn build_probe(&mut self, kind: ProbeKind, pair: &Pair, collation: &CollationInfo) -> Result<Option<Probe>, Error> {
        let Some(encoded) = self.session.encode_pair(pair, &collation.charset)? else {
            return Ok(None);
        };
        let engine = Collation::by_id(self.flavour, collation.id).ok();
        if engine.is_none() {
            self.add_note(format!("the engine has no {} yet: only the server is timed", collation.name));
        }
        self.session.set_pair(pair, collation)?;
        let verdict = self.session.compare()?.into();
        let (server, collation, pair) = (self.server, collation.clone(), pair.clone());
        let series = self.build_series();
        Ok(Some(Probe {
            server,
            kind,
            collation,
            pair,
            encoded,
            engine_collation: engine,
            verdict,
            repetitions: 0,
            series,
        }))
    }

    fn build_series(&self) -> Vec<Series> {
        if self.instruction_sets.is_empty() {
            return vec![Series::default()];
        }
        let series = |&instruction_set| Series { instruction_set: Some(instruction_set), ..Series::default() };
        self.instruction_sets.iter().map(series).collect()
    }

    fn add_note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Finds the number of repetitions of each probe that takes about `time` in the server.
fn calibrate_probes(
    probes: &mut [Probe],
    sessions: &mut [Session<'_>],
    time: Duration,
    progress: &dyn Progress,
) -> Result<(), Error> {
    progress.step("finding out how often to repeat");
    let count = probes.len();
    for (done, probe) in probes.iter_mut().enumerate() {
        let session = &mut sessions[probe.server];
        session.set_pair(&probe.pair, &probe.collation)?;
        probe.repetitions = calibrate(&mut session.timed_comparison(), time)?;
        progress.fraction((done + 1) as f64 / count as f64);
    }
    Ok(())
}

/// Times all probes once in each round. A slow minute of the machine thus affects one round of many
/// probes, not all rounds of one probe. The engine is timed directly after the server.
fn time_rounds(
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
            servers.iter_mut().try_for_each(|server| server.restart(progress))?;
        }
        progress.step(&format!("comparing, round {} of {}", round + 1, request.rounds));
        let mut sessions = open_sessions(servers)?;
        let mut engine = EngineProcess::start((program.engine)())?;
        for probe in probes.iter_mut() {
            probe.time_round(&mut sessions[probe.server], &mut engine, request.time / 10, round as usize)?;
            done += 1.0;
            progress.fraction(done / all);
        }
    }
    Ok(())
}

impl Probe {
    /// Times one round of all series of the probe. With timings of 0.2 ms, the first timing of the
    /// engine after the server's took longer. The series therefore alternate in coming first.
    fn time_round(
        &mut self,
        session: &mut Session<'_>,
        engine: &mut EngineProcess,
        time: Duration,
        round: usize,
    ) -> Result<(), Error> {
        session.set_pair(&self.pair, &self.collation)?;
        let server = session.time_round(self.repetitions)?;
        let first = round % self.series.len();
        self.series.rotate_left(first);
        let reply = engine.request(&self.timing_request(time))?;
        for (number, series) in self.series.iter_mut().enumerate() {
            let engine = reply.engine.get(number).copied();
            series.rounds.push(Round { server, engine, memcmp: reply.memcmp });
        }
        self.series.rotate_right(first);
        Ok(())
    }

    fn timing_request(&self, time: Duration) -> TimingRequest {
        let flavour_and_name =
            |collation: Collation| (collation.info().flavour.to_string(), collation.name().to_owned());
        let names = self.series.iter().filter_map(|series| series.instruction_set);
        TimingRequest {
            time,
            pair: self.encoded.clone(),
            collation: self.engine_collation.map(flavour_and_name),
            instruction_sets: names.map(|instruction_set| instruction_set.name().to_owned()).collect(),
        }
    }
}

impl Series {
    fn engine_comparison<'h>(&self, collation: Collation, encoded: &'h EncodedPair) -> InProcessComparison<'h> {
        InProcessComparison { instruction_set: self.instruction_set, collation, a: &encoded.a, b: &encoded.b }
    }
}

/// Computes costs from the rounds. Both lists are empty with fewer than six rounds, which give no
/// interval.
fn compute_costs(probes: &[Probe]) -> (Vec<ComparisonCost>, Vec<CallCost>) {
    let (mut comparisons, mut calls) = (Vec::new(), Vec::new());
    for probe in probes {
        match probe.kind {
            ProbeKind::CallCost => calls.extend(probe.call_cost()),
            ProbeKind::Text(text, difference) => {
                comparisons
                    .extend(probe.series.iter().filter_map(|series| probe.comparison_cost(text, difference, series)));
            }
        }
    }
    (comparisons, calls)
}

impl Probe {
    fn comparison_cost(&self, text: Text, difference: Difference, series: &Series) -> Option<ComparisonCost> {
        let figures = summary::median_figures(&series.rounds)?;
        Some(ComparisonCost {
            server: self.server,
            text: text.to_string(),
            difference,
            collation: self.collation.name.clone(),
            instruction_set: series.instruction_set.map(|instruction_set| instruction_set.name().to_owned()),
            bytes: self.encoded.a.len(),
            verdict: self.verdict,
            engine_verdict: self
                .engine_collation
                .map(|engine| series.engine_comparison(engine, &self.encoded).verdict()),
            server_ns: figures.server,
            engine_ns: figures.engine,
            memcmp_ns: figures.memcmp,
            ratio: figures.ratio,
            rounds: series.rounds.clone(),
        })
    }

    fn call_cost(&self) -> Option<CallCost> {
        let figures = summary::median_figures(&self.series.first()?.rounds)?;
        Some(CallCost { server: self.server, collation: self.collation.name.clone(), ns: figures.server })
    }
}
