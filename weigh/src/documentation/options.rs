//! Option tables of docs/reference, generated from the definitions that `--help` is made of.
//!
//! A page has the markers `<!-- options: weigh bench -->` and `<!-- end of options -->`. The table
//! lies between them. `<!-- options: weigh bench, Connection -->` is the table of the options under
//! one heading. `<!-- checks: audit -->` and `<!-- end of checks -->` enclose the table of audit's
//! checks.
//! `BLESS=1 cargo test -p weigh --bin weigh documentation` writes the tables.

use std::fs;

use clap::{Arg, CommandFactory};

use super::{find_pages, read, root};
use crate::{Cli, help};

const BEGIN: &str = "<!-- options: ";
const END: &str = "<!-- end of options -->";

const CHECKS_BEGIN: &str = "<!-- checks: audit -->";
const CHECKS_END: &str = "<!-- end of checks -->";

/// Headings whose options are the same in many commands: docs/reference/connection.md has them.
const SHARED: [&str; 2] = [help::CONNECTION, help::EVERY_COMMAND];

/// The command that words such as `weigh workload compare` name.
fn command(words: &str) -> clap::Command {
    let mut command = Cli::command();
    command.build();
    for word in words.split(' ').skip(1) {
        command = command.find_subcommand(word).unwrap_or_else(|| panic!("no command `{words}`")).clone();
    }
    command
}

/// Escapes a help text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    let mut escaped = String::new();
    for (index, part) in text.split('`').enumerate() {
        let part = part.replace('|', "\\|");
        if index > 0 {
            escaped.push('`');
        }
        let code = index % 2 == 1;
        escaped += &if code { part } else { part.replace('<', "&lt;").replace('*', "\\*").replace('_', "\\_") };
    }
    escaped.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Names and value of an argument, as a cell: `-c`, `--collation NAME,…`.
fn names(arg: &Arg) -> String {
    let values = arg.get_value_names().map(|names| names.join(" ")).unwrap_or_default();
    let optional = arg.get_num_args().is_some_and(|range| range.min_values() == 0);
    let takes_values = arg.get_num_args().is_none_or(|range| range.max_values() > 0) && !values.is_empty();
    let Some(long) = arg.get_long() else {
        return arg.get_short().map_or(format!("`{}`", values.replace('|', "\\|")), |short| format!("`-{short}`"));
    };
    let value = match (takes_values, optional) {
        (false, _) => String::new(),
        (true, true) => format!("[={values}]"),
        (true, false) => format!(" {values}"),
    };
    let long = format!("`--{long}{}`", value.replace('|', "\\|"));
    arg.get_short().map_or(long.clone(), |short| format!("`-{short}`, {long}"))
}

/// Help of an argument, and its default, as cells.
fn meaning(arg: &Arg) -> (String, String) {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let (mut help, mut default) = match help.strip_suffix(']').and_then(|help| help.rsplit_once(" [default: ")) {
        Some((help, default)) => (cell(help), cell(default)),
        None => (cell(&help), String::new()),
    };
    let takes_values = arg.get_num_args().is_none_or(|range| range.max_values() > 0);
    if default.is_empty() && takes_values {
        let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        default = if defaults.is_empty() { String::new() } else { format!("`{}`", defaults.join(",")) };
    }
    let possible: Vec<String> = if arg.is_hide_possible_values_set() || !takes_values {
        Vec::new()
    } else {
        arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect()
    };
    if !possible.is_empty() {
        help += &format!(" ({})", possible.join(", "));
    }
    (help, default)
}

