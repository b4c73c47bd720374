//! Help: which commands and options are shown where. The texts are in the definitions of the
//! options.
//!
//! | | shows |
//! | --- | --- |
//! | `weigh --help` | commands by the reader's question |
//! | `weigh bench -h` | usage, five examples, the options that matter |
//! | `weigh bench --help` | all options but those of logging in |
//! | `weigh help connection` | the options of logging in |

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, Command};

/// Heading of the options of logging in, which many commands share.
pub const CONNECTION: &str = "Connection";
/// Heading of the options that every command has.
pub const EVERY_COMMAND: &str = "Every command";

const MAX_WIDTH: usize = 120;
const SHORT_EXAMPLES: usize = 5;

/// Commands by question, the first question first. `weigh --help` lists other commands at the end.
const QUESTIONS: [(&str, &[&str]); 8] = [
    ("Where do I stand?", &["audit"]),
    ("What breaks if I convert?", &["preflight"]),
    ("Will my upgrade break?", &["upgrade"]),
    ("What does it cost?", &["bench", "run"]),
    ("On my own queries?", &["why", "capture", "workload"]),
    ("Where does the CPU go?", &["profile", "count", "micro"]),
    ("How does a collation see these strings?", &["explain", "sort", "weights"]),
    ("Results of earlier runs", &["report", "compare", "import"]),
];
const OTHERS: &str = "Servers, and weigh itself";

/// Options that `-h` shows, by their ids. A command that is not listed shows all of its options but
/// those of [`CONNECTION`] and [`EVERY_COMMAND`].
const SHORT_HELP_OPTIONS: [(&str, &[&str]); 10] = [
    ("bench", &["workloads", "collations", "baseline", "quick", "max_time", "threads", "table_size", "dry_run"]),
    (
        "audit",
        &[
            "schemas",
            "checks",
            "skip",
            "list",
            "target",
            "dumps",
            "scripts",
            "slow_logs",
            "by",
            "all",
            "fail_on",
            "format",
        ],
    ),
    ("preflight", &["to", "schemas", "tables", "columns", "csv", "dump", "plan", "max_load", "fail_on", "format"]),
    (
        "profile",
        &["workloads", "collations", "against", "quick", "no_load", "pid", "perf_script", "seconds", "all", "out"],
    ),
    ("capture", &["schema", "tables", "rows", "dump", "slow_logs", "general_logs", "digests", "out"]),
    ("run", &["list", "print", "scale", "threads", "max_time", "dry_run", "resume", "out"]),
    ("count", &["workloads", "collations", "baseline", "functions", "text", "out", "site", "format"]),
    ("why", &["scripts", "slow_logs", "worst", "dumps", "schema", "connection_collation", "servers", "format"]),
    (
        "upgrade",
        &["from", "to", "dumps", "schemas", "migrations", "scripts", "slow_logs", "my_cnf", "settings", "format"],
    ),
    ("micro", &["collations", "texts", "differences", "instruction_sets", "quick", "format"]),
];

const CONNECTION_POINTER: &str = "\
Connection:
  -h HOST, -P PORT, -u USER, -p, -S SOCKET, option files and TLS as in MySQL's clients.
  All of them: weigh help connection";

const TOP: &str = "\
{about}

Usage: weigh COMMAND [OPTIONS]{after-help}

Every command has --quiet, --verbose and --color auto|always|never.";

const EXAMPLES: &str = "\
Try first:
  weigh audit mysql://me@db.example   what is wrong there, in a second
  weigh bench --quick                 what collations cost, in a minute

`weigh COMMAND -h` shows the options that matter, `--help` all of them.
Documentation: docs/README.md (packages: in /usr/share/doc/weighbridge)";

/// Amount of help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// `-h`
    Short,
    /// `--help`
    Full,
}

/// Arranges the help of all commands. Clap's own short and long help are not used: they lay out the
/// same options differently.
pub fn arrange(command: Command, extent: Extent) -> Command {
    let overview = overview(&command);
    command
        .max_term_width(MAX_WIDTH)
        .help_template(TOP)
        .after_help(overview)
        .mut_args(|arg| if is_shown(&arg, extent, None) { arg } else { arg.hide(true) })
        .mut_subcommands(|command| arrange_command(command, extent, ""))
}

fn arrange_command(command: Command, extent: Extent, parent: &str) -> Command {
    let name = format!("{parent}{}", command.get_name());
    let listed = SHORT_HELP_OPTIONS.iter().find(|(command, _)| *command == name).map(|(_, ids)| *ids);
    let tail = match extent {
        Extent::Short => short_tail(&command, &name, listed.is_some()),
        Extent::Full => full_tail(&command),
    };
    command
        .max_term_width(MAX_WIDTH)
        .mut_args(|arg| if is_shown(&arg, extent, listed) { arg } else { arg.hide(true) })
        .after_help(tail)
        .mut_subcommands(|command| arrange_command(command, extent, &format!("{name} ")))
}

fn is_shown(arg: &Arg, extent: Extent, listed: Option<&[&str]>) -> bool {
    let heading = arg.get_help_heading();
    match extent {
        Extent::Full => heading != Some(CONNECTION),
        Extent::Short if [Some(CONNECTION), Some(EVERY_COMMAND)].contains(&heading) => false,
        Extent::Short => arg.is_positional() || listed.is_none_or(|ids| ids.contains(&arg.get_id().as_str())),
    }
}

fn has_connection(command: &Command) -> bool {
    command.get_arguments().any(|arg| arg.get_help_heading() == Some(CONNECTION))
}

