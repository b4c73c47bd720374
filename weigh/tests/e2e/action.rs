//! The scripts of the GitHub Action, `action.yml`, run as its steps run them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::workspace::Workspace;

const DUMP: &str = "\
CREATE TABLE `a` (`n` varchar(9) COLLATE utf8mb4_bin, KEY (`n`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE `b` (`n` varchar(9) CHARACTER SET utf8) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
";

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../action").join(name)
}

/// Runs both scripts on the dump in a folder. Returns the exit status of the last, and the rules of
/// the findings that are not in the baseline.
fn run(workspace: &Workspace, baseline: &str, fail_on: &str) -> (Option<i32>, Vec<String>) {
    let outputs = workspace.root().join("outputs");
    fs::write(&outputs, "").unwrap();
    let mut audit = Command::new(script("audit.sh"));
    workspace.set_up(&mut audit);
    audit.env("GITHUB_OUTPUT", &outputs).env("INPUT_WEIGH", env!("CARGO_BIN_EXE_weigh"));
    let inputs = [("DUMP", "schema.sql\n"), ("TARGET", "mysql-8.4"), ("SERVER", "mariadb"), ("BASELINE", baseline)];
    audit.envs(inputs.map(|(name, value)| (format!("INPUT_{name}"), value)));
    audit.env("INPUT_SARIF", "weigh.sarif").env("INPUT_FAIL_ON", fail_on);
    let audited = audit.output().unwrap();
    assert!(audited.status.success(), "{}", String::from_utf8_lossy(&audited.stderr));
    let outputs = fs::read_to_string(outputs).unwrap();
    assert!(outputs.contains("sarif=weigh.sarif\n"), "{outputs}");
    let status = outputs.lines().find_map(|line| line.strip_prefix("status=")).unwrap();

    let mut finish = Command::new(script("finish.sh"));
    let finished = finish.env("STATUS", status).env("INPUT_FAIL_ON", fail_on).status().unwrap();
    let log: Value = serde_json::from_slice(&fs::read(workspace.root().join("weigh.sarif")).unwrap()).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let new = results.iter().filter(|result| result["suppressions"].as_array().is_none_or(Vec::is_empty));
    let new = new.filter(|result| result["baselineState"] != "unchanged");
    (finished.code(), new.map(|result| result["ruleId"].as_str().unwrap().to_owned()).collect())
}

/// A pull request puts a link in the place of the findings, or leaves the dump out.
#[test]
fn action_follows_no_link_and_needs_a_dump() {
    let workspace = Workspace::new();
    let at = |name: &str| workspace.root().join(name);
    fs::write(at("schema.sql"), DUMP).unwrap();
    fs::write(at("profile"), "mine").unwrap();
    symlink("profile", at("weigh.sarif")).unwrap();
    run(&workspace, "", "note");
    assert_eq!(fs::read_to_string(at("profile")).unwrap(), "mine");
    assert!(!fs::symlink_metadata(at("weigh.sarif")).unwrap().is_symlink());
    let mut audit = Command::new(script("audit.sh"));
    workspace.set_up(&mut audit);
    for (name, value) in [("DUMP", "\n"), ("TARGET", ""), ("SERVER", ""), ("BASELINE", ""), ("SARIF", "empty.sarif")] {
        audit.env(format!("INPUT_{name}"), value);
    }
    audit.env("INPUT_WEIGH", env!("CARGO_BIN_EXE_weigh")).env("INPUT_FAIL_ON", "note");
    let refused = audit.env("GITHUB_OUTPUT", at("outputs")).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(!at("empty.sarif").exists());
}

#[test]
fn action_reports_and_fails_on_new_findings() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("schema.sql"), DUMP).unwrap();
    let (code, rules) = run(&workspace, "", "note");
    assert_eq!(code, Some(1));
    assert!(!rules.is_empty());
    assert_eq!(run(&workspace, "", "never").0, Some(0));

    let words = ["audit", "--dump", "schema.sql", "--server", "mariadb", "--target", "mysql-8.4", "--format", "json"];
    let audit = workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap());
    fs::write(workspace.root().join("audit.json"), audit.stdout).unwrap();
    assert_eq!(run(&workspace, "audit.json", "note"), (Some(0), Vec::new()));
}
