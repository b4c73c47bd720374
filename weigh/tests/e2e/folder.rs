//! `weigh bench --workload DIR` on real servers: planted differences in results, plans and cost are
//! found, and nothing stays.

use std::fs;
use std::path::Path;

use measure::{Comparison, PairKind, Verdict};
use profile::Profiles;
use result_diff::Difference;

use crate::attach::Foreign;
use crate::workspace::{Finished, Measured, Workspace, retry};

/// A shop. Under utf8mb4_unicode_ci one class is slower, one returns different rows, one fails, and
/// one writes.
const FILES: [(&str, &str); 12] = [
    ("workload.toml", "format = 1\nname = \"shop\"\n[session]\ntime_zone = \"+00:00\"\n"),
    (
        "schema.sql",
        "CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(80), note VARCHAR(200), price DECIMAL(10,2), weight DOUBLE, photo VARBINARY(8), \
         KEY (name)) CHARACTER SET latin1;\n\
         CREATE TABLE makers (id INT PRIMARY KEY, name VARCHAR(20) COLLATE utf8mb4_unicode_520_ci) CHARACTER SET utf8mb4;\n",
    ),
    ("rows/makers.csv", "id:int,name\n1,Straße 1\n2,y\n"),
    // A thousand equal leading characters: the statement spends its time on comparing text.
    (
        "statements/a-long.sql",
        "SELECT COUNT(*) FROM customers WHERE CONCAT(REPEAT(note, 8), 'a') < CONCAT(REPEAT(note, 8), :note)\n",
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

pub fn shop(workspace: &Workspace) {
    for (name, text) in FILES {
        let path = workspace.root().join("shop").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let streets = ["Straße", "Strasse", "Weg"];
    let row = |n: usize| {
        format!("{n},{} {},{}\n", streets[n % 3], n % 7, format!("note {} of Straße ", n * 7919 % 1000).repeat(6))
    };
    let rows: String = (0..1000).map(row).collect();
    fs::write(workspace.root().join("shop/rows/customers.csv"), format!("id:int,name,note\n{rows}")).unwrap();
}

/// Seconds of load, with enough replicates to detect a difference of a third among all classes.
const SIZE: [&str; 6] =
    ["--threads=1", "--block=200ms", "--warmup-time=20ms", "--precision=1%", "--max-time=24s", "--replicates=4"];

const SIDES: [&str; 2] = ["--workload=shop", "--collation=as-is,utf8mb4_unicode_ci"];

/// Returns the comparison of a condition's two sides.
fn find_comparison<'m>(measured: &'m Measured, workload: &str) -> &'m Comparison {
    let at = measured.run.conditions.iter().position(|condition| condition.workload == workload).unwrap();
    let comparisons = &measured.analysis.conditions[at].comparisons;
    comparisons.iter().find(|comparison| comparison.kind == PairKind::Collation).unwrap()
}

fn assert_found(workspace: &Workspace, finished: &Finished) {
    let measured = workspace.read();
    let recording = measured.run.workload_folder.as_ref().unwrap();
    let names: Vec<&str> = recording.classes.iter().map(|class| class.name.as_str()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, ["a-long", "b-name", "d-write", "e-constant"], "what fails is left out");
    let [left] = recording.excluded.as_slice() else { panic!("{:?}", recording.excluded) };
    assert!(
        left.class == "c-error" && left.all && left.reason.contains("error 1267 under utf8mb4_unicode_ci"),
        "{left:?}"
    );
    let [comparison] = recording.result_diffs.as_slice() else { panic!("{:?}", recording.result_diffs) };
    let rows = comparison.findings.iter().find(|finding| finding.class == "b-name").unwrap();
    assert!(matches!(rows.differences[0], Difference::Rows { .. }), "{rows:?}");

    assert!(find_comparison(&measured, "shop").throughput.is_some(), "{finished}");
    let slower = find_comparison(&measured, "shop:a-long");
    let cpu = slower.server_cpu.unwrap();
    assert!(cpu.value > 1.3 && slower.cpu_verdict == Verdict::More, "planted: a third and more: {cpu:?}\n{finished}");
    // Three statements per call: START TRANSACTION, the statement, ROLLBACK. A sql_mode adds two. A
    // block counts parts of calls, and rounds their sum.
    let at = measured.run.conditions.iter().position(|condition| condition.workload == "shop:d-write").unwrap();
    let counted = measured.blocks.iter().filter(|block| block.condition == at && !block.warm_up);
    let sides = || counted.clone().flat_map(|block| &block.sides);
    let (calls, statements) =
        (sides().map(|side| side.events).sum::<u64>() as f64, sides().map(|side| side.queries).sum::<u64>() as f64);
    let rounding = 5.0 * sides().count() as f64;
    assert!((statements - 5.0 * calls).abs() <= rounding, "{statements} statements of {calls} calls");
    let controls: Vec<bool> = measured
        .analysis
        .conditions
        .iter()
        .map(|condition| condition.comparisons.iter().any(|comparison| comparison.kind == PairKind::AA))
        .collect();
    assert_eq!(controls, [true, false, false, false, false], "the mix has A/A pairs, for its classes as well");
    assert!(!measured.notes().contains("plans are not known"), "{finished}");
    assert!(measured.notes().contains("think_seconds, in 1 of 4 classes) lower the throughput"), "{finished}");
    let plans = |condition: usize| measured.run.plans.iter().filter(|plan| plan.condition == condition).count();
    assert_eq!(plans(0), 3 * 4, "each statement of the mix on each variant, one under its own sql_mode");
    for words in [
        "Under utf8mb4_unicode_ci, the mix of shop ",
        "a-long",
        "2 classes differ: 1 with different rows, 1 with an error",
        "left out of the load on all sides: c-error",
    ] {
        assert!(finished.stdout.contains(words), "{words}: {finished}");
    }
    assert!(
        measured.run.variants.iter().all(|variant| variant.connection_charset == "utf8mb4"),
        "{:?}",
        measured.run.variants
    );
}

/// Asserts JSON, Markdown, the page and a comparison, all from the folder of the run alone, and
/// that the run is not resumed.
fn assert_reported(workspace: &Workspace) {
    let out = workspace.out();
    let out = out.to_str().unwrap();
    let weigh = |words: &[&str]| workspace.wait_for_end(workspace.weigh(words).spawn().unwrap());
    let json = weigh(&["report", out, "--format=json"]);
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/report.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap_or_else(|error| panic!("{error}: {json}"));
    jsonschema::validator_for(&schema).unwrap().validate(&value).unwrap();
    let markdown = weigh(&["report", out, "--format=markdown"]);
    assert!(markdown.stdout.contains("### shop, class by class"), "{markdown}");
    let page = fs::read_to_string(workspace.out().join("report.html")).unwrap();
    assert!(page.contains("Results, plans and statements") && page.contains("b-name under utf8mb4_unicode_ci"));
    let same = weigh(&["compare", out, out]);
    assert!(same.code == Some(0) && same.stdout.contains("shop:a-long"), "{same}");
    weigh(&["bench", "--resume", out]).refuses_with(&["its run is done"]);
}

#[test]
fn finds_planted_differences_on_a_private_server() {
    retry(|| {
        let workspace = Workspace::new();
        shop(&workspace);
        let finished = workspace
            .wait_for_end(workspace.bench(&SIZE, &[&SIDES[..], &["--server=mariadb"]].concat()).spawn().unwrap());
        assert_eq!(finished.code, Some(0), "{finished}");
        assert_found(&workspace, &finished);
        assert_reported(&workspace);
    });
}

#[test]
fn finds_planted_differences_on_an_attached_server() {
    retry(|| {
        let foreign = Foreign::start("mysql@sid");
        let workspace = Workspace::new();
        shop(&workspace);
        let words = [&SIDES[..], &["--protocol=prepared", "--pin-server"]].concat();
        let finished = workspace.wait_for_end(foreign.bench_as_account(&workspace, &SIZE, &words));
        assert_eq!(finished.code, Some(0), "{finished}");
        assert!(finished.stderr.contains("each with 2 tables with the rows of shop"), "{finished}");
        assert_found(&workspace, &finished);
        foreign.assert_untouched();
    });
}

#[test]
fn rows_that_collide_can_be_left_out() {
    let workspace = Workspace::new();
    let schema = "CREATE TABLE streets (id INT PRIMARY KEY, name VARCHAR(20), UNIQUE KEY (name)) CHARACTER SET latin1 \
                  COLLATE latin1_general_cs;\n";
    for (name, text) in [
        ("workload.toml", "format = 1\n"),
        ("schema.sql", schema),
        ("rows/streets.csv", "id:int,name\n1,Straße\n2,Strasse\n3,Weg\n"),
        ("statements/count.sql", "SELECT COUNT(*) FROM streets WHERE name < 'z'\n"),
    ] {
        let path = workspace.root().join("shop").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let size = ["--threads=1", "--block=100ms", "--warmup-time=20ms", "--max-time=1500ms", "--replicates=1"];
    let words = [&SIDES[..], &["--server=mariadb"]].concat();
    let run = |words: &[&str]| workspace.wait_for_end(workspace.bench(&size, words).spawn().unwrap());
    run(&words).refuses_with(&["error 1062", "--without-colliding-rows leaves such rows out on all sides"]);
    let finished = run(&[&words[..], &["--without-colliding-rows"]].concat());
    assert_eq!(finished.code, Some(0), "{finished}");
    for part in ["1 row is left out on all sides", "(1 of streets)", "it equals row '1' ('Straße')"] {
        assert!(finished.stdout.contains(part), "{part}: {finished}");
    }
    let page = fs::read_to_string(workspace.out().join("report.html")).unwrap();
    assert!(page.contains("1 row is left out on all sides"), "{page}");
    let measured = workspace.read();
    assert_eq!(measured.run.workload_folder.unwrap().result_diffs[0].left_out.len(), 1, "{finished}");
}

#[test]
fn measures_named_classes_and_reports_the_rest() {
    let workspace = Workspace::new();
    shop(&workspace);
    let words = [
        "--workload=shop:b-name,e-constant",
        "--collation=utf8mb4_general_ci",
        "--replicates=1",
        "--samples=2",
        "--classes=1",
        "--dry-run",
    ];
    let finished = workspace.wait_for_end(workspace.bench(&["--threads=1"], &words).spawn().unwrap());
    assert_eq!(finished.code, Some(0), "{finished}");
    assert!(
        finished.stdout.contains("as-is, utf8mb4_general_ci") && finished.stdout.contains("shop, shop:b-name\n"),
        "{finished}"
    );
}

#[test]
fn rejects_options_of_generated_rows() {
    let workspace = Workspace::new();
    shop(&workspace);
    let refused = |words: &[&str]| {
        let words = [&["bench", "--no-defaults"], words].concat();
        workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap()).refusal()
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
        (&["--classes=3"], "--classes is for workload folders"),
    ] {
        let refusal = refused(words);
        assert!(refusal.contains(message), "{words:?}: {refusal}");
    }
    fs::write(workspace.root().join("shop/statements/f-wrong.sql"), "SELECT 1 FROM custmers\n").unwrap();
    assert!(refused(&["-w", "shop", both]).contains("schema.sql has no table custmers"));
}

/// A collation that the server lacks is reported before rows are loaded.
#[test]
fn a_missing_collation_is_refused_before_rows_are_loaded() {
    let workspace = Workspace::new();
    shop(&workspace);
    let words = ["bench", "--verbose", "--no-defaults", "-w=shop", "--collation=as-is,utf8mb4_bin,utf8mb4_0900_ai_ci"];
    let finished = workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap());
    assert_eq!(finished.code, Some(2), "{finished}");
    assert!(finished.stderr.contains("mariadb has no collation utf8mb4_0900_ai_ci"), "{finished}");
    assert!(finished.stderr.contains("starting") && !finished.stderr.contains("filling"), "{finished}");
}

/// Share of text functions in one class, on a server with symbols.
#[test]
fn profiles_a_class() {
    retry(|| {
        let workspace = Workspace::new();
        shop(&workspace);
        let words = [
            &SIDES[1..],
            &["--workload=shop:a-long", "--server=mysql@5.6", "--threads=1", "--seconds=2", "--format=json"],
        ];
        let finished = workspace.wait_for_end(workspace.profile(&words.concat()).spawn().unwrap());
        assert_eq!(finished.code, Some(0), "{finished}");
        let printed: Profiles = serde_json::from_str(&finished.stdout).unwrap();
        let [profile] = printed.profiles.as_slice() else { panic!("{finished}") };
        let share = |label: &str| profile.sides.iter().find(|side| side.label == label).unwrap().text_share.value;
        assert!(share("utf8mb4_unicode_ci") > share("as-is") + 0.1, "{finished}");
    });
}
