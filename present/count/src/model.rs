//! Results as `weigh count` prints and writes them (`schemas/count.schema.json`).

use measure::{Machine, ServerInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name and version of the JSON format that this version of `weigh` writes.
pub const FORMAT: &str = "weighbridge-count/1";

/// Results of one count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Results {
    /// Name and version of the format.
    pub format: String,
    /// Version of `weigh` that counted.
    pub weigh: String,
    /// Version of valgrind, which counted.
    pub valgrind: String,
    /// UTC time of the count, RFC 3339. Absent in counts of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_at: Option<String>,
    /// `--label`: a name for this count, such as a commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    pub machine: Machine,
    /// The servers, in the order of the command line.
    pub servers: Vec<ServerInfo>,
    pub options: Options,
    /// One per server, workload and collation.
    pub cells: Vec<Cell>,
    /// Omitted conditions with the reason, and other remarks.
    pub notes: Vec<String>,
}

/// Options in force, after defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Options {
    /// Workloads or statement classes.
    pub workloads: Vec<String>,
    /// Named collations. Absent for the default list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collations: Option<Vec<String>>,
    /// Collation that the others are compared with.
    pub baseline: String,
    /// Tables, rows, text and seed.
    pub rows: workload::Options,
    /// Events of a workload that scans ranges, or of a statement of 500,000 instructions or more,
    /// in each start: transactions, or single statements. Of others, ten times as many are counted.
    pub events: u32,
    /// Fresh starts of each server.
    pub starts: u32,
    /// Maximum number of functions per cell.
    #[serde(default)]
    pub functions: usize,
    /// Settings of `--set`, as `name=value`. Empty in counts of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<String>,
    /// SHA-256 of the workload folder's files. Absent for built-in workloads and in counts of older
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder_sha256: Option<String>,
}

/// Instructions of one workload under one collation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Index in [`Results::servers`].
    pub server: usize,
    pub workload: String,
    pub collation: String,
    /// Statements that were counted in each start.
    pub statements: u64,
    /// Instructions per statement of the connection's thread, one figure for each start.
    pub instructions: Vec<f64>,
    /// Memory allocations per statement of the connection's thread, one figure for each start:
    /// calls of malloc, calloc, realloc and the like. Absent in counts of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allocations: Vec<f64>,
    /// Functions with the most instructions in the first start, in its descending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<FunctionCount>,
}

/// Instructions of one function, without those of the functions that it calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionCount {
    /// Name in words, as `weigh profile` prints it. In counts of older versions the raw name.
    pub name: String,
    /// Symbol, or where the function was found: `hash_sort@utf8mb4_bin`, `mariadbd+0x10f8800`.
    /// Empty in counts of older versions.
    #[serde(default)]
    pub raw_name: String,
    /// Program file or library, without folders.
    pub file: String,
    pub category: profile::Category,
    /// Instructions per statement, the mean over the starts that list the function.
    pub instructions: f64,
    /// Instructions per statement in each start that lists the function.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_start: Vec<f64>,
}

impl FunctionCount {
    /// True if both are the same function, in one build of the server.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.raw_name(), &self.file) == (other.raw_name(), &other.file)
    }

    pub(crate) fn raw_name(&self) -> &str {
        if self.raw_name.is_empty() { &self.name } else { &self.raw_name }
    }
}

impl Cell {
    /// Returns the mean over the starts.
    pub fn mean(&self) -> f64 {
        self.instructions.iter().sum::<f64>() / self.instructions.len().max(1) as f64
    }

    /// Returns the mean allocations per statement. `None` in counts of older versions.
    pub fn mean_allocations(&self) -> Option<f64> {
        let starts = self.allocations.len();
        (starts > 0).then(|| self.allocations.iter().sum::<f64>() / starts as f64)
    }

