//! Commands that weigh prints, with names of strangers in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::weigh;
use crate::attach::Foreign;
use crate::workspace::Workspace;

/// Names of schemas and tables. Their commands would create the file `pwned`.
const SCHEMA: &str = "s$(touch pwned)";
const TABLES: [&str; 7] = [
    "a$(touch pwned);x",
    "`touch pwned`",
    "o'q; touch pwned #",
    "--plan=pwned",
    "-p",
    "weigh preflight --schema x; touch pwned #",
    "c,d",
];

/// Runs a printed command in a folder, with a function in place of weigh. Returns its arguments.
fn arguments(folder: &Path, command: &str) -> Vec<String> {
    let script = format!("weigh() {{ printf '%s\\n' \"$@\"; }}\n{command}");
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder).output().unwrap();
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// A stranger names a table, and someone pastes the command of the finding about it.
#[test]
fn commands_of_findings_name_what_they_are_about() {
    let foreign = Foreign::start("mariadb");
    foreign.run(&format!("CREATE DATABASE {}", sql::quote_identifier(SCHEMA)));
    for table in TABLES {
        let name = sql::quote_table(SCHEMA, table);
        foreign.run(&format!("CREATE TABLE {name} (a VARCHAR(9), b VARCHAR(9) CHARACTER SET latin1) CHARSET=utf8mb3"));
    }
    let workspace = Workspace::new();
    let socket = foreign.socket();
    let words = ["audit", "--socket", socket.to_str().unwrap(), "--user=root", "--schema", SCHEMA, "--format=json"];
    let audit: Value = serde_json::from_str(&weigh(&workspace, &words).stdout).unwrap();
    let findings = audit["findings"].as_array().unwrap();
    let texts = findings.iter().flat_map(|one| [&one["action"], &one["fix"]]).filter_map(Value::as_str);
    let commands: Vec<&str> = texts.filter(|text| text.starts_with("weigh ")).collect();
    assert!(commands.len() >= 2 * (TABLES.len() - 1), "{commands:?}");
    let mut named: Vec<String> = Vec::new();
    for command in commands {
        // The advice goes on behind the command.
        let command = command.split("; or keep it").next().unwrap();
        let command = command.split("; the table's default").next().unwrap();
        let given = arguments(workspace.root(), command);
        assert!(!workspace.root().join("pwned").exists(), "{command}");
        let value = |option: &str| {
            let at = given.iter().position(|word| word.starts_with(option));
            let at = at.unwrap_or_else(|| panic!("{option}: {command}: {given:?}"));
            given[at].split_once('=').map_or_else(|| given[at + 1].clone(), |(_, value)| value.to_owned())
        };
        assert_eq!(value("--schema"), SCHEMA, "{command}");
        named.push(value("--table"));
    }
    for table in TABLES {
        // A comma separates the names of the option.
        assert_eq!(named.iter().any(|name| name == table), !table.contains(','), "{table}: {named:?}");
    }
}

/// Subcommands that messages print, with words that follow them.
const PRINTED: [&str; 17] = [
    "audit",
    "bench",
    "capture",
    "compare",
    "count",
    "explain",
    "import",
    "micro",
    "preflight",
    "profile",
    "report",
    "run",
    "sort",
    "upgrade",
    "weights",
    "why",
    "workload",
];

fn list_sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && name != "target" && name != "tests" && name != "benches" {
            list_sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// Commands with values are written by `escape::Command`, which quotes them.
#[test]
fn no_source_writes_a_value_into_a_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut sources = Vec::new();
    for room in ["advise", "formats", "measure", "present", "servers", "weigh/src"] {
        list_sources(&root.join(room), &mut sources);
    }
    assert!(sources.len() > 300, "{}", sources.len());
    let mut found = Vec::new();
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap();
        for (at, _) in text.match_indices("weigh ") {
            let rest = &text[at + 6..];
            let Some((before, _)) = rest.split_once('{') else { continue };
            let mut words = before.split([' ', '=']);
            let is_printed = words.next().is_some_and(|word| PRINTED.contains(&word));
            let is_command = words.all(|word| word.is_empty() || word.starts_with('-') || word == "compare");
            if is_printed && is_command && before.ends_with([' ', '=']) {
                found.push(format!("{}: weigh {before}{{…}}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
