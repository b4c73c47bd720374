//! `weigh bench --self-test`: measures injected extra work, whose true ratios are known.

use std::process::ExitCode;

use anyhow::{Result, bail};
use files::Access;
use measure::{Analysis, Run, RunFolder, SelfTest, summarise_self_test};
use server::Server;

use super::live::Live;
use super::opening::{Opening, open_servers, print_footprint};
use super::resolve::Bench;
use crate::output::{self, Format};
use crate::results;

/// Runs the rounds, each in its own folder below the results folder, and prints the coverage of the
/// intervals.
pub fn run(bench: &Bench, openings: &[Opening], rounds: u32) -> Result<ExitCode> {
    if !matches!(bench.format, Format::Text | Format::Json) {
        bail!("--self-test prints text or json; `weigh report` prints its rounds in every format");
    }
    // The `RunFolder` checks that the folder holds no run. When dropped, it removes
    // its empty samples.
    let out = results::create_folder(bench.out.as_deref(), Access::Umask)?.folder();
    let live = Live::new(&bench.request);
    let mut servers = open_servers(openings, &live)?;
    print_footprint(&bench.request, &servers)?;
    let mut done = Vec::new();
    let mut failure = None;
    for round in 1..=rounds {
        let measured = RunFolder::create_in(&out, &format!("round-{round}"), Access::Umask)
            .map_err(anyhow::Error::from)
            .and_then(|folder| measure_round(bench, &mut servers, folder, &live));
        match measured {
            Ok(round) => done.push(round),
            Err(error) if done.is_empty() => return Err(error),
            // The results of the rounds before are still printed.
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
        if rounds > 1 {
            output::print_note(&format!("round {round} of {rounds} is done"));
        }
    }
    drop(servers);
    let test = summarise_self_test(&done);
    output::print(&render(&test, &done[0].0, bench.format)?)?;
    output::print_note(&format!("\nrounds: {}", out.path().display()));
    match failure {
        Some(error) => Err(error),
        None if test.sound => Ok(ExitCode::SUCCESS),
        None => Ok(ExitCode::FAILURE),
    }
}

fn measure_round(bench: &Bench, servers: &mut [Server], folder: RunFolder, live: &Live<'_>) -> Result<(Run, Analysis)> {
    let path = folder.path().to_owned();
    let outcome = measure::run(&bench.request, servers, folder, env!("CARGO_PKG_VERSION"), live, None);
    live.end();
    outcome.failure.map_or(Ok(()), Err)?;
    if outcome.blocks == 0 {
        bail!("no block of load fitted into {} s; raise --max-time", bench.request.max_time.as_secs_f64());
    }
    let (run, blocks) = measure::read_run(&path)?;
    let analysis = measure::analyse(&run, &blocks);
    Ok((run, analysis))
}

fn render(test: &SelfTest, run: &Run, format: Format) -> Result<String> {
    match format {
        Format::Json => Ok(serde_json::to_string_pretty(test)? + "\n"),
        _ => Ok(report::self_test_text(test, run, output::style())),
    }
}
