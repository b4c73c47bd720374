//! Different weights: of collations that both servers have by name, and of substitutes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use check::collation_flavour;
use explain::{CollationDifference, NamedCollation};
use mysql_collation::Collation;
use server::{Server, current_collation_name, is_same_collation};

use crate::Error;
use crate::model::{Area, Finding, Kind};
use crate::side::{Columns, version};

/// Maximum number of example characters per script.
const EXAMPLES: usize = 8;

/// Compares the collations that columns have on servers of two products. Weights that can make
/// values of a unique key equal are a finding, other differences a note. Collations of one product
/// are not compared.
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
    let mut findings: Vec<Finding> = Vec::new();
    for (name, Users { columns, has_unique }) in same_names(before, columns) {
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
        let difference = explain::compare_collations(&named(one), &named(other), EXAMPLES);
        if difference.is_empty() {
            continue;
        }
        let summary = difference.summary();
        let shown = columns.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
        let what = format!("{name} has other weights on the new server");
        if !has_unique || !makes_equal(&difference) {
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

/// True if characters that differ under the first collation are equal under the second, or if only
/// the second ignores trailing spaces.
fn makes_equal(difference: &CollationDifference) -> bool {
    difference.counts.equal_under_b_only > 0 || difference.padding_differs && difference.b.pads
}

/// Says how a substitute of a collation weighs characters differently. `None` if the engine lacks
/// one of the two collations.
pub fn describe_substitute(server: &Server, old: &str, new: &str) -> Option<String> {
    let mut known = DESCRIBED.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (server.flavour().to_string(), old.to_owned(), new.to_owned());
    known.entry(key).or_insert_with(|| compare_substitute(server, old, new)).clone()
}

/// Descriptions so far, by product and both names. A description takes long: it compares all
/// characters.
static DESCRIBED: Mutex<BTreeMap<(String, String, String), Option<String>>> = Mutex::new(BTreeMap::new());

fn compare_substitute(server: &Server, old: &str, new: &str) -> Option<String> {
    let own = collation_flavour(server.flavour());
    let other = match own {
        mysql_collation::Flavour::MySql => mysql_collation::Flavour::MariaDb,
        mysql_collation::Flavour::MariaDb => mysql_collation::Flavour::MySql,
    };
    let named = |flavour, name: &str| {
        let collation = Collation::lookup(flavour, &current_collation_name(name)).ok()?;
        Some(NamedCollation { collation, servers: collation.info().flavour.to_string() })
    };
    // The new server lacks the collation, so it is the other product's, or another version's.
    let (old_named, new_named) = (named(other, old).or_else(|| named(own, old))?, named(own, new)?);
    let summary = explain::compare_collations(&old_named, &new_named, EXAMPLES).summary();
    Some(format!("{new} in place of {old}: {summary}."))
}

/// Columns of a collation.
#[derive(Debug, Default, PartialEq, Eq)]
struct Users {
    columns: Vec<String>,
    /// True if one of the columns has a unique key.
    has_unique: bool,
}

/// Returns the columns that have a collation of the same name on both servers, by its current name:
/// old servers say `utf8_bin` for `utf8mb3_bin`.
fn same_names(before: &Columns, after: &Columns) -> BTreeMap<String, Users> {
    let mut all: BTreeMap<String, Users> = BTreeMap::new();
    for (place @ (_, table, column), own) in after {
        if before.get(place).is_none_or(|old| !is_same_collation(&old.collation, &own.collation)) {
            continue;
        }
        let users = all.entry(current_collation_name(&own.collation).into_owned()).or_default();
        users.columns.push(format!("{table}.{column}"));
        users.has_unique |= own.is_unique;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side::TextColumn;

    #[test]
    fn collations_are_compared_by_what_they_do() {
        use mysql_collation::Flavour::{MariaDb, MySql};
        let compare = |name: &str, other: &str| {
            let named = |flavour, name: &str| {
                let collation = Collation::lookup(flavour, name).unwrap();
                NamedCollation { collation, servers: String::new() }
            };
            explain::compare_collations(&named(MySql, name), &named(MariaDb, other), 1)
        };
        let equal = compare("utf8mb4_0900_bin", "utf8mb4_0900_bin");
        assert!(equal.is_empty() && !makes_equal(&equal), "{equal:?}");
        let wider = compare("utf8mb4_bin", "utf8mb4_general_ci");
        assert!(!wider.is_empty() && makes_equal(&wider));
        let padded = compare("utf8mb4_0900_bin", "utf8mb4_bin");
        assert!(!padded.is_empty() && makes_equal(&padded));
        let narrower = compare("utf8mb4_general_ci", "utf8mb4_bin");
        assert!(!narrower.is_empty() && !makes_equal(&narrower));
    }

    #[test]
    fn names_of_utf8mb3_are_the_same() {
        let columns = |all: &[(&str, &str, bool)]| -> Columns {
            let entry = |(name, collation, is_unique): &(&str, &str, bool)| {
                let column =
                    TextColumn { collation: (*collation).into(), is_indexed: *is_unique, is_unique: *is_unique };
                (("s".to_owned(), "t".to_owned(), (*name).to_owned()), column)
            };
            all.iter().map(entry).collect()
        };
        let old = [("a", "utf8_general_ci", true), ("b", "utf8mb3_general_ci", false), ("c", "utf8_bin", true)];
        let new = [("a", "utf8mb3_general_ci", false), ("b", "utf8_general_ci", true), ("c", "utf8mb4_bin", true)];
        let users = Users { columns: vec!["t.a".into(), "t.b".into()], has_unique: true };
        let expected = BTreeMap::from([("utf8mb3_general_ci".to_owned(), users)]);
        assert_eq!(same_names(&columns(&old), &columns(&new)), expected);
    }
}