/// The tables of a marker such as `weigh bench`, one for each heading of options; one table for
/// `weigh bench, Connection`.
fn tables(marker: &str) -> String {
    let (words, only) = marker.split_once(", ").map_or((marker, None), |(words, only)| (words, Some(only)));
    let command = command(words);
    let mut groups: Vec<(Option<&str>, Vec<&Arg>)> = Vec::new();
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let heading = arg.get_help_heading();
        let elsewhere = heading.is_some_and(|heading| SHARED.contains(&heading)) && only.is_none();
        let other = only.is_some() && heading != only;
        let general = matches!(arg.get_id().as_str(), "help" | "version");
        if elsewhere || other || general {
            continue;
        }
        match groups.iter_mut().find(|(group, _)| *group == heading) {
            Some((_, args)) => args.push(arg),
            None => groups.push((heading, vec![arg])),
        }
    }
    assert!(!groups.is_empty(), "`{marker}` has no options");
    let mut text = String::new();
    for (heading, args) in groups {
        if let Some(heading) = heading.filter(|_| only.is_none()) {
            text += &format!("**{heading}**\n\n");
        }
        text += "| option | meaning | default |\n| --- | --- | --- |\n";
        for arg in args {
            let (help, default) = meaning(arg);
            text += &format!("| {} | {help} | {default} |\n", names(arg));
        }
        text.push('\n');
    }
    text
}

/// Returns the page with each table of options, and that of audit's checks, generated anew.
fn with_tables(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (marker, after) = after.split_once(" -->").expect("a marker ends with -->");
        let (_, after) = after.split_once(END).unwrap_or_else(|| panic!("`{marker}` lacks {END}"));
        text += &format!("{before}{BEGIN}{marker} -->\n{}{END}", tables(marker));
        rest = after;
    }
    with_checks(&(text + rest))
}

/// Returns the page with the table of audit's checks generated anew.
fn with_checks(page: &str) -> String {
    let Some((before, after)) = page.split_once(CHECKS_BEGIN) else { return page.to_owned() };
    let (_, after) = after.split_once(CHECKS_END).expect("the table of checks has an end");
    let rows: String =
        audit::CHECKS.iter().map(|check| format!("| `{}` | {} |\n", check.name, cell(check.title))).collect();
    format!("{before}{CHECKS_BEGIN}\n| check | finds |\n| --- | --- |\n{rows}\n{CHECKS_END}{after}")
}

/// The table of preflight's checks has their severities, and is written by hand.
#[test]
fn preflight_page_names_every_check() {
    let text = read(std::path::Path::new("docs/reference/preflight.md"));
    for name in preflight::checks::CHECKS.iter().map(|check| check.name) {
        assert!(text.contains(&format!("| `{name}` | ")), "no row for {name}");
    }
}

#[test]
fn option_tables_are_those_of_help() {
    let mut stale = Vec::new();
    let mut tables = 0;
    for page in find_pages() {
        let text = read(&page);
        tables += text.matches(BEGIN).count();
        let wanted = with_tables(&text);
        if text == wanted {
            continue;
        }
        if std::env::var_os("BLESS").is_some() {
            fs::write(root().join(&page), wanted).unwrap();
        } else {
            stale.push(page.display().to_string());
        }
    }
    assert!(stale.is_empty(), "tables of options or checks are out of date; BLESS=1 writes them: {}", stale.join(", "));
    assert!(tables >= 15, "only {tables} tables were found");
}

/// Each command without subcommands, and each subcommand, has a table of its options on a page.
/// `help` and `version` need none.
#[test]
fn every_command_has_a_table() {
    let text: String = find_pages().iter().map(|page| read(page)).collect();
    let mut cli = Cli::command();
    cli.build();
    for command in cli.get_subcommands().filter(|command| !["help", "version"].contains(&command.get_name())) {
        let name = command.get_name();
        let subcommands: Vec<_> = command.get_subcommands().filter(|command| command.get_name() != "help").collect();
        let mut wanted: Vec<String> =
            subcommands.iter().map(|sub| format!("{BEGIN}weigh {name} {} -->", sub.get_name())).collect();
        if wanted.is_empty() {
            wanted.push(format!("{BEGIN}weigh {name} -->"));
        }
        for wanted in wanted {
            assert!(text.contains(&wanted), "no page has {wanted}");
        }
    }
}
