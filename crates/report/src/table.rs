//! The tables of a report as plain strings, before a renderer lines them up.

use measure::{Comparison, ConditionResult, Mode, PairKind, Run, VariantResult, Verdict};

use crate::content::Report;
use crate::name::{is_class, is_of_one_variant, load, on_server, server, takes_turns, variant, with_copy, workload};
use crate::number::{DASH, counted, decimals, difference, grouped, interval, percent};

/// A table with its title and what is to be said below it.
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    pub(crate) foot: Vec<String>,
}

impl Table {
    /// A table that needs no word below it.
    pub(crate) fn new(title: impl Into<String>, columns: Vec<Column>, rows: impl IntoIterator<Item = Row>) -> Self {
        Self { title: title.into(), columns, rows: rows.into_iter().collect(), foot: Vec::new() }
    }

    /// The table on its side: a row for each column but the first, whose fields become the heads.
    pub(crate) fn turned(self, head: &str) -> Self {
        let field = |row: &Row| column("", &row.fields[0], Kind::Right);
        let columns = std::iter::once(column("", head, Kind::Left)).chain(self.rows.iter().map(field)).collect();
        let row = |(index, own): (usize, &Column)| {
            let fields = self.rows.iter().map(|row| row.fields[index].clone());
            Row::plain(std::iter::once(own.head.join(" ").trim().to_owned()).chain(fields).collect())
        };
        let rows = self.columns.iter().enumerate().skip(1).map(row).collect();
        Self { title: self.title, columns, rows, foot: self.foot }
    }
}

/// A column's head, in up to two lines, and what stands in it.
pub(crate) struct Column {
    pub(crate) head: [String; 2],
    pub(crate) kind: Kind,
}

/// What stands in a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Names, and ratios, whose decimal points line up by themselves: flush left.
    Left,
    /// Figures: flush right.
    Right,
    /// Figures to do without where there is no room.
    Spare,
    /// Ratios to do without where there is still no room; flush left.
    SpareLast,
    /// The ratio that a row's mood colours.
    Judged,
}

/// A line of a table.
pub(crate) struct Row {
    pub(crate) fields: Vec<String>,
    pub(crate) mood: Mood,
}

impl Row {
    /// A line that means nothing good or bad.
    pub(crate) fn plain(fields: Vec<String>) -> Self {
        Self { fields, mood: Mood::Plain }
    }
}

/// What a line means, for its colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Plain,
    Good,
    Bad,
}

impl From<Verdict> for Mood {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Less => Self::Bad,
            Verdict::More => Self::Good,
            Verdict::NoDifference { .. } | Verdict::NotMeasured => Self::Plain,
        }
    }
}

pub(crate) fn column(first: &str, second: &str, kind: Kind) -> Column {
    Column { head: [first.into(), second.into()], kind }
}

/// One table a condition, and one more where servers are held against each other; none for a condition that nothing was measured in.
pub(crate) fn tables(report: &Report) -> Vec<Table> {
    report
        .analysis
        .conditions
        .iter()
        .filter(|condition| is_measured(condition) && !is_class(&report.run, condition.condition))
        .flat_map(|condition| condition_tables(report, condition))
        .collect()
}

/// Whether there is anything to put into a table.
pub(crate) fn is_measured(condition: &ConditionResult) -> bool {
    !condition.variants.is_empty()
}

/// The table of a condition's collations, and the one of its servers where it has several.
pub(crate) fn condition_tables(report: &Report, condition: &ConditionResult) -> Vec<Table> {
    [Some(collations(&report.run, condition)), servers(&report.run, condition)].into_iter().flatten().collect()
}

/// The optional columns that tell the variants of a run apart.
#[derive(Clone, Copy)]
struct Shown {
    connection: bool,
    server: bool,
}

impl Shown {
    fn new(run: &Run) -> Self {
        let connection = run.variants.iter().any(|variant| variant.connection_charset != variant.charset);
        Self { connection, server: run.servers.len() > 1 }
    }

    fn columns(self) -> Vec<Column> {
        let mut columns = vec![column("", "collation", Kind::Left)];
        if self.connection {
            columns.push(column("", "connection", Kind::Left));
        }
        if self.server {
            columns.push(column("", "server", Kind::Left));
        }
        columns
    }

    fn fields(self, run: &Run, index: usize) -> Vec<String> {
        let variant = &run.variants[index];
        let mut fields = vec![variant.collation.clone()];
        if self.connection {
            fields.push(variant.connection_charset.clone());
        }
        if self.server {
            fields.push(server(run, index).into());
        }
        fields
    }
}

