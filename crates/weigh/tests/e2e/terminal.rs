//! Who sits at the other end: a terminal, or a pipe that nobody reads.

use std::process::{Command, Stdio};

use crate::place::{Place, SMALL};

const ONE: [&str; 4] = ["-c", "utf8mb4_bin", "-w", "oltp_point_select"];

/// What a terminal of 100 columns is sent by a benchmark whose output is redirected so.
fn on_a_terminal(redirection: &str, environment: &[(&str, &str)]) -> String {
    let place = Place::new();
    let bench = place.bench(&SMALL, &ONE);
    let words: Vec<String> = [bench.get_program()]
        .into_iter()
        .chain(bench.get_args())
        .map(|word| format!("'{}'", word.to_str().unwrap()))
        .collect();
    let mut script = Command::new("script");
    script.args(["-qefc", &format!("stty cols 100; {} {redirection}", words.join(" ")), "/dev/null"]);
    place.set_up(&mut script);
    let done = place.end(script.env("TERM", "xterm-256color").envs(environment.iter().copied()).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    done.stdout
}

#[test]
fn a_terminal_gets_colours_unless_told_otherwise() {
    assert!(on_a_terminal("2>/dev/null", &[]).contains("\x1b[1m"));
    assert!(!on_a_terminal("2>/dev/null", &[("NO_COLOR", "1")]).contains("\x1b["));
}

#[test]
fn a_terminal_sees_what_is_being_done() {
    let seen = on_a_terminal(">/dev/null", &[]);
    for words in ["starting mariadb", "mariadb: loading", "oltp_point_select: utf8mb4_bin ", "× its copy", " of 20 s"]
    {
        assert!(seen.contains(words), "{words}: {seen:?}");
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
