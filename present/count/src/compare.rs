//! Changes between two counts: statements and functions whose instructions changed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{Cell, FunctionCount, Results};

/// Least change of a cell that is reported, as a share of its instructions.
pub(crate) const MIN_CELL_CHANGE: f64 = 0.001;
/// Name of all functions of a file that are known by their addresses only, which differ from build
/// to build.
const UNNAMED: &str = "functions without a name";
/// Least change of a function that is reported, as a share of its own instructions.
const MIN_FUNCTION_CHANGE: f64 = 0.004;
/// Least change of a function that is reported, as a share of the cell's instructions.
const MIN_FUNCTION_SHARE: f64 = 0.0003;
/// Assumed difference of fresh starts, as a share, where there was one start only.
pub(crate) const UNKNOWN_SPREAD: f64 = 0.01;

/// Name and version of the JSON format that this version of `weigh` writes.
const FORMAT: &str = "weighbridge-count-compare/1";

/// Comparison of two counts (`weigh compare` with counts).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Name and version of the format.
    pub format: String,
    /// Name of the earlier counts, as given on the command line.
    pub before: String,
    /// Name of the later counts.
    pub after: String,
    /// A statement fails if it executes more instructions by more than this fraction.
    pub fail_over: f64,
    /// Number of cells that both counts have.
    pub compared: usize,
    /// Cells that changed, or a function of which changed, by more than fresh starts differ. The
    /// greatest increase comes first.
    pub changes: Vec<Change>,
    /// Cells of one of the counts only, as `in NAME: …` with the name of the counts.
    pub unmatched: Vec<String>,
    /// True if one of the counts has no functions: changes of functions are then unknown.
    pub lacks_functions: bool,
}

/// Change of one workload or statement under one collation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Name of the server before, and after if it has another.
    pub server: String,
    pub workload: String,
    pub collation: String,
    /// Instructions per statement, the mean over the starts.
    pub before: f64,
    pub after: f64,
    /// Relative change: 0.01 for 1 % more instructions. 0 if the starts differ by as much, and for
    /// a change below 0.1 %.
    pub change: f64,
    /// Whether the change is an increase by more than `fail_over`.
    pub fails: bool,
    /// Functions that changed, the greatest change in instructions first.
    pub functions: Vec<FunctionChange>,
}

/// Change of one function's own instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionChange {
    /// Name in words.
    pub name: String,
    /// Symbol, or where the function was found; without its address if the builds differ.
    #[serde(default)]
    pub raw_name: String,
    /// Program file or library.
    pub file: String,
    /// Instructions per statement; 0 if the function is not among those counted.
    pub before: f64,
    pub after: f64,
}

/// Counts whose statements differ.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Incomparable {
    #[error("{before} and {after} counted different statements: {what} differ; count both with the same options")]
    Options { before: String, after: String, what: &'static str },
    #[error("{before} and {after} have no statement under one collation in common")]
    Nothing { before: String, after: String },
}

/// Compares two counts, each with its name. Servers are matched by name, the others in their order.
pub fn compare(
    (before, old): (&str, &Results),
    (after, new): (&str, &Results),
    fail_over: f64,
) -> Result<Comparison, Incomparable> {
    let names = || (before.to_owned(), after.to_owned());
    if let Some(what) = differing_option(old, new) {
        let (before, after) = names();
        return Err(Incomparable::Options { before, after, what });
    }
    let servers = match_servers(old, new);
    let find = |cell: &Cell| {
        let server = servers.get(&cell.server)?;
        new.cells.iter().find(|other| {
            other.server == *server && other.workload == cell.workload && other.collation == cell.collation
        })
    };
    let pairs: Vec<(&Cell, &Cell)> = old.cells.iter().filter_map(|cell| Some((cell, find(cell)?))).collect();
    if pairs.is_empty() {
        let (before, after) = names();
        return Err(Incomparable::Nothing { before, after });
    }
    let mut changes: Vec<Change> = pairs
        .iter()
        .map(|(one, other)| {
            let (label, new_label) = (&old.servers[one.server].label, &new.servers[other.server].label);
            let server = if label == new_label { label.clone() } else { format!("{label} → {new_label}") };
            let is_same_build = old.servers[one.server].version == new.servers[other.server].version;
            change(server, one, other, is_same_build, fail_over)
        })
        .filter(|change| change.change != 0.0 || !change.functions.is_empty())
        .collect();
    changes.sort_by(|one, other| other.change.total_cmp(&one.change));
    let is_paired =
        |cell: &Cell| pairs.iter().any(|(one, other)| std::ptr::eq(*one, cell) || std::ptr::eq(*other, cell));
    let only = |which: &str, results: &Results| -> Vec<String> {
        let cells = results.cells.iter().filter(|cell| !is_paired(cell));
        cells
            .map(|cell| {
                let server = &results.servers[cell.server].label;
                format!("in {which}: {} under {} on {server}", cell.workload, cell.collation)
            })
            .collect()
    };
    let has_functions = |results: &Results| results.cells.iter().any(|cell| !cell.functions.is_empty());
    Ok(Comparison {
        format: FORMAT.into(),
        before: before.to_owned(),
        after: after.to_owned(),
        fail_over,
        compared: pairs.len(),
        changes,
        unmatched: [only(before, old), only(after, new)].concat(),
        lacks_functions: !(has_functions(old) && has_functions(new)),
    })
}

