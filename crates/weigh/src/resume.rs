//! `--resume` of `weigh bench` and `weigh run`: the command line that a run began with is taken up again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, Parser};
use measure::{Folder, Request};
use server::Server;

use crate::output;
use crate::{Cli, Command, argv};

/// What may stand beside `--resume`: what is not written down, and what changes nothing of the run.
const BESIDE: [&str; 3] = ["resume", "password", "format"];

/// The command line that the run began with, where this one says to resume it; else this one.
pub fn begun(typed: Cli) -> Result<Cli> {
    let Some(folder) = folder_of(&typed.command) else { return Ok(typed) };
    let gives_format = refuse_others()?;
    let resumed = Folder::resume(folder)?;
    let command = resumed.resumed().and_then(|run| run.command.as_deref()).unwrap_or_default();
    let recorded = argv::recorded(command);
    let mut begun = Cli::try_parse_from(&recorded.words)
        .map_err(|error| anyhow!("cannot read the command that the run began with, `{command}`: {error}"))?;
    let (connect, format) = match &typed.command {
        Command::Bench(args) => (&args.connect, args.format),
        Command::Run(args) => (&args.connect, args.format),
        _ => return Ok(typed),
    };
    let (resume, own_connect, own_format) = match &mut begun.command {
        Command::Bench(args) => {
            args.out = None;
            (&mut args.resume, &mut args.connect, &mut args.format)
        }
        Command::Run(args) => {
            args.out = None;
            (&mut args.resume, &mut args.connect, &mut args.format)
        }
        _ => bail!("`{command}` is no run that could be resumed"),
    };
    *resume = Some(folder.clone());
    own_connect.take_password(connect, recorded.had_password);
    if gives_format {
        *own_format = format;
    }
    Ok(begun)
}

fn folder_of(command: &Command) -> Option<&PathBuf> {
    match command {
        Command::Bench(args) => args.resume.as_ref(),
        Command::Run(args) => args.resume.as_ref(),
        _ => None,
    }
}

/// Refuses options that would make another run of it. Whether a format is given.
fn refuse_others() -> Result<bool> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let command = Cli::command();
    let matches = command.clone().try_get_matches_from(argv::with_long_passwords(&words))?;
    let Some((name, own)) = matches.subcommand() else { return Ok(false) };
    let is_typed = |matches: &ArgMatches, id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let arguments = command.find_subcommand(name).into_iter().flat_map(|command| command.get_arguments());
    for argument in arguments {
        let id = argument.get_id().as_str();
        if own.try_contains_id(id).is_ok() && is_typed(own, id) && !BESIDE.contains(&id) {
            let word = argument.get_long().map_or_else(|| id.to_uppercase(), |long| format!("--{long}"));
            bail!("--resume goes on as the run began, with its servers and settings: leave out {word}");
        }
    }
    Ok(is_typed(own, "format"))
}

/// Refuses to go on where anything is not as it was when the run began, and says what.
pub fn refuse_changes(request: &Request, servers: &[Server], folder: &Folder) -> Result<()> {
    let changes = measure::changes(request, servers, folder, env!("CARGO_PKG_VERSION"))?;
    if changes.is_empty() {
        return Ok(());
    }
    let changes: Vec<String> = changes.iter().map(|change| format!("\n  {change}")).collect();
    bail!(
        "{} can't be resumed, as not everything is as it was; its results stay, and a new run can be begun:{}",
        folder.path().display(),
        changes.concat()
    )
}

/// Says where a run goes on.
pub fn tell_begin(folder: &Folder) {
    if let Some(progress) = folder.resumed().and_then(|run| run.progress) {
        output::tell(&format!(
            "{}: going on after {progress}; what had begun is measured anew",
            folder.path().display()
        ));
    }
}

/// Says how a run that ended early can go on.
pub fn tell_way(out: &Path, run: &measure::Run) {
    if run.progress.is_some() {
        let command = if run.recipe.is_some() { "run" } else { "bench" };
        output::tell(&format!("to go on: weigh {command} --resume {}", argv::quoted(&out.to_string_lossy())));
    }
}
