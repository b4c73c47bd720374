//! `weigh bench --buffer-pool`: tables that don't fit into memory, on real servers.

use rustix::process::Signal;

use crate::place::{Measured, Place, SMALL, eventually, send};

/// About 14 MiB under latin1.
const ROWS: &str = "--table-size=60000";

fn measured(server: &str, pool: &str) -> Measured {
    let place = Place::new();
    let words = ["--server", server, "-w", "oltp_point_select", "-c", "utf8mb4_general_ci", "--rand-type=uniform"];
    place.measured(&[&words[..], &["--replicates=1", ROWS, pool]].concat())
}

fn pages_read(measured: &Measured) -> Vec<f64> {
    measured.results().map(|variant| variant.pages_read.unwrap()).collect()
}

fn reads_from_disk(server: &str) {
    let small = measured(server, "--buffer-pool=60%");
    small.assert_complete();
    assert_eq!(small.run.options.buffer_pool.as_deref(), Some("60%"));
    let pool: f64 = small.run.servers[0].settings["innodb_buffer_pool_size"].parse().unwrap();
    let baseline = small.run.sizes.iter().filter(|size| size.variant == 0);
    let tables: f64 = baseline.map(|size| (size.data_bytes + size.index_bytes) as f64).sum();
    assert!((0.5..0.75).contains(&(pool / tables)), "{server}: {pool} of {tables} bytes");
    let read = pages_read(&small);
    assert!(read.len() == 3 && read.iter().all(|pages| (0.1..2.0).contains(pages)), "{server}: {read:?}");
}

#[test]
fn mariadb_reads_from_disk_what_does_not_fit() {
    reads_from_disk("mariadb");
    let read = pages_read(&measured("mariadb", "--buffer-pool=400%"));
    assert!(read.iter().all(|pages| *pages < 0.05), "{read:?}");
}

#[test]
fn new_mariadb_reads_from_disk_what_does_not_fit() {
    reads_from_disk("mariadb@trixie");
}

#[test]
fn mysql_reads_from_disk_what_does_not_fit() {
    reads_from_disk("mysql@sid");
}

#[test]
fn old_mysql_reads_from_disk_what_does_not_fit() {
    reads_from_disk("mysql@5.6");
}

#[test]
fn every_output_tells_the_pages_read() {
    let place = Place::new();
    let done = place.run(&["-w", "oltp_point_select", "-c", "utf8mb4_bin", ROWS, "--buffer-pool=8M"]);
    assert_eq!(done.code, Some(0), "{done}");
    assert!(done.stdout.contains("buffer pool: 8 MiB for each variant"), "{done}");
    let text = |format: &str| place.end(place.weigh(&["report", "out", "--format", format]).spawn().unwrap()).stdout;
    assert!(done.stdout.contains("disk pages"), "{done}");
    assert!(text("markdown").contains("disk pages /query"), "{}", text("markdown"));
    assert!(text("csv").lines().next().unwrap().contains("pages_read_per_query"));
    assert!(text("json").contains("\"pages_read\""));
    assert!(std::fs::read_to_string(place.out().join("report.html")).unwrap().contains("disk pages"));
}

#[test]
fn what_can_not_be_had_is_refused_before_anything_is_loaded() {
    let refused = |words: &[&str], sentence: &[&str]| {
        let place = Place::new();
        place.run(words).refuses_with(sentence);
        assert!(!place.out().exists());
    };
    refused(&["--buffer-pool=25%", ROWS], &["servers start with 8.0 MiB or more: raise --table-size to"]);
    let rows = ["--table-size=1000000000", "--tables=60"];
    refused(&["--buffer-pool=10%", rows[0], rows[1]], &["instances with tables of", "of the disk of", "MiB free"]);
    refused(&["--buffer-pool=9999G", ROWS], &["instances with a buffer pool of", "of memory"]);
    refused(&["--buffer-pool=25%", "--text=ascii,cjk", "-c", "utf8mb4_bin"], &["with one --text"]);
}

#[test]
fn a_dry_run_tells_what_it_takes() {
    let place = Place::new();
    let words = ["bench", "--dry-run", "--buffer-pool=80%", ROWS, "-c", "utf8mb4_bin", "-w", "oltp_point_select"];
    let done = place.end(place.weigh(&words).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    assert!(done.stdout.contains("on each of 3 instances, a variant's own"), "{done}");
    assert!(done.stdout.contains("takes") && done.stdout.contains("of disk"), "{done}");
}

#[test]
fn a_run_is_resumed() {
    let place = Place::new();
    let words = ["-w", "oltp_point_select", "-c", "utf8mb4_bin", ROWS, "--buffer-pool=8M", "--replicates=50"];
    let mut child = place.bench(&SMALL, &words).spawn().unwrap();
    eventually("a replicate is whole", || {
        assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
        measure::read(&place.out()).is_ok_and(|(run, _)| run.progress.is_some_and(|progress| progress.replicates > 0))
    });
    send(Signal::INT, child.id());
    assert_eq!(place.end(child).code, Some(130));
    let before = place.read().blocks.len();
    let mut child = place.weigh(&["bench", "--resume", "out"]).spawn().unwrap();
    eventually("it goes on", || {
        assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
        measure::read(&place.out()).is_ok_and(|(run, _)| run.progress.is_some_and(|progress| progress.replicates > 2))
    });
    send(Signal::INT, child.id());
    assert_eq!(place.end(child).code, Some(130));
    let after = place.read();
    assert!(after.blocks.len() > before && after.notes().contains("resumed"), "{}", after.notes());
}
