//! SARIF, JUnit and baselines of the commands with findings, and the commands of docs/how-to/ci.md.

use std::fs;
use std::process::Command;

use quick_junit::{NonSuccessKind, Report, TestCaseStatus};
use serde_json::Value;

use crate::workload_compare::shop;
use crate::workspace::{Finished, Workspace};

/// The published schema, as the crate serde-sarif (MIT) ships it.
const SARIF_SCHEMA: &str = include_str!("data/sarif-schema-2.1.0.json");

const SCHEMA: &str = "\
CREATE TABLE `parts` (
  `id` int NOT NULL,
  `part_code` varchar(36) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `by_code` (`part_code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `orders` (
  `id` int NOT NULL,
  `part_code` varchar(36) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `by_code` (`part_code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `parts` VALUES (1,'ß'),(2,'ss');
";

const QUERIES: &str = "\
SELECT id FROM parts WHERE id = 1;
SELECT p.id FROM parts p JOIN orders o
  ON p.part_code COLLATE utf8mb4_general_ci = o.part_code COLLATE utf8mb4_bin;
";

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    fs::create_dir(workspace.root().join("db")).unwrap();
    fs::write(workspace.root().join("db/schema.sql"), SCHEMA).unwrap();
    fs::write(workspace.root().join("db/queries.sql"), QUERIES).unwrap();
    workspace
}

fn run(workspace: &Workspace, words: &[&str]) -> Finished {
    workspace.wait_for_end(workspace.weigh(words).spawn().unwrap())
}

/// Returns rule, level, file and line of each result, after checking the document.
fn read_sarif(text: &str) -> Vec<(String, String, String, u64)> {
    let log: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    // The schema's pattern of languages has a bracket too many.
    let schema = SARIF_SCHEMA.replace("{2}]?$", "{2}$");
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let faults: Vec<String> = schema.iter_errors(&log).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let result = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
        let line = place["region"]["startLine"].as_u64().unwrap_or(0);
        (word(&result["ruleId"]), word(&result["level"]), word(&place["artifactLocation"]["uri"]), line)
    };
    run["results"].as_array().unwrap().iter().map(result).collect()
}

/// Returns the numbers of passed, failed and skipped cases, without those of parts that were not
/// checked, which are skipped.
fn count_cases(xml: &str) -> [usize; 3] {
    let report = Report::deserialize_from_str(xml).unwrap_or_else(|error| panic!("{error}: {xml}"));
    let cases = report.test_suites.iter().flat_map(|suite| &suite.test_cases);
    let mut counts = [0; 3];
    for case in cases {
        if case.classname.as_ref().is_some_and(|name| name.as_str() == "not-checked") {
            assert!(matches!(case.status, TestCaseStatus::Skipped { .. }), "{case:?}");
            continue;
        }
        let at = match &case.status {
            TestCaseStatus::Success { .. } => 0,
            TestCaseStatus::NonSuccess { kind: NonSuccessKind::Failure, .. } => 1,
            TestCaseStatus::NonSuccess { .. } => panic!("{case:?}"),
            TestCaseStatus::Skipped { .. } => 2,
        };
        counts[at] += 1;
    }
    counts
}

