//! `--resume` of `weigh bench` and `weigh run`: restores the original command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, Parser};
use measure::{Request, RunFolder};
use server::Server;

use crate::options::connect::ConnectArgs;
use crate::output;
use crate::{Cli, Command, argv};

/// Options that may be typed with `--resume`. Server options must name the run's own servers.
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
    let foreign = options_to_trust(&original.command)?;
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
            "a password goes only to servers that are typed: repeat the run's server options, as in{}",
            server_options(own_connect)?
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
fn options_to_trust(command: &Command) -> Result<Vec<String>> {
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

/// Refuses options other than [`ALLOWED_OPTIONS`]. Returns `true` if --format is given.
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
            resume_options(run.command.as_deref().unwrap_or_default())
        ));
    }
}

/// Returns what to type after `--resume DIR` for the run of `command`, in shell syntax, each option
/// after a space: its running servers, which get the password, and --trust for what else its
/// command line or its recipe names.
fn resume_options(command: &str) -> String {
    let Ok(original) = Cli::try_parse_from(argv::parse_saved(command).words) else { return String::new() };
    let (connect, trusts_recipe) = match &original.command {
        Command::Bench(args) => (&args.connect, false),
        Command::Run(args) => (&args.connect, args.trust),
        _ => return String::new(),
    };
    let repeated = connect.options_to_repeat().unwrap_or_default();
    let is_typed = |word: &String| repeated.iter().any(|(option, value)| *word == format!("{option} {value}"));
    let foreign = options_to_trust(&original.command).unwrap_or_default();
    let trust = if trusts_recipe || !foreign.iter().all(is_typed) { " --trust" } else { "" };
    format!("{}{trust}", server_options(connect).unwrap_or_default())
}

/// Returns the server options of a run with running servers, in shell syntax, each after a space.
fn server_options(connect: &ConnectArgs) -> Result<String> {
    let quoted = |(option, value): &(&str, String)| format!(" {option} {}", argv::quote_for_shell(value));
    Ok(connect.options_to_repeat()?.iter().map(quoted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_resumes_the_run() {
        let options = |words: &str| resume_options(&format!("weigh {words}"));
        assert_eq!(options("bench --quick"), "");
        assert_eq!(options("bench --workload ./w mysql://me@db"), " --server mysql://me@db --trust");
        // Servers are repeated together.
        let two = options("bench mysql@9 --server mysql://me@db --user='a b'");
        assert_eq!(two, " --server mysql@9 --server mysql://me@db --user 'a b'");
        assert_eq!(options("run ./own.toml --trust"), " --trust");
        assert_eq!(options("run ./own.toml"), "");
    }

    #[test]
    fn server_options_are_without_the_folder() {
        let words = ["weigh", "bench", "mysql://me@db", "--workload", "./w", "--socket=/tmp/a b"];
        let Command::Bench(args) = Cli::try_parse_from(words).unwrap().command else { panic!("bench") };
        assert_eq!(server_options(&args.connect).unwrap(), " --server mysql://me@db --socket '/tmp/a b'");
    }
}
