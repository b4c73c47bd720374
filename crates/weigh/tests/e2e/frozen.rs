//! Servers that freeze, networks that swallow, connections that somebody kills: named, ended or mended, and nothing hangs.

use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use crate::attach::{Foreign, ONE, PASSWORD};
use crate::place::{Done, ENDLESS, ENDLESS_LOADING, Place, SMALL, send};
use crate::tunnel::{Network, Tunnel};

/// Short, so that the tests are; long enough for a machine under any load to answer a ping.
const TIMEOUT: &str = "--timeout=4s";

/// One sentence names the server and says that it doesn't answer, and why.
fn assert_told(done: &Done, server: &str, why: &str) {
    assert_eq!(done.code, Some(2), "{done}");
    let told: Vec<&str> = done.stderr.lines().filter(|line| line.starts_with("weigh: ")).collect();
    assert!(told.len() == 1 && told[0].contains(server) && done.stderr.contains(why), "{done}");
}

fn assert_kept(place: &Place, done: &Done) {
    assert!(done.stderr.contains(place.out().to_str().unwrap()), "{done}");
    assert!(done.stdout.contains("ended early"), "{done}");
    let measured = place.read();
    assert!(measured.blocks.iter().any(|block| !block.warm_up) && measured.run.failure.is_some());
}

fn a_private_one_freezes(server: &str) {
    let place = Place::new();
    let mut child = place.bench(&ENDLESS, &["--server", server, "-c", "utf8mb4_bin", TIMEOUT]).spawn().unwrap();
    place.wait_for_blocks(&mut child);
    send(Signal::STOP, place.server());
    // That its process and its folder are gone is what `end` makes sure of.
    let done = place.end(child);
    assert_told(&done, &format!("{server} does not answer"), "is stopped (SIGSTOP)");
    assert_kept(&place, &done);
}

#[test]
fn a_private_mariadb_freezes_while_measured() {
    a_private_one_freezes("mariadb");
}

#[test]
fn a_private_mysql_freezes_while_measured() {
    a_private_one_freezes("mysql@5.6");
}

#[test]
fn a_private_one_freezes_while_rows_are_loaded() {
    let place = Place::new();
    let mut child = place.bench(&ENDLESS_LOADING, &[TIMEOUT]).spawn().unwrap();
    place.wait_for_rows(&mut child);
    send(Signal::STOP, place.server());
    let done = place.end(child);
    assert_told(&done, "mariadb does not answer", "is stopped (SIGSTOP)");
    assert!(!place.out().exists());
}

#[test]
fn an_attached_one_freezes_while_measured() {
    let foreign = Foreign::start("mariadb");
    let place = Place::new();
    let mut child = foreign.bench_as_account(&place, &ENDLESS, &[&ONE[..], &[TIMEOUT]].concat());
    place.wait_for_blocks(&mut child);
    send(Signal::STOP, foreign.pid());
    let done = place.end(child);
    send(Signal::CONT, foreign.pid());
    assert_told(&done, foreign.socket().to_str().unwrap(), "is stopped (SIGSTOP)");
    assert!(done.stderr.contains("still has schemas of this run") && done.stderr.contains("servers clean"), "{done}");
    assert_kept(&place, &done);
}

#[test]
fn an_attached_one_freezes_under_micro_and_profile() {
    let foreign = Foreign::start("mariadb");
    let socket = foreign.socket();
    let socket = socket.to_str().unwrap();
    let attach = ["--no-defaults", "--user=bench", "--socket", socket, TIMEOUT];
    let place = Place::new();
    let words = [&["micro", "--rounds=1000"], &attach[..]].concat();
    let child = place.weigh(&words).env("MYSQL_PWD", PASSWORD).spawn().unwrap();
    thread::sleep(Duration::from_millis(1500));
    send(Signal::STOP, foreign.pid());
    let done = place.end(child);
    send(Signal::CONT, foreign.pid());
    assert_told(&done, socket, "no answer in time");

    let place = Place::new();
    let size = ["--table-size=500", "--threads=1", "--workload=oltp_read_only", "--seconds=600"];
    let mut child = place.profile(&[&attach[..], &size].concat()).env("MYSQL_PWD", PASSWORD).spawn().unwrap();
    place.wait_for_perf(&mut child);
    send(Signal::STOP, foreign.pid());
    let done = place.end(child);
    send(Signal::CONT, foreign.pid());
    assert_told(&done, socket, "is stopped (SIGSTOP)");
}