/// Asserts that a command's own JSON as a baseline makes it pass, as text, JUnit and SARIF.
fn assert_baseline_passes(workspace: &Workspace, words: &[&str], findings: usize) {
    let json = run(workspace, &[words, &["--format=json"]].concat());
    assert_eq!(json.code, Some(1), "{json}");
    fs::write(workspace.root().join("known.json"), &json.stdout).unwrap();
    let with = |more: &[&str]| run(workspace, &[words, &["--baseline=known.json"], more].concat());
    let text = with(&[]);
    let line = format!(
        "{findings} of {findings} finding{} known from known.json; 0 new\n",
        if findings == 1 { " is" } else { "s are" }
    );
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""), "{text}");
    assert!(text.stdout.ends_with(&line), "{line} {text}");
    let junit = with(&["--format=junit"]);
    assert_eq!((junit.code, count_cases(&junit.stdout)[1..].to_vec()), (Some(0), vec![0, findings]), "{junit}");
    let sarif = with(&["--format=sarif"]);
    assert_eq!(read_sarif(&sarif.stdout).len(), findings);
    assert_eq!(sarif.stdout.matches(r#""baselineState": "unchanged""#).count(), findings, "{sarif}");
}

#[test]
fn audit_names_lines_of_the_dump_and_of_scripts() {
    let workspace = workspace();
    let words = ["audit", "--dump=db/schema.sql", "--sql=db/queries.sql"];
    let sarif = run(&workspace, &[&words[..], &["--format=sarif"]].concat());
    assert_eq!((sarif.code, sarif.stderr.as_str()), (Some(1), ""), "{sarif}");
    let results = read_sarif(&sarif.stdout);
    let place = |rule: &str| results.iter().find(|result| result.0 == rule).map(|result| (&result.2[..], result.3));
    assert_eq!(place("join-mismatch"), Some(("db/schema.sql", 9)), "{results:?}");
    assert_eq!(place("statement-plan"), Some(("db/queries.sql", 2)), "{results:?}");
    assert_baseline_passes(&workspace, &words, results.len());
    // Lines move, and a finding is added.
    let moved = SCHEMA.replace("CREATE TABLE `parts`", "\n\nCREATE TABLE `parts`");
    let more = "CREATE TABLE `more` (`a` varchar(9)) DEFAULT CHARSET=utf8mb3;\n";
    fs::write(workspace.root().join("db/schema.sql"), format!("{moved}{more}")).unwrap();
    fs::write(workspace.root().join("db/queries.sql"), format!("\n{QUERIES}")).unwrap();
    let text = run(&workspace, &[&words[..], &["--baseline=known.json", "--fail-on=note"]].concat());
    assert_eq!(text.code, Some(1), "{text}");
    assert!(text.stdout.contains("app.more") && !text.stdout.contains("app.parts.part_code"), "{text}");
    assert!(text.stdout.contains(&format!("{} of ", results.len())), "{text}");
}

#[test]
fn preflight_names_lines_of_the_dump() {
    let workspace = workspace();
    let words = ["preflight", "--dump=db/schema.sql", "--to=utf8mb4_uca1400_ai_ci", "--flavour=mariadb"];
    let sarif = run(&workspace, &[&words[..], &["--format=sarif"]].concat());
    assert_eq!((sarif.code, sarif.stderr.as_str()), (Some(1), ""), "{sarif}");
    let results = read_sarif(&sarif.stdout);
    let collision = results.iter().find(|result| result.0 == "unique-key").unwrap();
    assert_eq!((&collision.1[..], &collision.2[..], collision.3), ("error", "db/schema.sql", 5), "{results:?}");
    assert_baseline_passes(&workspace, &words, results.len());
    // Known errors still break the conversion.
    let text = run(&workspace, &[&words[..], &["--baseline=known.json"]].concat());
    assert!(text.stdout.starts_with("✗ Not yet"), "{text}");
}

#[test]
fn why_names_lines_of_scripts() {
    let workspace = workspace();
    let words = ["why", "--dump=db/schema.sql", "--sql=db/queries.sql"];
    let sarif = run(&workspace, &[&words[..], &["--format=sarif"]].concat());
    let results = read_sarif(&sarif.stdout);
    assert_eq!(results, [("refused".into(), "error".into(), "db/queries.sql".into(), 2)], "{sarif}");
    assert_eq!(count_cases(&run(&workspace, &[&words[..], &["--format=junit"]].concat()).stdout), [1, 1, 0]);
    assert_baseline_passes(&workspace, &words, 1);
}

#[test]
fn upgrade_names_lines_of_the_dump() {
    let workspace = workspace();
    let dump = "CREATE TABLE a (b INT);\nCREATE TABLE t (\n  c VARCHAR(9) COLLATE utf8mb4_0900_as_ci\n);\n";
    fs::write(workspace.root().join("db/schema.sql"), dump).unwrap();
    let words = ["upgrade", "--dump=db/schema.sql", "--from=mysql@sid", "--to=mariadb"];
    let sarif = run(&workspace, &[&words[..], &["--format=sarif"]].concat());
    let results = read_sarif(&sarif.stdout);
    let refused = ("breaks".to_owned(), "error".to_owned(), "db/schema.sql".to_owned(), 2);
    assert!(results.contains(&refused), "{results:?}");
    assert_baseline_passes(&workspace, &words, results.len());
    let junit = run(&workspace, &[&words[..], &["--format=junit"]].concat()).stdout;
    for text in [&sarif.stdout, &junit] {
        assert!(text.contains("not checked: accounts, with their authentication plugins and privileges"), "{text}");
    }
    let page = run(&workspace, &[&words[..], &["--format=html"]].concat()).stdout;
    let parts = ["<!doctype html>", "<h2>Breaks</h2>", "utf8mb4_0900_as_ci", "Mend 1:"];
    assert!(parts.iter().all(|part| page.contains(part)), "{page}");
}

#[test]
fn workload_compare_has_a_finding_per_difference() {
    let workspace = Workspace::new();
    shop(&workspace);
    let words = ["workload", "compare", "shop", "--server=mariadb", "--collation=as-is,utf8mb4_unicode_ci"];
    let sarif = run(&workspace, &[&words[..], &["--format=sarif"]].concat());
    let results = read_sarif(&sarif.stdout);
    for rule in ["rows", "affected", "error"] {
        assert!(results.iter().any(|result| result.0 == rule && result.1 == "error"), "{rule}: {results:?}");
    }
    assert_baseline_passes(&workspace, &words, results.len());
}

#[test]
fn a_baseline_that_is_none_is_refused() {
    let workspace = workspace();
    fs::write(workspace.root().join("known.json"), "{}").unwrap();
    for words in [
        &["audit", "--dump=db/schema.sql"][..],
        &["why", "--dump=db/schema.sql", "SELECT 1"],
        &["preflight", "--dump=db/schema.sql", "--to=utf8mb4_bin"],
        &["upgrade", "--dump=db/schema.sql", "--from=mariadb", "--to=mariadb"],
        &["workload", "compare", "shop", "--collation=as-is,utf8mb4_bin"],
    ] {
        run(&workspace, &[words, &["--baseline=known.json"]].concat())
            .refuses_with(&["--baseline known.json is not what this command writes with --format json"]);
        run(&workspace, &[words, &["--baseline=absent.json"]].concat()).refuses_with(&["cannot read absent.json"]);
    }
}

/// The commands in the page's blocks run as written, in order, on a dump.
#[test]
fn commands_of_the_page_run() {
    let page = include_str!("../../../docs/how-to/ci.md");
    let lines = page.split("```").skip(1).step_by(2).flat_map(str::lines);
    let commands = lines.map(|line| line.trim().trim_start_matches("- ").trim_start_matches("run: "));
    let commands: Vec<&str> = commands.filter(|line| line.starts_with("weigh ")).collect();
    assert_eq!(commands.len(), 5, "{commands:?}");
    let workspace = workspace();
    for line in commands {
        let mut shell = Command::new("sh");
        workspace.set_up(&mut shell);
        let programs = std::path::Path::new(env!("CARGO_BIN_EXE_weigh")).parent().unwrap().display().to_string();
        let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
        let finished = workspace.wait_for_end(shell.args(["-c", line]).env("PATH", path).spawn().unwrap());
        let passes = ["--baseline", "weigh upgrade"].iter().any(|word| line.contains(word));
        assert_eq!(finished.code, Some(if passes { 0 } else { 1 }), "{line}: {finished}");
        let written = line.split("> ").nth(1).unwrap();
        let text = fs::read_to_string(workspace.root().join(written)).unwrap();
        match written.rsplit('.').next() {
            Some("sarif") => assert!(!read_sarif(&text).is_empty()),
            Some("xml") => assert!(count_cases(&text)[0] > 0, "{text}"),
            _ => drop(serde_json::from_str::<audit::Audit>(&text).unwrap()),
        }
    }
}
