//! Signals: the run ends in order, keeps its measurements, and leaves nothing behind.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use measure::{Run, SelfTest};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::workspace::{
    ENDLESS, ENDLESS_LOADING, Finished, SMALL, Workspace, eventually, find_by_prefixes, retry, send,
};

/// Sends a signal. A run that does not end in order within five seconds is ended at once, without
/// its results: where a busy machine causes that, another attempt follows.
fn interrupt(workspace: &Workspace, child: Child, signal: Signal) -> Finished {
    send(signal, child.id());
    workspace.wait_for_end(child)
}

fn interrupt_measuring(signal: Signal, code: i32) {
    let workspace = Workspace::new();
    let mut child = workspace.bench(&ENDLESS, &["-c", "utf8mb4_bin"]).spawn().unwrap();
    workspace.wait_for_blocks(&mut child);
    let finished = interrupt(&workspace, child, signal);
    assert_eq!(finished.code, Some(code), "{finished}");
    assert!(finished.stderr.contains("weigh: interrupted"), "{finished}");
    assert!(finished.stderr.contains(workspace.out().to_str().unwrap()), "{finished}");
    assert!(finished.stdout.contains("oltp_read_only") && finished.stdout.contains("latin1_swedish_ci"), "{finished}");
    let measured = workspace.read();
    assert!(!measured.blocks.is_empty() && measured.run.failure.as_deref() == Some("interrupted"));
}

#[test]
fn ctrl_c_while_measuring() {
    retry(|| interrupt_measuring(Signal::INT, 130));
}

#[test]
fn sigterm_while_measuring() {
    retry(|| interrupt_measuring(Signal::TERM, 143));
}

#[test]
fn sigterm_in_the_second_round_of_a_self_test() {
    retry(|| {
        let workspace = Workspace::new();
        let words = ["--self-test", "--rounds=100", "--format=json", "-w", "oltp_point_select"];
        let child = workspace.bench(&SMALL, &words).spawn().unwrap();
        eventually("the second round", || workspace.out().join("round-2").exists());
        let finished = interrupt(&workspace, child, Signal::TERM);
        assert_eq!(finished.code, Some(143), "{finished}");
        assert!(finished.stderr.contains("weigh: interrupted"), "{finished}");
        let test: SelfTest = serde_json::from_str(&finished.stdout).unwrap();
        assert!(test.rounds > 0 && test.rounds < 100, "{finished}");
    });
}

fn interrupt_loading(server: &str, signal: Signal, code: i32) {
    let workspace = Workspace::new();
    let mut child = workspace.bench(&ENDLESS_LOADING, &["--server", server]).spawn().unwrap();
    workspace.wait_for_rows(&mut child);
    let finished = interrupt(&workspace, child, signal);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(code), ""), "{finished}");
    assert!(finished.stderr.starts_with("weigh: interrupted") && finished.stderr.lines().count() == 1, "{finished}");
    assert!(!workspace.out().exists(), "nothing was measured, so there are no results");
}

#[test]
fn ctrl_c_while_loading() {
    retry(|| interrupt_loading("mariadb", Signal::INT, 130));
}

#[test]
fn sigterm_while_loading() {
    retry(|| interrupt_loading("mysql@sid", Signal::TERM, 143));
}

/// A profile that runs until it is ended.
const ENDLESS_PROFILE: [&str; 5] =
    ["--server=mysql@5.6", "--table-size=500", "--threads=1", "--workload=oltp_read_only", "--seconds=600"];

fn assert_interrupted_with_nothing(workspace: &Workspace, finished: Finished, code: i32) {
    let finished = finished.without_cost();
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(code), ""), "{finished}");
    let said: Vec<&str> = finished.stderr.lines().collect();
    assert!(said.len() == 1 && said[0].starts_with("weigh: interrupted"), "{finished}");
    assert!(!workspace.out().exists(), "nothing was sampled, so there are no results");
}

#[test]
fn ctrl_c_while_sampling() {
    retry(|| {
        let workspace = Workspace::new();
        // A terminal signals the whole process group: the server and perf, too.
        let mut child = workspace.profile(&ENDLESS_PROFILE).process_group(0).spawn().unwrap();
        workspace.wait_for_perf(&mut child);
        kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
        assert_interrupted_with_nothing(&workspace, workspace.wait_for_end(child), 130);
    });
}

#[test]
fn sigterm_while_sampling() {
    retry(|| {
        let workspace = Workspace::new();
        let mut child = workspace.profile(&ENDLESS_PROFILE).spawn().unwrap();
        workspace.wait_for_perf(&mut child);
        assert_interrupted_with_nothing(&workspace, interrupt(&workspace, child, Signal::TERM), 143);
    });
}

