//! Completion of the command line in a shell. The shell starts `weigh` with the words typed so far,
//! so that values are those of this version and machine: collations, checks, workloads, recipes,
//! servers.

use std::ffi::OsStr;

use clap::{Arg, Command};
use clap_complete::CompletionCandidate;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, PathCompleter, ValueCompleter};
use mysql_collation::{Flavour, catalogue};

/// Environment variable with the shell's name, which the script of `weigh completions` sets.
pub const VARIABLE: &str = "WEIGH_COMPLETE";

/// Bash inserts a candidate as it stands, and would run a file's name such as `$(x)`. Zsh and
/// fish quote it. Without `set -f`, bash would expand a file's name such as `*`.
///
/// `printf %q` quotes for a word without quotes. Within them, the `$'…'` that it writes for control
/// characters would quote nothing, so that only plain names are offered there.
const BASH_QUOTING: &str = r#"_weigh_complete() {
    local at globs=1 quotes=
    [[ ${COMP_LINE-} == *[\'\"\`]* ]] && quotes=1
    [[ $- == *f* ]] && globs=
    set -f
    _clap_complete_weigh "$@"
    [[ -n $globs ]] && set +f
    for at in "${!COMPREPLY[@]}"; do
        [[ ${COMPREPLY[at]} == *[^[:alnum:]_.,:=/@%+-]* ]] || continue
        if [[ -n $quotes ]]; then
            unset "COMPREPLY[at]"
        else
            COMPREPLY[at]=$(printf %q "${COMPREPLY[at]}")
        fi
    done
}
"#;

/// Completes a command line and ends the process, if a shell asks for that.
pub fn complete(command: fn() -> Command) {
    clap_complete::CompleteEnv::with_factory(move || with_values(command())).var(VARIABLE).bin("weigh").complete();
}

/// Returns the script that makes a shell ask `weigh`.
pub fn script(shell: &str) -> std::io::Result<String> {
    let shells = clap_complete::env::Shells::builtins();
    let completer = shells.completer(shell).ok_or(std::io::ErrorKind::Unsupported)?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "weigh", "weigh", "weigh", &mut script)?;
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == "bash" {
        script = script.replace("-F _clap_complete_weigh", "-F _weigh_complete");
        script += BASH_QUOTING;
        // Bash would take mysql@9 for two words.
        script += "COMP_WORDBREAKS=${COMP_WORDBREAKS//@/}\n";
    }
    Ok(script)
}

/// Gives the arguments of all commands the values that they complete to.
fn with_values(command: Command) -> Command {
    let name = command.get_name().to_owned();
    command.mut_args(|arg| with_value(arg, &name)).mut_subcommands(with_values)
}

fn with_value(arg: Arg, command: &str) -> Arg {
    let value = arg.get_value_names().and_then(|names| names.first()).map(|name| name.to_string()).unwrap_or_default();
    let long = arg.get_long().unwrap_or_default().to_owned();
    match (command, long.as_str(), value.as_str()) {
        ("preflight", "check" | "skip", _) => {
            one_of(arg, || preflight::checks::CHECKS.iter().map(|check| described(check.name, check.title)).collect())
        }
        (_, "check" | "skip", _) => {
            one_of(arg, || audit::CHECKS.iter().map(|check| described(check.name, check.title)).collect())
        }
        (_, "target", _) => one_of(arg, || TARGETS.map(CompletionCandidate::new).into()),
        (_, "collation" | "connection-collation", _) | (_, _, "COLLATION" | "COLLATION,…") => one_of(arg, collations),
        (_, "workload", _) | (_, _, "WORKLOAD") => {
            let workloads = || workload::WorkloadKind::ALL.map(|kind| CompletionCandidate::new(kind.name())).into();
            arg.add(ArgValueCompleter::new(OrPath { values: workloads, paths: PathCompleter::dir() }))
        }
        (_, _, "RECIPE") => arg.add(ArgValueCompleter::new(OrPath { values: recipes, paths: PathCompleter::file() })),
        ("stop", ..) if value == "ID" => one_of(arg, started),
        (_, _, "SERVER" | "SPEC") => one_of(arg, servers),
        _ => arg,
    }
}

/// Values offered for `weigh audit --target`.
const TARGETS: [&str; 6] = ["mysql-8.0", "mysql-8.4", "mysql-9", "mariadb-10.11", "mariadb-11.4", "mariadb-11.8"];

fn one_of(arg: Arg, values: fn() -> Vec<CompletionCandidate>) -> Arg {
    arg.add(ArgValueCandidates::new(values))
}

fn described(name: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(name).help(Some(help.to_owned().into()))
}

fn collations() -> Vec<CompletionCandidate> {
    let enabled = Flavour::ALL.into_iter().flat_map(catalogue).filter(|info| info.is_enabled());
    let mut names: Vec<&str> = enabled.map(|info| info.name).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(CompletionCandidate::new).collect()
}

fn recipes() -> Vec<CompletionCandidate> {
    let recipes = recipe::Recipe::all().unwrap_or_default();
    recipes.iter().map(|recipe| CompletionCandidate::new(&recipe.name)).collect()
}

/// Lists started instances, then the catalogue.
fn servers() -> Vec<CompletionCandidate> {
    let catalogue = fetch::list_servers().unwrap_or_default();
    let named = catalogue.iter().flat_map(|listing| {
        std::iter::once(&listing.name).chain(&listing.aliases).map(|name| described(name, &listing.title))
    });
    started().into_iter().chain(named).collect()
}

fn started() -> Vec<CompletionCandidate> {
    let running = server::detached::list().unwrap_or_default();
    running.iter().map(|started| described(&started.id, &started.label)).collect()
}

/// Completes names, or the path of a file or folder.
struct OrPath {
    values: fn() -> Vec<CompletionCandidate>,
    paths: PathCompleter,
}

impl ValueCompleter for OrPath {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let typed = current.to_string_lossy();
        let mut found = (self.values)();
        found.retain(|value| value.get_value().to_string_lossy().starts_with(&*typed));
        found.extend(self.paths.complete(current));
        found
    }
}
