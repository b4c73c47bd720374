//! Sentences that say what `weigh count` found, with numbers.

use count::{Cell, Results};

use super::sentence::{collations, difference};
use crate::format::number::{count_noun, format_percent, format_signed_percent};

/// Difference up to which a statement costs as much as under the baseline.
const EQUAL: f64 = 0.02;

/// Returns findings by server and collation, then changes between versions.
pub(super) fn findings(results: &Results) -> Vec<String> {
    let mut found: Vec<String> =
        (0..results.servers.len()).flat_map(|server| collation_findings(results, server)).collect();
    found.extend((1..results.servers.len()).filter_map(|server| version_finding(results, server)));
    found
}

/// Says for each collation of a server in how many statements it costs at most [`EQUAL`] more, in
/// how many it at least doubles the instructions, and where it costs most.
fn collation_findings(results: &Results, server: usize) -> Vec<String> {
    let finding = |collation: &&str| {
        let cells = results.cells.iter().filter(|cell| cell.server == server && cell.collation == *collation);
        let differences: Vec<(f64, &Cell)> =
            cells.filter_map(|cell| Some((difference(results, cell)?, cell))).collect();
        let (most, cell) = differences.iter().max_by(|one, other| one.0.total_cmp(&other.0))?;
        let equal = differences.iter().filter(|(difference, _)| *difference <= EQUAL).count();
        let doubled = differences.iter().filter(|(difference, _)| *difference >= 1.0).count();
        Some(format!(
            "{}: {collation} costs at most {} more in {equal} of {}, and twice as much or more in {doubled}; most in {}: {} compared with {}.",
            results.servers[server].label,
            format_percent(EQUAL),
            count_noun(differences.len() as u64, "statement"),
            cell.workload,
            format_signed_percent(*most),
            results.options.baseline,
        ))
    };
    collations(results, server).iter().filter_map(finding).collect()
}

/// Names the least and the greatest change from the previous server, if both are MySQL or both
/// MariaDB.
fn version_finding(results: &Results, server: usize) -> Option<String> {
    let (old, new) = (&results.servers[server - 1], &results.servers[server]);
    if old.flavour != new.flavour {
        return None;
    }
    let change = |cell: &Cell| {
        let before = results.cells.iter().find(|other| {
            other.server == server - 1 && other.workload == cell.workload && other.collation == cell.collation
        })?;
        Some(cell.mean() / before.mean() - 1.0)
    };
    let cells = results.cells.iter().filter(|cell| cell.server == server);
    let changes: Vec<(f64, &Cell)> = cells.filter_map(|cell| Some((change(cell)?, cell))).collect();
    let least = changes.iter().min_by(|one, other| one.0.total_cmp(&other.0))?;
    let most = changes.iter().max_by(|one, other| one.0.total_cmp(&other.0))?;
    let describe = |(change, cell): &(f64, &Cell)| {
        format!("{} in {} under {}", format_signed_percent(*change), cell.workload, cell.collation)
    };
    Some(format!(
        "From {} to {}, instructions change by {} to {}.",
        old.label,
        new.label,
        describe(least),
        describe(most)
    ))
}
