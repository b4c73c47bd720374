//! `weigh report`: renders runs as pages and tables.

use std::fs;

use crate::workspace::{Finished, Workspace};

const ONE: [&str; 4] = ["-c", "utf8mb4_bin", "-w", "oltp_point_select"];

fn measure() -> Workspace {
    let workspace = Workspace::new();
    let finished = workspace.run_small_bench(&ONE);
    assert_eq!(finished.code, Some(0), "{finished}");
    workspace
}

fn report(workspace: &Workspace, words: &[&str]) -> Finished {
    let finished = workspace.weigh(&[&["report"], words].concat()).spawn().unwrap();
    workspace.wait_for_end(finished)
}

#[test]
fn writes_the_same_page_again() {
    let workspace = measure();
    let page = workspace.out().join("report.html");
    let first = fs::read_to_string(&page).unwrap();
    fs::remove_file(&page).unwrap();
    let finished = report(&workspace, &[workspace.out().to_str().unwrap()]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(0), ""), "{finished}");
    assert_eq!(finished.stderr.trim(), format!("page: {}", page.display()));
    assert!(first == fs::read_to_string(&page).unwrap(), "the page differs from the one that bench wrote");
    assert!(first.contains("weigh bench "), "the command that repeats it is in it");
    assert!(first.contains("Size of tables"), "and the sizes are");
}

#[test]
fn combines_several_runs() {
    let workspace = measure();
    let folder = workspace.out();
    let out = folder.to_str().unwrap();
    let finished = report(&workspace, &[out, out, "--out", "both.html"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let page = fs::read_to_string(workspace.root().join("both.html")).unwrap();
    assert_eq!(page.matches("<article").count(), 2);
    let csv = report(&workspace, &[out, out, "--format", "csv"]).stdout;
    let single = report(&workspace, &[out, "--format", "csv"]).stdout;
    assert_eq!(csv.lines().count(), 2 * single.lines().count() - 1, "one head for both");
}

#[test]
fn rejects_folders_without_run() {
    let workspace = Workspace::new();
    let finished = report(&workspace, &["nowhere"]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished}");
    assert_eq!(finished.stderr.lines().count(), 1, "{finished}");
    assert!(finished.stderr.contains("nowhere/run.json"), "{finished}");
}
