//! Compares the committed schema with the types. To update it:
//!
//! `BLESS=1 cargo test -p preflight --test schema`.

use std::fs;
use std::path::PathBuf;

use preflight::Report;
use schemars::generate::SchemaSettings;

fn path(parts: &[&str]) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", ".."].iter().chain(parts).collect()
}

fn schema() -> String {
    let mut schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Report>();
    schema.insert("title".into(), "What a conversion breaks, and the plan (weigh preflight --format json)".into());
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

#[test]
fn committed_schema_matches_types() {
    let path = path(&["schemas", "preflight.schema.json"]);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, schema()).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == schema(),
        "run BLESS=1 cargo test -p preflight --test schema"
    );
}

#[test]
fn report_is_valid() {
    let path = path(&["present", "report", "tests", "fixtures", "preflight", "report.json"]);
    let document = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let schema = serde_json::from_str(&schema()).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&document).unwrap();
}