    /// Returns by how much the starts differ at most, as a share of the mean.
    pub fn spread(&self) -> f64 {
        let (least, most) = bounds(&self.instructions);
        if self.mean() > 0.0 { (most - least) / self.mean() } else { 0.0 }
    }

    /// Returns the least and the greatest ratio to `baseline` over all pairs of starts.
    pub fn ratio_bounds(&self, baseline: &Self) -> (f64, f64) {
        let ((least, most), (base_least, base_most)) = (bounds(&self.instructions), bounds(&baseline.instructions));
        (least / base_most, most / base_least)
    }
}

/// Maximum number of cells, of notes and of servers.
const MAX_CELLS: usize = 20_000;
/// Maximum number of functions of a cell.
const MAX_FUNCTIONS: usize = 2_000;

impl Results {
    /// Fails for results that refer to a server which they don't have, or that would take minutes
    /// to compare.
    pub fn check(&self) -> Result<(), String> {
        if let Some(cell) = self.cells.iter().find(|cell| cell.server >= self.servers.len()) {
            return Err(format!("there is no server {}", cell.server));
        }
        let most = self.cells.len().max(self.notes.len()).max(self.servers.len());
        if most > MAX_CELLS || self.cells.iter().any(|cell| cell.functions.len() > MAX_FUNCTIONS) {
            return Err(format!("counts have at most {MAX_CELLS} cells of {MAX_FUNCTIONS} functions"));
        }
        Ok(())
    }

    /// Adds the servers, cells and notes of other results with the same options.
    pub fn merge(&mut self, other: Self) {
        let shift = self.servers.len();
        self.servers.extend(other.servers);
        self.cells.extend(other.cells.into_iter().map(|cell| Cell { server: cell.server + shift, ..cell }));
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Returns the cell of the baseline that `cell` is compared with. `None` if the baseline was
    /// not counted, or if `cell` is the baseline.
    pub fn baseline_of(&self, cell: &Cell) -> Option<&Cell> {
        self.cells.iter().find(|other| {
            other.server == cell.server
                && other.workload == cell.workload
                && other.collation == self.options.baseline
                && other.collation != cell.collation
        })
    }
}

fn bounds(values: &[f64]) -> (f64, f64) {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    (least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(instructions: &[f64]) -> Cell {
        Cell {
            server: 0,
            workload: "group_by".into(),
            collation: "utf8mb4_bin".into(),
            statements: 10,
            instructions: instructions.into(),
            allocations: Vec::new(),
            functions: Vec::new(),
        }
    }

    /// A stranger's counts that would end `weigh compare` by a panic, or keep it busy for hours.
    #[test]
    fn odd_counts_are_refused() {
        let results = |cells: Vec<Cell>| Results {
            format: FORMAT.into(),
            weigh: "0".into(),
            servers: Vec::new(),
            cells,
            ..serde_json::from_str(include_str!("../../report/tests/fixtures/count/mysql-5.6.json")).unwrap()
        };
        assert!(results(Vec::new()).check().is_ok());
        assert_eq!(results(vec![cell(&[1.0])]).check().unwrap_err(), "there is no server 0");
        let mut many = results(Vec::new());
        many.notes = vec![String::new(); MAX_CELLS + 1];
        assert!(many.check().unwrap_err().contains("at most 20000 cells"));
    }

    #[test]
    fn spread_is_a_share_of_the_mean() {
        assert_eq!(cell(&[100.0, 100.0]).spread(), 0.0);
        assert_eq!(cell(&[99.0, 101.0]).spread(), 0.02);
        assert_eq!(cell(&[]).spread(), 0.0);
    }

    #[test]
    fn ratio_bounds_cover_all_pairs_of_starts() {
        let (least, most) = cell(&[200.0, 220.0]).ratio_bounds(&cell(&[100.0, 110.0]));
        assert!((least - 200.0 / 110.0).abs() < 1e-12 && (most - 2.2).abs() < 1e-12, "{least} {most}");
    }
}