/// Returns what differs between two counts: the rows and their text, or else the numbers of events.
/// `None` if both are equal.
pub(crate) fn differing_option(old: &Results, new: &Results) -> Option<&'static str> {
    let (old, new) = (&old.options, &new.options);
    if old.rows != new.rows {
        return Some("the rows or their text");
    }
    (old.events != new.events).then_some("the numbers of events")
}

/// Returns the index of the later server for each earlier one.
fn match_servers(old: &Results, new: &Results) -> BTreeMap<usize, usize> {
    let mut matched = BTreeMap::new();
    for (index, server) in old.servers.iter().enumerate() {
        if let Some(same) = new.servers.iter().position(|other| other.label == server.label) {
            matched.insert(index, same);
        }
    }
    let rest: Vec<usize> =
        (0..new.servers.len()).filter(|index| !matched.values().any(|other| other == index)).collect();
    let unmatched: Vec<usize> = (0..old.servers.len()).filter(|index| !matched.contains_key(index)).collect();
    matched.extend(unmatched.into_iter().zip(rest));
    matched
}

fn change(server: String, before: &Cell, after: &Cell, is_same_build: bool, fail_over: f64) -> Change {
    let (old, new) = (before.mean(), after.mean());
    let change = relative_change(&before.instructions, &after.instructions, MIN_CELL_CHANGE);
    Change {
        server,
        workload: before.workload.clone(),
        collation: before.collation.clone(),
        before: old,
        after: new,
        change,
        fails: change > fail_over && change > 0.0,
        functions: function_changes(before, after, is_same_build),
    }
}

/// Returns the relative change of the means: 0 if it is within what fresh starts differ by, or
/// below `least`.
fn relative_change(before: &[f64], after: &[f64], least: f64) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let range = |values: &[f64]| {
        let most = values.iter().copied().fold(f64::MIN, f64::max);
        let fewest = values.iter().copied().fold(f64::MAX, f64::min);
        if values.len() > 1 { most - fewest } else { UNKNOWN_SPREAD * mean(values) }
    };
    let difference = mean(after) - mean(before);
    let change = difference / mean(before);
    if difference.abs() <= range(before) + range(after) || change.abs() < least { 0.0 } else { change }
}

