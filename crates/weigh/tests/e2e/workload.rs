//! `weigh workload check`: what it prints and how it ends.

use std::fs;

use crate::place::{Done, Place};

fn checked(place: &Place, words: &[&str]) -> Done {
    place.end(place.weigh(&[&["workload", "check"], words].concat()).spawn().unwrap())
}

fn shop(place: &Place, statement: &str) {
    let root = place.root().join("shop");
    fs::create_dir_all(root.join("statements")).unwrap();
    fs::write(root.join("workload.toml"), "format = 1\n").unwrap();
    fs::write(root.join("schema.sql"), "CREATE TABLE customers (id INT PRIMARY KEY, mail VARCHAR(80));\n").unwrap();
    fs::write(root.join("statements/by_mail.sql"), statement).unwrap();
    fs::write(root.join("statements/by_mail.csv"), "mail\nann@example.org\n").unwrap();
}

#[test]
fn a_folder_is_checked() {
    let place = Place::new();
    shop(&place, "SELECT id FROM customers WHERE mail = :mail\n");
    let done = checked(&place, &["shop"]);
    assert_eq!(done.code, Some(0), "{done}");
    assert_eq!(done.stdout, "shop: nothing is wrong (1 table, 0 rows, 1 statement with 1 sample)\n");
    shop(&place, "SELECT id\nFROM custmers WHERE mail = :mail\n");
    let done = checked(&place, &["shop"]);
    assert_eq!(done.code, Some(1), "{done}");
    assert!(done.stdout.starts_with("statements/by_mail.sql:2:6: error: schema.sql has no table custmers"), "{done}");
    assert!(done.stdout.contains("shop: 1 error; it does not run"), "{done}");
    let done = checked(&place, &["shop", "--format=json"]);
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/workload-check.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&value).unwrap();
    assert_eq!(value["faults"][0]["line"], 2);
    checked(&place, &["nowhere"]).refuses_with(&["nowhere is no folder"]);
}
