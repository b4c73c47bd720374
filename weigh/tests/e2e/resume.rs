//! Interrupted runs are resumed: complete replicates are kept, and no block counts twice.

use std::collections::BTreeSet;
use std::fs;
use std::process::Child;
use std::thread;
use std::time::Duration;

use measure::Block;
use rustix::process::Signal;

use crate::attach::{Foreign, ONE, PASSWORD};
use crate::folder::shop;
use crate::recipes::CUSTOM_RECIPE;
use crate::workspace::{Finished, Measured, Workspace, eventually, retry, send};

const MAX_TIME_S: f64 = 20.0;

/// Three replicates of a few seconds, which no precision ends early: each has all its rounds, also
/// on a busy machine.
const THREE_REPLICATES: [&str; 7] = [
    "--table-size=500",
    "--threads=1",
    "--block=100ms",
    "--warmup-time=10ms",
    "--precision=0.0001%",
    "--max-time=20s",
    "--replicates=3",
];

fn resume(workspace: &Workspace, words: &[&str]) -> Finished {
    workspace.wait_for_end(start_again(workspace, words))
}

fn start_again(workspace: &Workspace, words: &[&str]) -> Child {
    let out = workspace.out();
    let words = [&["bench", "--resume", out.to_str().unwrap()], words].concat();
    workspace.weigh(&words).env("MYSQL_PWD", PASSWORD).spawn().unwrap()
}

