//! How machine, servers, settings and options of two runs differ.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Run, ServerInfo};

/// Something that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// What: `machine: kernel`, `mysql@sid: innodb_page_size`.
    pub what: String,
    /// What it was; absent where there was none.
    pub before: Option<String>,
    /// What it is now; absent where there is none.
    pub after: Option<String>,
}

/// Whether the machines are alike, but for what changes by an update.
pub(super) fn is_same_machine(before: &Run, after: &Run) -> bool {
    let hardware = |run: &Run| (run.machine.processor.clone(), run.machine.cores, run.machine.memory_bytes);
    hardware(before) == hardware(after)
}

/// All differences; `servers` is the later run's server for each of the earlier.
pub(crate) fn differences(before: &Run, after: &Run, servers: &[Option<usize>]) -> Vec<Difference> {
    let mut found = between("weigh", &one("version", &before.weigh), &one("version", &after.weigh));
    found.extend(between("machine", &fields(&before.machine), &fields(&after.machine)));
    found.extend(between("options", &fields(&before.options), &fields(&after.options)));
    for (old, later) in before.servers.iter().zip(servers) {
        let new = later.map(|index| facts(&after.servers[index])).unwrap_or_default();
        found.extend(between(&old.label, &facts(old), &new));
    }
    found
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".into());
        write!(f, "{} (was {}, is {})", self.what, or_none(&self.before), or_none(&self.after))
    }
}

type Facts = BTreeMap<String, String>;

fn one(name: &str, value: &str) -> Facts {
    Facts::from([(name.into(), value.into())])
}

/// The fields of a struct, as they are written down.
fn fields(value: &impl Serialize) -> Facts {
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields.into_iter().map(|(name, value)| (name, text(value))).collect(),
        _ => Facts::new(),
    }
}

fn facts(server: &ServerInfo) -> Facts {
    let mut facts: Facts = server.settings.clone();
    facts.insert("name".into(), server.label.clone());
    facts.insert("version".into(), format!("{} {}", server.flavour, server.version));
    facts.insert("build".into(), server.comment.clone());
    facts
}

fn between(whose: &str, before: &Facts, after: &Facts) -> Vec<Difference> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let unlike = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    let difference = |name: &String| Difference {
        what: format!("{whose}: {name}"),
        before: before.get(name).cloned(),
        after: after.get(name).cloned(),
    };
    unlike.map(difference).collect()
}
