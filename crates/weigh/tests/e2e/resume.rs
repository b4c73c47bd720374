//! Runs that ended before they were done, by whatever end, go on: whole replicates are kept, and no block counts twice.

use std::collections::BTreeSet;
use std::fs;
use std::process::Child;
use std::thread;
use std::time::Duration;

use measure::Block;
use rustix::process::Signal;

use crate::attach::{Foreign, ONE, PASSWORD};
use crate::folder::shop;
use crate::place::{Done, Measured, Place, eventually, send};
use crate::recipes::MINE;

const MAX_TIME_S: f64 = 9.0;

/// Three replicates of three seconds of load, which no precision ends before; blocks that a busy machine completes something in, too.
const THREE: [&str; 7] = [
    "--table-size=500",
    "--threads=1",
    "--block=100ms",
    "--warmup-time=10ms",
    "--precision=0.0001%",
    "--max-time=9s",
    "--replicates=3",
];

fn resume(place: &Place, words: &[&str]) -> Done {
    place.end(start_again(place, words))
}

fn start_again(place: &Place, words: &[&str]) -> Child {
    let out = place.out();
    let words = [&["bench", "--resume", out.to_str().unwrap()], words].concat();
    place.weigh(&words).env("MYSQL_PWD", PASSWORD).spawn().unwrap()
}

