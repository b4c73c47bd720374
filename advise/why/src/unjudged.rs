//! Plans without a finding that are no proof that no index is lost.

use crate::origin::ColumnRef;
use crate::plan::{is_lookup, names_column};
use crate::remedy::Fault;
use crate::trial::Outcome;

/// Returns why a plan that uses all indexes proves nothing. `None` if it is a proof.
pub fn why_unjudged(before: &Outcome, short: &[(String, u64)]) -> Option<String> {
    if let Some(refusal) = &before.unexplained {
        return Some(format!("the plan of one of its statements could not be judged: EXPLAIN is refused: {refusal}"));
    }
    if has_empty_lookup(before) {
        let reason = "its plan could not be judged: it looks up a row by a unique key that the copy does not have";
        return Some(reason.into());
    }
    let (table, rows) = short.first()?;
    Some(format!("its plan could not be judged: {table} has {rows} rows on the copy and takes no made-up ones"))
}

/// True if a plan has no tables, because a lookup by a unique key found no row.
pub fn has_empty_lookup(outcome: &Outcome) -> bool {
    outcome.plans.iter().any(|plan| plan.is_empty_lookup)
}

/// Returns the warnings about an index of a column that takes part, unless its table is looked up
/// by another index. The flag is true if one of the tables is read whole for the rows of another
/// table.
pub fn unresolved_warnings(fault: &Fault) -> (Vec<String>, bool) {
    let (mut found, mut is_lost) = (Vec::new(), false);
    let resolved = fault.spots().flat_map(|judged| &judged.resolved);
    let columns: Vec<&ColumnRef> = resolved.flat_map(|one| one.column.iter().chain(&one.inner)).collect();
    for plan in &fault.before.plans {
        for warning in &plan.warnings {
            let named = columns.iter().filter(|column| names_column(warning, &column.column));
            let read = |column: &&&ColumnRef| {
                let mut tables = plan.figures.tables.iter();
                tables.any(|access| access.table == column.alias && !is_lookup(access))
            };
            let scanned: Vec<&str> = named.filter(read).map(|column| column.alias.as_str()).collect();
            is_lost |= scanned.iter().any(|alias| plan.repeated.iter().any(|name| name == alias));
            if !scanned.is_empty() && !found.contains(warning) {
                found.push(warning.clone());
            }
        }
    }
    (found, is_lost)
}

/// Note on a warning of a statement for which no remedy was found.
pub fn describe_warning(place: &str, warning: &str) -> String {
    format!("{place}: {}", describe_unresolved(warning))
}

pub fn describe_unresolved(warning: &str) -> String {
    format!("the server warns: {warning}; on the copy, no remedy that was tried reads half of the rows or fewer")
}