fn wait_for_replicate(workspace: &Workspace, child: &mut Child, replicate: u32) {
    let sign = format!(r#""replicate":{replicate},"#);
    eventually("a replicate has begun", || {
        assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
        fs::read_to_string(workspace.out().join("samples.jsonl")).is_ok_and(|text| text.matches(&sign).count() > 2)
    });
}

fn samples(workspace: &Workspace) -> String {
    fs::read_to_string(workspace.out().join("samples.jsonl")).unwrap()
}

/// Returns the lines of the first replicate, which later ones must not change.
fn read_first_replicate(workspace: &Workspace) -> Vec<String> {
    samples(workspace).lines().filter(|line| line.contains(r#""replicate":0,"#)).map(str::to_owned).collect()
}

/// Returns what resuming says of the complete replicates: one, or two on a machine that stalled
/// before the interruption.
fn describe_progress(workspace: &Workspace) -> String {
    let progress = workspace.read().run.progress.unwrap();
    assert!(progress.replicates > 0, "{progress:?}");
    format!("resuming after {progress};")
}

fn assert_resumed(workspace: &Workspace, finished: &Finished) {
    assert_eq!(finished.code, Some(0), "{finished}");
    let notes = assert_complete_run(workspace).notes();
    assert!(notes.contains("resumed "), "{notes}");
}

/// Asserts that each replicate is complete, without repeated blocks, in order, and within
/// --max-time.
fn assert_complete_run(workspace: &Workspace) -> Measured {
    let measured = workspace.read();
    assert!(measured.run.failure.is_none() && measured.run.finished.is_some(), "{:?}", measured.run);
    let blocks = &measured.blocks;
    let sides = |block: &Block| block.sides.iter().map(|side| side.variant).collect::<Vec<_>>();
    let keys = blocks.iter().map(|block| (block.condition, sides(block), block.replicate, block.round, block.warm_up));
    assert_eq!(keys.collect::<BTreeSet<_>>().len(), blocks.len(), "a block was counted twice");
    let replicates: BTreeSet<Option<u32>> = blocks.iter().map(|block| block.replicate).collect();
    assert_eq!(replicates, [Some(0), Some(1), Some(2)].into());
    assert!(blocks.is_sorted_by(|one, next| one.at_s <= next.at_s && one.replicate <= next.replicate));
    assert!(blocks.iter().map(|block| block.seconds).sum::<f64>() <= MAX_TIME_S);
    measured.assert_complete();
    measured
}

#[test]
fn resumes_after_sigterm() {
    retry(|| {
        let workspace = Workspace::new();
        let mut child = workspace.bench(&THREE_REPLICATES, &ONE).spawn().unwrap();
        wait_for_replicate(&workspace, &mut child, 1);
        Finished::from_output(start_again(&workspace, &[]).wait_with_output().unwrap())
            .refuses_with(&["is still being measured"]);
        send(Signal::TERM, child.id());
        let finished = workspace.wait_for_end(child);
        assert_eq!(finished.code, Some(143), "{finished}");
        let way = format!("to resume: weigh bench --resume {}", workspace.out().display());
        assert!(finished.stderr.contains(&way), "{finished}");
        let (first, after) = (read_first_replicate(&workspace), describe_progress(&workspace));

        resume(&workspace, &["--table-size=700"]).refuses_with(&["leave out --table-size"]);
        let finished = resume(&workspace, &[]);
        assert!(finished.stderr.contains(&after), "{finished}");
        assert_resumed(&workspace, &finished);
        assert_eq!(read_first_replicate(&workspace), first, "what was whole is kept as it was");
        resume(&workspace, &[]).refuses_with(&["its run is done"]);
    });
}

#[test]
fn resumes_after_a_kill() {
    let workspace = Workspace::new();
    let words = ["--server=mysql@sid", "--mode=solo"];
    let mut child = workspace.bench(&THREE_REPLICATES, &[&ONE[..], &words].concat()).spawn().unwrap();
    wait_for_replicate(&workspace, &mut child, 1);
    kill(&workspace, &mut child);
    let out = workspace.out();
    let report = workspace.weigh(&["report", "--format=text", out.to_str().unwrap()]).output().unwrap();
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("weigh was killed; `weigh bench --resume`"), "{report}");
    assert!(!report.contains("Time was up"), "{report}");
    let first = read_first_replicate(&workspace);
    // As after a crash: cut within a line.
    let torn = samples(&workspace);
    fs::write(out.join("samples.jsonl"), &torn[..torn.len() - 20]).unwrap();
    assert_resumed(&workspace, &resume(&workspace, &["--format=json"]));
    assert_eq!(read_first_replicate(&workspace), first);
}

fn kill(workspace: &Workspace, child: &mut Child) {
    send(Signal::KILL, child.id());
    child.wait().unwrap();
    eventually("the kernel ends the server with its owner", || workspace.processes().is_empty());
}

/// Kills at random moments: `WEIGH_KILLS` times, three by default. A run that finishes before its
/// kill is followed by another.
#[test]
fn resumes_after_random_kills() {
    let kills: u64 = std::env::var("WEIGH_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(3);
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let begin = || {
        let workspace = Workspace::new();
        let child = workspace.bench(&THREE_REPLICATES, &ONE).spawn().unwrap();
        (workspace, child)
    };
    let (mut workspace, mut child) = begin();
    let mut killed = 0;
    while killed < kills {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        thread::sleep(Duration::from_millis((seed >> 33) % 8000));
        if child.try_wait().unwrap().is_some() {
            assert_done(&workspace, child);
            (workspace, child) = begin();
            continue;
        }
        kill(&workspace, &mut child);
        killed += 1;
        let has_run = workspace.out().join("run.json").exists();
        // A run that hadn't written its request yet is started again.
        child = if has_run {
            start_again(&workspace, &[])
        } else {
            workspace.bench(&THREE_REPLICATES, &ONE).spawn().unwrap()
        };
    }
    assert_done(&workspace, child);
}

/// The run finished, after resuming or before the kill.
fn assert_done(workspace: &Workspace, child: Child) {
    let finished = workspace.wait_for_end(child);
    assert!(finished.code == Some(0) || finished.stderr.contains("its run is done"), "{finished}");
    assert_complete_run(workspace);
}

#[test]
fn resumes_after_a_freeze() {
    retry(|| {
        let foreign = Foreign::start("mariadb");
        let workspace = Workspace::new();
        let mut child =
            foreign.bench_as_account(&workspace, &THREE_REPLICATES, &[&ONE[..], &["--timeout=4s"]].concat());
        wait_for_replicate(&workspace, &mut child, 1);
        send(Signal::STOP, foreign.pid());
        let finished = workspace.wait_for_end(child);
        send(Signal::CONT, foreign.pid());
        assert_eq!(finished.code, Some(2), "{finished}");
        assert!(
            finished.stderr.contains("does not answer") && finished.stderr.contains("to resume: weigh bench --resume"),
            "{finished}"
        );

        // A changed setting is named, and the results are kept.
        let before = samples(&workspace);
        let size: u64 = foreign.variable("sort_buffer_size");
        foreign.run("SET GLOBAL sort_buffer_size = 1048576");
        let changed = format!("sort_buffer_size (was {size}, is 1048576)");
        let socket = foreign.socket();
        let server = ["--user=bench", "--socket", socket.to_str().unwrap()];
        // Only the folder names the server: it could be from someone else.
        resume(&workspace, &[]).refuses_with(&["--socket", "--trust"]);
        resume(&workspace, &server).refuses_with(&["something changed", &changed]);
        assert_eq!(samples(&workspace), before);
        foreign.run(&format!("SET GLOBAL sort_buffer_size = {size}"));

        assert_resumed(&workspace, &resume(&workspace, &server));
        let clean = ["servers", "clean", "--no-defaults", "--user=bench", "--socket", socket.to_str().unwrap()];
        let finished = workspace.wait_for_end(workspace.weigh(&clean).env("MYSQL_PWD", PASSWORD).spawn().unwrap());
        assert_eq!(finished.code, Some(0), "{finished}");
        foreign.assert_untouched();
    });
}

/// The result diff and the choice of classes are kept. The folder must be unchanged.
#[test]
fn resumes_a_workload_folder() {
    retry(|| {
        let workspace = Workspace::new();
        shop(&workspace);
        let words = ["--workload=shop:b-name,c-error,d-write", "--collation=as-is,utf8mb4_unicode_ci", "--classes=1"];
        let mut child =
            workspace.bench(&THREE_REPLICATES[1..], &[&words[..], &["--server=mariadb"]].concat()).spawn().unwrap();
        wait_for_replicate(&workspace, &mut child, 1);
        send(Signal::TERM, child.id());
        let finished = workspace.wait_for_end(child);
        assert_eq!(finished.code, Some(143), "{finished}");
        assert!(finished.stderr.contains("to resume: weigh bench --resume"), "{finished}");
        let (before, first) = (workspace.read().run, read_first_replicate(&workspace));
        let after = describe_progress(&workspace);

        let rows = workspace.root().join("shop/rows/makers.csv");
        let text = fs::read_to_string(&rows).unwrap();
        fs::write(&rows, format!("{text}3,z\n")).unwrap();
        let edited = "the workload's folder (was as recorded, is edited)";
        resume(&workspace, &["--trust"]).refuses_with(&["something changed", edited]);
        fs::write(&rows, text).unwrap();

        let finished = resume(&workspace, &["--trust"]);
        assert!(finished.stderr.contains(&after), "{finished}");
        assert_resumed(&workspace, &finished);
        assert_eq!(read_first_replicate(&workspace), first, "what was whole is kept as it was");
        let after = workspace.read().run;
        assert_eq!((&after.workload_folder, &after.conditions), (&before.workload_folder, &before.conditions));
        let left_out = after.workload_folder.unwrap().excluded;
        assert!(left_out.len() == 1 && left_out[0].class == "c-error", "{left_out:?}");
    });
}

#[test]
fn resumes_a_recipe() {
    retry(|| {
        let workspace = Workspace::new();
        let tiny = CUSTOM_RECIPE
            .replace(r#""utf8mb4_0900_ai_ci""#, r#""utf8mb4_bin""#)
            .replace(r#"precision = "100%""#, r#"precision = "0.0001%""#)
            .replace(r#""2m""#, r#""9s""#);
        fs::write(workspace.root().join("mine.toml"), &tiny).unwrap();
        let mut child = workspace.weigh(&["run", "./mine.toml", "--out=out"]).spawn().unwrap();
        wait_for_replicate(&workspace, &mut child, 1);
        send(Signal::INT, child.id());
        let finished = workspace.wait_for_end(child);
        assert!(
            finished.code == Some(130) && finished.stderr.contains("to resume: weigh run --resume out"),
            "{finished}"
        );

        let again =
            |words: &[&str]| workspace.wait_for_end(workspace.weigh(&[&["run"], words].concat()).spawn().unwrap());
        again(&["./mine.toml", "--resume=out"]).refuses_with(&["leave out RECIPE"]);
        fs::write(workspace.root().join("mine.toml"), tiny.replace(r#", "utf8mb4_bin""#, "")).unwrap();
        again(&["--resume=out"]).refuses_with(&["something changed", "variants (was "]);
        fs::write(workspace.root().join("mine.toml"), &tiny).unwrap();
        let finished = again(&["--resume=out"]);
        assert!(finished.code == Some(0) && finished.stdout.contains("– MySQL is faster"), "{finished}");
        let replicates: BTreeSet<Option<u32>> = workspace.read().blocks.iter().map(|block| block.replicate).collect();
        assert_eq!(replicates, [Some(0), Some(1), Some(2)].into());
    });
}