/// What follows the options of `--help`: the pointer to the options of logging in, all examples,
/// and the exit status.
fn full_tail(command: &Command) -> String {
    let own = command.get_after_help().map(StyledStr::to_string).unwrap_or_default();
    if has_connection(command) { format!("{CONNECTION_POINTER}\n\n{own}") } else { own }
}

/// What follows the options of `-h`: the first examples, and where the rest is.
fn short_tail(command: &Command, name: &str, is_shortened: bool) -> String {
    let own = command.get_after_help().map(StyledStr::to_string).unwrap_or_default();
    let mut text = first_examples(&own);
    if is_shortened || has_connection(command) {
        let _ = write!(text, "\n\nAll options: weigh {name} --help");
    }
    if has_connection(command) {
        text += "   To log in: weigh help connection";
    }
    text.trim_start().to_owned()
}

/// Returns the first examples of a text that begins with `Examples:`. An example is a line that is
/// indented by two blanks, and its explanation.
fn first_examples(text: &str) -> String {
    let mut kept = String::new();
    let mut count = 0;
    for line in text.lines() {
        let is_example = line.starts_with("  ") && !line.starts_with("   ");
        count += usize::from(is_example);
        let is_end = !line.starts_with(' ') && !line.is_empty() && !line.starts_with("Examples:");
        if count > SHORT_EXAMPLES || is_end {
            break;
        }
        let _ = writeln!(kept, "{line}");
    }
    kept.trim_end().to_owned()
}

/// Lists the commands by question.
fn overview(command: &Command) -> String {
    let about = |name: &str| {
        let found = command.get_subcommands().find(|command| command.get_name() == name && !command.is_hide_set())?;
        Some(found.get_about().map(StyledStr::to_string).unwrap_or_default())
    };
    let asked: Vec<&str> = QUESTIONS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let all = command.get_subcommands().map(Command::get_name);
    let others: Vec<&str> = all.filter(|name| !asked.contains(name)).collect();
    let mut text = String::new();
    for (question, names) in QUESTIONS.iter().map(|(question, names)| (*question, *names)).chain([(OTHERS, &*others)]) {
        let _ = writeln!(text, "{question}");
        for name in names {
            if let Some(about) = about(name) {
                let _ = writeln!(text, "  {name:<11} {about}");
            }
        }
    }
    text + "\n" + EXAMPLES
}

/// Renders `weigh help connection`, from the options of a command that has them.
pub fn connection(command: &Command) -> String {
    let has_options = |command: &&Command| command.get_name() == "bench";
    let with_options = command.get_subcommands().find(has_options).expect("weigh bench logs in to servers");
    let options = with_options
        .get_arguments()
        .filter(|arg| [Some(CONNECTION), Some("Servers")].contains(&arg.get_help_heading()) && !arg.is_hide_set());
    let mut page = Command::new("weigh")
        .about("Options that name servers and log in to them")
        .help_template("{about}\n\n{all-args}{after-help}")
        .disable_help_flag(true)
        .max_term_width(MAX_WIDTH)
        .after_help(
            "Examples:
  weigh audit mysql://me:secret@db.example:3307
      By URL. Special characters of the password are written as %40 for @.
  weigh audit -h db.example -u me -p
      As for MySQL's client; prompts for the password.
  weigh audit
      The server that ~/.my.cnf and the other option files name.
  weigh bench --server mariadb@11.8 --server mysql@9
      Private servers, installed if need be; `weigh servers list` names them.

MYSQL_PWD holds a password, MYSQL_HOST a host. More: docs/reference/connection.md",
        )
        .args(options.cloned());
    page.render_help().to_string()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn command(extent: Extent) -> Command {
        let mut command = arrange(crate::Cli::command(), extent);
        command.build();
        command
    }

    #[test]
    fn overview_has_every_command_once_on_one_line() {
        let mut command = command(Extent::Short);
        let help = command.render_help().to_string();
        for command in command.get_subcommands() {
            let start = format!("  {:<11} ", command.get_name());
            assert_eq!(help.matches(&start).count(), 1, "{}: {help}", command.get_name());
        }
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
        assert!(help.lines().count() <= 55, "{help}");
    }

    #[test]
    fn short_help_has_at_most_50_lines() {
        for command in command(Extent::Short).get_subcommands_mut().filter(|command| !command.has_subcommands()) {
            let help = command.render_help().to_string();
            let is_listed = SHORT_HELP_OPTIONS.iter().any(|(name, _)| *name == command.get_name());
            assert!(
                !is_listed || help.lines().count() <= 50,
                "{}: {} lines: {help}",
                command.get_name(),
                help.lines().count()
            );
            assert!(!help.contains("--ssl-ca"), "{help}");
        }
    }

    #[test]
    fn short_help_names_options_that_exist() {
        let command = command(Extent::Full);
        for (name, ids) in SHORT_HELP_OPTIONS {
            let own = command.find_subcommand(name).unwrap();
            for id in ids {
                assert!(own.get_arguments().any(|arg| arg.get_id() == id), "{name}: {id}");
            }
        }
    }

    #[test]
    fn long_help_points_to_the_connection_options() {
        let mut command = command(Extent::Full);
        let help = command.find_subcommand_mut("bench").unwrap().render_help().to_string();
        assert!(help.contains("weigh help connection") && !help.contains("--ssl-ca"), "{help}");
        let connection = connection(&crate::Cli::command());
        assert!(connection.contains("--ssl-ca") && connection.contains("--socket"), "{connection}");
    }
}
