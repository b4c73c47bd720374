//! A private server ends with its owner. A dead server is reported.

mod common;

use common::{Holder, assert_gone, eventually, hold, private, send, socket};

fn ended_by(signal: &str, mut holder: Holder) -> std::process::ExitStatus {
    send(signal, holder.child.id());
    let status = holder.child.wait().unwrap();
    assert_gone(holder.server_pid, &holder.folder);
    status
}

#[test]
fn signals_end_the_server() {
    for signal in ["INT", "TERM", "HUP"] {
        let status = ended_by(signal, hold("mariadb", ""));
        assert_eq!(status.code(), Some(0), "{signal}: hold-server ends successfully after a signal");
    }
}

#[test]
fn unresponsive_process_is_ended_after_the_grace_period() {
    assert_eq!(ended_by("TERM", hold("mariadb", "stubborn")).code(), Some(128 + 15));
}

#[test]
fn second_signal_ends_the_process_at_once() {
    let holder = hold("mysql@5.6", "stubborn");
    send("INT", holder.child.id());
    assert_eq!(ended_by("INT", holder).code(), Some(128 + 2));
}

#[test]
fn panic_cleans_up() {
    let mut holder = hold("mysql@sid", "panic");
    assert_eq!(holder.child.wait().unwrap().code(), Some(101));
    assert_gone(holder.server_pid, &holder.folder);
}

#[test]
fn kernel_ends_the_server_and_next_start_removes_the_folder() {
    for name in ["mariadb", "mysql@5.6"] {
        let mut holder = hold(name, "");
        send("KILL", holder.child.id());
        holder.child.wait().unwrap();
        eventually("the kernel ends the server with its owner", || !common::is_alive(holder.server_pid));
        drop(private("mariadb"));
        assert!(!holder.folder.exists());
    }
}

#[test]
fn signal_during_start_leaves_nothing() {
    let temporary = common::open_folder();
    let mut child = common::hold_command().arg("mysql@sid").env("TMPDIR", temporary.path()).spawn().unwrap();
    let holds_folder = || std::fs::read_dir(temporary.path()).unwrap().count() > 0;
    eventually("the start has begun", holds_folder);
    send("TERM", child.id());
    child.wait().unwrap();
    assert!(!holds_folder(), "the folder is gone");
}

#[test]
fn describes_killed_server() {
    for name in ["mariadb", "mysql@5.6", "mysql@sid"] {
        let server = private(name);
        assert_eq!(server.describe_failure(), None);
        let folder = socket(&server).parent().unwrap().to_owned();
        send("KILL", server.pid().unwrap());
        eventually("the death is noticed", || server.describe_failure().is_some());
        let failure = server.describe_failure().unwrap();
        assert!(failure.contains(server.label()) && failure.contains("SIGKILL"), "{failure}");
        assert!(failure.lines().count() > 1, "the log's end is shown: {failure}");
        assert_eq!(server.check_alive().unwrap_err().to_string(), failure);
        assert_eq!(server.connect().unwrap_err().to_string(), failure);
        server.stop().unwrap();
        assert!(!folder.exists());
    }
}
