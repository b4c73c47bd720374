//! `weigh compare`: exit status for scripts that guard upgrades.

use std::fs;
use std::path::Path;

use crate::workspace::{Finished, Workspace};

/// A real run, measured on a quiet machine, so that this machine's noise doesn't matter.
const RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../present/report/tests/fixtures/one_server");

fn compare(workspace: &Workspace, words: &[&str]) -> Finished {
    let child = workspace.weigh(&[&["compare"], words].concat()).spawn().unwrap();
    workspace.wait_for_end(child)
}

/// Copies a run and halves the throughput of the second side of each block, except of the A/A pair,
/// pair 0.
fn copy_slowed(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    fs::copy(from.join("run.json"), to.join("run.json")).unwrap();
    let slow = |line: &str| {
        let mut block: measure::Block = serde_json::from_str(line).unwrap();
        for side in block.sides.iter_mut().skip(1).filter(|_| block.pair != Some(0)) {
            side.queries /= 2;
            side.events /= 2;
        }
        serde_json::to_string(&block).unwrap() + "\n"
    };
    let samples = fs::read_to_string(from.join("samples.jsonl")).unwrap();
    fs::write(to.join("samples.jsonl"), samples.lines().map(slow).collect::<String>()).unwrap();
}

#[test]
fn exit_status_says_whether_anything_got_slower() {
    let workspace = Workspace::new();
    let after = workspace.root().join("slowed");
    copy_slowed(Path::new(RUN), &after);
    let (before, after) = (RUN, after.to_str().unwrap());
    let same = compare(&workspace, &[before, before]);
    assert!(same.code == Some(0) && same.stdout.contains("Nothing got slower"), "{same}");
    let slower = compare(&workspace, &[before, after]);
    assert!(slower.code == Some(1) && slower.stdout.contains("% lower"), "{slower}");
    assert_eq!(compare(&workspace, &[before, before, after]).code, Some(1), "one of several");
    assert_eq!(compare(&workspace, &[before, after, "--fail-over", "95%"]).code, Some(0));
    let json = compare(&workspace, &[before, after, "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert!(json.code == Some(1) && !document["slower"].as_array().unwrap().is_empty(), "{json}");
    let csv = compare(&workspace, &[before, before, after, "--format=csv"]);
    let heads = csv.stdout.lines().filter(|line| line.starts_with("before,after,kind,")).count();
    assert!(csv.code == Some(1) && heads == 1 && csv.stdout.contains(",slower,true"), "{csv}");
    let page = compare(&workspace, &[before, after, "--format=html"]);
    assert!(page.code == Some(1) && page.stdout.starts_with("<!doctype html>"), "{page}");
    compare(&workspace, &[before]).refuses_with(&["is a folder; give a second one"]);
    let nowhere = compare(&workspace, &[before, "nowhere"]);
    assert!(nowhere.code == Some(2) && nowhere.stderr.contains("nowhere/run.json"), "{nowhere}");
}
