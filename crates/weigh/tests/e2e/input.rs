//! Bad input: refused in a sentence that names it, and what there is instead. Nothing is created.

use std::fs;

use crate::place::Place;

/// What a benchmark of these words is refused with; the results folder must not be there afterwards.
fn refused(words: &[&str], with: &[&str]) {
    let place = Place::new();
    place.run(words).refuses_with(with);
    assert!(!place.out().exists(), "{words:?} left results");
}

#[test]
fn names_that_are_unknown() {
    refused(&["-w", "oltp_readonly"], &["oltp_readonly", "nearest first: oltp_read_only, "]);
    refused(&["-w", "oltp_point_select:10"], &["oltp_point_select"]);
    refused(&["--text=klingon"], &["klingon", "cyrillic"]);
    refused(&["--server=mysql@57"], &["mysql@57", "nearest first: mysql@5.6, "]);
    refused(&["--server=/no/such/basedir"], &["/no/such/basedir"]);
    refused(&["--rand-type=pareto"], &["pareto", "special", "uniform"]);
    refused(&["--format=xml"], &["xml", "json"]);
}

#[test]
fn values_that_are_none() {
    refused(&["--max-time=5x"], &["5x", "such as 90, 250ms"]);
    refused(&["--block=soon"], &["soon", "such as"]);
    refused(&["--precision=0"], &["--precision", "2%"]);
    refused(&["--precision=well"], &["well", "2%"]);
    refused(&["--threads=0"], &["--threads", "1..=4096"]);
    refused(&["--table-size=1"], &["--table-size", "100"]);
    refused(&["--set", "sort_buffer_size"], &["NAME=VALUE"]);
}

#[test]
fn options_that_contradict_each_other() {
    refused(&["--block=3s", "--max-time=2s"], &["--block 3s", "--max-time 2s"]);
    refused(&["--driver=sysbench", "-w", "group_by"], &["group_by", "--driver native"]);
    refused(&["--server=mariadb", "--user=root"], &["--user"]);
    refused(&["--host=127.0.0.1", "--set=a=b"], &["--set", "SET GLOBAL"]);
}

#[test]
fn collations_and_charsets_that_the_server_lacks() {
    refused(&["-c", "utf8mb4_genral_ci"], &["mariadb", "utf8mb4_genral_ci", "utf8mb4_general_ci"]);
    let lacking = "utf8mb4_0900_ai_ci";
    refused(
        &["--server=mysql@5.6", "-c", lacking],
        &["mysql@5.6 has no collation utf8mb4_0900_ai_ci", "utf8mb4_general_ci"],
    );
    refused(&["--baseline=latin1_swedish"], &["mariadb", "latin1_swedish_ci"]);
    refused(&["--connection-charset=utf32"], &["mariadb", "utf32", "connection"]);
    refused(&["--connection-charset=latin9"], &["mariadb", "latin9", "latin"]);
    refused(&["--connection-charset=dec8"], &["mariadb", "dec8", "--connection-charset"]);
    // A dry run tells the same, and so does a text that is not the first.
    refused(&["-c", "utf8mb4_genral_ci", "--dry-run"], &["utf8mb4_general_ci"]);
    let words = ["--text=digits,cyrillic", "--baseline=latin1_swedish_ci"];
    refused(&words, &["latin1_swedish_ci", "cannot hold cyrillic text", "--baseline"]);
    refused(
        &["--baseline=dec8_swedish_ci", "--text=cyrillic", "--connection-charset=utf8mb4"],
        &["dec8_swedish_ci", "mariadb"],
    );
    refused(
        &["--baseline=latin1_bin", "-c", "latin1_swedish_ci", "--text=emoji", "--server=mysql@5.6"],
        &["latin1_bin"],
    );
}

#[test]
fn settings_that_the_server_or_weigh_refuses() {
    refused(&["--set=no_such_setting=1"], &["mariadb did not start", "no_such_setting", "--set"]);
    refused(&["--set=datadir=/tmp"], &["datadir", "attach"]);
}

#[test]
fn a_results_folder_that_cannot_be_had() {
    let place = Place::new();
    let file = place.root().join("file");
    fs::write(&file, "mine").unwrap();
    for out in [file.clone(), file.join("below")] {
        // The later --out counts.
        place.run(&["--out", out.to_str().unwrap()]).refuses_with(&[out.to_str().unwrap(), "--out"]);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn results_are_not_overwritten() {
    let place = Place::new();
    place.measured(&["-c", "latin1_swedish_ci", "-w", "oltp_point_select"]);
    let content = || ["run.json", "samples.jsonl"].map(|name| fs::read(place.out().join(name)).unwrap());
    let before = content();
    place.run(&["-w", "oltp_point_select"]).refuses_with(&["already holds a run", "--out"]);
    assert_eq!(content(), before);
}

#[test]
fn too_little_time_is_told_and_what_was_measured_stays() {
    let place = Place::new();
    let none = place.run(&["-w", "oltp_point_select", "--max-time=1ms", "--block=1ms"]);
    none.refuses_with(&["--max-time"]);
    assert!(!place.out().exists());
    // A block of a pair fits into each of the two replicates, but not two of the same pair.
    let few = place.run(&["-w", "oltp_point_select", "--max-time=600ms", "--block=200ms", "-c", "utf8mb4_bin"]);
    assert_eq!(few.code, Some(2), "{few}");
    assert!(few.stderr.contains("no comparison could be made") && few.stderr.contains("--max-time"), "{few}");
    assert!(!place.read().blocks.is_empty() && few.stdout.contains("oltp_point_select"), "{few}");
}
