//! `weigh bench --workload DIR` on real servers: what is planted in results, plans and cost is found, and nothing stays.

use std::fs;
use std::path::Path;

use measure::{Comparison, PairKind, Verdict};
use parity::Difference;
use profile::Profiles;

use crate::attach::Foreign;
use crate::place::{Done, Measured, Place};

/// A shop of which one class is slower under utf8mb4_unicode_ci, one returns other rows, one fails, and one writes.
const FILES: [(&str, &str); 12] = [
    ("workload.toml", "format = 1\nname = \"shop\"\n[session]\ntime_zone = \"+00:00\"\n"),
    (
        "schema.sql",
        "CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(80), note VARCHAR(200), price DECIMAL(10,2), weight DOUBLE, photo VARBINARY(8), \
         KEY (name)) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;\n\
         CREATE TABLE makers (id INT PRIMARY KEY, name VARCHAR(20) COLLATE utf8mb4_unicode_520_ci) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;\n",
    ),
    ("rows/makers.csv", "id:int,name\n1,Straße 1\n2,y\n"),
    // A thousand equal characters in front: what is compared is text, and little else is done.
    (
        "statements/a-long.sql",
        "SELECT COUNT(*) FROM customers WHERE CONCAT(REPEAT('x', 1000), note) < CONCAT(REPEAT('x', 1000), :note)\n",
    ),
    ("statements/a-long.csv", "note\nnote 5\nnote 9\n"),
    ("statements/b-name.sql", "-- @weight = 10\nSELECT id FROM customers WHERE name = :name ORDER BY id\n"),
    ("statements/b-name.csv", "name\nStraße 1\nWeg 2\n\\N\n"),
    ("statements/c-error.sql", "SELECT c.id FROM customers c JOIN makers m ON m.name = c.name WHERE c.id < :id\n"),
    ("statements/c-error.csv", "id:int\n9\n"),
    (
        "statements/d-write.sql",
        "-- @weight = 2\n-- @sql_mode = \"ANSI_QUOTES\"\nUPDATE customers SET \"note\" = :note, price = :price, weight = :weight, photo = :photo\n\
         WHERE id IN (:ids)\n",
    ),
    (
        "statements/d-write.csv",
        "note,price:decimal,weight:float,photo:hex,ids:int[]\nit's,1.50,2.5,00FF,\"[1, 2]\"\n\\N,2.50,\\N,\\N,[3]\n\\N,\\N,1e3,41,\"[4, 5000000000]\"\n",
    ),
    ("statements/e-constant.sql", "-- @think_seconds = 0.001\nSELECT COUNT(*) FROM makers WHERE id > 0\n"),
];

/// Writes the shop into the place.
pub fn shop(place: &Place) {
    for (name, text) in FILES {
        let path = place.root().join("shop").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let streets = ["Straße", "Strasse", "Weg"];
    let row = |n: usize| {
        format!("{n},{} {},{}\n", streets[n % 3], n % 7, format!("note {} of Straße ", n * 7919 % 1000).repeat(6))
    };
    let rows: String = (0..1000).map(row).collect();
    fs::write(place.root().join("shop/rows/customers.csv"), format!("id:int,name,note\n{rows}")).unwrap();
}

/// A load of seconds, with as many replicates as it takes for a difference of a third to be beyond chance among all classes.
const SIZE: [&str; 6] =
    ["--threads=1", "--block=200ms", "--warmup-time=20ms", "--precision=1%", "--max-time=24s", "--replicates=4"];

const SIDES: [&str; 2] = ["--workload=shop", "--collation=as-is,utf8mb4_unicode_ci"];

/// The comparison of a condition's two sides.
fn compared<'m>(measured: &'m Measured, workload: &str) -> &'m Comparison {
    let at = measured.run.conditions.iter().position(|condition| condition.workload == workload).unwrap();
    let comparisons = &measured.analysis.conditions[at].comparisons;
    comparisons.iter().find(|comparison| comparison.kind == PairKind::Collation).unwrap()
}

fn assert_found(place: &Place, done: &Done) {
    let measured = place.read();
    let recording = measured.run.recording.as_ref().unwrap();
    let names: Vec<&str> = recording.classes.iter().map(|class| class.name.as_str()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, ["a-long", "b-name", "d-write", "e-constant"], "what fails is left out");
    let [left] = recording.left_out.as_slice() else { panic!("{:?}", recording.left_out) };
    assert!(
        left.class == "c-error" && left.all && left.reason.contains("error 1267 under utf8mb4_unicode_ci"),
        "{left:?}"
    );
    let [parity] = recording.parity.as_slice() else { panic!("{:?}", recording.parity) };
    let rows = parity.findings.iter().find(|finding| finding.class == "b-name").unwrap();
    assert!(matches!(rows.differences[0], Difference::Rows { .. }), "{rows:?}");

    assert!(compared(&measured, "shop").throughput.is_some(), "{done}");
    let slower = compared(&measured, "shop:a-long");
    let cpu = slower.server_cpu.unwrap();
    assert!(cpu.value > 1.3 && slower.cpu_verdict == Verdict::More, "planted: a third and more: {cpu:?}\n{done}");
    // Three statements to a call: START TRANSACTION, the statement, ROLLBACK; two more for a sql_mode of its own.
    let at = measured.run.conditions.iter().position(|condition| condition.workload == "shop:d-write").unwrap();
    let write = &measured.analysis.conditions[at].variants[0];
    assert!((write.queries_per_s / write.transactions_per_s - 5.0).abs() < 0.2, "{write:?}");
    let controls: Vec<bool> = measured
        .analysis
        .conditions
        .iter()
        .map(|condition| condition.comparisons.iter().any(|comparison| comparison.kind == PairKind::AA))
        .collect();
    assert_eq!(controls, [true, false, false, false, false], "the mix has A/A pairs, for its classes as well");
    assert!(!measured.notes().contains("plans are not known"), "{done}");
    assert!(measured.notes().contains("think_seconds, in 1 of 4 classes) are in the throughput"), "{done}");
    let plans = |condition: usize| measured.run.plans.iter().filter(|plan| plan.condition == condition).count();
    assert_eq!(plans(0), 3 * 4, "each statement of the mix on each variant, one under its own sql_mode");
    for words in [
        "Under utf8mb4_unicode_ci, the mix of shop ",
        "a-long",
        "1 returns other rows",
        "1 fails",
        "left out of the load on all sides: c-error",
    ] {
        assert!(done.stdout.contains(words), "{words}: {done}");
    }
    assert!(
        measured.run.variants.iter().all(|variant| variant.connection_charset == "utf8mb4"),
        "{:?}",
        measured.run.variants
    );
}