#[test]
fn ctrl_c_while_loading_for_a_profile() {
    retry(|| {
        let workspace = Workspace::new();
        let mut child = workspace.profile(&[&["--server=mysql@5.6"], &ENDLESS_LOADING[..]].concat()).spawn().unwrap();
        workspace.wait_for_rows(&mut child);
        assert_interrupted_with_nothing(&workspace, interrupt(&workspace, child, Signal::INT), 130);
    });
}

#[test]
fn ctrl_c_leaves_a_sampled_server_running() {
    retry(|| {
        let (elsewhere, workspace) = (Workspace::new(), Workspace::new());
        let mut bench = elsewhere.bench(&ENDLESS, &["--server=mysql@5.6", "-c", "utf8mb4_bin"]).spawn().unwrap();
        elsewhere.wait_for_blocks(&mut bench);
        let pid = elsewhere.server_pid().to_string();
        let mut child = workspace.profile(&["--seconds=600", "--pid", &pid]).spawn().unwrap();
        workspace.wait_for_perf(&mut child);
        assert_interrupted_with_nothing(&workspace, interrupt(&workspace, child, Signal::INT), 130);
        assert_eq!(elsewhere.server_pid().to_string(), pid, "the server runs on");
        assert_eq!(interrupt(&elsewhere, bench, Signal::INT).code, Some(130));
    });
}

#[test]
fn ctrl_c_in_the_second_profile_keeps_the_first() {
    retry(|| {
        let workspace = Workspace::new();
        let words = ["--workload=oltp_point_select,oltp_read_only", "--seconds=5"];
        let mut child = workspace.profile(&[&ENDLESS_PROFILE[..3], &words].concat()).spawn().unwrap();
        eventually("the first is there", || {
            assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
            !find_by_prefixes(&workspace.out(), &["profile", "0-utf8mb4_general_ci-against"]).is_empty()
        });
        let finished = interrupt(&workspace, child, Signal::INT);
        assert_eq!(finished.code, Some(130), "{finished}");
        assert!(
            finished.stdout.contains("oltp_point_select") && finished.stderr.contains("weigh: interrupted"),
            "{finished}"
        );
        let profiles = profile::output::read(&workspace.out()).unwrap().unwrap();
        assert_eq!(profiles.profiles.len(), 1);
    });
}

#[test]
fn hangup_ends_unless_nohup() {
    let workspace = Workspace::new();
    let bench = workspace.bench(&ENDLESS, &["-c", "utf8mb4_bin"]);
    // SIGHUP is ignored if these tests run under nohup.
    let mut reset = Command::new("env");
    reset.arg("--default-signal=HUP").arg(bench.get_program()).args(bench.get_args());
    workspace.set_up(&mut reset);
    let mut child = reset.spawn().unwrap();
    workspace.wait_for_blocks(&mut child);
    assert_eq!(interrupt(&workspace, child, Signal::HUP).code, Some(129));

    let workspace = Workspace::new();
    let bench = workspace.bench(&ENDLESS, &["-c", "utf8mb4_bin"]);
    let mut nohup = Command::new("nohup");
    nohup.arg(bench.get_program()).args(bench.get_args());
    workspace.set_up(&mut nohup);
    let mut child = nohup.spawn().unwrap();
    workspace.wait_for_blocks(&mut child);
    send(Signal::HUP, child.id());
    let before = workspace.read().blocks.len();
    eventually("blocks go on", || workspace.read().blocks.len() > before + 2);
    assert_eq!(interrupt(&workspace, child, Signal::TERM).code, Some(143));
}

#[test]
fn a_kill_ends_the_server_and_keeps_results() {
    let workspace = Workspace::new();
    let mut child = workspace.bench(&ENDLESS, &["-c", "utf8mb4_bin"]).spawn().unwrap();
    workspace.wait_for_blocks(&mut child);
    send(Signal::KILL, child.id());
    child.wait().unwrap();
    eventually("the kernel ends the server with its owner", || workspace.processes().is_empty());
    let Run { finished, failure, .. } = workspace.read().run;
    assert!(finished.is_none() && failure.is_some_and(|failure| failure.contains("weigh was killed")));
    assert!(!workspace.read().blocks.is_empty());
    // The next run removes the folder that the killed one left.
    let finished = workspace.wait_for_end(workspace.weigh(&["audit", "--server=mariadb"]).spawn().unwrap());
    assert!(finished.code == Some(2) && finished.stdout.contains("No table was checked"), "{finished}");
}
