//! Compares the committed schemas with the types, and validates documents.
//!
//! After a change of the types: `BLESS=1 cargo test -p report --test schema`.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use measure::{Block, Run, SelfTest};
use profile::Profiles;
use report::{Comparison, Report};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use common::FIXTURES;

fn schema_path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "..", "schemas", name].iter().collect()
}

/// Schemas by file name.
static SCHEMAS: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let schemas = BTreeMap::from([
        ("run.schema.json", schema_of::<Run>("A run of weigh bench (run.json)")),
        ("block.schema.json", schema_of::<Block>("A block of load (a line of samples.jsonl)")),
        (
            "self-test.schema.json",
            schema_of::<SelfTest>("What a self-test found (weigh bench --self-test --format json)"),
        ),
        (
            "profile.schema.json",
            schema_of::<Profiles>("Where servers' CPU went (weigh profile --format json, profiles.json)"),
        ),
        ("audit.schema.json", schema_of::<audit::Audit>("What an audit found (weigh audit --format json)")),
        (
            "capture.schema.json",
            schema_of::<capture::CaptureSummary>("What was captured (weigh capture --format json)"),
        ),
        (
            "workload-compare.schema.json",
            schema_of::<result_diff::ResultDiff>(
                "What differs under other collations (weigh workload compare --format json)",
            ),
        ),
        ("why.schema.json", schema_of::<why::Diagnosis>("Why statements fail or are slow (weigh why --format json)")),
        ("upgrade.schema.json", schema_of::<upgrade::Report>("What an upgrade breaks (weigh upgrade --format json)")),
        (
            "count-compare.schema.json",
            schema_of::<count::Comparison>("Changes between two counts (weigh compare --format json)"),
        ),
        (
            "count-history.schema.json",
            schema_of::<count::History>("Changes in a history of counts (weigh compare --format json)"),
        ),
        ("count.schema.json", schema_of::<count::Results>("Instructions per statement (weigh count --format json)")),
        ("micro.schema.json", schema_of::<micro::Results>("What comparisons cost (weigh micro --format json)")),
        (
            "between.schema.json",
            schema_of::<explain::CollationDifference>(
                "Two collations compared (weigh explain --between --format json)",
            ),
        ),
        (
            "explain.schema.json",
            schema_of::<explain::Explanation>("Two strings explained (weigh explain --format json)"),
        ),
        ("compare.schema.json", schema_of::<Comparison>("Two runs compared (weigh compare --format json)")),
        ("report.schema.json", schema_of::<Report>("The report of a run (weigh bench --format json)")),
    ]);
    if std::env::var_os("BLESS").is_some() {
        schemas.iter().for_each(|(name, text)| fs::write(schema_path(name), text).unwrap());
    }
    schemas
});

/// Returns the schema of a type in its serialised form, as text.
fn schema_of<T: JsonSchema>(title: &str) -> String {
    let mut schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    schema.insert("title".into(), title.into());
    let text = serde_json::to_string_pretty(&schema).expect("a schema is plain data");
    replace_links(&text) + "\n"
}

/// Replaces links to fields of types by names of the document's fields: `Run::notes` by
/// `run.notes`, `Results::servers` by `servers`.
fn replace_links(text: &str) -> String {
    let mut parts = text.split("[`");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (target, rest) = part.split_once("`]").expect("a link ends");
        let field = target.rsplit_once("::").map_or(target, |(_, field)| field);
        let run = if target.starts_with("Run::") { "run." } else { "" };
        out.extend(["`", run, field, "`", rest]);
    }
    out
}

fn committed_schema(name: &str) -> String {
    LazyLock::force(&SCHEMAS);
    fs::read_to_string(schema_path(name)).unwrap_or_default()
}

fn first_difference(committed_schema: &str, wanted: &str) -> usize {
    let equal_lines = committed_schema.lines().zip(wanted.lines()).take_while(|(one, other)| one == other).count();
    equal_lines + 1
}

fn validator(name: &str) -> jsonschema::Validator {
    let schema =
        serde_json::from_str(&committed_schema(name)).unwrap_or_else(|error| panic!("schemas/{name}: {error}"));
    jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("schemas/{name}: {error}"))
}