/// Every output of a run, and what it refuses, from its folder alone.
fn assert_reported(place: &Place) {
    let out = place.out();
    let out = out.to_str().unwrap();
    let weigh = |words: &[&str]| place.end(place.weigh(words).spawn().unwrap());
    let json = weigh(&["report", out, "--format=json"]);
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/report.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap_or_else(|error| panic!("{error}: {json}"));
    jsonschema::validator_for(&schema).unwrap().validate(&value).unwrap();
    let markdown = weigh(&["report", out, "--format=markdown"]);
    assert!(markdown.stdout.contains("### shop, class by class"), "{markdown}");
    let page = fs::read_to_string(place.out().join("report.html")).unwrap();
    assert!(page.contains("Results, plans and statements") && page.contains("b-name under utf8mb4_unicode_ci"));
    let same = weigh(&["compare", out, out]);
    assert!(same.code == Some(0) && same.stdout.contains("shop:a-long"), "{same}");
    weigh(&["bench", "--resume", out]).refuses_with(&["its run is done"]);
}

#[test]
fn what_is_planted_is_found_on_a_private_server() {
    let place = Place::new();
    shop(&place);
    let done = place.end(place.bench(&SIZE, &[&SIDES[..], &["--server=mariadb"]].concat()).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    assert_found(&place, &done);
    assert_reported(&place);
}

#[test]
fn what_is_planted_is_found_on_a_server_that_runs_already() {
    let foreign = Foreign::start("mysql@sid");
    let place = Place::new();
    shop(&place);
    let words = [&SIDES[..], &["--protocol=prepared", "--pin-server"]].concat();
    let done = place.end(foreign.bench_as_account(&place, &SIZE, &words));
    assert_eq!(done.code, Some(0), "{done}");
    assert!(done.stderr.contains("each with 2 tables with the rows of shop"), "{done}");
    assert_found(&place, &done);
    foreign.assert_untouched();
}

#[test]
fn some_classes_are_picked_and_the_rest_is_told() {
    let place = Place::new();
    shop(&place);
    let words = [
        "--workload=shop:b-name,e-constant",
        "--collation=utf8mb4_general_ci",
        "--replicates=1",
        "--samples=2",
        "--classes=1",
        "--dry-run",
    ];
    let done = place.end(place.bench(&["--threads=1"], &words).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    assert!(done.stdout.contains("as-is, utf8mb4_general_ci") && done.stdout.contains("shop, shop:b-name\n"), "{done}");
}

#[test]
fn what_a_folder_cannot_be_measured_with_is_refused() {
    let place = Place::new();
    shop(&place);
    let refused = |words: &[&str]| {
        let words = [&["bench", "--no-defaults"], words].concat();
        place.end(place.weigh(&words).spawn().unwrap()).refusal()
    };
    let both = "--collation=as-is,utf8mb4_bin";
    for (words, message) in [
        (&["-w", "shop"][..], "two sides or more by --collation"),
        (&["-w", "shop", both, "--table-size=500"], "--table-size is for the built-in workloads"),
        (&["-w", "shop", both, "--driver=sysbench"], "--driver sysbench is for the built-in workloads"),
        (&["-w", "shop:b-nme", both], "shop has no class b-nme; the nearest it has: b-name"),
        (&["-w", "./shap", both], "./shap is no folder"),
        (&["-w", "oltp_read_only,shop"], "shop is a folder, which is measured by itself"),
        (&["-w", "oltp_readonly"], "oltp_read_only"),
        (&["--classes=3"], "--classes is about a workload that is a folder"),
    ] {
        let told = refused(words);
        assert!(told.contains(message), "{words:?}: {told}");
    }
    fs::write(place.root().join("shop/statements/f-wrong.sql"), "SELECT 1 FROM custmers\n").unwrap();
    assert!(refused(&["-w", "shop", both]).contains("schema.sql has no table custmers"));
}

/// What one class spends on text, on a server that has its functions' names.
#[test]
fn a_class_is_profiled() {
    let place = Place::new();
    shop(&place);
    let words =
        [&SIDES[1..], &["--workload=shop:a-long", "--server=mysql@5.6", "--threads=1", "--seconds=2", "--format=json"]];
    let done = place.end(place.profile(&words.concat()).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    let printed: Profiles = serde_json::from_str(&done.stdout).unwrap();
    let [profile] = printed.profiles.as_slice() else { panic!("{done}") };
    let share = |label: &str| profile.sides.iter().find(|side| side.label == label).unwrap().text_share.value;
    assert!(share("utf8mb4_unicode_ci") > share("as-is") + 0.1, "{done}");
}
