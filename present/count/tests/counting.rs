//! Counts on real servers.

use std::sync::Arc;
use std::thread;

use count::{DEFAULT_WORKLOADS, Error, Request, Results, Source, run};
use fetch::NoProgress;
use load::Protocol;
use measure::{FolderOptions, MeasuredFolder};
use server::{Options, Spec};
use workload::{Workload, WorkloadKind};

fn request(workloads: &[WorkloadKind], collations: &[&str]) -> Request {
    Request {
        source: Source::BuiltIn(workloads.iter().map(|&kind| Workload::from(kind)).collect()),
        collations: Some(collations.iter().map(|&name| name.to_owned()).collect()),
        baseline: collations[0].into(),
        events: 10,
        ..Request::default()
    }
}

fn count(server: &str, request: &Request) -> Result<Results, Error> {
    run(request, &[server.parse().unwrap()], &Options::default(), "0.0.0", &NoProgress)
}

/// Counts up to three times, until fresh starts agree within `spread`. A few pairs of starts in a
/// hundred agree less well, because work of the server in the background counts, too. Checks that
/// a Unicode collation takes more instructions for DISTINCT.
fn check(server: &str, spread: f64) {
    let request = request(
        &[WorkloadKind::OltpPointSelect, WorkloadKind::DistinctRanges],
        &["latin1_swedish_ci", "utf8mb4_unicode_ci"],
    );
    let agrees = |results: &Results| results.cells.iter().all(|cell| cell.spread() < spread);
    let mut attempts = (0..3).map(|_| count(server, &request).unwrap());
    let results = attempts.find(agrees).unwrap_or_else(|| panic!("starts differ by {spread} or more"));
    assert_eq!(results.cells.len(), 4);
    for cell in &results.cells {
        let statements = if cell.workload == "distinct_ranges" { 10 } else { 100 };
        assert_eq!((cell.instructions.len(), cell.statements), (2, statements), "{cell:?}");
        assert!(cell.allocations.len() == 2 && cell.mean_allocations() >= Some(1.0), "{cell:?}");
    }
    let slow =
        results.cells.iter().find(|cell| results.baseline_of(cell).is_some() && cell.workload == "distinct_ranges");
    let slow = slow.unwrap();
    let (least, _) = slow.ratio_bounds(results.baseline_of(slow).unwrap());
    assert!(least > 1.3, "{slow:?}");
}

#[test]
fn mariadb() {
    check("mariadb", 0.01);
}

#[test]
fn mysql() {
    check("mysql@sid", 0.02);
}

/// A start's first cell once had up to 10 % more instructions than the same cell counted later.
#[test]
fn the_first_cell_equals_the_same_cell_counted_last() {
    let count_in = |collations: [&str; 2]| {
        let request = Request { starts: 1, events: 5, ..request(&DEFAULT_WORKLOADS, &collations) };
        count("mysql@5.7", &request).unwrap().cells
    };
    let (first, last) = thread::scope(|scope| {
        let first = scope.spawn(|| count_in(["utf8mb4_bin", "latin1_swedish_ci"]));
        let last = count_in(["latin1_swedish_ci", "utf8mb4_bin"]);
        (first.join().unwrap(), last)
    });
    let first = &first[0];
    let last = last.iter().find(|cell| (&cell.workload, &cell.collation) == (&first.workload, &first.collation));
    let (first, last) = (first.mean(), last.unwrap().mean());
    assert!((first / last - 1.0).abs() <= 0.005, "first {first}, last {last}");
}