/// Returns place and message of each error in a document.
fn faults(name: &str, document: &Value) -> Vec<String> {
    let validator = validator(name);
    validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn run_json(fixture: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(common::folder(fixture).join("run.json")).unwrap()).unwrap()
}

fn samples(fixture: &str) -> Vec<Value> {
    let text = fs::read_to_string(common::folder(fixture).join("samples.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn report_json(fixture: &str) -> Value {
    let (run, blocks) = common::run(fixture);
    serde_json::from_str(&report::json(&common::report(run, &blocks))).unwrap()
}

#[test]
fn committed_schemas_match_the_types() {
    for (name, wanted) in &*SCHEMAS {
        let committed_schema = committed_schema(name);
        assert!(
            committed_schema == *wanted,
            "schemas/{name} is not what the types say (first unlike line: {}); if the types are right, run \
             `BLESS=1 cargo test -p report --test schema` and commit it",
            first_difference(&committed_schema, wanted)
        );
    }
}

/// Blocks are lines of `samples.jsonl`. They name no format.
#[test]
fn documents_name_their_format() {
    for (name, schema) in SCHEMAS.iter().filter(|(name, _)| **name != "block.schema.json") {
        let schema: Value = serde_json::from_str(schema).unwrap();
        assert!(schema["properties"]["format"].is_object(), "{name}");
    }
}

#[test]
fn stored_documents_conform() {
    let run = validator("run.schema.json");
    let block = validator("block.schema.json");
    // Fixtures of an earlier format are readable, but do not conform to the current schema.
    let is_current = |fixture: &&&str| run_json(fixture)["format"] == measure::FORMAT;
    assert!(FIXTURES.iter().any(|fixture| is_current(&fixture)));
    for fixture in FIXTURES.iter().filter(is_current) {
        run.validate(&run_json(fixture)).unwrap_or_else(|error| panic!("{fixture}/run.json: {error}"));
        for (index, line) in samples(fixture).iter().enumerate() {
            block.validate(line).unwrap_or_else(|error| panic!("{fixture}/samples.jsonl:{}: {error}", index + 1));
        }
        assert_eq!(faults("report.schema.json", &report_json(fixture)), [""; 0], "{fixture}");
    }
}

#[test]
fn written_documents_conform() {
    for fixture in FIXTURES {
        let (run, blocks) = common::run(fixture);
        assert_eq!(faults("run.schema.json", &serde_json::to_value(run).unwrap()), [""; 0], "{fixture}");
        let block = validator("block.schema.json");
        assert!(blocks.iter().all(|written| block.is_valid(&serde_json::to_value(written).unwrap())), "{fixture}");
    }
}

/// Returns a document with the value at a JSON pointer replaced, or removed for `None`.
fn damage_document(mut document: Value, pointer: &str, value: Option<Value>) -> Value {
    match value {
        Some(value) => *document.pointer_mut(pointer).expect("the document has the pointer's value") = value,
        None => {
            let (parent, key) = pointer.rsplit_once('/').expect("a pointer has a slash");
            let parent = document.pointer_mut(parent).and_then(Value::as_object_mut).expect("the parent is an object");
            parent.remove(key).expect("the document has the pointer's value");
        }
    }
    document
}

#[test]
fn damaged_documents_do_not_conform() {
    let run = |pointer, value| ("run.schema.json", damage_document(run_json("one_server"), pointer, value));
    let block =
        |pointer, value| ("block.schema.json", damage_document(samples("one_server").remove(0), pointer, value));
    let report = |pointer, value| ("report.schema.json", damage_document(report_json("one_server"), pointer, value));
    for (name, document) in [
        run("/options/mode", Some("both".into())),
        run("/servers/0/version", None),
        run("/pairs/0/variant", Some((-1).into())),
        run("/notes", Some(Value::Null)),
        block("/sides/0/latency", None),
        block("/sides/1/events", Some("many".into())),
        block("/warm_up", Some(0.into())),
        report("/analysis/conditions/0/comparisons/1/verdict/is", Some("better".into())),
        report("/analysis/conditions/0/comparisons/1/throughput/low", None),
        report("/sentences/0", Some(1.into())),
        report("/run/format", None),
    ] {
        assert!(!faults(name, &document).is_empty(), "{name} accepts a damaged document");
    }
}
