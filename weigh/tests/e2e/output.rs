//! Output: streams and formats.

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;

use crate::workspace::{SMALL, Workspace};

const TWO: [&str; 4] = ["-c", "utf8mb4_bin,utf8mb4_general_ci", "-w", "oltp_point_select"];

fn print_as(format: &str) -> (Workspace, String) {
    let workspace = Workspace::new();
    let finished = workspace.run_small_bench(&[&TWO[..], &["--format", format]].concat());
    assert_eq!(finished.code, Some(0), "{finished}");
    // Little goes to standard error: only what isn't a result.
    let page = workspace.out().join("report.html");
    let out = workspace.out();
    let expected = [
        format!("results: {}", out.display()),
        format!("page: {}", page.display()),
        format!("all figures: weigh report {} --format text", out.display()),
    ];
    // The last line is there if a collation takes more CPU.
    let notes: Vec<&str> = finished.stderr.trim().lines().filter(|line| !line.starts_with("next: ")).collect();
    assert_eq!(notes, expected);
    assert!(fs::read_to_string(page).unwrap().contains("oltp_point_select"));
    assert!(!finished.stdout.contains('\x1b'), "no colours where nobody looks: {finished}");
    (workspace, finished.stdout)
}

#[test]
fn json_matches_the_schema() {
    let (workspace, printed) = print_as("json");
    let report: Value = serde_json::from_str(&printed).unwrap();
    let schema = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/report.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let faults: Vec<String> = schema.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(report["run"], serde_json::to_value(workspace.read().run).unwrap());
}

#[test]
fn csv_has_a_line_per_comparison() {
    let (_, printed) = print_as("csv");
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
    let (_, printed) = print_as("markdown");
    assert!(printed.contains("\n### ") && printed.contains("| --- |"), "{printed}");
    assert!(printed.contains("| utf8mb4_bin |"), "{printed}");
}

#[test]
fn text_is_the_default() {
    let workspace = Workspace::new();
    let finished = workspace.run_small_bench(&TWO);
    let (other, text) = print_as("text");
    // Throughput is shown if a busy machine keeps the server's threads from being identified.
    let figures = ["Server CPU per query", "Throughput"];
    let head = |text: &str| {
        let first = text.lines().next().unwrap_or_default();
        let rest = figures.iter().find_map(|figure| first.strip_prefix(*figure));
        rest.unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    assert!(head(&text).starts_with(" compared with utf8mb4_bin on MariaDB"), "{text}");
    assert_eq!(head(&finished.stdout), head(&text));
    assert!(text.contains("oltp_point_select") && text.contains("utf8mb4_general_ci"), "{text}");
    drop(other);
}

#[test]
fn dry_run_creates_nothing() {
    let workspace = Workspace::new();
    let three = ["-c", "latin1_swedish_ci,utf8mb4_bin,utf8mb4_general_ci", "-w", "oltp_point_select"];
    let words = [&["bench", "--dry-run", "--text=cyrillic"], &SMALL[..], &three[..]].concat();
    let finished = workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap());
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{finished}");
    for words in [
        "mariadb: MariaDB",
        "on the clock",
        "utf8mb4_bin, utf8mb4_general_ci",
        "4 schemas",
        "1 table of 500 rows",
        "oltp_point_select",
        "cannot hold",
    ] {
        assert!(finished.stdout.contains(words), "{words}: {finished}");
    }
    assert_eq!(fs::read_dir(workspace.root()).unwrap().count(), 1, "nothing but tmp is there");
}

#[test]
fn lists_workloads() {
    let workspace = Workspace::new();
    let finished = workspace.wait_for_end(workspace.weigh(&["bench", "--list-workloads"]).spawn().unwrap());
    let names: Vec<&str> = finished.stdout.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, workload::WorkloadKind::ALL.map(|kind| kind.name()));
    assert!(finished.stdout.lines().all(|line| line.split_whitespace().count() > 3), "{finished}");
}

#[test]
fn creates_a_results_folder_by_default() {
    let workspace = Workspace::new();
    let words = [&["bench", "-c", "latin1_swedish_ci", "-w", "oltp_point_select"], &SMALL[..]].concat();
    let both = [(); 2].map(|()| workspace.weigh(&words).spawn().unwrap());
    let folders = both.map(|child| {
        let finished = child.wait_with_output().unwrap();
        assert_eq!(finished.status.code(), Some(0), "{finished:?}");
        let folders = String::from_utf8(finished.stderr).unwrap();
        workspace.root().join(folders.lines().find_map(|line| line.strip_prefix("results: ")).unwrap())
    });
    assert_ne!(folders[0], folders[1], "also where two begin in the same second");
    for folder in folders {
        measure::read_run(&folder).unwrap();
    }
}

#[test]
fn help() {
    let workspace = Workspace::new();
    for command in
        ["--help", "bench -h", "bench --help", "profile --help", "audit -h", "compare --help", "help connection"]
    {
        let words: Vec<&str> = command.split(' ').collect();
        let finished = workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap());
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
        assert_snapshot!(command.replace("--", ""), finished.stdout);
    }
}

#[test]
fn a_missing_target_is_answered_with_collations() {
    let workspace = Workspace::new();
    let refused = workspace.wait_for_end(workspace.weigh(&["preflight", "mysql@9"]).spawn().unwrap());
    refused.refuses_with(&["--to utf8mb4_0900_ai_ci", "--to utf8mb4_uca1400_ai_ci", "choose-a-collation.md"]);
}

#[test]
fn quiet_prints_results_only() {
    let workspace = Workspace::new();
    let finished = workspace.run_small_bench(&[&TWO[..], &["--quiet", "--color=always"]].concat());
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{finished}");
    assert!(finished.stdout.contains("utf8mb4_bin"), "{finished}");
}

#[test]
fn verbose_prints_each_step() {
    let workspace = Workspace::new();
    let finished = workspace.run_small_bench(&[&TWO[..], &["--verbose"]].concat());
    assert_eq!(finished.code, Some(0), "{finished}");
    let is_step = |line: &&str| line.starts_with('[') && line.contains(" s] ");
    assert!(finished.stderr.lines().filter(is_step).count() >= 3, "{finished}");
}

#[test]
fn version_and_unknown_help() {
    let workspace = Workspace::new();
    let run = |words: &[&str]| workspace.wait_for_end(workspace.weigh(words).spawn().unwrap());
    let version = run(&["version"]).stdout;
    assert!(version.starts_with(concat!("weigh ", env!("CARGO_PKG_VERSION"), " (")), "{version}");
    assert!(
        version.contains(std::env::consts::ARCH) && version.contains(mysql_collation::instruction_set()),
        "{version}"
    );
    assert_eq!(run(&["--version"]).stdout, version);
    assert_eq!(run(&["-V"]).stdout, version);
    let verbose = run(&["--version", "--verbose"]).stdout;
    let lines = ["commit: ", "target: ", "MySQL 9.7.4, MariaDB 11.8.9", "UCA 4.0.0, 5.2.0, 9.0.0, 14.0.0"];
    assert!(lines.iter().all(|line| verbose.contains(line)), "{verbose}");
    assert_eq!(run(&["version", "--verbose"]).stdout, verbose);
    assert_eq!(run(&["--verbose", "--version"]).stdout, verbose);
    run(&["help", "bensh"]).refuses_with(&["no command `bensh`"]);
    let host = run(&["bench", "-h", "-u", "root"]);
    assert!(host.code == Some(0) && host.stdout.contains("All options: weigh bench --help"), "{host}");
}
