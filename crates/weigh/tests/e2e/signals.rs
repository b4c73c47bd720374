//! Signals in the middle of things: an orderly end, what was measured kept, nothing left.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use measure::{Run, SelfTest};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::place::{Done, ENDLESS, ENDLESS_LOADING, Place, SMALL, eventually, glob, send};

fn interrupt(place: &Place, child: Child, signal: Signal) -> Done {
    send(signal, child.id());
    place.end(child)
}

fn while_measuring(signal: Signal, code: i32) {
    let place = Place::new();
    let mut child = place.bench(&ENDLESS, &["-c", "utf8mb4_bin"]).spawn().unwrap();
    place.wait_for_blocks(&mut child);
    let done = interrupt(&place, child, signal);
    assert_eq!(done.code, Some(code), "{done}");
    assert!(done.stderr.contains("weigh: interrupted"), "{done}");
    assert!(done.stderr.contains(place.out().to_str().unwrap()), "{done}");
    assert!(done.stdout.contains("oltp_read_only") && done.stdout.contains("latin1_swedish_ci"), "{done}");
    let measured = place.read();
    assert!(!measured.blocks.is_empty() && measured.run.failure.as_deref() == Some("interrupted"));
}

#[test]
fn ctrl_c_while_measuring() {
    while_measuring(Signal::INT, 130);
}

#[test]
fn sigterm_while_measuring() {
    while_measuring(Signal::TERM, 143);
}

#[test]
fn sigterm_in_the_second_round_of_a_self_test() {
    let place = Place::new();
    let words = ["--self-test", "--rounds=100", "--format=json", "-w", "oltp_point_select"];
    let child = place.bench(&SMALL, &words).spawn().unwrap();
    eventually("the second round", || place.out().join("round-2").exists());
    let done = interrupt(&place, child, Signal::TERM);
    assert_eq!(done.code, Some(143), "{done}");
    assert!(done.stderr.contains("weigh: interrupted"), "{done}");
    let test: SelfTest = serde_json::from_str(&done.stdout).unwrap();
    assert!(test.rounds > 0 && test.rounds < 100, "{done}");
}

fn while_loading(server: &str, signal: Signal, code: i32) {
    let place = Place::new();
    let mut child = place.bench(&ENDLESS_LOADING, &["--server", server]).spawn().unwrap();
    place.wait_for_rows(&mut child);
    let done = interrupt(&place, child, signal);
    assert_eq!((done.code, done.stdout.as_str()), (Some(code), ""), "{done}");
    assert!(done.stderr.starts_with("weigh: interrupted") && done.stderr.lines().count() == 1, "{done}");
    assert!(!place.out().exists(), "nothing was measured, so there are no results");
}

#[test]
fn ctrl_c_while_loading() {
    while_loading("mariadb", Signal::INT, 130);
}

#[test]
fn sigterm_while_loading() {
    while_loading("mysql@sid", Signal::TERM, 143);
}

/// A profile that goes on until somebody ends it.
const ENDLESS_PROFILE: [&str; 5] =
    ["--server=mysql@5.6", "--table-size=500", "--threads=1", "--workload=oltp_read_only", "--seconds=600"];

fn assert_interrupted_with_nothing(place: &Place, done: Done, code: i32) {
    let done = done.without_cost();
    assert_eq!((done.code, done.stdout.as_str()), (Some(code), ""), "{done}");
    let said: Vec<&str> = done.stderr.lines().collect();
    assert!(said.len() == 1 && said[0].starts_with("weigh: interrupted"), "{done}");
    assert!(!place.out().exists(), "nothing was sampled, so there are no results");
}

#[test]
fn ctrl_c_while_sampling() {
    let place = Place::new();
    // A terminal tells all: the server and perf too.
    let mut child = place.profile(&ENDLESS_PROFILE).process_group(0).spawn().unwrap();
    place.wait_for_perf(&mut child);
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    assert_interrupted_with_nothing(&place, place.end(child), 130);
}

