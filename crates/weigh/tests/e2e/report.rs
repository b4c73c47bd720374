//! `weigh report`: runs turned into pages and tables again.

use std::fs;

use crate::place::{Done, Place};

const ONE: [&str; 4] = ["-c", "utf8mb4_bin", "-w", "oltp_point_select"];

fn measured() -> Place {
    let place = Place::new();
    let done = place.run(&ONE);
    assert_eq!(done.code, Some(0), "{done}");
    place
}

fn report(place: &Place, words: &[&str]) -> Done {
    let done = place.weigh(&[&["report"], words].concat()).spawn().unwrap();
    place.end(done)
}

#[test]
fn a_page_is_written_again_the_same_as_before() {
    let place = measured();
    let page = place.out().join("report.html");
    let first = fs::read_to_string(&page).unwrap();
    fs::remove_file(&page).unwrap();
    let done = report(&place, &[place.out().to_str().unwrap()]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), ""), "{done}");
    assert_eq!(done.stderr.trim(), format!("page: {}", page.display()));
    assert!(first == fs::read_to_string(&page).unwrap(), "the page differs from the one that bench wrote");
    assert!(first.contains("weigh bench "), "the command that repeats it is in it");
    assert!(first.contains("Size of tables"), "and the sizes are");
}

#[test]
fn several_runs_go_into_one_page_or_one_table() {
    let place = measured();
    let folder = place.out();
    let out = folder.to_str().unwrap();
    let done = report(&place, &[out, out, "--out", "both.html"]);
    assert_eq!(done.code, Some(0), "{done}");
    let page = fs::read_to_string(place.root().join("both.html")).unwrap();
    assert_eq!(page.matches("<article").count(), 2);
    let csv = report(&place, &[out, out, "--format", "csv"]).stdout;
    let single = report(&place, &[out, "--format", "csv"]).stdout;
    assert_eq!(csv.lines().count(), 2 * single.lines().count() - 1, "one head for both");
}

#[test]
fn what_is_no_run_is_refused_in_a_sentence() {
    let place = Place::new();
    let done = report(&place, &["nowhere"]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{done}");
    assert_eq!(done.stderr.lines().count(), 1, "{done}");
    assert!(done.stderr.contains("nowhere/run.json"), "{done}");
}
