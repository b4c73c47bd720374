//! Bad input: refused in a sentence that names it and what is available, before anything is
//! created.

use std::fs;

use crate::workspace::Workspace;

/// Asserts that a benchmark is refused, and leaves no results folder.
fn assert_refused(words: &[&str], with: &[&str]) {
    let workspace = Workspace::new();
    workspace.run_small_bench(words).refuses_with(with);
    assert!(!workspace.out().exists(), "{words:?} left results");
}

#[test]
fn rejects_unknown_names() {
    assert_refused(&["-w", "oltp_readonly"], &["oltp_readonly", "nearest first: oltp_read_only, "]);
    assert_refused(&["-w", "oltp_point_select:10"], &["oltp_point_select"]);
    assert_refused(&["--text=klingon"], &["klingon", "cyrillic"]);
    assert_refused(&["--server=mysql@57"], &["mysql@57", "nearest first: mysql@5.7, "]);
    assert_refused(&["--server=/no/such/basedir"], &["/no/such/basedir"]);
    assert_refused(&["--rand-type=pareto"], &["pareto", "special", "uniform"]);
    assert_refused(&["--format=xml"], &["xml", "json"]);
}

#[test]
fn rejects_bad_values() {
    assert_refused(&["--max-time=5x"], &["5x", "such as 90, 250ms"]);
    assert_refused(&["--block=soon"], &["soon", "such as"]);
    assert_refused(&["--precision=0"], &["--precision", "2%"]);
    assert_refused(&["--precision=well"], &["well", "2%"]);
    assert_refused(&["--threads=0"], &["--threads", "1..=4096"]);
    assert_refused(&["--table-size=1"], &["--table-size", "100"]);
    assert_refused(&["--set", "sort_buffer_size"], &["NAME=VALUE"]);
}

#[test]
fn rejects_contradicting_options() {
    assert_refused(&["--block=3s", "--max-time=2s"], &["--block 3s", "--max-time 2s"]);
    assert_refused(&["--driver=sysbench", "-w", "group_by"], &["group_by", "--driver native"]);
    assert_refused(&["--server=mariadb", "--user=root"], &["--user"]);
    assert_refused(&["--host=127.0.0.1", "--set=a=b"], &["--set", "SET GLOBAL"]);
}

#[test]
fn rejects_missing_collations_and_charsets() {
    assert_refused(&["-c", "utf8mb4_genral_ci"], &["mariadb", "utf8mb4_genral_ci", "utf8mb4_general_ci"]);
    let lacking = "utf8mb4_0900_ai_ci";
    assert_refused(
        &["--server=mysql@5.6", "-c", lacking],
        &["mysql@5.6 has no collation utf8mb4_0900_ai_ci", "utf8mb4_unicode_520_ci"],
    );
    assert_refused(&["--baseline=latin1_swedish"], &["mariadb", "latin1_swedish_ci"]);
    assert_refused(&["--connection-charset=utf32"], &["mariadb", "utf32", "connection"]);
    assert_refused(&["--connection-charset=latin9"], &["mariadb", "latin9", "latin"]);
    // A dry run refuses the same input. A text that the baseline can't hold is refused also in
    // second place.
    assert_refused(&["-c", "utf8mb4_genral_ci", "--dry-run"], &["utf8mb4_general_ci"]);
    let words = ["--text=digits,cyrillic", "--baseline=latin1_swedish_ci"];
    assert_refused(&words, &["latin1_swedish_ci", "cannot hold cyrillic text", "--baseline"]);
    assert_refused(
        &["--baseline=dec8_swedish_ci", "--text=cyrillic", "--connection-charset=utf8mb4"],
        &["dec8_swedish_ci", "cannot hold cyrillic text"],
    );
    assert_refused(
        &["--baseline=latin1_bin", "-c", "latin1_swedish_ci", "--text=emoji", "--server=mysql@5.6"],
        &["latin1_bin"],
    );
}

#[test]
fn rejects_settings() {
    assert_refused(&["--set=no_such_setting=1"], &["mariadb did not start", "no_such_setting", "Correct the setting"]);
    assert_refused(&["--set=datadir=/tmp"], &["datadir", "attach"]);
}

#[test]
fn rejects_unusable_results_folders() {
    let workspace = Workspace::new();
    let file = workspace.root().join("file");
    fs::write(&file, "mine").unwrap();
    for out in [file.clone(), file.join("below")] {
        // The later --out wins.
        workspace.run_small_bench(&["--out", out.to_str().unwrap()]).refuses_with(&[out.to_str().unwrap(), "--out"]);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn keeps_existing_results() {
    let workspace = Workspace::new();
    workspace.measured(&["-c", "latin1_swedish_ci", "-w", "oltp_point_select"]);
    let content = || ["run.json", "samples.jsonl"].map(|name| fs::read(workspace.out().join(name)).unwrap());
    let before = content();
    workspace.run_small_bench(&["-w", "oltp_point_select"]).refuses_with(&["already holds a run", "--out"]);
    assert_eq!(content(), before);
}

#[test]
fn reports_too_little_time_and_keeps_results() {
    let workspace = Workspace::new();
    let none = workspace.run_small_bench(&["-w", "oltp_point_select", "--max-time=1ms", "--block=1ms"]);
    none.refuses_with(&["--max-time"]);
    assert!(!workspace.out().exists());
    // A block of each pair fits into one replicate, but an interval takes two.
    let few = ["-w", "oltp_point_select", "--max-time=600ms", "--block=200ms", "-c", "utf8mb4_bin"];
    workspace.run_small_bench(&few).refuses_with(&[
        "--max-time 0.6 s is too short",
        "1 workload under 2 collations take 1 s of load at least, and 11 s to ",
    ]);
    assert!(!workspace.out().exists(), "nothing was started");
}