/// Waits for the blocks of a replicate.
fn wait_for_replicate(place: &Place, child: &mut Child, replicate: u32) {
    let sign = format!(r#""replicate":{replicate},"#);
    eventually("a replicate has begun", || {
        assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
        fs::read_to_string(place.out().join("samples.jsonl")).is_ok_and(|text| text.matches(&sign).count() > 2)
    });
}

fn samples(place: &Place) -> String {
    fs::read_to_string(place.out().join("samples.jsonl")).unwrap()
}

/// The lines of the first replicate, which no later one may change.
fn of_first_replicate(place: &Place) -> Vec<String> {
    samples(place).lines().filter(|line| line.contains(r#""replicate":0,"#)).map(str::to_owned).collect()
}

/// It was resumed, and is whole.
fn assert_resumed(place: &Place, done: &Done) {
    assert_eq!(done.code, Some(0), "{done}");
    let notes = assert_whole(place).notes();
    assert!(notes.contains("resumed "), "{notes}");
}

/// Every replicate is there, no block twice, in order, and within the time for load.
fn assert_whole(place: &Place) -> Measured {
    let measured = place.read();
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
fn after_sigterm() {
    let place = Place::new();
    let mut child = place.bench(&THREE, &ONE).spawn().unwrap();
    wait_for_replicate(&place, &mut child, 1);
    Done::of(start_again(&place, &[]).wait_with_output().unwrap()).refuses_with(&["is still being measured"]);
    send(Signal::TERM, child.id());
    let done = place.end(child);
    assert_eq!(done.code, Some(143), "{done}");
    let way = format!("to go on: weigh bench --resume {}", place.out().display());
    assert!(done.stderr.contains(&way), "{done}");
    let first = of_first_replicate(&place);

    resume(&place, &["--table-size=700"]).refuses_with(&["leave out --table-size"]);
    let done = resume(&place, &[]);
    assert!(done.stderr.contains("going on after 1 whole replicate;"), "{done}");
    assert_resumed(&place, &done);
    assert_eq!(of_first_replicate(&place), first, "what was whole is kept as it was");
    resume(&place, &[]).refuses_with(&["its run is done"]);
}

#[test]
fn after_a_kill_which_its_report_tells() {
    let place = Place::new();
    let words = ["--server=mysql@sid", "--mode=solo"];
    let mut child = place.bench(&THREE, &[&ONE[..], &words].concat()).spawn().unwrap();
    wait_for_replicate(&place, &mut child, 1);
    kill(&place, &mut child);
    let out = place.out();
    let report = place.weigh(&["report", "--format=text", out.to_str().unwrap()]).output().unwrap();
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("weigh was killed; `weigh bench --resume`"), "{report}");
    assert!(!report.contains("Time was up"), "{report}");
    let first = of_first_replicate(&place);
    // As a crash leaves it, too: in the middle of a line.
    let torn = samples(&place);
    fs::write(out.join("samples.jsonl"), &torn[..torn.len() - 20]).unwrap();
    assert_resumed(&place, &resume(&place, &["--format=json"]));
    assert_eq!(of_first_replicate(&place), first);
}

fn kill(place: &Place, child: &mut Child) {
    send(Signal::KILL, child.id());
    child.wait().unwrap();
    eventually("the kernel ends the server with its owner", || place.processes().is_empty());
}

/// Kills at random moments, as many as `WEIGH_KILLS` says, else three; a run that is done before it is killed makes room for another.
#[test]
fn after_kills_at_random_moments() {
    let kills: u64 = std::env::var("WEIGH_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(3);
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let begin = || {
        let place = Place::new();
        let child = place.bench(&THREE, &ONE).spawn().unwrap();
        (place, child)
    };
    let (mut place, mut child) = begin();
    let mut killed = 0;
    while killed < kills {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        thread::sleep(Duration::from_millis((seed >> 33) % 8000));
        if child.try_wait().unwrap().is_some() {
            assert_done(&place, child);
            (place, child) = begin();
            continue;
        }
        kill(&place, &mut child);
        killed += 1;
        let has_run = place.out().join("run.json").exists();
        // One that had not even written down what it was asked for is started as it was.
        child = if has_run { start_again(&place, &[]) } else { place.bench(&THREE, &ONE).spawn().unwrap() };
    }
    assert_done(&place, child);
}

/// It has ended as planned, or had done so before it was killed.
fn assert_done(place: &Place, child: Child) {
    let done = place.end(child);
    assert!(done.code == Some(0) || done.stderr.contains("its run is done"), "{done}");
    assert_whole(place);
}

#[test]
fn on_a_server_that_froze_and_goes_on() {
    let foreign = Foreign::start("mariadb");
    let place = Place::new();
    let mut child = foreign.bench_as_account(&place, &THREE, &[&ONE[..], &["--timeout=4s"]].concat());
    wait_for_replicate(&place, &mut child, 1);
    send(Signal::STOP, foreign.pid());
    let done = place.end(child);
    send(Signal::CONT, foreign.pid());
    assert_eq!(done.code, Some(2), "{done}");
    assert!(
        done.stderr.contains("does not answer") && done.stderr.contains("to go on: weigh bench --resume"),
        "{done}"
    );

    // A setting that is another is named, and nothing of the results is lost.
    let before = samples(&place);
    let size: u64 = foreign.variable("sort_buffer_size");
    foreign.run("SET GLOBAL sort_buffer_size = 1048576");
    let changed = format!("sort_buffer_size (was {size}, is 1048576)");
    resume(&place, &[]).refuses_with(&["not everything is as it was", &changed]);
    assert_eq!(samples(&place), before);
    foreign.run(&format!("SET GLOBAL sort_buffer_size = {size}"));

    assert_resumed(&place, &resume(&place, &[]));
    let socket = foreign.socket();
    let clean = ["servers", "clean", "--no-defaults", "--user=bench", "--socket", socket.to_str().unwrap()];
    let done = place.end(place.weigh(&clean).env("MYSQL_PWD", PASSWORD).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    foreign.assert_untouched();
}

/// What was compared and chosen before the load is as it was, and the folder has to be, too.
#[test]
fn a_workload_of_ones_own() {
    let place = Place::new();
    shop(&place);
    let words = ["--workload=shop:b-name,c-error,d-write", "--collation=as-is,utf8mb4_unicode_ci", "--classes=1"];
    let mut child = place.bench(&THREE[1..], &[&words[..], &["--server=mariadb"]].concat()).spawn().unwrap();
    wait_for_replicate(&place, &mut child, 1);
    send(Signal::TERM, child.id());
    let done = place.end(child);
    assert_eq!(done.code, Some(143), "{done}");
    assert!(done.stderr.contains("to go on: weigh bench --resume"), "{done}");
    let (before, first) = (place.read().run, of_first_replicate(&place));

    let rows = place.root().join("shop/rows/makers.csv");
    let text = fs::read_to_string(&rows).unwrap();
    fs::write(&rows, format!("{text}3,z\n")).unwrap();
    let edited = "the workload's folder (was as recorded, is edited)";
    resume(&place, &[]).refuses_with(&["not everything is as it was", edited]);
    fs::write(&rows, text).unwrap();

    let done = resume(&place, &[]);
    assert!(done.stderr.contains("going on after 1 whole replicate;"), "{done}");
    assert_resumed(&place, &done);
    assert_eq!(of_first_replicate(&place), first, "what was whole is kept as it was");
    let after = place.read().run;
    assert_eq!((&after.recording, &after.conditions), (&before.recording, &before.conditions));
    let left_out = after.recording.unwrap().left_out;
    assert!(left_out.len() == 1 && left_out[0].class == "c-error", "{left_out:?}");
}

#[test]
fn a_recipe() {
    let place = Place::new();
    let tiny = MINE
        .replace(r#""utf8mb4_0900_ai_ci""#, r#""utf8mb4_bin""#)
        .replace(r#"precision = "100%""#, r#"precision = "0.0001%""#)
        .replace(r#""2m""#, r#""9s""#);
    fs::write(place.root().join("mine.toml"), &tiny).unwrap();
    let mut child = place.weigh(&["run", "./mine.toml", "--out=out"]).spawn().unwrap();
    wait_for_replicate(&place, &mut child, 1);
    send(Signal::INT, child.id());
    let done = place.end(child);
    assert!(done.code == Some(130) && done.stderr.contains("to go on: weigh run --resume out"), "{done}");

    let again = |words: &[&str]| place.end(place.weigh(&[&["run"], words].concat()).spawn().unwrap());
    again(&["./mine.toml", "--resume=out"]).refuses_with(&["leave out RECIPE"]);
    fs::write(place.root().join("mine.toml"), tiny.replace(r#", "utf8mb4_bin""#, "")).unwrap();
    again(&["--resume=out"]).refuses_with(&["not everything is as it was", "variants (was "]);
    fs::write(place.root().join("mine.toml"), &tiny).unwrap();
    let done = again(&["--resume=out"]);
    assert!(done.code == Some(0) && done.stdout.contains("not measured: MySQL is faster"), "{done}");
    let replicates: BTreeSet<Option<u32>> = place.read().blocks.iter().map(|block| block.replicate).collect();
    assert_eq!(replicates, [Some(0), Some(1), Some(2)].into());
}