#[test]
fn counts_statements_of_a_folder_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    microbench::write(folder.path(), microbench::Options { rows: 200, ..microbench::Options::default() }).unwrap();
    let workload = Arc::new(workload_folder::read(folder.path()).unwrap());
    let options = FolderOptions {
        folder: "microbench".into(),
        digest: String::new(),
        classes: ["insert_1_text_index", "json_value", "order_by"].map(str::to_owned).into(),
        samples: usize::MAX,
        single_classes: 0,
        convert_all: false,
        protocol: Protocol::Text,
    };
    let folder = Box::new(MeasuredFolder::new(&workload, &options, Vec::new()));
    let source = Source::Folder { folder, protocol: Protocol::Text };
    let request = Request { source, ..request(&[], &["as-is", "utf8mb4_unicode_ci"]) };
    // MySQL 5.6 has no JSON functions.
    let results = count("mysql@5.6", &request).unwrap();
    let cells: Vec<(&str, &str, u64)> =
        results.cells.iter().map(|cell| (cell.workload.as_str(), cell.collation.as_str(), cell.statements)).collect();
    let expected = [
        ("insert_1_text_index", "as-is"),
        ("order_by", "as-is"),
        ("insert_1_text_index", "utf8mb4_unicode_ci"),
        ("order_by", "utf8mb4_unicode_ci"),
    ];
    assert_eq!(cells.iter().map(|cell| (cell.0, cell.1)).collect::<Vec<_>>(), expected);
    assert!(cells.iter().all(|cell| [10, 100].contains(&cell.2)), "{cells:?}");
    assert!(
        matches!(&results.notes[..], [note] if note.contains("json_value") && note.contains("1305")),
        "{results:?}"
    );
    let order = &results.cells[3];
    let (least, _) = order.ratio_bounds(results.baseline_of(order).unwrap());
    assert!(least > 1.2, "{order:?}");
}

/// A class is prepared in its own SQL mode: there, `"s"` is the column.
#[test]
fn prepares_classes_in_their_sql_mode() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..200).map(|at| format!("{at},s{at}\n")).collect();
    let create = "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(20), KEY (s)) CHARACTER SET utf8mb4;";
    let values = "v\ns7\n";
    for (name, text) in [
        ("workload.toml", "format = 1\nname = \"w\"\nprotocol = \"prepared\"\n"),
        ("schema.sql", create),
        ("rows/t.csv", &format!("id:int,s\n{rows}")),
        ("statements/own.sql", "-- @sql_mode = \"ANSI_QUOTES\"\nSELECT COUNT(*) FROM t WHERE \"s\" = :v"),
        ("statements/own.csv", values),
        ("statements/plain.sql", "SELECT COUNT(*) FROM t WHERE `s` = :v"),
        ("statements/plain.csv", values),
        (
            "statements/update.sql",
            "-- @sql_mode = \"ANSI_QUOTES\"\nUPDATE t SET \"s\" = \"s\" WHERE id = 1 AND \"s\" <> :v",
        ),
        ("statements/update.csv", values),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let workload = Arc::new(workload_folder::read(folder.path()).unwrap());
    let options = FolderOptions {
        folder: "w".into(),
        digest: String::new(),
        classes: Vec::new(),
        samples: usize::MAX,
        single_classes: 0,
        convert_all: false,
        protocol: Protocol::Prepared,
    };
    let folder = Box::new(MeasuredFolder::new(&workload, &options, Vec::new()));
    let source = Source::Folder { folder, protocol: Protocol::Prepared };
    let results = count("mariadb@bookworm", &Request { source, ..request(&[], &["as-is"]) }).unwrap();
    assert_eq!(results.notes, [""; 0]);
    let cost = |name: &str| {
        let cell = results.cells.iter().find(|cell| cell.workload.contains(name)).unwrap();
        cell.mean() / cell.statements as f64
    };
    // Its cost includes that of the two SET.
    assert!(cost("own") > cost("plain"), "{results:?}");
}

#[test]
fn names_the_functions_of_a_collation() {
    let request = Request {
        functions: 20,
        starts: 1,
        ..request(&[WorkloadKind::DistinctRanges], &["latin1_swedish_ci", "utf8mb4_unicode_ci"])
    };
    let results = count("mariadb", &request).unwrap();
    let cell = &results.cells[1];
    let of_text = |category| {
        matches!(category, profile::Category::Compare | profile::Category::Hash | profile::Category::SortKey)
    };
    let text: f64 = cell.functions.iter().filter(|one| of_text(one.category)).map(|one| one.instructions).sum();
    assert!(text > 0.2 * cell.mean(), "{:#?}", cell.functions);
}

#[test]
fn rejects_running_servers_and_unknown_collations() {
    let attached: Spec = "mysql://me@localhost".parse().unwrap();
    let request = request(&[WorkloadKind::OltpPointSelect], &["latin1_swedish_ci", "utf8mb4_ban"]);
    let error = run(&request, &[attached], &Options::default(), "0.0.0", &NoProgress).unwrap_err().to_string();
    assert!(error.contains("private servers only"), "{error}");
    let error = count("mariadb", &request).unwrap_err().to_string();
    assert!(error.contains("utf8mb4_ban") && error.contains("utf8mb4_bin"), "{error}");
}