/// Returns the functions that changed. A function that only one count lists has 0 in the other, and
/// is reported if it is well above the end of both lists. Empty if a count lists no functions.
fn function_changes(before: &Cell, after: &Cell, is_same_build: bool) -> Vec<FunctionChange> {
    if before.functions.is_empty() || after.functions.is_empty() {
        return Vec::new();
    }
    let mean = before.mean();
    // Below the least function of a list that is cut off, absence says nothing.
    let least = |cell: &Cell| cell.functions.last().map_or(0.0, |function| function.instructions);
    let floor = (2.0 * least(before).max(least(after))).max(mean * MIN_FUNCTION_SHARE);
    let functions =
        |cell: &Cell| if is_same_build { cell.functions.clone() } else { without_addresses(&cell.functions) };
    let (before, after) = (functions(before), functions(after));
    let find = |functions: &[FunctionCount], wanted: &FunctionCount| {
        functions.iter().find(|other| other.is_same(wanted)).cloned()
    };
    let mut changes: Vec<FunctionChange> = Vec::new();
    for function in before.iter().chain(after.iter().filter(|one| find(&before, one).is_none())) {
        let (old, new) = (find(&before, function), find(&after, function));
        let count = |one: &Option<FunctionCount>| one.as_ref().map_or(0.0, |one| one.instructions);
        let changed = match (&old, &new) {
            (Some(old), Some(new)) => {
                relative_change(starts(old), starts(new), MIN_FUNCTION_CHANGE) != 0.0
                    && (new.instructions - old.instructions).abs() >= mean * MIN_FUNCTION_SHARE
            }
            _ => count(&old).max(count(&new)) >= floor,
        };
        if changed {
            let (before, after) = (count(&old), count(&new));
            // A count of an older version has only the raw name.
            let named = new.as_ref().unwrap_or(function);
            changes.push(FunctionChange {
                name: named.name.clone(),
                raw_name: named.raw_name().to_owned(),
                file: function.file.clone(),
                before,
                after,
            });
        }
    }
    changes.sort_by(|one, other| (other.after - other.before).abs().total_cmp(&(one.after - one.before).abs()));
    changes
}

/// Adds up functions whose names differ only in their addresses, which differ from build to build:
/// `hash_sort@uca/0xf18340`, `mariadbd+0xe88380`.
fn without_addresses(functions: &[FunctionCount]) -> Vec<FunctionCount> {
    let mut merged: Vec<FunctionCount> = Vec::new();
    for function in functions {
        let function = without_address(function);
        match merged.iter_mut().find(|one| one.is_same(&function)) {
            Some(one) => {
                one.instructions += function.instructions;
                if one.by_start.len() == function.by_start.len() {
                    one.by_start.iter_mut().zip(&function.by_start).for_each(|(sum, more)| *sum += more);
                } else {
                    one.by_start.clear();
                }
            }
            None => merged.push(function),
        }
    }
    merged
}

/// Removes the address from a function's names: `hash_sort@uca/0xf18340` becomes `hash_sort@uca`,
/// and `mariadbd+0xe88380` one of the functions without a name.
fn without_address(function: &FunctionCount) -> FunctionCount {
    let raw_name = function.raw_name();
    let split = |mark: &str| {
        let (start, address) = raw_name.rsplit_once(mark)?;
        (!address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(start)
    };
    let renamed = |name: String, raw_name: &str| FunctionCount { name, raw_name: raw_name.into(), ..function.clone() };
    if let Some(slot) = split("/0x") {
        return renamed(profile::describe_function(slot, profile::Naming::Handler), slot);
    }
    match split("+0x") {
        Some(_) => renamed(UNNAMED.to_owned(), UNNAMED),
        None => function.clone(),
    }
}

fn starts(function: &FunctionCount) -> &[f64] {
    if function.by_start.is_empty() { std::slice::from_ref(&function.instructions) } else { &function.by_start }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_no_names() {
        for (raw_name, expected) in [
            ("hash_sort@uca/0xf18340", ("hash_sort of uca", "hash_sort@uca")),
            ("mariadbd+0xe88380", (UNNAMED, UNNAMED)),
            ("my_hash_sort_uca", ("my_hash_sort_uca", "my_hash_sort_uca")),
        ] {
            let function = FunctionCount {
                name: raw_name.into(),
                raw_name: raw_name.into(),
                file: "mariadbd".into(),
                category: profile::Category::Hash,
                instructions: 1.0,
                by_start: Vec::new(),
            };
            let found = without_address(&function);
            assert_eq!((found.name.as_str(), found.raw_name.as_str()), expected);
        }
    }

    #[test]
    fn changes_are_beyond_what_starts_differ_by() {
        assert_eq!(relative_change(&[100.0, 100.1], &[100.15, 100.25], 0.001), 0.0, "within the starts");
        assert!(relative_change(&[100.0, 100.1], &[101.0, 101.1], 0.001) > 0.009);
        assert_eq!(relative_change(&[100.0], &[101.0], 0.001), 0.0, "one start tells little");
        assert!(relative_change(&[100.0], &[110.0], 0.001) > 0.09);
    }
}
