//! `weigh compare`: its exit status is what a script that guards an upgrade goes by.

use std::fs;
use std::path::Path;

use crate::place::{Done, Place};

/// A real run, measured once on a quiet machine: how noisy this one is has no part in the test.
const RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../report/tests/fixtures/one_server");

fn compare(place: &Place, words: &[&str]) -> Done {
    let child = place.weigh(&[&["compare"], words].concat()).spawn().unwrap();
    place.end(child)
}

/// Copies a run, with half of what its variants did. Pair 0 is the A/A pair, which stays as it was.
fn slowed(from: &Path, to: &Path) {
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
fn slower_is_1_tolerated_is_0_and_no_run_is_2() {
    let place = Place::new();
    let after = place.root().join("slowed");
    slowed(Path::new(RUN), &after);
    let (before, after) = (RUN, after.to_str().unwrap());
    let same = compare(&place, &[before, before]);
    assert!(same.code == Some(0) && same.stdout.contains("Nothing got slower"), "{same}");
    let slower = compare(&place, &[before, after]);
    assert!(slower.code == Some(1) && slower.stdout.contains("% lower"), "{slower}");
    assert_eq!(compare(&place, &[before, before, after]).code, Some(1), "one of several");
    assert_eq!(compare(&place, &[before, after, "--fail-over", "95%"]).code, Some(0));
    let json = compare(&place, &[before, after, "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert!(json.code == Some(1) && !document["slower"].as_array().unwrap().is_empty(), "{json}");
    let csv = compare(&place, &[before, before, after, "--format=csv"]);
    let heads = csv.stdout.lines().filter(|line| line.starts_with("before,after,kind,")).count();
    assert!(csv.code == Some(1) && heads == 1 && csv.stdout.contains(",slower,true"), "{csv}");
    let nowhere = compare(&place, &[before, "nowhere"]);
    assert!(nowhere.code == Some(2) && nowhere.stderr.contains("nowhere/run.json"), "{nowhere}");
}
