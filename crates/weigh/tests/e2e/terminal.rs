//! Who sits at the other end: a terminal, or a pipe that nobody reads.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::place::{Place, SMALL};

const ONE: [&str; 4] = ["-c", "utf8mb4_bin", "-w", "oltp_point_select"];

/// A command that runs another on a terminal of 100 columns, which is its own standard output.
pub fn on_a_terminal(place: &Place, command: &Command, redirection: &str) -> Command {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let quoted: Vec<String> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    let mut script = Command::new("script");
    script.args(["-qefc", &format!("stty cols 100; {} {redirection}", quoted.join(" ")), "/dev/null"]);
    place.set_up(&mut script);
    script.env("TERM", "xterm-256color");
    script
}

/// What a terminal is sent by a benchmark whose output is redirected so.
fn seen(redirection: &str, environment: &[(&str, &str)]) -> String {
    let place = Place::new();
    let mut script = on_a_terminal(&place, &place.bench(&SMALL, &ONE), redirection);
    let done = place.end(script.envs(environment.iter().copied()).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    done.stdout
}

#[test]
fn a_terminal_gets_colours_unless_told_otherwise() {
    assert!(seen("2>/dev/null", &[]).contains("\x1b[1m"));
    assert!(!seen("2>/dev/null", &[("NO_COLOR", "1")]).contains("\x1b["));
}

#[test]
fn a_terminal_sees_what_is_being_done() {
    let line = seen(">/dev/null", &[]);
    for words in ["starting mariadb", "mariadb: loading", "oltp_point_select: utf8mb4_bin ", "× its copy", " of 120 s"]
    {
        assert!(line.contains(words), "{words}: {line:?}");
    }
}

#[test]
fn a_reader_that_has_gone_ends_nothing() {
    let place = Place::new();
    for words in [&["bench", "--list-workloads"][..], &["bench", "--help"], &["servers", "list"]] {
        let mut child = place.weigh(words).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(place.end(child).code, Some(0), "{words:?}");
    }
    let mut child = place.bench(&SMALL, &ONE).spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(place.end(child).code, Some(0));
    place.read().assert_complete();
}

#[test]
fn closed_streams_end_nothing() {
    let place = Place::new();
    let bench = place.bench(&SMALL, &ONE);
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$0\" \"$@\" <&- >&- 2>&-"]).arg(bench.get_program()).args(bench.get_args());
    place.set_up(&mut shell);
    let done = place.end(shell.stdin(Stdio::null()).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    place.read().assert_complete();
}

#[test]
fn output_that_cannot_be_written_is_an_error_and_the_results_are_named() {
    let place = Place::new();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let done = place.end(place.bench(&SMALL, &ONE).stdout(full).spawn().unwrap());
    assert_eq!(done.code, Some(2), "{done}");
    assert!(done.stderr.contains(place.out().to_str().unwrap()), "{done}");
    assert!(done.stderr.contains("weigh: cannot write to standard output: No space left"), "{done}");
    place.read().assert_complete();
}
