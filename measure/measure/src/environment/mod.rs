//! Machine, servers, settings and options of a run, and their differences between two runs.

pub(crate) mod machine;
pub(crate) mod stolen;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Run, ServerInfo};

/// A property that differs between two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnvironmentDifference {
    /// Name of the property: `machine: kernel`, `mysql@sid: innodb_page_size`.
    pub what: String,
    /// Value in the earlier run. `null` if that run has no such property.
    pub before: Option<String>,
    /// Value in the later run. `null` if that run has no such property.
    pub after: Option<String>,
}

/// Whether the hardware is the same: processor, cores, memory. Kernel and system may differ.
pub(crate) fn is_same_machine(before: &Run, after: &Run) -> bool {
    let hardware = |run: &Run| (run.machine.processor.clone(), run.machine.cores, run.machine.memory_bytes);
    hardware(before) == hardware(after)
}

/// Returns the differences in version, machine, options and servers. Leaves out servers that only
/// the later run has. `servers` has for each server of the earlier run its index in the later run;
/// `None` if the later run lacks the server.
pub(crate) fn differences(before: &Run, after: &Run, servers: &[Option<usize>]) -> Vec<EnvironmentDifference> {
    let mut found =
        compare_fields("weigh", &single_field("version", &before.weigh), &single_field("version", &after.weigh));
    found.extend(compare_fields("machine", &serialized_fields(&before.machine), &serialized_fields(&after.machine)));
    found.extend(compare_fields("options", &serialized_fields(&before.options), &serialized_fields(&after.options)));
    for (old, later) in before.servers.iter().zip(servers) {
        let new = later.map(|index| server_fields(&after.servers[index])).unwrap_or_default();
        found.extend(compare_fields(&old.label, &server_fields(old), &new));
    }
    found
}

impl std::fmt::Display for EnvironmentDifference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".into());
        write!(f, "{} (was {}, is {})", self.what, or_none(&self.before), or_none(&self.after))
    }
}

type Fields = BTreeMap<String, String>;

fn single_field(name: &str, value: &str) -> Fields {
    Fields::from([(name.into(), value.into())])
}

/// Returns the fields of a struct as JSON, strings without quotes. Empty if `value` isn't a struct.
fn serialized_fields(value: &impl Serialize) -> Fields {
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields.into_iter().map(|(name, value)| (name, text(value))).collect(),
        _ => Fields::new(),
    }
}

fn server_fields(server: &ServerInfo) -> Fields {
    let mut facts: Fields = server.settings.clone();
    facts.insert("name".into(), server.label.clone());
    facts.insert("version".into(), format!("{} {}", server.flavour, server.version));
    facts.insert("build".into(), server.comment.clone());
    facts
}

fn compare_fields(whose: &str, before: &Fields, after: &Fields) -> Vec<EnvironmentDifference> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let different = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    let difference = |name: &String| EnvironmentDifference {
        what: format!("{whose}: {name}"),
        before: before.get(name).cloned(),
        after: after.get(name).cloned(),
    };
    different.map(difference).collect()
}
