//! Output to terminals, pipes and closed streams.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::workspace::{SMALL, Workspace};

const ONE: [&str; 4] = ["-c", "utf8mb4_bin", "-w", "oltp_point_select"];

/// A command line whose error is longer than the terminal is wide.
const WRONG: [&str; 5] = ["upgrade", "--from", "mysql@5.7", "--to", "mysql@8.0"];

/// Makes a command that runs another on a terminal of 100 columns. The terminal is this command's
/// standard output.
pub fn on_a_terminal(workspace: &Workspace, command: &Command, redirection: &str) -> Command {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let quoted: Vec<String> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    let mut script = Command::new("script");
    script.args(["-qefc", &format!("stty cols 100; {} {redirection}", quoted.join(" ")), "/dev/null"]);
    workspace.set_up(&mut script);
    script.env("TERM", "xterm-256color");
    script
}

/// Returns what a terminal receives from a benchmark with redirected output.
fn read_terminal(redirection: &str, environment: &[(&str, &str)]) -> String {
    let workspace = Workspace::new();
    let mut script = on_a_terminal(&workspace, &workspace.bench(&SMALL, &ONE), redirection);
    let finished = workspace.wait_for_end(script.envs(environment.iter().copied()).spawn().unwrap());
    assert_eq!(finished.code, Some(0), "{finished}");
    finished.stdout
}

#[test]
fn colours_on_a_terminal_only() {
    assert!(read_terminal("2>/dev/null", &[]).contains("\x1b[1m"));
    assert!(!read_terminal("2>/dev/null", &[("NO_COLOR", "1")]).contains("\x1b["));
}

#[test]
fn errors_are_wrapped_on_a_terminal_only() {
    let workspace = Workspace::new();
    let piped = workspace.wait_for_end(workspace.weigh(&WRONG).spawn().unwrap());
    assert_eq!(piped.code, Some(2), "{piped}");
    let [message] = piped.stderr.lines().collect::<Vec<_>>()[..] else { panic!("several lines: {piped}") };
    let mut script = on_a_terminal(&workspace, &workspace.weigh(&WRONG), "2>&1");
    let finished = workspace.wait_for_end(script.spawn().unwrap());
    let lines: Vec<&str> = finished.stdout.lines().map(str::trim_end).collect();
    assert!(lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= 100), "{finished}");
    assert!(lines[1..].iter().all(|line| line.starts_with("  ")), "{finished}");
    assert_eq!(lines.iter().map(|line| line.trim_start()).collect::<Vec<_>>().join(" "), message);
}

#[test]
fn lists_are_wrapped_on_a_terminal() {
    let workspace = Workspace::new();
    for words in [&["audit", "--list"][..], &["audit", "--list", "--check=view-index"], &["preflight", "--list"]] {
        let mut script = on_a_terminal(&workspace, &workspace.weigh(words), "");
        let finished = workspace.wait_for_end(script.spawn().unwrap());
        assert_eq!(finished.code, Some(0), "{finished}");
        // A name in a long word, such as a list of options, has a line of its own.
        let long = finished.stdout.lines().filter(|line| line.trim_end().chars().count() > 100).count();
        assert_eq!(long, 0, "{finished}");
    }
}

#[test]
fn shows_progress_on_a_terminal() {
    let line = read_terminal(">/dev/null", &[]);
    for words in ["starting mariadb", "mariadb: loading", "oltp_point_select: utf8mb4_bin ", "× its copy", " min left"]
    {
        assert!(line.contains(words), "{words}: {line:?}");
    }
}

#[test]
fn ignores_closed_pipes() {
    let workspace = Workspace::new();
    for words in [&["bench", "--list-workloads"][..], &["bench", "--help"], &["servers", "list"]] {
        let mut child = workspace.weigh(words).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(workspace.wait_for_end(child).code, Some(0), "{words:?}");
    }
    // Each step prints a line.
    let mut child = workspace.bench(&SMALL, &[&["--verbose"], &ONE[..]].concat()).spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(workspace.wait_for_end(child).code, Some(0));
    workspace.read().assert_complete();
}

#[test]
fn ignores_closed_streams() {
    let workspace = Workspace::new();
    let bench = workspace.bench(&SMALL, &ONE);
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$0\" \"$@\" <&- >&- 2>&-"]).arg(bench.get_program()).args(bench.get_args());
    workspace.set_up(&mut shell);
    let finished = workspace.wait_for_end(shell.stdin(Stdio::null()).spawn().unwrap());
    assert_eq!(finished.code, Some(0), "{finished}");
    workspace.read().assert_complete();
}

#[test]
fn reports_unwritable_output_with_the_results() {
    let workspace = Workspace::new();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let finished = workspace.wait_for_end(workspace.bench(&SMALL, &ONE).stdout(full).spawn().unwrap());
    assert_eq!(finished.code, Some(2), "{finished}");
    assert!(finished.stderr.contains(workspace.out().to_str().unwrap()), "{finished}");
    assert!(finished.stderr.contains("weigh: cannot write to standard output: No space left"), "{finished}");
    workspace.read().assert_complete();
}
