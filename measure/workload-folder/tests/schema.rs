//! The committed JSON schemas match the types. To update them:
//! `BLESS=1 cargo test -p workload-folder --test schema`.

use std::fs;
use std::path::PathBuf;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use workload_folder::{FolderCheck, Manifest, StatementHeader};

fn schema<T: JsonSchema>(title: &str) -> String {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    schema.insert("title".into(), title.into());
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

#[test]
fn committed_schemas_match_the_types() {
    let schemas = [
        ("workload.schema.json", schema::<Manifest>("A workload's folder: workload.toml")),
        (
            "statement.schema.json",
            schema::<StatementHeader>("A workload's folder: the lines -- @key = value of statements/*.sql"),
        ),
        (
            "workload-check.schema.json",
            schema::<FolderCheck>("What is wrong with a workload (weigh workload check --format json)"),
        ),
    ];
    for (name, wanted) in schemas {
        let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "..", "schemas", name].iter().collect();
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &wanted).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == wanted, "{name}: run BLESS=1 cargo test -p workload-folder --test schema");
    }
}
