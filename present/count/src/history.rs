//! Changes in a history: counts of equal statements, one after the other.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compare::{Incomparable, MIN_CELL_CHANGE, UNKNOWN_SPREAD, differing_option};
use crate::model::{Cell, Results};

/// Name and version of the JSON format of [`History`].
const HISTORY_FORMAT: &str = "weighbridge-count-history/1";

/// Counts of equal statements over time, with the changes between them (`weigh compare` of a
/// history).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct History {
    /// Name and version of the format.
    pub format: String,
    /// Name of the file, as given on the command line.
    pub name: String,
    /// A series fails if its newest count is an increase by more than this fraction.
    pub fail_over: f64,
    /// The counts, the oldest first.
    pub counts: Vec<HistoryEntry>,
    /// Number of series: statements under one collation of one server.
    pub series: usize,
    /// Changes of level, in the order of the counts that they begin with.
    pub steps: Vec<Step>,
}

/// One count of a history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryEntry {
    /// `--label` of the count.
    pub label: Option<String>,
    /// UTC time of the count, RFC 3339. `null` in counts of older versions.
    pub counted_at: Option<String>,
}

/// A change of level of one series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    pub server: String,
    pub workload: String,
    pub collation: String,
    /// Index in [`History::counts`] of the first count on the new level.
    pub count: usize,
    /// Instructions per statement, the mean over the counts of the level that ends here.
    pub before: f64,
    /// The mean over the counts of the level that begins here.
    pub after: f64,
    /// Relative change: 0.01 for 1 % more instructions.
    pub change: f64,
    /// Whether the newest count is this step, upwards by more than `fail_over`.
    pub fails: bool,
}

/// Server, workload and collation of a series.
type Key<'a> = (&'a str, &'a str, &'a str);

/// Finds the changes of level in counts, the oldest first. Servers are matched by name.
pub fn history(name: &str, counts: &[Results], fail_over: f64) -> Result<History, Incomparable> {
    let title = |index: usize| counts[index].label.clone().unwrap_or_else(|| format!("count {}", index + 1));
    for (index, later) in counts.iter().enumerate().skip(1) {
        if let Some(what) = differing_option(&counts[0], later) {
            return Err(Incomparable::Options { before: title(0), after: title(index), what });
        }
    }
    let mut series: BTreeMap<Key<'_>, Vec<(usize, &Cell)>> = BTreeMap::new();
    for (index, results) in counts.iter().enumerate() {
        for cell in &results.cells {
            let key = (results.servers[cell.server].label.as_str(), cell.workload.as_str(), cell.collation.as_str());
            series.entry(key).or_default().push((index, cell));
        }
    }
    let newest = counts.len().saturating_sub(1);
    let mut steps: Vec<Step> = Vec::new();
    for ((server, workload, collation), cells) in &series {
        let levels = levels(cells);
        steps.extend(levels.windows(2).map(|pair| {
            let (before, after) = (pair[0].mean(), pair[1].mean());
            let change = after / before - 1.0;
            Step {
                server: (*server).to_owned(),
                workload: (*workload).to_owned(),
                collation: (*collation).to_owned(),
                count: pair[1].first,
                before,
                after,
                change,
                fails: pair[1].first == newest && change > fail_over,
            }
        }));
    }
    steps.sort_by(|one, other| one.count.cmp(&other.count).then(other.change.total_cmp(&one.change)));
    let entry =
        |results: &Results| HistoryEntry { label: results.label.clone(), counted_at: results.counted_at.clone() };
    Ok(History {
        format: HISTORY_FORMAT.to_owned(),
        name: name.to_owned(),
        fail_over,
        counts: counts.iter().map(entry).collect(),
        series: series.len(),
        steps,
    })
}

/// Consecutive counts that don't differ by more than fresh starts do.
struct Level {
    first: usize,
    means: Vec<f64>,
    /// Greatest difference of the starts of one count.
    range: f64,
}

impl Level {
    fn new(first: usize, cell: &Cell) -> Self {
        Self { first, means: vec![cell.mean()], range: range(cell) }
    }

    fn mean(&self) -> f64 {
        self.means.iter().sum::<f64>() / self.means.len() as f64
    }

    fn holds(&self, cell: &Cell) -> bool {
        let difference = (cell.mean() - self.mean()).abs();
        difference <= self.range + range(cell) || difference < MIN_CELL_CHANGE * self.mean()
    }
}

fn range(cell: &Cell) -> f64 {
    (if cell.instructions.len() > 1 { cell.spread() } else { UNKNOWN_SPREAD }) * cell.mean()
}

/// Divides a series into levels. A slow drift ends a level, too, once a count is too far from the
/// level's mean.
fn levels(cells: &[(usize, &Cell)]) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    for (index, cell) in cells {
        match levels.last_mut() {
            Some(level) if level.holds(cell) => {
                level.means.push(cell.mean());
                level.range = level.range.max(range(cell));
            }
            _ => levels.push(Level::new(*index, cell)),
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(counts: &[[f64; 2]]) -> Vec<(usize, f64, f64)> {
        let cells: Vec<Cell> = counts
            .iter()
            .map(|instructions| Cell {
                server: 0,
                workload: "group_by".into(),
                collation: "utf8mb4_bin".into(),
                statements: 10,
                instructions: instructions.to_vec(),
                allocations: Vec::new(),
                functions: Vec::new(),
            })
            .collect();
        let levels = levels(&cells.iter().enumerate().collect::<Vec<_>>());
        levels.windows(2).map(|pair| (pair[1].first, pair[0].mean(), pair[1].mean())).collect()
    }

    #[test]
    fn steps_are_beyond_what_starts_differ_by() {
        let level = [1000.0, 1000.5];
        assert_eq!(steps(&[level, [1000.4, 1000.8], level, [999.9, 1000.1]]), []);
        let found = steps(&[level, level, [1005.0, 1005.5], [1005.2, 1005.4]]);
        let [(at, before, after)] = found[..] else { panic!("{found:?}") };
        assert!(at == 2 && (before - 1000.25).abs() < 1e-9 && (after - 1005.275).abs() < 1e-9, "{found:?}");
        assert_eq!(steps(&[level, [1200.0, 1200.0], level]).len(), 2, "up, and down again");
        assert_eq!(steps(&[[1000.0, 1050.0], [1060.0, 1060.0]]), [], "the starts differ by as much");
    }

    #[test]
    fn a_drift_ends_a_level() {
        let drift: Vec<[f64; 2]> = (0..40).map(|n| [1000.0 + f64::from(n), 1000.0 + f64::from(n)]).collect();
        assert!(!steps(&drift).is_empty());
    }
}
