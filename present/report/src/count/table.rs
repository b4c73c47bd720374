//! Tables of `weigh count`.

use count::{Cell, FunctionCount, Results};

use super::sentence::{collations, difference};
use crate::format::number::{DASH, format_decimals, format_signed_percent};
use crate::format::table::{ColumnKind, Row, Table, column};

/// Maximum number of functions in a table.
const MAX_FUNCTIONS: usize = 12;

/// Builds a table per server, and a table of functions per cell whose functions were counted.
pub(super) fn tables(results: &Results) -> Vec<Table> {
    let servers = (0..results.servers.len()).map(|server| server_table(results, server));
    let functions = results.cells.iter().filter_map(|cell| function_table(results, cell));
    servers.chain(functions).collect()
}

fn server_table(results: &Results, server: usize) -> Table {
    let collations = collations(results, server);
    let mut workloads: Vec<&str> = Vec::new();
    for cell in results.cells.iter().filter(|cell| cell.server == server) {
        if !workloads.contains(&cell.workload.as_str()) {
            workloads.push(&cell.workload);
        }
    }
    let head = |name: &&str| {
        let (charset, rest) = name.split_once('_').unwrap_or((name, ""));
        column(charset, rest, ColumnKind::Right)
    };
    let columns =
        std::iter::once(column("", "workload", ColumnKind::Left)).chain(collations.iter().map(head)).collect();
    let row = |workload: &&str| {
        let field = |collation: &&str| {
            let found = results
                .cells
                .iter()
                .find(|cell| cell.server == server && cell.workload == *workload && cell.collation == *collation);
            found.map_or_else(|| DASH.into(), |cell| format_cell(results, cell))
        };
        Row::new(std::iter::once((*workload).to_owned()).chain(collations.iter().map(field)).collect())
    };
    let title = format!("{}: thousand instructions per statement", results.servers[server].label);
    Table::new(title, columns, workloads.iter().map(row))
}

/// Formats the instructions of the baseline, and the difference from it of other collations.
fn format_cell(results: &Results, cell: &Cell) -> String {
    match difference(results, cell) {
        None => format_thousands(cell),
        Some(difference) => format_difference(difference),
    }
}

pub(super) fn format_thousands(cell: &Cell) -> String {
    format_decimals(Some(cell.mean() / 1000.0), 1)
}

/// Formats a relative difference, 0 as `same`.
pub(super) fn format_difference(difference: f64) -> String {
    if difference == 0.0 { "same".into() } else { format_signed_percent(difference) }
}

/// Builds a table of the functions in which a cell differs most from the baseline, or of the
/// baseline's functions with the most instructions.
fn function_table(results: &Results, cell: &Cell) -> Option<Table> {
    let none = Vec::new();
    if cell.functions.is_empty() {
        return None;
    }
    let baseline = results.baseline_of(cell);
    let before = baseline.map_or(&none, |baseline| &baseline.functions);
    let mut rows = changes(before, &cell.functions);
    rows.sort_by(|a, b| b.change().abs().total_cmp(&a.change().abs()));
    rows.truncate(MAX_FUNCTIONS);
    let label = &results.servers[cell.server].label;
    let versus = baseline.map(|baseline| format!(", compared with {}", baseline.collation)).unwrap_or_default();
    let title = format!("{label}: functions of {} under {}{versus}", cell.workload, cell.collation);
    let columns = vec![
        column("", "function", ColumnKind::Left),
        column("", "category", ColumnKind::Left),
        column("thousand", "instructions", ColumnKind::Right),
        column("", "change", ColumnKind::Right),
    ];
    let row = |change: &Change| {
        Row::new(vec![
            change.name.to_owned(),
            change.category.describe().to_owned(),
            format_decimals(Some(change.after / 1000.0), 1),
            if baseline.is_some() { format!("{:+.1}", change.change() / 1000.0) } else { DASH.into() },
        ])
    };
    Some(Table::new(title, columns, rows.iter().map(row)))
}

/// Instructions of one function under two collations.
struct Change<'a> {
    name: &'a str,
    category: profile::Category,
    before: f64,
    after: f64,
}

impl Change<'_> {
    fn change(&self) -> f64 {
        self.after - self.before
    }
}

fn changes<'a>(before: &'a [FunctionCount], after: &'a [FunctionCount]) -> Vec<Change<'a>> {
    let find = |functions: &[FunctionCount], wanted: &FunctionCount| {
        let found = functions.iter().find(|other| other.is_same(wanted));
        found.map_or(0.0, |found| found.instructions)
    };
    let of_after = after.iter().map(|function| Change {
        name: &function.name,
        category: function.category,
        before: find(before, function),
        after: function.instructions,
    });
    let gone = before.iter().filter(|function| find(after, function) == 0.0).map(|function| Change {
        name: &function.name,
        category: function.category,
        before: function.instructions,
        after: 0.0,
    });
    of_after.chain(gone).collect()
}
