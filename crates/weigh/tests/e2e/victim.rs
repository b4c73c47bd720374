//! A server that is killed in the middle of a run.

use rustix::process::Signal;

use crate::place::{Done, ENDLESS, ENDLESS_LOADING, Place, send};

/// One sentence names the server and what ended it; then comes what its log said last.
fn assert_told(done: &Done, server: &str) {
    assert_eq!(done.code, Some(2), "{done}");
    let told = done.stderr.lines().filter(|line| line.starts_with("weigh: ")).collect::<Vec<_>>();
    assert!(told.len() == 1 && told[0].contains(&format!("{server} died")), "{done}");
    assert!(told[0].contains("SIGKILL"), "{done}");
}

fn while_measuring(server: &str) {
    let place = Place::new();
    let mut child = place.bench(&ENDLESS, &["--server", server, "-c", "utf8mb4_bin"]).spawn().unwrap();
    place.wait_for_blocks(&mut child);
    send(Signal::KILL, place.server());
    let done = place.end(child);
    assert_told(&done, server);
    assert!(done.stderr.contains(place.out().to_str().unwrap()), "{done}");
    assert!(done.stdout.contains("ended early") && done.stdout.contains("latin1_swedish_ci"), "{done}");
    let measured = place.read();
    assert!(measured.blocks.iter().any(|block| !block.warm_up));
    assert!(measured.run.failure.unwrap().contains("died"));
}

#[test]
fn mariadb_while_measuring() {
    while_measuring("mariadb");
}

#[test]
fn mysql_while_measuring() {
    while_measuring("mysql@5.6");
}

#[test]
fn while_loading() {
    let place = Place::new();
    let mut child = place.bench(&ENDLESS_LOADING, &[]).spawn().unwrap();
    place.wait_for_rows(&mut child);
    send(Signal::KILL, place.server());
    let done = place.end(child);
    assert_told(&done, "mariadb");
    assert_eq!(done.stdout, "");
    assert!(!place.out().exists());
}
