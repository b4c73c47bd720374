//! Collations that both servers have by name, with different weights.

use std::collections::{BTreeMap, BTreeSet};

use check::collation_flavour;
use explain::NamedCollation;
use mysql_collation::Collation;
use server::{Server, current_collation_name};

use crate::Error;
use crate::model::{Area, Finding, Kind};
use crate::side::{Columns, version};

/// Example characters per script.
const EXAMPLES: usize = 8;

/// Compares the collations that columns have on servers of two products. Different weights are a
/// finding for unique keys, else a note.
pub fn compare_same_names(
    source: &Server,
    target: &Server,
    before: &Columns,
    columns: &Columns,
    notes: &mut Vec<String>,
) -> Result<Vec<Finding>, Error> {
    if source.flavour() == target.flavour() {
        return Ok(Vec::new());
    }
    let there = version(target);
    let here = version(source);
    let mut is_unique: BTreeSet<String> = BTreeSet::new();
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (place @ (_, table, column), own) in columns {
        if before.get(place).is_none_or(|old| old.collation != own.collation) {
            continue;
        }
        is_unique.extend(own.is_unique.then(|| own.collation.clone()));
        let name = current_collation_name(&own.collation).into_owned();
        users.entry(name).or_default().push(format!("{table}.{column}"));
    }
    let mut findings: Vec<Finding> = Vec::new();
    for (name, columns) in users {
        if here.collation(&name).is_none() || there.collation(&name).is_none() {
            continue;
        }
        let one = Collation::lookup(collation_flavour(source.flavour()), &name);
        let other = Collation::lookup(collation_flavour(target.flavour()), &name);
        let (Ok(one), Ok(other)) = (one, other) else { continue };
        if one.orders_valid_text_like(other) {
            continue;
        }
        let named = |collation: Collation| NamedCollation { collation, servers: collation.info().flavour.to_string() };
        let summary = explain::compare_collations(&named(one), &named(other), EXAMPLES).summary();
        let shown = columns.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
        let what = format!("{name} has other weights on the new server");
        if !is_unique.contains(&name) {
            notes.push(format!("{shown}: {what}: {summary}"));
            continue;
        }
        findings.push(Finding {
            kind: Kind::Differs,
            area: Area::Collation,
            place: shown,
            what: format!("{what}: values of a unique key may be equal there"),
            statement: String::new(),
            error: None,
            reasons: vec![summary],
            also: Vec::new(),
            mends: Vec::new(),
        });
    }
    Ok(findings)
}