#[test]
fn sigterm_while_sampling() {
    let place = Place::new();
    let mut child = place.profile(&ENDLESS_PROFILE).spawn().unwrap();
    place.wait_for_perf(&mut child);
    assert_interrupted_with_nothing(&place, interrupt(&place, child, Signal::TERM), 143);
}

#[test]
fn ctrl_c_while_loading_what_is_to_be_profiled() {
    let place = Place::new();
    let mut child = place.profile(&[&["--server=mysql@5.6"], &ENDLESS_LOADING[..]].concat()).spawn().unwrap();
    place.wait_for_rows(&mut child);
    assert_interrupted_with_nothing(&place, interrupt(&place, child, Signal::INT), 130);
}

#[test]
fn ctrl_c_while_a_server_is_watched_leaves_it_alone() {
    let (elsewhere, place) = (Place::new(), Place::new());
    let mut bench = elsewhere.bench(&ENDLESS, &["--server=mysql@5.6", "-c", "utf8mb4_bin"]).spawn().unwrap();
    elsewhere.wait_for_blocks(&mut bench);
    let pid = elsewhere.server().to_string();
    let mut child = place.profile(&["--seconds=600", "--pid", &pid]).spawn().unwrap();
    place.wait_for_perf(&mut child);
    assert_interrupted_with_nothing(&place, interrupt(&place, child, Signal::INT), 130);
    assert_eq!(elsewhere.server().to_string(), pid, "the server runs on");
    assert_eq!(interrupt(&elsewhere, bench, Signal::INT).code, Some(130));
}

#[test]
fn ctrl_c_in_the_second_profile_keeps_the_first() {
    let place = Place::new();
    let words = ["--workload=oltp_point_select,oltp_read_only", "--seconds=5"];
    let mut child = place.profile(&[&ENDLESS_PROFILE[..3], &words].concat()).spawn().unwrap();
    eventually("the first is there", || {
        assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
        !glob(&place.out(), &["profile", "0-utf8mb4_general_ci-against"]).is_empty()
    });
    let done = interrupt(&place, child, Signal::INT);
    assert_eq!(done.code, Some(130), "{done}");
    assert!(done.stdout.contains("oltp_point_select") && done.stderr.contains("weigh: interrupted"), "{done}");
    let profiles = profile::output::read(&place.out()).unwrap().unwrap();
    assert_eq!(profiles.profiles.len(), 1);
}

#[test]
fn the_terminal_hangs_up_but_nohup_goes_on() {
    let place = Place::new();
    let mut child = place.bench(&ENDLESS, &["-c", "utf8mb4_bin"]).spawn().unwrap();
    place.wait_for_blocks(&mut child);
    assert_eq!(interrupt(&place, child, Signal::HUP).code, Some(129));

    let place = Place::new();
    let bench = place.bench(&ENDLESS, &["-c", "utf8mb4_bin"]);
    let mut nohup = Command::new("nohup");
    nohup.arg(bench.get_program()).args(bench.get_args());
    place.set_up(&mut nohup);
    let mut child = nohup.spawn().unwrap();
    place.wait_for_blocks(&mut child);
    send(Signal::HUP, child.id());
    let before = place.read().blocks.len();
    eventually("blocks go on", || place.read().blocks.len() > before + 2);
    assert_eq!(interrupt(&place, child, Signal::TERM).code, Some(143));
}

#[test]
fn a_kill_takes_the_server_along_and_keeps_what_was_measured() {
    let place = Place::new();
    let mut child = place.bench(&ENDLESS, &["-c", "utf8mb4_bin"]).spawn().unwrap();
    place.wait_for_blocks(&mut child);
    send(Signal::KILL, child.id());
    child.wait().unwrap();
    eventually("the kernel ends the server with its owner", || place.processes().is_empty());
    let Run { finished, failure, .. } = place.read().run;
    assert!(finished.is_none() && failure.is_some_and(|failure| failure.contains("weigh was killed")));
    assert!(!place.read().blocks.is_empty());
    // The folder that nobody could remove is swept by the next one.
    let done = place.end(place.weigh(&["bench", "--dry-run"]).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
}
