//! Signals in the middle of things: an orderly end, what was measured kept, nothing left.

use std::process::{Child, Command};

use measure::Run;
use rustix::process::Signal;

use crate::place::{Done, ENDLESS, ENDLESS_LOADING, Place, eventually, send};

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
    assert_eq!((finished, failure), (None, None), "nobody was left to write it");
    assert!(!place.read().blocks.is_empty());
    // The folder that nobody could remove is swept by the next one.
    let done = place.end(place.weigh(&["bench", "--dry-run"]).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
}