#[test]
fn a_statement_that_hangs_on_a_server_that_answers_is_told_with_the_way_to_wait_for_it() {
    let foreign = Foreign::start("mariadb");
    let place = Place::new();
    let mut child = foreign.bench_as_account(&place, &ENDLESS, &[&ONE[..], &[TIMEOUT]].concat());
    place.wait_for_blocks(&mut child);
    let ours = foreign.schemas().into_iter().filter(|name| name != "weigh_mine");
    let tables: Vec<String> = ours.map(|name| format!("{name}.sbtest1 WRITE")).collect();
    let lock = foreign.holding(&format!("LOCK TABLES {}", tables.join(", ")));
    // Held for longer than a statement is waited for, and not so long that dropping the schemas fails, too.
    let held = thread::spawn(move || {
        thread::sleep(Duration::from_secs(7));
        drop(lock);
    });
    let done = place.end(child);
    held.join().unwrap();
    assert_told(&done, foreign.socket().to_str().unwrap(), "no answer for 4 s");
    assert!(done.stderr.contains("--timeout"), "{done}");
    assert_kept(&place, &done);
}

#[test]
fn connections_that_somebody_kills_are_made_anew_and_their_blocks_left_out() {
    for spec in ["mariadb", "mysql@sid"] {
        let foreign = Foreign::start(spec);
        let place = Place::new();
        let size =
            [&SMALL[..2], &["--block=400ms", "--warmup-time=10ms", "--precision=100%", "--max-time=120s"]].concat();
        let mut child = foreign.bench_as_account(&place, &size, &ONE);
        place.wait_for_blocks(&mut child);
        foreign.kill_load();
        let done = place.end(child);
        assert_eq!(done.code, Some(0), "{done}");
        assert!(done.stdout.contains("connections lost and made anew"), "{done}");
        let measured = place.read();
        let lost = measured.blocks.iter().filter(|block| block.sides.iter().any(|side| side.lost_connections > 0));
        let lost: Vec<_> = lost.collect();
        assert!(!lost.is_empty() && lost.iter().all(|block| block.sides.iter().all(|side| side.events == 0)));
        measured.assert_complete();
        foreign.assert_untouched();
    }
}

fn over_a_network_that_becomes(network: Network, workload: &str, why: &str) {
    let foreign = Foreign::start("mariadb");
    let tunnel = Tunnel::to(foreign.socket());
    let place = Place::new();
    let port = tunnel.port.to_string();
    let connect = ["--no-defaults", "--host=127.0.0.1", "--port", &port, "--user=bench", TIMEOUT];
    let words = [&connect[..], &["-c", "utf8mb4_bin", "-w", workload]].concat();
    let mut child = place.bench(&ENDLESS, &words).env("MYSQL_PWD", PASSWORD).spawn().unwrap();
    place.wait_for_blocks(&mut child);
    tunnel.becomes(network);
    let done = place.end(child);
    assert_told(&done, &format!("127.0.0.1:{port}"), why);
    assert_kept(&place, &done);
}

#[test]
fn a_network_that_swallows() {
    over_a_network_that_becomes(Network::Swallows, "oltp_point_select", "does not answer");
}

#[test]
fn a_network_on_which_every_answer_comes_and_each_transaction_takes_for_ever() {
    over_a_network_that_becomes(Network::Drips, "oltp_read_only", "not done 4 s after the end of their block");
}
