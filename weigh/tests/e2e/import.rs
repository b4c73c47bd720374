//! `weigh import`: turns real logs into a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace::{Finished, Workspace};

fn log(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../present/import/tests/logs", name].iter().collect()
}

fn import(workspace: &Workspace, words: &[&str]) -> Finished {
    workspace.wait_for_end(workspace.weigh(&[&["import", "sysbench", "--out=out"], words].concat()).spawn().unwrap())
}

/// Copies a log into the test's folder, to a path for `--pattern`, such as `a/x.2.log`.
fn put(workspace: &Workspace, name: &str, path: &str) {
    let path = workspace.root().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::copy(log(name), path).unwrap();
}

fn gzip(path: &Path) {
    assert!(Command::new("gzip").arg(path).status().unwrap().success());
}

const PATTERN: &str = "--pattern={collation}/res{run}/sysbench.ro.{threads}.res";

#[test]
fn imports_a_study_by_its_paths() {
    let workspace = Workspace::new();
    for collation in ["latin1_swedish_ci", "utf8mb4_bin"] {
        for threads in ["1", "2", "4"] {
            let path = |run: u32| format!("{collation}/res{run}/sysbench.ro.{threads}.res");
            put(&workspace, &format!("oltp_read_only.{threads}.log"), &path(1));
            put(&workspace, &format!("oltp_read_only.{threads}.log"), &path(2));
            gzip(&workspace.root().join(path(2)));
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
    let finished = import(&workspace, &words);
    assert_eq!(finished.code, Some(0), "{finished}");
    assert!(
        finished.stdout.starts_with("! Imported from logs of sysbench 1.0.20, measured one after the other"),
        "{finished}"
    );

    let measured = workspace.read();
    measured.assert_complete();
    let threads: Vec<u32> = measured.run.conditions.iter().map(|condition| condition.threads).collect();
    assert_eq!(
        (threads, measured.blocks.len(), measured.collations(0)),
        (vec![1, 2, 4], 12, vec!["latin1_swedish_ci", "utf8mb4_bin"])
    );
    assert_eq!(measured.run.servers[0].version, "5.7.25");
    // Two rounds of the same log: the log's figures, and a ratio of 1.
    let text = fs::read_to_string(log("oltp_read_only.4.log")).unwrap();
    let printed = text.lines().find_map(|line| line.trim().strip_prefix("transactions:")).unwrap();
    let transactions: u64 = printed.split_whitespace().next().unwrap().parse().unwrap();
    let block = measured.blocks.last().unwrap();
    assert_eq!((block.round, block.sides[0].events), (1, transactions));
    let ratio = measured.analysis.conditions[2].comparisons[0].throughput.unwrap();
    assert!((ratio.value - 1.0).abs() < 1e-12, "{ratio:?}");
    let report = workspace.wait_for_end(workspace.weigh(&["report", "out", "--format=markdown"]).spawn().unwrap());
    assert!(report.code == Some(0) && report.stdout.contains("utf8mb4_bin"), "{report}");
}

#[test]
fn reports_truncated_and_foreign_files_and_imports_the_rest() {
    let workspace = Workspace::new();
    let complete = fs::read_to_string(log("oltp_read_only.2.log")).unwrap();
    let cut = complete.split_once("General statistics").unwrap().0;
    fs::write(workspace.root().join("cut.log"), cut).unwrap();
    fs::write(workspace.root().join("both.log"), format!("{complete}{cut}")).unwrap();
    fs::write(workspace.root().join("foreign.csv"), "threads,tps\n1,1000\n").unwrap();
    let labels = ["-c", "utf8mb4_bin", "--server=a", "-w", "oltp_read_only"];
    let finished = import(&workspace, &[&["cut.log", "foreign.csv", "both.log", "nowhere.log"], &labels[..]].concat());
    assert_eq!(finished.code, Some(1), "{finished}");
    let line = cut.trim_end().lines().count();
    for expected in [
        format!("cut.log, line {line}: the log that begins on line 1 ends here; expected `total time:`"),
        "foreign.csv, line 1: expected a log of sysbench".into(),
        "both.log, line ".into(),
        "nowhere.log: cannot read it".into(),
    ] {
        assert!(
            finished.stderr.contains(&expected) && finished.stdout.contains(&expected),
            "`{expected}` is not in: {finished}"
        );
    }
    let measured = workspace.read();
    assert_eq!((measured.blocks.len(), measured.run.imported.unwrap().files), (1, vec!["both.log".to_string()]));
}

#[test]
fn leaves_nothing_if_nothing_is_imported() {
    let workspace = Workspace::new();
    put(&workspace, "oltp_read_only.2.log", "a/x.2.log");
    let assert_reported = |words: &[&str], wanted: &str| {
        let finished = import(&workspace, words);
        assert!(
            finished.code == Some(2) && finished.stderr.contains(wanted) && !workspace.out().exists(),
            "`{wanted}`: {finished}"
        );
    };
    let labels = ["-c", "utf8mb4_bin", "--server=a", "-w", "oltp_read_only"];
    assert_reported(&["a/x.2.log"], "its collation is unknown: give --collation");
    assert_reported(
        &[&["a/x.2.log", "--pattern={threads}/x"], &labels[..]].concat(),
        "its path does not end in {threads}/x",
    );
    assert_reported(
        &[&["a/x.2.log", "--pattern=x.{run}.log", "-w", "distinct_ranges:{range}"], &labels[..3]].concat(),
        "uses {range}",
    );
    assert_reported(&[&["a/x.2.log", "--pattern={a}{b}"], &labels[..]].concat(), "`{a}{b}` is not a pattern");
    put(&workspace, "oltp_read_only.2.log", "a/x.3.log");
    assert_reported(
        &[&["a/x.3.log", "--pattern=x.{threads}.log"], &labels[..]].concat(),
        "line 1: expected 3 threads, as its path has it, found 2",
    );
}
