//! Frozen servers, networks that drop packets, killed connections: reported, ended or reopened, and
//! nothing hangs.

use std::thread;

use rustix::process::Signal;

use crate::attach::{Foreign, ONE, PASSWORD};
use crate::tunnel::{Network, Tunnel};
use crate::workspace::{ENDLESS, ENDLESS_LOADING, Finished, SMALL, Workspace, eventually, retry, send};

/// Short, to save time. If the machine itself stalls for longer, the test is tried again.
const TIMEOUT: &str = "--timeout=4s";

/// Asserts that one sentence names the server, says that it doesn't answer, and why.
fn assert_reported(finished: &Finished, server: &str, why: &str) {
    assert_eq!(finished.code, Some(2), "{finished}");
    let messages: Vec<&str> = finished.stderr.lines().filter(|line| line.starts_with("weigh: ")).collect();
    assert!(messages.len() == 1 && messages[0].contains(server) && finished.stderr.contains(why), "{finished}");
}

fn assert_kept(workspace: &Workspace, finished: &Finished) {
    assert!(finished.stderr.contains(workspace.out().to_str().unwrap()), "{finished}");
    assert!(finished.stdout.contains("ended early"), "{finished}");
    let measured = workspace.read();
    assert!(measured.blocks.iter().any(|block| !block.warm_up) && measured.run.failure.is_some());
}

fn freeze_private_server(server: &str) {
    let workspace = Workspace::new();
    let mut child = workspace.bench(&ENDLESS, &["--server", server, "-c", "utf8mb4_bin", TIMEOUT]).spawn().unwrap();
    workspace.wait_for_blocks(&mut child);
    send(Signal::STOP, workspace.server_pid());
    // `wait_for_end` asserts that process and folder are gone.
    let finished = workspace.wait_for_end(child);
    assert_reported(&finished, &format!("{server} does not answer"), "is stopped (SIGSTOP)");
    assert_kept(&workspace, &finished);
}

#[test]
fn a_private_mariadb_freezes_while_measured() {
    retry(|| freeze_private_server("mariadb"));
}

#[test]
fn a_private_mysql_freezes_while_measured() {
    retry(|| freeze_private_server("mysql@5.6"));
}

#[test]
fn a_private_server_freezes_while_loading() {
    retry(|| {
        let workspace = Workspace::new();
        let mut child = workspace.bench(&ENDLESS_LOADING, &[TIMEOUT]).spawn().unwrap();
        workspace.wait_for_rows(&mut child);
        send(Signal::STOP, workspace.server_pid());
        let finished = workspace.wait_for_end(child);
        assert_reported(&finished, "mariadb does not answer", "is stopped (SIGSTOP)");
        assert!(!workspace.out().exists());
    });
}

#[test]
fn an_attached_server_freezes_while_measured() {
    retry(|| {
        let foreign = Foreign::start("mariadb");
        let workspace = Workspace::new();
        let mut child = foreign.bench_as_account(&workspace, &ENDLESS, &[&ONE[..], &[TIMEOUT]].concat());
        workspace.wait_for_blocks(&mut child);
        send(Signal::STOP, foreign.pid());
        let finished = workspace.wait_for_end(child);
        send(Signal::CONT, foreign.pid());
        assert_reported(&finished, foreign.socket().to_str().unwrap(), "is stopped (SIGSTOP)");
        assert!(
            finished.stderr.contains("still has schemas of this run") && finished.stderr.contains("servers clean"),
            "{finished}"
        );
        assert_kept(&workspace, &finished);
    });
}

#[test]
fn an_attached_server_freezes_under_micro_and_profile() {
    retry(|| {
        let foreign = Foreign::start("mariadb");
        let socket = foreign.socket();
        let socket = socket.to_str().unwrap();
        let attach = ["--no-defaults", "--user=bench", "--socket", socket, TIMEOUT];
        let workspace = Workspace::new();
        let words = [&["micro", "--rounds=1000"], &attach[..]].concat();
        let mut child = workspace.weigh(&words).env("MYSQL_PWD", PASSWORD).spawn().unwrap();
        eventually("the server compares", || {
            assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
            foreign.is_running("%BENCHMARK(%, @a%")
        });
        send(Signal::STOP, foreign.pid());
        let finished = workspace.wait_for_end(child);
        send(Signal::CONT, foreign.pid());
        assert_reported(&finished, socket, "no answer in time");

        let workspace = Workspace::new();
        let size = ["--table-size=500", "--threads=1", "--workload=oltp_read_only", "--seconds=600"];
        let mut child = workspace.profile(&[&attach[..], &size].concat()).env("MYSQL_PWD", PASSWORD).spawn().unwrap();
        workspace.wait_for_perf(&mut child);
        send(Signal::STOP, foreign.pid());
        let finished = workspace.wait_for_end(child);
        send(Signal::CONT, foreign.pid());
        assert_reported(&finished, socket, "is stopped (SIGSTOP)");
    });
}

