//! `weigh bench --self-test`: rounds of an experiment whose truth is known.

use std::process::ExitCode;

use anyhow::{Result, bail};
use measure::{Analysis, Folder, Run, SelfTest, self_test};
use report::Style;
use server::Server;

use super::live::Live;
use super::opening::{Opening, open, tell_footprint};
use super::resolve::Bench;
use crate::output::{self, Format};
use crate::results;

/// Runs the rounds, each in a folder of its own below the results', and says what was found.
pub fn run(bench: &Bench, openings: &[Opening], rounds: u32) -> Result<ExitCode> {
    if !matches!(bench.format, Format::Text | Format::Json) {
        bail!("--self-test prints text or json; `weigh report` prints its rounds in every format");
    }
    // Reserves the place; it holds no run itself, so it goes again, and comes back with the first round's.
    let out = results::folder(bench.out.as_deref())?.path().to_owned();
    let live = Live::new(&bench.request);
    let mut servers = open(openings, &live)?;
    tell_footprint(&bench.request, &servers)?;
    let mut done = Vec::new();
    let mut failure = None;
    for round in 1..=rounds {
        let measured = Folder::create(&out.join(format!("round-{round}")))
            .map_err(anyhow::Error::from)
            .and_then(|folder| measure_round(bench, &mut servers, folder, &live));
        match measured {
            Ok(round) => done.push(round),
            Err(error) if done.is_empty() => return Err(error),
            // What the rounds before it found is not lost.
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
        if rounds > 1 {
            output::tell(&format!("round {round} of {rounds} is done"));
        }
    }
    drop(servers);
    let test = self_test(&done);
    output::print(&render(&test, &done[0].0, bench.format)?)?;
    output::tell(&format!("\nrounds: {}", out.display()));
    match failure {
        Some(error) => Err(error),
        None if test.sound => Ok(ExitCode::SUCCESS),
        None => Ok(ExitCode::FAILURE),
    }
}

fn measure_round(bench: &Bench, servers: &mut [Server], folder: Folder, live: &Live<'_>) -> Result<(Run, Analysis)> {
    let path = folder.path().to_owned();
    let outcome = measure::run(&bench.request, servers, folder, env!("CARGO_PKG_VERSION"), live, None);
    live.end();
    outcome.failure.map_or(Ok(()), Err)?;
    if outcome.blocks == 0 {
        bail!(
            "not one block of load fitted into {} s; give it more by --max-time",
            bench.request.max_time.as_secs_f64()
        );
    }
    let (run, blocks) = measure::read(&path)?;
    let analysis = measure::analyse(&run, &blocks);
    Ok((run, analysis))
}

fn render(test: &SelfTest, run: &Run, format: Format) -> Result<String> {
    match format {
        Format::Json => Ok(serde_json::to_string_pretty(test)? + "\n"),
        _ => Ok(report::self_test_text(test, run, Style { color: output::color() })),
    }
}
