//! Servers killed in the middle of a run.

use rustix::process::Signal;

use crate::workspace::{ENDLESS, ENDLESS_LOADING, Finished, Workspace, send};

/// Asserts that one sentence names the server and its end.
fn assert_reported(finished: &Finished, server: &str) {
    assert_eq!(finished.code, Some(2), "{finished}");
    let messages = finished.stderr.lines().filter(|line| line.starts_with("weigh: ")).collect::<Vec<_>>();
    assert!(messages.len() == 1 && messages[0].contains(&format!("{server} died")), "{finished}");
    assert!(messages[0].contains("SIGKILL"), "{finished}");
}

fn kill_while_measuring(server: &str) {
    let workspace = Workspace::new();
    let mut child = workspace.bench(&ENDLESS, &["--server", server, "-c", "utf8mb4_bin"]).spawn().unwrap();
    workspace.wait_for_blocks(&mut child);
    send(Signal::KILL, workspace.server_pid());
    let finished = workspace.wait_for_end(child);
    assert_reported(&finished, server);
    assert!(finished.stderr.contains(workspace.out().to_str().unwrap()), "{finished}");
    assert!(finished.stdout.contains("ended early") && finished.stdout.contains("latin1_swedish_ci"), "{finished}");
    let measured = workspace.read();
    assert!(measured.blocks.iter().any(|block| !block.warm_up));
    assert!(measured.run.failure.unwrap().contains("died"));
}

#[test]
fn mariadb_is_killed_while_measuring() {
    kill_while_measuring("mariadb");
}

#[test]
fn mysql_is_killed_while_measuring() {
    kill_while_measuring("mysql@5.6");
}

#[test]
fn server_is_killed_while_loading() {
    let workspace = Workspace::new();
    let mut child = workspace.bench(&ENDLESS_LOADING, &[]).spawn().unwrap();
    workspace.wait_for_rows(&mut child);
    send(Signal::KILL, workspace.server_pid());
    let finished = workspace.wait_for_end(child);
    assert_reported(&finished, "mariadb");
    assert_eq!(finished.stdout, "");
    assert!(!workspace.out().exists());
}
