//! `weigh bench --buffer-pool`: tables larger than memory, on real servers.

use rustix::process::Signal;

use crate::workspace::{Measured, SMALL, Workspace, eventually, send};

/// About 14 MiB in latin1.
const ROWS: &str = "--table-size=60000";

fn measure(server: &str, pool: &str) -> Measured {
    let workspace = Workspace::new();
    let words = ["--server", server, "-w", "oltp_point_select", "-c", "utf8mb4_general_ci", "--rand-type=uniform"];
    workspace.measured(&[&words[..], &["--replicates=1", "--max-time=120s", ROWS, pool]].concat())
}

/// Returns the pages read per statement of each variant. Blocks count by their statements: of a
/// busy machine some have few, and the pages that the server reads for itself.
fn pages_read(measured: &Measured) -> Vec<f64> {
    let blocks = || measured.blocks.iter().filter(|block| !block.warm_up).flat_map(|block| &block.sides);
    let pages = |variant: usize| {
        let own = blocks().filter(|side| side.variant == variant && side.queries > 0);
        let (pages, queries) = own.fold((0.0, 0.0), |(pages, queries), side| {
            (pages + side.pages_read.unwrap() * side.queries as f64, queries + side.queries as f64)
        });
        pages / queries
    };
    measured.results().map(|result| pages(result.variant)).collect()
}

fn assert_reads_from_disk(server: &str) {
    let small = measure(server, "--buffer-pool=60%");
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
fn mariadb_reads_from_disk() {
    assert_reads_from_disk("mariadb");
    let read = pages_read(&measure("mariadb", "--buffer-pool=400%"));
    assert!(read.iter().all(|pages| *pages < 0.05), "{read:?}");
}

#[test]
fn new_mariadb_reads_from_disk() {
    assert_reads_from_disk("mariadb@trixie");
}

#[test]
fn mysql_reads_from_disk() {
    assert_reads_from_disk("mysql@sid");
}

#[test]
fn old_mysql_reads_from_disk() {
    assert_reads_from_disk("mysql@5.6");
}

#[test]
fn every_output_reports_pages_read() {
    let workspace = Workspace::new();
    let finished =
        workspace.run_small_bench(&["-w", "oltp_point_select", "-c", "utf8mb4_bin", ROWS, "--buffer-pool=8M"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    assert!(finished.stdout.contains("buffer pool: 8 MiB for each variant"), "{finished}");
    let text = |format: &str| {
        workspace.wait_for_end(workspace.weigh(&["report", "out", "--format", format]).spawn().unwrap()).stdout
    };
    assert!(text("text").contains("disk pages"), "{}", text("text"));
    assert!(text("markdown").contains("disk pages /query"), "{}", text("markdown"));
    assert!(text("csv").lines().next().unwrap().contains("pages_read_per_query"));
    assert!(text("json").contains("\"pages_read\""));
    assert!(std::fs::read_to_string(workspace.out().join("report.html")).unwrap().contains("disk pages"));
}

#[test]
fn rejects_impossible_sizes_before_loading() {
    let refused = |words: &[&str], sentence: &[&str]| {
        let workspace = Workspace::new();
        workspace.run_small_bench(words).refuses_with(sentence);
        assert!(!workspace.out().exists());
    };
    refused(&["--buffer-pool=25%", ROWS], &["servers start with 8.0 MiB or more: raise --table-size to"]);
    let rows = ["--table-size=1000000000", "--tables=60"];
    refused(&["--buffer-pool=10%", rows[0], rows[1]], &["instances with tables of", "of the disk of", "MiB free"]);
    refused(&["--buffer-pool=9999G", ROWS], &["instances with a buffer pool of", "of memory"]);
    refused(&["--buffer-pool=25%", "--text=ascii,cjk", "-c", "utf8mb4_bin"], &["which differs between several --text"]);
}

#[test]
fn dry_run_reports_disk_and_memory() {
    let workspace = Workspace::new();
    let words = ["bench", "--dry-run", "--buffer-pool=80%", ROWS, "-c", "utf8mb4_bin", "-w", "oltp_point_select"];
    let finished = workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap());
    assert_eq!(finished.code, Some(0), "{finished}");
    assert!(finished.stdout.contains("on each of 3 instances, a variant's own"), "{finished}");
    assert!(finished.stdout.contains("takes") && finished.stdout.contains("of disk"), "{finished}");
}

#[test]
fn resumes_a_run() {
    let workspace = Workspace::new();
    let words = ["-w", "oltp_point_select", "-c", "utf8mb4_bin", ROWS, "--buffer-pool=8M", "--replicates=50"];
    let mut child = workspace.bench(&SMALL, &words).spawn().unwrap();
    eventually("a replicate is whole", || {
        assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
        measure::read_run(&workspace.out())
            .is_ok_and(|(run, _)| run.progress.is_some_and(|progress| progress.replicates > 0))
    });
    send(Signal::INT, child.id());
    assert_eq!(workspace.wait_for_end(child).code, Some(130));
    let before = workspace.read().blocks.len();
    let mut child = workspace.weigh(&["bench", "--resume", "out"]).spawn().unwrap();
    eventually("it goes on", || {
        assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
        measure::read_run(&workspace.out())
            .is_ok_and(|(run, _)| run.progress.is_some_and(|progress| progress.replicates > 2))
    });
    send(Signal::INT, child.id());
    assert_eq!(workspace.wait_for_end(child).code, Some(130));
    let after = workspace.read();
    assert!(after.blocks.len() > before && after.notes().contains("resumed"), "{}", after.notes());
}