fn collations(run: &Run, condition: &ConditionResult) -> Table {
    let shown = Shown::new(run);
    let mut columns = shown.columns();
    columns.extend([column("", "queries/s", Kind::Right)]);
    if counts_both_ways(condition) {
        columns.push(column("without BEGIN,", "COMMIT", Kind::Right));
    }
    columns.extend([
        column("", "p50 ms", Kind::Spare),
        column("", "p95 ms", Kind::Right),
        column("", "p99 ms", Kind::Spare),
        column("CPU", "µs/query", Kind::Right),
    ]);
    if counts_pages_read(condition) {
        columns.push(column("disk pages", "/query", Kind::Right));
    }
    columns.extend([
        column(of_what(run), &format!("× {}", baseline_name(run, condition)), Kind::Judged),
        column("", "CPU ×", Kind::SpareLast),
        column("CPU more,", "µs/query", Kind::Left),
    ]);
    let rows = variants(condition).into_iter().filter(|&index| !run.variants[index].copy);
    let rows = rows.map(|index| row(run, condition, index, shown)).collect();
    Table {
        title: format!("{} ({})", workload(run, condition.condition), load(run, condition.condition)),
        columns,
        rows,
        foot: foot(run, condition),
    }
}

/// Whether queries are told with and without BEGIN and COMMIT, as studies count them in either way.
fn counts_both_ways(condition: &ConditionResult) -> bool {
    condition.variants.iter().any(|result| result.reads_and_writes_per_s.is_some())
}

/// Whether it is told what was read from disk.
fn counts_pages_read(condition: &ConditionResult) -> bool {
    condition.variants.iter().any(|result| result.pages_read.is_some())
}

