//! `weigh import`: real logs in, a run out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place::{Done, Place};

fn log(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../import/tests/logs", name].iter().collect()
}

fn import(place: &Place, words: &[&str]) -> Done {
    place.end(place.weigh(&[&["import", "sysbench", "--out=out"], words].concat()).spawn().unwrap())
}

/// Puts a log where a study would have it.
fn put(place: &Place, name: &str, path: &str) {
    let path = place.root().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::copy(log(name), path).unwrap();
}

fn gzip(path: &Path) {
    assert!(Command::new("gzip").arg(path).status().unwrap().success());
}

const PATTERN: &str = "--pattern={collation}/res{run}/sysbench.ro.{threads}.res";

#[test]
fn logs_of_a_study_become_a_run_by_their_paths() {
    let place = Place::new();
    for collation in ["latin1_swedish_ci", "utf8mb4_bin"] {
        for threads in ["1", "2", "4"] {
            let path = |run: u32| format!("{collation}/res{run}/sysbench.ro.{threads}.res");
            put(&place, &format!("oltp_read_only.{threads}.log"), &path(1));
            put(&place, &format!("oltp_read_only.{threads}.log"), &path(2));
            gzip(&place.root().join(path(2)));
        }
    }
    let files: Vec<String> = ["latin1_swedish_ci", "utf8mb4_bin"]
        .iter()
        .flat_map(|collation| ["1", "2", "4"].map(|threads| (collation, threads)))
        .flat_map(|(collation, threads)| {
            [
                format!("{collation}/res1/sysbench.ro.{threads}.res"),
                format!("{collation}/res2/sysbench.ro.{threads}.res.gz"),
            ]
        })
        .collect();
    let words: Vec<&str> =
        files.iter().map(String::as_str).chain([PATTERN, "--server=MySQL 5.7.25", "-w", "oltp_read_only"]).collect();
    let done = import(&place, &words);
    assert_eq!(done.code, Some(0), "{done}");
    assert!(done.stdout.starts_with("Imported from logs of sysbench 1.0.20, measured one after the other"), "{done}");

    let measured = place.read();
    measured.assert_complete();
    let threads: Vec<u32> = measured.run.conditions.iter().map(|condition| condition.threads).collect();
    assert_eq!(
        (threads, measured.blocks.len(), measured.collations(0)),
        (vec![1, 2, 4], 12, vec!["latin1_swedish_ci", "utf8mb4_bin"])
    );
    assert_eq!(measured.run.servers[0].version, "5.7.25");
    // Two rounds of the same log: what the log says, and a ratio of 1.
    let text = fs::read_to_string(log("oltp_read_only.4.log")).unwrap();
    let printed = text.lines().find_map(|line| line.trim().strip_prefix("transactions:")).unwrap();
    let transactions: u64 = printed.split_whitespace().next().unwrap().parse().unwrap();
    let block = measured.blocks.last().unwrap();
    assert_eq!((block.round, block.sides[0].events), (1, transactions));
    let ratio = measured.analysis.conditions[2].comparisons[0].throughput.unwrap();
    assert!((ratio.value - 1.0).abs() < 1e-12, "{ratio:?}");
    // The page and every other report are made of it as of any run.
    let report = place.end(place.weigh(&["report", "out", "--format=markdown"]).spawn().unwrap());
    assert!(report.code == Some(0) && report.stdout.contains("utf8mb4_bin"), "{report}");
}

#[test]
fn what_is_cut_off_or_foreign_is_told_and_the_rest_is_taken() {
    let place = Place::new();
    let whole = fs::read_to_string(log("oltp_read_only.2.log")).unwrap();
    let cut = whole.split_once("General statistics").unwrap().0;
    fs::write(place.root().join("cut.log"), cut).unwrap();
    fs::write(place.root().join("both.log"), format!("{whole}{cut}")).unwrap();
    fs::write(place.root().join("foreign.csv"), "threads,tps\n1,1000\n").unwrap();
    let labels = ["-c", "utf8mb4_bin", "--server=a", "-w", "oltp_read_only"];
    let done = import(&place, &[&["cut.log", "foreign.csv", "both.log", "nowhere.log"], &labels[..]].concat());
    assert_eq!(done.code, Some(1), "{done}");
    let line = cut.trim_end().lines().count();
    for told in [
        format!("cut.log, line {line}: the log that begins on line 1 ends here; expected `total time:`"),
        "foreign.csv, line 1: expected a log of sysbench".into(),
        "both.log, line ".into(),
        "nowhere.log: cannot read it".into(),
    ] {
        assert!(done.stderr.contains(&told) && done.stdout.contains(&told), "`{told}` is not in: {done}");
    }
    let measured = place.read();
    assert_eq!((measured.blocks.len(), measured.run.imported.unwrap().files), (1, vec!["both.log".to_string()]));
}

#[test]
fn where_nothing_can_be_taken_nothing_is_left() {
    let place = Place::new();
    put(&place, "oltp_read_only.2.log", "a/x.2.log");
    let told = |words: &[&str], wanted: &str| {
        let done = import(&place, words);
        assert!(done.code == Some(2) && done.stderr.contains(wanted) && !place.out().exists(), "`{wanted}`: {done}");
    };
    let labels = ["-c", "utf8mb4_bin", "--server=a", "-w", "oltp_read_only"];
    told(&["a/x.2.log"], "nothing tells its collation: give --collation");
    told(&[&["a/x.2.log", "--pattern={threads}/x"], &labels[..]].concat(), "its path does not end in {threads}/x");
    told(
        &[&["a/x.2.log", "--pattern=x.{run}.log", "-w", "distinct_ranges:{range}"], &labels[..3]].concat(),
        "speaks of {range}",
    );
    told(&[&["a/x.2.log", "--pattern={a}{b}"], &labels[..]].concat(), "`{a}{b}` is no pattern");
    put(&place, "oltp_read_only.2.log", "a/x.3.log");
    told(
        &[&["a/x.3.log", "--pattern=x.{threads}.log"], &labels[..]].concat(),
        "line 1: expected 3 threads, as its path has it, found 2",
    );
}
