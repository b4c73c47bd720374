//! Differences between two readings of the same schemas.

use std::collections::BTreeMap;

use crate::definitions::{Definitions, Object, ObjectName};

/// A part of an object that differs, or an object that only one reading has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub object: ObjectName,
    /// Name of the part, such as ``column `a` ``. `None` if the whole object came or went.
    pub part: Option<String>,
    /// `None` if the part or object did not exist.
    pub before: Option<String>,
    /// `None` if the part or object is gone.
    pub after: Option<String>,
}

/// Lists the parts that differ and the objects that are gone, by object, and then the new objects.
pub fn compare(before: &Definitions, after: &Definitions) -> Vec<Change> {
    let by_name = |definitions: &'_ Definitions| -> BTreeMap<ObjectName, Object> {
        definitions.objects.iter().map(|object| (object.name.clone(), object.clone())).collect()
    };
    let (before, after) = (by_name(before), by_name(after));
    let mut changes = Vec::new();
    for (name, old) in &before {
        match after.get(name) {
            Some(new) => changes.extend(compare_parts(name, &old.parts, &new.parts)),
            None => changes.push(object_change(name, Some(old.create.clone()), None)),
        }
    }
    let added = after.iter().filter(|(name, _)| !before.contains_key(name));
    changes.extend(added.map(|(name, new)| object_change(name, None, Some(new.create.clone()))));
    changes
}

fn object_change(object: &ObjectName, before: Option<String>, after: Option<String>) -> Change {
    Change { object: object.clone(), part: None, before, after }
}

fn compare_parts(
    object: &ObjectName,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<Change> {
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let change = |name: &&String| {
        let (before, after) = (before.get(*name), after.get(*name));
        (before != after).then(|| Change {
            object: object.clone(),
            part: Some((*name).clone()),
            before: before.cloned(),
            after: after.cloned(),
        })
    };
    names.iter().filter_map(change).collect()
}