/// All variants of a condition, those that time was too short for among them.
pub(crate) fn variants(condition: &ConditionResult) -> Vec<usize> {
    let mut all: Vec<usize> = condition.comparisons.iter().flat_map(|c| [c.baseline, c.variant]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What ratios of collations are taken against: each server has its own baseline, usually of one name.
fn baseline_name(run: &Run, condition: &ConditionResult) -> String {
    let own = condition.comparisons.iter().filter(|comparison| comparison.kind != PairKind::Server);
    let mut names: Vec<String> = own.map(|comparison| variant(run, comparison.baseline)).collect();
    names.dedup();
    match names.as_slice() {
        [name] => name.clone(),
        _ => "the server's first".into(),
    }
}

fn row(run: &Run, condition: &ConditionResult, index: usize, shown: Shown) -> Row {
    let mut fields = shown.fields(run, index);
    let result = condition.variants.iter().find(|result| result.variant == index);
    let figure = |of: fn(&VariantResult) -> Option<f64>, places| decimals(result.and_then(of), places);
    fields.push(result.map_or_else(|| DASH.into(), |result| grouped(result.queries_per_s)));
    if counts_both_ways(condition) {
        let rate = result.and_then(|result| result.reads_and_writes_per_s);
        fields.push(rate.map_or_else(|| DASH.into(), grouped));
    }
    fields.extend([
        figure(|result| result.p50_ms, 3),
        figure(|result| result.p95_ms, 3),
        figure(|result| result.p99_ms, 3),
        figure(|result| result.server_cpu_us, 1),
    ]);
    if counts_pages_read(condition) {
        fields.push(figure(|result| result.pages_read, 3));
    }
    let comparison = condition.comparisons.iter().find(|c| c.variant == index && c.kind == PairKind::Collation);
    match comparison {
        Some(comparison) => fields.extend(ratios(run, comparison)),
        None => fields.extend(["1".into(), figure(|result| result.server_cpu_us.map(|_| 1.0), 0), String::new()]),
    }
    Row { fields, mood: comparison.map_or(Mood::Plain, |comparison| comparison.verdict.into()) }
}

/// What an open loop compares instead of its throughput, which is given.
fn of_what(run: &Run) -> &'static str {
    if run.options.rate.is_some() { "p95 latency" } else { "throughput" }
}

fn ratios(run: &Run, comparison: &Comparison) -> [String; 3] {
    let first = if run.options.rate.is_some() { comparison.latency.p95 } else { comparison.throughput };
    let [first, cpu] = [first, comparison.server_cpu].map(|ratio| ratio.map_or_else(|| DASH.into(), interval));
    [first, cpu, comparison.server_cpu_difference_us.map_or_else(|| DASH.into(), difference)]
}

fn servers(run: &Run, condition: &ConditionResult) -> Option<Table> {
    let own = || condition.comparisons.iter().filter(|comparison| comparison.kind == PairKind::Server);
    let first = server(run, own().next()?.baseline);
    // Where not all are held against the same collation on the first server, each line says what it is held against.
    let plain = own().all(|c| server(run, c.baseline) == first && is_of_one_variant(run, c));
    let shown = Shown::new(run);
    let mut columns = shown.columns();
    if !plain {
        columns.push(column("", "against", Kind::Left));
    }
    let baseline = if plain { format!("× {first}") } else { "×".into() };
    columns.extend([
        column(of_what(run), &baseline, Kind::Judged),
        column("", "CPU ×", Kind::SpareLast),
        column("CPU more,", "µs/query", Kind::Left),
    ]);
    let rows = own().map(|comparison| {
        let mut fields = shown.fields(run, comparison.variant);
        if !plain {
            fields.push(control_name(run, comparison));
        }
        fields.extend(ratios(run, comparison));
        Row { fields, mood: comparison.verdict.into() }
    });
    let title =
        format!("{}, server against server ({})", workload(run, condition.condition), load(run, condition.condition));
    let foot = placement(run).into_iter().chain(own().filter_map(|comparison| not_comparable(run, comparison)));
    Some(Table { title, columns, rows: rows.collect(), foot: foot.collect() })
}

/// What a variant is held against on another server: the same on it, or another collation there.
fn control_name(run: &Run, comparison: &Comparison) -> String {
    let there = server(run, comparison.baseline);
    if is_of_one_variant(run, comparison) {
        there.into()
    } else {
        format!("{} on {there}", variant(run, comparison.baseline))
    }
}

/// A warning where the sides of a pair are unlike.
fn not_comparable(run: &Run, comparison: &Comparison) -> Option<String> {
    let ways: Vec<String> = comparison.not_comparable.iter().map(ToString::to_string).collect();
    let own = variant(run, comparison.variant) + &on_server(run, comparison.variant);
    let its = variant(run, comparison.baseline) + &on_server(run, comparison.baseline);
    (!ways.is_empty()).then(|| format!("not comparable: {own} against {its}: {}", ways.join("; ")))
}

fn foot(run: &Run, condition: &ConditionResult) -> Vec<String> {
    let controls = condition.comparisons.iter().filter(|comparison| comparison.kind == PairKind::AA);
    let mut foot: Vec<String> = controls.flat_map(|control| control_lines(run, control)).collect();
    foot.extend(placement(run));
    let in_table = condition.comparisons.iter().filter(|comparison| comparison.kind != PairKind::Server);
    foot.extend(in_table.filter_map(|comparison| not_comparable(run, comparison)));
    foot.extend(condition.variants.iter().filter_map(|result| errors(run, result)));
    foot
}

/// What an A/A pair found, and what follows for the pairs of its server.
fn control_lines(run: &Run, control: &Comparison) -> Vec<String> {
    let (baseline, on) = (variant(run, control.baseline), on_server(run, control.baseline));
    if let (Some(_), Some(cpu), Some(bound)) = (run.options.rate, control.server_cpu, control.cpu_aa_bound) {
        return vec![
            format!("A/A{on}: a copy of {baseline}: CPU × {}, {}", interval(cpu), extent(run, control)),
            format!("A/A bound{on}, of CPU: {}; a smaller difference counts as none", percent(bound)),
        ];
    }
    let (Some(ratio), Some(bound)) = (control.throughput, control.aa_bound) else {
        return vec![format!("A/A{on}: not measured, so how much is noise is not known")];
    };
    let cpu = control.server_cpu.map_or_else(String::new, |cpu| format!(", CPU × {}", interval(cpu)));
    let is_beside = |verdict| matches!(verdict, Verdict::Less | Verdict::More);
    let misses = is_beside(control.verdict) || is_beside(control.cpu_verdict);
    let missed = misses.then(|| format!("A/A{on}: an interval misses 1, as one in 20 does by chance"));
    let cpu_bound = control.cpu_aa_bound.map_or_else(String::new, |bound| format!(", of CPU {}", percent(bound)));
    [
        Some(format!("A/A{on}: a copy of {baseline} × {}{cpu}, {}", interval(ratio), extent(run, control))),
        missed,
        Some(format!("A/A bound{on}: {}{cpu_bound}; a smaller difference counts as none", percent(bound))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// `8 replicates, 24 blocks`: what a ratio was taken over.
fn extent(run: &Run, comparison: &Comparison) -> String {
    let noun = match run.options.mode {
        Mode::Duet => "block",
        Mode::Solo => "round",
    };
    let blocks = counted(comparison.blocks as u64, noun);
    match comparison.replicates.len() {
        0 => blocks,
        replicates => format!("{}, {blocks}", counted(replicates as u64, "replicate")),
    }
}

/// Where the operating system divided the cores between the sides of a duet, its ratios are less precise.
fn placement(run: &Run) -> Option<String> {
    let loose = run.options.mode == Mode::Duet && !takes_turns(run);
    loose.then(|| "connections not bound to cores: ratios are less precise than they could be".into())
}

fn errors(run: &Run, result: &VariantResult) -> Option<String> {
    let kinds: Vec<String> = result.errors.iter().map(|(&code, &count)| error(code, count)).collect();
    (!kinds.is_empty()).then(|| format!("{}: {}", with_copy(run, result.variant), kinds.join(", ")))
}

fn error(code: u16, count: u64) -> String {
    let meaning = match code {
        // sysbench counts without telling them apart.
        0 => return counted(count, "failed transaction"),
        1062 => " (duplicate key)",
        1205 => " (lock wait timeout)",
        1213 => " (deadlock)",
        _ => "",
    };
    format!("{} with error {code}{meaning}", counted(count, "failed transaction"))
}
