//! `--resume` of `weigh bench` and `weigh run`: restores the original command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, Parser};
use measure::{Request, RunFolder};
use server::Server;

use crate::output;
use crate::{Cli, Command, argv};

/// Options allowed with `--resume`: they aren't saved, or change nothing of the run.
const ALLOWED_OPTIONS: [&str; 13] = [
    "resume", "password", "format", "trust", "servers", "server", "host", "port", "user", "socket", "quiet", "verbose",
    "color",
];

/// Returns the original command line of the run that `typed` resumes. Returns `typed` if --resume
/// is missing.
pub fn resolve_command_line(typed: Cli) -> Result<Cli> {
    let Some(folder) = find_resume_folder(&typed.command) else { return Ok(typed) };
    let gives_format = refuse_other_options()?;
    let resumed = RunFolder::resume(folder)?;
    let command = resumed.unfinished_run().and_then(|run| run.command.as_deref()).unwrap_or_default();
    let recorded = argv::parse_saved(command);
    let mut original = Cli::try_parse_from(&recorded.words)
        .map_err(|error| anyhow!("cannot read the run's original command, `{command}`: {error}"))?;
    let (connect, format, trust) = match &typed.command {
        Command::Bench(args) => (&args.connect, args.format, args.trust),
        Command::Run(args) => (&args.connect, args.format, args.trust),
        _ => return Ok(typed),
    };
    let foreign = describe_foreign(&original.command)?;
    let (resume, own_connect, own_format, own_trust) = match &mut original.command {
        Command::Bench(args) => {
            args.out = None;
            (&mut args.resume, &mut args.connect, &mut args.format, &mut args.trust)
        }
        Command::Run(args) => {
            args.out = None;
            (&mut args.resume, &mut args.connect, &mut args.format, &mut args.trust)
        }
        _ => bail!("`{command}` can't be resumed"),
    };
    let repeats_servers = own_connect.adopt_typed_servers(connect)?;
    refuse_untrusted(folder, &foreign, &connect.describe_foreign()?, trust)?;
    *resume = Some(folder.clone());
    *own_trust = trust;
    if repeats_servers {
        own_connect.adopt_password(connect, recorded.had_password);
    } else if connect.has_password() {
        bail!(
            "a password goes only to servers that are typed: repeat the run's server options, as in {}",
            foreign.join(" ")
        );
    } else {
        own_connect.withhold_password();
    }
    if gives_format {
        *own_format = format;
    }
    Ok(original)
}

/// Returns the options of a recorded command line that choose programs, hosts and files.
fn describe_foreign(command: &Command) -> Result<Vec<String>> {
    match command {
        Command::Bench(args) => {
            let mut foreign = args.connect.describe_foreign()?;
            let folder = args.load.workload_folder().map(|(path, _)| ("--workload", path));
            let script = args.script.clone().map(|path| ("--script", path));
            let paths = folder.into_iter().chain(script);
            foreign.extend(paths.map(|(option, path)| format!("{option} {}", path.display())));
            Ok(foreign)
        }
        Command::Run(args) => args.connect.describe_foreign(),
        _ => Ok(Vec::new()),
    }
}

/// Refuses to use what only the folder names: it may be from someone else.
fn refuse_untrusted(folder: &Path, foreign: &[String], typed: &[String], trust: bool) -> Result<()> {
    let untyped: Vec<&str> = foreign.iter().filter(|word| !typed.contains(word)).map(String::as_str).collect();
    if trust || untyped.is_empty() {
        return Ok(());
    }
    bail!(
        "{} chooses what runs or is reached: {}. If that is what you want, repeat the servers, or accept all by --trust",
        folder.display(),
        untyped.join(", ")
    )
}

fn find_resume_folder(command: &Command) -> Option<&PathBuf> {
    match command {
        Command::Bench(args) => args.resume.as_ref(),
        Command::Run(args) => args.resume.as_ref(),
        _ => None,
    }
}

/// Refuses options that would change the run. Returns `true` if --format is given.
fn refuse_other_options() -> Result<bool> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let command = Cli::command();
    let matches = command.clone().try_get_matches_from(argv::with_long_passwords(&words))?;
    let Some((name, own)) = matches.subcommand() else { return Ok(false) };
    let is_typed = |matches: &ArgMatches, id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let arguments = command.find_subcommand(name).into_iter().flat_map(|command| command.get_arguments());
    for argument in arguments {
        let id = argument.get_id().as_str();
        if own.try_contains_id(id).is_ok() && is_typed(own, id) && !ALLOWED_OPTIONS.contains(&id) {
            let word = argument.get_long().map_or_else(|| id.to_uppercase(), |long| format!("--{long}"));
            bail!("--resume uses the original run's servers and settings: leave out {word}");
        }
    }
    Ok(is_typed(own, "format"))
}

/// Refuses to resume if the request, servers or version changed since the run began.
pub fn refuse_changes(request: &Request, servers: &[Server], folder: &RunFolder) -> Result<()> {
    let changes = measure::find_changes(request, servers, folder, env!("CARGO_PKG_VERSION"))?;
    if changes.is_empty() {
        return Ok(());
    }
    let changes: Vec<String> = changes.iter().map(|change| format!("\n  {change}")).collect();
    bail!(
        "{} can't be resumed, because something changed; its results stay, and you can start a new run:{}",
        folder.path().display(),
        changes.concat()
    )
}

pub fn print_resume_point(folder: &RunFolder) {
    if let Some(progress) = folder.unfinished_run().and_then(|run| run.progress) {
        output::print_note(&format!(
            "{}: resuming after {progress}; the unfinished replicate is measured again",
            folder.path().display()
        ));
    }
}

pub fn print_resume_command(out: &Path, run: &measure::Run) {
    if run.progress.is_some() {
        let command = if run.recipe.is_some() { "run" } else { "bench" };
        output::print_note(&format!(
            "to resume: weigh {command} --resume {}{}",
            argv::quote_for_shell(&out.to_string_lossy()),
            describe_repetition(run.command.as_deref().unwrap_or_default())
        ));
    }
}

/// Returns the options that resuming the run of `command` takes: its running servers, which get the
/// password, and --trust for other programs and files.
fn describe_repetition(command: &str) -> String {
    let parsed = Cli::try_parse_from(argv::parse_saved(command).words);
    let foreign = parsed.ok().and_then(|cli| describe_foreign(&cli.command).ok()).unwrap_or_default();
    let is_running = |word: &str| {
        ["--host ", "--port ", "--socket ", "--user "].iter().any(|option| word.starts_with(option))
            || word.starts_with("--server mysql://")
    };
    let mut text = String::new();
    for (option, value) in foreign.iter().filter(|word| is_running(word)).filter_map(|word| word.split_once(' ')) {
        text.push_str(&format!(" {option} {}", argv::quote_for_shell(value)));
    }
    if foreign.iter().any(|word| !is_running(word)) {
        text.push_str(" --trust");
    }
    text
}