#[test]
fn reports_hanging_statements_with_the_timeout_option() {
    retry(|| {
        let foreign = Foreign::start("mariadb");
        let workspace = Workspace::new();
        let mut child = foreign.bench_as_account(&workspace, &ENDLESS, &[&ONE[..], &[TIMEOUT]].concat());
        workspace.wait_for_blocks(&mut child);
        let ours = foreign.schemas().into_iter().filter(|name| name != "weigh_mine");
        let tables: Vec<String> = ours.map(|name| format!("{name}.sbtest1 WRITE")).collect();
        let lock = foreign.hold_session(&format!("LOCK TABLES {}", tables.join(", ")));
        // Locked until weigh has given up, and the lock keeps it from dropping the schemas.
        let finished = thread::scope(|scope| {
            scope.spawn(|| {
                eventually("the schemas are to be dropped", || foreign.is_running("DROP DATABASE%"));
                drop(lock);
            });
            workspace.wait_for_end(child)
        });
        assert_reported(&finished, foreign.socket().to_str().unwrap(), "no answer for 4 s");
        assert!(finished.stderr.contains("--timeout"), "{finished}");
        assert_kept(&workspace, &finished);
    });
}

#[test]
fn reopens_killed_connections_and_drops_their_blocks() {
    for spec in ["mariadb", "mysql@sid"] {
        // The run may be over before a busy machine kills its connections.
        retry(|| reopen_killed_connections(spec));
    }
}

fn reopen_killed_connections(spec: &str) {
    let foreign = Foreign::start(spec);
    let workspace = Workspace::new();
    let size = [&SMALL[..2], &["--block=400ms", "--warmup-time=10ms", "--precision=100%", "--max-time=120s"]].concat();
    let mut child = foreign.bench_as_account(&workspace, &size, &ONE);
    workspace.wait_for_blocks(&mut child);
    foreign.kill_load();
    let finished = workspace.wait_for_end(child);
    assert_eq!(finished.code, Some(0), "{finished}");
    assert!(finished.stdout.contains("connections lost and made anew"), "{finished}");
    let measured = workspace.read();
    let lost = measured.blocks.iter().filter(|block| block.sides.iter().any(|side| side.lost_connections > 0));
    let lost: Vec<_> = lost.collect();
    assert!(!lost.is_empty() && lost.iter().all(|block| block.sides.iter().all(|side| side.events == 0)));
    measured.assert_complete();
    foreign.assert_untouched();
}

fn measure_over_network(network: Network, workload: &str, why: &str) {
    let foreign = Foreign::start("mariadb");
    let tunnel = Tunnel::open(foreign.socket());
    let workspace = Workspace::new();
    let port = tunnel.port.to_string();
    let connect = ["--no-defaults", "--host=127.0.0.1", "--port", &port, "--user=bench", TIMEOUT];
    let words = [&connect[..], &["-c", "utf8mb4_bin", "-w", workload]].concat();
    let mut child = workspace.bench(&ENDLESS, &words).env("MYSQL_PWD", PASSWORD).spawn().unwrap();
    workspace.wait_for_blocks(&mut child);
    tunnel.set_network(network);
    let finished = workspace.wait_for_end(child);
    assert_reported(&finished, &format!("127.0.0.1:{port}"), why);
    assert_kept(&workspace, &finished);
}

#[test]
fn a_network_drops_packets() {
    retry(|| measure_over_network(Network::Swallows, "oltp_point_select", "does not answer"));
}

#[test]
fn a_network_delays_every_reply() {
    retry(|| measure_over_network(Network::Drips, "oltp_read_only", "not done 4 s after the end of their block"));
}
