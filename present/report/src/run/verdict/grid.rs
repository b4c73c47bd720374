//! The table of a verdict: a row per compared variant, a column per workload.

use measure::{Analysis, Comparison, Incomparability, PairKind, Run, ServerInfo, Verdict};

use super::cell::{Change, Figure, compared, format_change};
use crate::format::number::format_exact;
use crate::format::table::{Column, ColumnKind, Highlight, Row, Table, column};
use crate::run::name::{condition_name, has_same_variant, is_statement_class, on_server, server_label, variant_name};

const MARKS: [char; 9] = ['¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

pub(crate) struct Grid {
    pub(crate) figure: Figure,
    pub(crate) title: String,
    /// Conditions, as indices of the run.
    pub(crate) conditions: Vec<usize>,
    pub(crate) rows: Vec<GridRow>,
    pub(crate) footnotes: Vec<String>,
}

pub(crate) struct GridRow {
    pub(crate) name: String,
    /// Whether it compares servers, not collations.
    pub(crate) compares_servers: bool,
    /// One cell per condition. `None` where the pair does not exist.
    pub(crate) cells: Vec<Option<Cell>>,
}

pub(crate) struct Cell {
    pub(crate) change: Change,
    /// Index in the footnotes.
    footnotes: Vec<usize>,
    /// Difference of server CPU in µs per query.
    pub(crate) cpu_us: Option<f64>,
}

impl Cell {
    pub(crate) fn text(&self) -> String {
        let marks: String = self.footnotes.iter().filter_map(|&at| MARKS.get(at)).collect();
        let space = if marks.is_empty() { "" } else { " " };
        format!("{}{space}{marks}", self.change.text())
    }
}

/// Returns the grid of a run. `None` if nothing was compared.
pub(crate) fn grid(run: &Run, analysis: &Analysis) -> Option<Grid> {
    let figure = Figure::of_run(analysis);
    let shown = |condition: usize| !is_statement_class(run, condition);
    let mut rows: Vec<GridRow> = Vec::new();
    let mut footnotes = Vec::new();
    let baseline = first_baseline(run, analysis);
    let own = |comparison: &&Comparison| comparison.kind != PairKind::AA && comparison.is_measured();
    let measured =
        analysis.conditions.iter().filter(|one| shown(one.condition) && one.comparisons.iter().any(|c| own(&c)));
    let conditions: Vec<usize> = measured.clone().map(|condition| condition.condition).collect();
    for (at, condition) in measured.enumerate() {
        for comparison in condition.comparisons.iter().filter(|comparison| comparison.kind != PairKind::AA) {
            let name = row_name(run, comparison);
            let compares_servers = comparison.kind == PairKind::Server;
            let is_row = |row: &GridRow| (row.compares_servers, &row.name) == (compares_servers, &name);
            let index = rows.iter().position(is_row).unwrap_or_else(|| {
                let cells = conditions.iter().map(|_| None).collect();
                rows.push(GridRow { name: name.clone(), compares_servers, cells });
                rows.len() - 1
            });
            rows[index].cells[at] = Some(cell(run, comparison, (figure, baseline.as_deref()), &mut footnotes));
        }
    }
    rows.sort_by_key(|row| row.compares_servers);
    (!rows.is_empty() && !conditions.is_empty()).then(|| {
        let title = title(run, baseline.as_deref(), figure);
        Grid { figure, title, conditions, rows, footnotes }
    })
}

fn row_name(run: &Run, comparison: &Comparison) -> String {
    let own = variant_name(run, comparison.variant);
    if comparison.kind != PairKind::Server {
        return own + &on_server(run, comparison.variant);
    }
    let (here, there) = (server_label(run, comparison.variant), server_label(run, comparison.baseline));
    if has_same_variant(run, comparison) {
        format!("{own}: {here} / {there}")
    } else {
        format!("{own} on {here} / {} on {there}", variant_name(run, comparison.baseline))
    }
}

/// Returns the baseline of the title. Conditions with other kinds of text can have another
/// baseline, because latin1 can't hold all text.
fn first_baseline(run: &Run, analysis: &Analysis) -> Option<String> {
    let first = compared(analysis).find(|comparison| comparison.kind == PairKind::Collation)?;
    Some(variant_name(run, first.baseline))
}

fn cell(
    run: &Run,
    comparison: &Comparison,
    (figure, baseline): (Figure, Option<&str>),
    footnotes: &mut Vec<String>,
) -> Cell {
    let change = Change::new(comparison, figure);
    let mut notes: Vec<String> = comparison.not_comparable.iter().map(describe_shortly).collect();
    let own_baseline = variant_name(run, comparison.baseline);
    if comparison.kind == PairKind::Collation && baseline != Some(&own_baseline) {
        notes.push(format!("compared with {own_baseline}"));
    }
    notes.extend(throughput_instead(comparison, figure, change));
    let mut number = |note: String| {
        footnotes.iter().position(|known| *known == note).unwrap_or_else(|| {
            footnotes.push(note);
            footnotes.len() - 1
        })
    };
    Cell {
        change,
        footnotes: notes.into_iter().map(&mut number).collect(),
        cpu_us: comparison.server_cpu_difference_us.map(|more| more.value),
    }
}

/// Returns the change of throughput if CPU does not show the difference that throughput shows.
fn throughput_instead(comparison: &Comparison, figure: Figure, change: Change) -> Option<String> {
    let is_decided = matches!(comparison.verdict, Verdict::Less | Verdict::More);
    let ratio = comparison.throughput.filter(|_| figure == Figure::Cpu && is_decided && !change.is_decided())?;
    Some(format!("throughput {} all the same: waits, not CPU", format_change(ratio)))
}

pub(crate) fn describe_shortly(incomparability: &Incomparability) -> String {
    match incomparability {
        Incomparability::Plan { .. } => "a different query plan: not the collation alone".into(),
        Incomparability::Work { counter, variant, baseline } => {
            let meaning = incomparability.explain().map(|meaning| format!("{meaning}; ")).unwrap_or_default();
            format!("{counter} {variant:.1} per query instead of {baseline:.1}: {meaning}not the collation alone")
        }
        Incomparability::Rows { variant, baseline } => {
            format!("{variant:.1} rows per query instead of {baseline:.1}: not the collation alone")
        }
        Incomparability::Collation => "a different server and a different collation".into(),
        Incomparability::Weights => "the same name, but weights of UCA 9 in MySQL and of UCA 14 in MariaDB".into(),
    }
}

fn title(run: &Run, baseline: Option<&str>, figure: Figure) -> String {
    let (first, rest) = figure.name().split_at(1);
    let with = baseline.map(|baseline| format!(" compared with {baseline}")).unwrap_or_default();
    let servers: Vec<String> = run.servers.iter().map(|server| describe_server(server, run.servers.len())).collect();
    let rate = run.options.rate.map(|rate| format!(" at {} transactions/s", format_exact(rate))).unwrap_or_default();
    format!("{}{rest}{with} on {}{rate}, 95 % intervals", first.to_uppercase(), servers.join(" and "))
}

/// Returns `MariaDB 10.11.19`, with the server's label if there are several.
fn describe_server(server: &ServerInfo, count: usize) -> String {
    let version = server.version.split('-').next().unwrap_or_default();
    let product = format!("{} {version}", server.flavour);
    let product = product.trim();
    if count > 1 { format!("{} ({product})", server.label) } else { product.to_owned() }
}

impl Grid {
    /// Builds tables that are at most `width` wide, unless one column is wider. Each has the grid's
    /// title, all rows and some of the columns.
    pub(crate) fn tables(&self, run: &Run, width: usize) -> Vec<Table> {
        let first = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0) + 4;
        let widths: Vec<usize> = (0..self.conditions.len()).map(|at| self.column_width(run, at)).collect();
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let mut used = usize::MAX;
        for (at, own) in widths.iter().enumerate() {
            if used.saturating_add(*own) > width {
                parts.push(Vec::new());
                used = first;
            }
            used += own;
            parts.last_mut().expect("the first column begins a part").push(at);
        }
        parts.iter().map(|columns| self.table(run, columns)).collect()
    }

    fn head(&self, run: &Run, at: usize) -> [String; 2] {
        let name = condition_name(run, self.conditions[at]);
        match name.split_once(" (") {
            Some((workload, details)) => [workload.to_owned(), details.trim_end_matches(')').to_owned()],
            None => [String::new(), name],
        }
    }

    fn column_width(&self, run: &Run, at: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.cells[at].as_ref()).map(|cell| cell.text().chars().count());
        let head = self.head(run, at).map(|line| line.chars().count());
        cells.chain(head).max().unwrap_or(0) + 2
    }

    fn table(&self, run: &Run, columns: &[usize]) -> Table {
        let heads: Vec<Column> = columns
            .iter()
            .map(|&at| {
                let [first, second] = self.head(run, at);
                column(&first, &second, ColumnKind::Colored)
            })
            .collect();
        let heads = std::iter::once(column("", "collation", ColumnKind::Left)).chain(heads).collect();
        let row = |row: &GridRow| {
            let shown = || columns.iter().map(|&at| row.cells[at].as_ref());
            let fields = shown().map(|cell| cell.map(Cell::text).unwrap_or_default());
            let changes: Vec<Change> = shown().flatten().map(|cell| cell.change).collect();
            Row {
                fields: std::iter::once(row.name.clone()).chain(fields).collect(),
                highlight: self.highlight(&changes),
            }
        };
        Table::new(self.title.clone(), heads, self.rows.iter().map(row))
    }

    /// Returns the colour of a row, if its decided changes point the same way.
    fn highlight(&self, changes: &[Change]) -> Highlight {
        let more = changes.iter().any(|change| matches!(change, Change::More(_)));
        let less = changes.iter().any(|change| matches!(change, Change::Less(_)));
        match (more, less) {
            (true, false) if self.figure.is_cost() => Highlight::Worse,
            (false, true) if self.figure.is_cost() => Highlight::Better,
            (true, false) => Highlight::Better,
            (false, true) => Highlight::Worse,
            _ => Highlight::None,
        }
    }

    /// Returns the footnotes with their marks, and what `?` means.
    pub(crate) fn notes(&self) -> Vec<String> {
        let marked = self.footnotes.iter().enumerate();
        let mut notes: Vec<String> =
            marked.map(|(at, note)| format!("{} {note}", MARKS.get(at).copied().unwrap_or('*'))).collect();
        let cells = || self.rows.iter().flat_map(|row| row.cells.iter().flatten());
        if cells().any(|cell| cell.change == Change::TooFew) {
            notes.push("? too few measurements to tell; a longer --max-time may".into());
        }
        notes
    }
}
