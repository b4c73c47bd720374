//! `weigh workload check`: output and exit status.

use std::fs;

use crate::workspace::{Finished, Workspace};

fn check(workspace: &Workspace, words: &[&str]) -> Finished {
    workspace.wait_for_end(workspace.weigh(&[&["workload", "check"], words].concat()).spawn().unwrap())
}

fn shop(workspace: &Workspace, statement: &str) {
    let root = workspace.root().join("shop");
    fs::create_dir_all(root.join("statements")).unwrap();
    fs::write(root.join("workload.toml"), "format = 1\n").unwrap();
    fs::write(root.join("schema.sql"), "CREATE TABLE customers (id INT PRIMARY KEY, mail VARCHAR(80));\n").unwrap();
    fs::write(root.join("statements/by_mail.sql"), statement).unwrap();
    fs::write(root.join("statements/by_mail.csv"), "mail\nann@example.org\n").unwrap();
}

#[test]
fn checks_a_folder() {
    let workspace = Workspace::new();
    shop(&workspace, "SELECT id FROM customers WHERE mail = :mail\n");
    let finished = check(&workspace, &["shop"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    assert_eq!(finished.stdout, "shop: nothing is wrong (1 table, 0 rows, 1 statement with 1 sample)\n");
    shop(&workspace, "SELECT id\nFROM custmers WHERE mail = :mail\n");
    let finished = check(&workspace, &["shop"]);
    assert_eq!(finished.code, Some(1), "{finished}");
    assert!(
        finished.stdout.starts_with("statements/by_mail.sql:2:6: error: schema.sql has no table custmers"),
        "{finished}"
    );
    assert!(finished.stdout.contains("shop: 1 error; it does not run"), "{finished}");
    let finished = check(&workspace, &["shop", "--format=json"]);
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/workload-check.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&value).unwrap();
    assert_eq!(value["faults"][0]["line"], 2);
    check(&workspace, &["nowhere"]).refuses_with(&["nowhere is no folder"]);
}
