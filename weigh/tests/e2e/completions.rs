//! Completion in bash: options and their values.

use std::path::Path;
use std::process::Command;

use crate::workspace::Workspace;

/// Returns what bash offers for the last of these words.
fn complete(words: &[&str]) -> Vec<String> {
    complete_in(&Workspace::new(), words)
}

fn complete_in(workspace: &Workspace, words: &[&str]) -> Vec<String> {
    complete_line(workspace, words, &words.join(" "))
}

/// Returns what bash offers for the last of these words, which `line` has with its quotes.
fn complete_line(workspace: &Workspace, words: &[&str], line: &str) -> Vec<String> {
    let script = workspace.wait_for_end(workspace.weigh(&["completions", "bash"]).spawn().unwrap()).stdout;
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (last, before) = (words.len() - 1, words[words.len() - 2]);
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c"]).arg(format!(
        "{script}\nCOMP_LINE=$LINE\nCOMP_WORDS=({})\nCOMP_CWORD={last}\nCOMP_TYPE=9\n_weigh_complete weigh '{}' '{before}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        words[last]
    ));
    workspace.set_up(&mut bash);
    bash.env("LINE", line);
    let program = Path::new(env!("CARGO_BIN_EXE_weigh")).parent().unwrap();
    bash.env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap()));
    let finished = workspace.wait_for_end(bash.spawn().unwrap());
    assert_eq!(finished.code, Some(0), "{finished}");
    finished.stdout.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn values_complete() {
    for (words, wanted) in [
        (&["weigh", "au"][..], &["audit"][..]),
        (&["weigh", "audit", "--check", "join"], &["join-mismatch"]),
        (&["weigh", "audit", "--check", "utf8mb3,key"], &["utf8mb3,key-limit"]),
        (&["weigh", "audit", "--format", "ht"], &["html"]),
        (&["weigh", "audit", "--target", "mysql-8.4"], &["mysql-8.4"]),
        (&["weigh", "preflight", "--to", "utf8mb4_0900_as_ci"], &["utf8mb4_0900_as_ci"]),
        (&["weigh", "bench", "--collation", "utf8mb4_bin,latin1_swedish_c"], &["utf8mb4_bin,latin1_swedish_ci"]),
        (&["weigh", "bench", "--workload", "distinct"], &["distinct_ranges"]),
        (&["weigh", "bench", "mariadb@11."], &["mariadb@11.4", "mariadb@11.8"]),
        (&["weigh", "run", "percona"], &["percona-2019"]),
        (&["weigh", "servers", "install", "mysql@5."], &["mysql@5.6", "mysql@5.7"]),
    ] {
        let mut found = complete(words);
        found.sort();
        assert_eq!(found, wanted, "{words:?}");
    }
}

/// Strangers' folders, which bash would run or expand if they were inserted as they stand.
#[test]
fn names_of_files_are_quoted() {
    let workspace = Workspace::new();
    let names = ["x$(touch pwned)", "x;touch pwned", "x`touch pwned`", "x*", "x y", "xé", "x\n&"];
    for name in names {
        std::fs::create_dir(workspace.root().join(name)).unwrap();
    }
    let found = complete_in(&workspace, &["weigh", "report", "x"]);
    assert_eq!(found.len(), names.len(), "{found:?}");
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &format!("printf '%s\\0' {}", found.join(" "))]);
    workspace.set_up(&mut bash);
    let finished = workspace.wait_for_end(bash.spawn().unwrap());
    let mut read: Vec<&str> = finished.stdout.split_terminator('\0').collect();
    let mut expected = names.map(|name| format!("{name}/"));
    read.sort_unstable();
    expected.sort_unstable();
    assert_eq!(read, expected, "{found:?}");
    let script = workspace.wait_for_end(workspace.weigh(&["completions", "bash"]).spawn().unwrap()).stdout;
    assert!(script.contains("complete ") && !script.contains("-F _clap_complete_weigh"), "{script}");
}

/// Within quotes, `$'…'` quotes nothing. In the locale C, bash writes it for all other letters.
#[test]
fn within_quotes_only_plain_names_are_offered() {
    let workspace = Workspace::new();
    for name in ["xa", "x\n$(touch pwned)", "x\u{1b}$(touch pwned)", "xé$(touch pwned)", "x y"] {
        std::fs::create_dir(workspace.root().join(name)).unwrap();
    }
    for line in ["weigh report \"x", "weigh report 'x", "weigh report --out=\"a b\" x"] {
        assert_eq!(complete_line(&workspace, &["weigh", "report", "x"], line), ["xa/"], "{line}");
    }
    assert_eq!(complete_in(&workspace, &["weigh", "report", "x"]).len(), 5);
}

#[test]
fn options_complete() {
    assert_eq!(complete(&["weigh", "bench", "--base"]), ["--baseline"]);
}
