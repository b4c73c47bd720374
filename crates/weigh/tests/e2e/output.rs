//! What is printed where, and in which form.

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;

use crate::place::{Place, SMALL};

/// A benchmark with two comparisons.
const TWO: [&str; 4] = ["-c", "utf8mb4_bin,utf8mb4_general_ci", "-w", "oltp_point_select"];

fn printed(format: &str) -> (Place, String) {
    let place = Place::new();
    let done = place.run(&[&TWO[..], &["--format", format]].concat());
    assert_eq!(done.code, Some(0), "{done}");
    // What is no result goes to standard error, and there is little of it.
    let page = place.out().join("report.html");
    assert_eq!(done.stderr.trim(), format!("results: {}\npage: {}", place.out().display(), page.display()));
    assert!(fs::read_to_string(page).unwrap().contains("oltp_point_select"));
    assert!(!done.stdout.contains('\x1b'), "no colours where nobody looks: {done}");
    (place, done.stdout)
}

#[test]
fn json_is_what_the_schema_says() {
    let (place, printed) = printed("json");
    let report: Value = serde_json::from_str(&printed).unwrap();
    let schema = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/report.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let faults: Vec<String> = schema.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(report["run"], serde_json::to_value(place.read().run).unwrap());
}

#[test]
fn csv_has_a_line_a_comparison() {
    let (_, printed) = printed("csv");
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].contains(",workload,"), "{printed}");
    let fields = lines[0].split(',').count();
    assert!(lines[1..].iter().all(|line| line.split(',').count() == fields), "{printed}");
    for name in TWO[1].split(',') {
        assert!(lines[1..].iter().any(|line| line.contains(&format!(",{name},"))), "{printed}");
    }
}

#[test]
fn markdown_has_a_table() {
    let (_, printed) = printed("markdown");
    assert!(printed.contains("\n### ") && printed.contains("| --- |"), "{printed}");
    assert!(printed.contains("| utf8mb4_bin |"), "{printed}");
}

#[test]
fn text_is_the_default() {
    let place = Place::new();
    let done = place.run(&TWO);
    let (other, text) = printed("text");
    // Warnings of a noisy machine may stand above it.
    let head = |text: &str| text.lines().find(|line| line.starts_with("mariadb")).map(str::to_owned);
    assert!(head(&text).is_some(), "{text}");
    assert_eq!(head(&done.stdout), head(&text));
    assert!(text.contains("oltp_point_select") && text.contains("utf8mb4_general_ci"), "{text}");
    drop(other);
}

#[test]
fn a_dry_run_tells_all_and_creates_nothing() {
    let place = Place::new();
    let words = [&["bench", "--dry-run", "--text=cyrillic"], &SMALL[..], &TWO[..]].concat();
    let done = place.end(place.weigh(&words).spawn().unwrap());
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done}");
    for words in [
        "mariadb: MariaDB ",
        "utf8mb4_bin, utf8mb4_general_ci",
        "4 schemas",
        "1 table of 500 rows",
        "oltp_point_select",
        "cannot hold",
    ] {
        assert!(done.stdout.contains(words), "{words}: {done}");
    }
    assert_eq!(fs::read_dir(place.root()).unwrap().count(), 1, "nothing but tmp is there");
}

#[test]
fn workloads_are_listed_with_a_word_on_each() {
    let place = Place::new();
    let done = place.end(place.weigh(&["bench", "--list-workloads"]).spawn().unwrap());
    let names: Vec<&str> = done.stdout.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, workload::Kind::ALL.map(|kind| kind.name()));
    assert!(done.stdout.lines().all(|line| line.split_whitespace().count() > 3), "{done}");
}

#[test]
fn results_have_a_folder_of_their_own_by_default() {
    let place = Place::new();
    let words = [&["bench", "-c", "latin1_swedish_ci", "-w", "oltp_point_select"], &SMALL[..]].concat();
    let both = [(); 2].map(|()| place.weigh(&words).spawn().unwrap());
    let told = both.map(|child| {
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        let told = String::from_utf8(done.stderr).unwrap();
        place.root().join(told.lines().find_map(|line| line.strip_prefix("results: ")).unwrap())
    });
    assert_ne!(told[0], told[1], "also where two begin in the same second");
    for folder in told {
        measure::read(&folder).unwrap();
    }
}

#[test]
fn help() {
    let place = Place::new();
    for command in ["", "bench ", "profile ", "report ", "compare "].map(|command| format!("{command}--help")) {
        let words: Vec<&str> = command.split(' ').collect();
        let done = place.end(place.weigh(&words).spawn().unwrap());
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
        assert_snapshot!(command.replace("--", ""), done.stdout);
    }
}
