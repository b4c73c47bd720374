//! Documents are what the schema of the types says.

use std::fs;
use std::path::PathBuf;

use preflight::Report;
use schemars::generate::SchemaSettings;

#[test]
fn a_real_report_is_valid() {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "..", "report", "tests", "fixtures", "preflight", "report.json"].iter().collect();
    let document = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Report>();
    let schema = serde_json::to_value(schema).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&document).unwrap();
}
