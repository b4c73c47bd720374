//! Tables of a run, one per condition.

use measure::{Comparison, ConditionResult, Mode, PairKind, Run, VariantResult, Verdict};

use crate::format::number::{
    DASH, count_noun, format_decimals, format_difference, format_interval, format_percent, group_thousands,
};
use crate::format::table::{Column, ColumnKind, Highlight, Row, Table, column};
use crate::run::name::{
    describe_load, full_variant_name, has_same_variant, is_statement_class, on_server, server_label, takes_turns,
    variant_name, workload_name,
};
use crate::run::report::Report;

/// Builds a table per condition, and another with its cross-server pairs if any. Omits conditions
/// without results, and statement classes.
pub(crate) fn tables(report: &Report) -> Vec<Table> {
    report
        .analysis
        .conditions
        .iter()
        .filter(|condition| is_measured(condition) && !is_statement_class(&report.run, condition.condition))
        .flat_map(|condition| condition_tables(report, condition))
        .collect()
}

pub(crate) fn is_measured(condition: &ConditionResult) -> bool {
    !condition.variants.is_empty()
}

/// Builds the table of a condition's collations, and the table of its cross-server pairs if any.
pub(crate) fn condition_tables(report: &Report, condition: &ConditionResult) -> Vec<Table> {
    [Some(collation_table(&report.run, condition)), server_table(&report.run, condition)]
        .into_iter()
        .flatten()
        .collect()
}

/// Columns that are needed to distinguish the variants of a run.
#[derive(Clone, Copy)]
struct OptionalColumns {
    connection: bool,
    server: bool,
}

impl OptionalColumns {
    fn new(run: &Run) -> Self {
        let connection = run.variants.iter().any(|variant| variant.connection_charset != variant.charset);
        Self { connection, server: run.servers.len() > 1 }
    }

    fn columns(self) -> Vec<Column> {
        let mut columns = vec![column("", "collation", ColumnKind::Left)];
        if self.connection {
            columns.push(column("", "connection", ColumnKind::Left));
        }
        if self.server {
            columns.push(column("", "server", ColumnKind::Left));
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
            fields.push(server_label(run, index).into());
        }
        fields
    }
}

fn collation_table(run: &Run, condition: &ConditionResult) -> Table {
    let shown = OptionalColumns::new(run);
    let mut columns = shown.columns();
    columns.extend([column("", "queries/s", ColumnKind::Right)]);
    if has_reads_and_writes(condition) {
        columns.push(column("without BEGIN,", "COMMIT", ColumnKind::Right));
    }
    columns.extend([
        column("", "p50 ms", ColumnKind::Optional),
        column("", "p95 ms", ColumnKind::Right),
        column("", "p99 ms", ColumnKind::Optional),
        column("CPU", "µs/query", ColumnKind::Right),
    ]);
    if has_pages_read(condition) {
        columns.push(column("disk pages", "/query", ColumnKind::Right));
    }
    columns.extend([
        column(compared_figure(run), &format!("× {}", baseline_name(run, condition)), ColumnKind::Colored),
        column("", "CPU ×", ColumnKind::OptionalLast),
        column("CPU more,", "µs/query", ColumnKind::Left),
    ]);
    let rows = list_variants(condition).into_iter().filter(|&index| !run.variants[index].copy);
    let rows = rows.map(|index| row(run, condition, index, shown)).collect();
    Table {
        title: format!("{} ({})", workload_name(run, condition.condition), describe_load(run, condition.condition)),
        columns,
        rows,
        footer: footer_lines(run, condition),
    }
}

/// True if queries are also counted without BEGIN and COMMIT. Studies use either count.
fn has_reads_and_writes(condition: &ConditionResult) -> bool {
    condition.variants.iter().any(|result| result.reads_and_writes_per_s.is_some())
}

/// True if reads from disk were counted.
fn has_pages_read(condition: &ConditionResult) -> bool {
    condition.variants.iter().any(|result| result.pages_read.is_some())
}

/// Returns the variants in a condition's comparisons, with or without a result.
pub(crate) fn list_variants(condition: &ConditionResult) -> Vec<usize> {
    let mut all: Vec<usize> = condition.comparisons.iter().flat_map(|c| [c.baseline, c.variant]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the name of the collation baseline, or `the server's first` if servers have baselines of
/// different names.
fn baseline_name(run: &Run, condition: &ConditionResult) -> String {
    let own = condition.comparisons.iter().filter(|comparison| comparison.kind != PairKind::Server);
    let mut names: Vec<String> = own.map(|comparison| variant_name(run, comparison.baseline)).collect();
    names.dedup();
    match names.as_slice() {
        [name] => name.clone(),
        _ => "the server's first".into(),
    }
}

fn row(run: &Run, condition: &ConditionResult, index: usize, shown: OptionalColumns) -> Row {
    let mut fields = shown.fields(run, index);
    let result = condition.variants.iter().find(|result| result.variant == index);
    let figure = |of: fn(&VariantResult) -> Option<f64>, places| format_decimals(result.and_then(of), places);
    fields.push(result.map_or_else(|| DASH.into(), |result| group_thousands(result.queries_per_s)));
    if has_reads_and_writes(condition) {
        let rate = result.and_then(|result| result.reads_and_writes_per_s);
        fields.push(rate.map_or_else(|| DASH.into(), group_thousands));
    }
    fields.extend([
        figure(|result| result.p50_ms, 3),
        figure(|result| result.p95_ms, 3),
        figure(|result| result.p99_ms, 3),
        figure(|result| result.server_cpu_us, 1),
    ]);
    if has_pages_read(condition) {
        fields.push(figure(|result| result.pages_read, 3));
    }
    let comparison = condition.comparisons.iter().find(|c| c.variant == index && c.kind == PairKind::Collation);
    match comparison {
        Some(comparison) => fields.extend(ratio_fields(run, comparison)),
        None => fields.extend(["1".into(), figure(|result| result.server_cpu_us.map(|_| 1.0), 0), String::new()]),
    }
    Row { fields, highlight: comparison.map_or(Highlight::None, |comparison| comparison.verdict.into()) }
}

/// Returns the compared figure: latency in an open loop, whose throughput is fixed.
fn compared_figure(run: &Run) -> &'static str {
    if run.options.rate.is_some() { "p95 latency" } else { "throughput" }
}

fn ratio_fields(run: &Run, comparison: &Comparison) -> [String; 3] {
    let first = if run.options.rate.is_some() { comparison.latency.p95 } else { comparison.throughput };
    let [first, cpu] = [first, comparison.server_cpu].map(|ratio| ratio.map_or_else(|| DASH.into(), format_interval));
    [first, cpu, comparison.server_cpu_difference_us.map_or_else(|| DASH.into(), format_difference)]
}

fn server_table(run: &Run, condition: &ConditionResult) -> Option<Table> {
    let own = || condition.comparisons.iter().filter(|comparison| comparison.kind == PairKind::Server);
    let first = server_label(run, own().next()?.baseline);
    // With several baselines, each line names its own.
    let plain = own().all(|c| server_label(run, c.baseline) == first && has_same_variant(run, c));
    let shown = OptionalColumns::new(run);
    let mut columns = shown.columns();
    if !plain {
        columns.push(column("", "against", ColumnKind::Left));
    }
    let baseline = if plain { format!("× {first}") } else { "×".into() };
    columns.extend([
        column(compared_figure(run), &baseline, ColumnKind::Colored),
        column("", "CPU ×", ColumnKind::OptionalLast),
        column("CPU more,", "µs/query", ColumnKind::Left),
    ]);
    let rows = own().map(|comparison| {
        let mut fields = shown.fields(run, comparison.variant);
        if !plain {
            fields.push(control_name(run, comparison));
        }
        fields.extend(ratio_fields(run, comparison));
        Row { fields, highlight: comparison.verdict.into() }
    });
    let title = format!(
        "{}, server against server ({})",
        workload_name(run, condition.condition),
        describe_load(run, condition.condition)
    );
    let footer =
        note_unpinned(run).into_iter().chain(own().filter_map(|comparison| describe_incomparability(run, comparison)));
    Some(Table { title, columns, rows: rows.collect(), footer: footer.collect() })
}

/// Returns the control of a cross-server pair: the server, with the collation if it differs.
fn control_name(run: &Run, comparison: &Comparison) -> String {
    let there = server_label(run, comparison.baseline);
    if has_same_variant(run, comparison) {
        there.into()
    } else {
        format!("{} on {there}", variant_name(run, comparison.baseline))
    }
}

/// Returns a warning if the sides of a pair are not comparable.
fn describe_incomparability(run: &Run, comparison: &Comparison) -> Option<String> {
    let ways: Vec<String> = comparison.not_comparable.iter().map(ToString::to_string).collect();
    let own = variant_name(run, comparison.variant) + &on_server(run, comparison.variant);
    let its = variant_name(run, comparison.baseline) + &on_server(run, comparison.baseline);
    (!ways.is_empty()).then(|| format!("not comparable: {own} compared with {its}: {}", ways.join("; ")))
}

fn footer_lines(run: &Run, condition: &ConditionResult) -> Vec<String> {
    let controls = condition.comparisons.iter().filter(|comparison| comparison.kind == PairKind::AA);
    let mut footer: Vec<String> = controls.flat_map(|control| describe_aa_pair(run, control)).collect();
    footer.extend(note_unpinned(run));
    let in_table = condition.comparisons.iter().filter(|comparison| comparison.kind != PairKind::Server);
    footer.extend(in_table.filter_map(|comparison| describe_incomparability(run, comparison)));
    footer.extend(condition.variants.iter().filter_map(|result| describe_errors(run, result)));
    footer
}

/// Returns the result of an A/A pair, and the bound for its server's pairs.
fn describe_aa_pair(run: &Run, control: &Comparison) -> Vec<String> {
    let (baseline, on) = (variant_name(run, control.baseline), on_server(run, control.baseline));
    if let (Some(_), Some(cpu), Some(bound)) = (run.options.rate, control.server_cpu, control.cpu_aa_bound) {
        return vec![
            format!(
                "A/A{on}: a copy of {baseline}: CPU × {}, {}",
                format_interval(cpu),
                describe_sample_size(run, control)
            ),
            format!("A/A bound{on}, of CPU: {}; a smaller difference counts as none", format_percent(bound)),
        ];
    }
    let (Some(ratio), Some(bound)) = (control.throughput, control.aa_bound) else {
        return vec![format!("A/A{on}: not measured, so how much is noise is not known")];
    };
    let cpu = control.server_cpu.map_or_else(String::new, |cpu| format!(", CPU × {}", format_interval(cpu)));
    let is_beside = |verdict| matches!(verdict, Verdict::Less | Verdict::More);
    let misses = is_beside(control.verdict) || is_beside(control.cpu_verdict);
    let missed = misses.then(|| format!("A/A{on}: an interval misses 1, as one in 20 does by chance"));
    let cpu_bound =
        control.cpu_aa_bound.map_or_else(String::new, |bound| format!(", of CPU {}", format_percent(bound)));
    [
        Some(format!(
            "A/A{on}: a copy of {baseline} × {}{cpu}, {}",
            format_interval(ratio),
            describe_sample_size(run, control)
        )),
        missed,
        Some(format!("A/A bound{on}: {}{cpu_bound}; a smaller difference counts as none", format_percent(bound))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns `8 replicates, 24 blocks`: the number of samples of a ratio.
fn describe_sample_size(run: &Run, comparison: &Comparison) -> String {
    let noun = match run.options.mode {
        Mode::Duet => "block",
        Mode::Solo => "round",
    };
    let blocks = count_noun(comparison.blocks as u64, noun);
    match comparison.replicates.len() {
        0 => blocks,
        replicates => format!("{}, {blocks}", count_noun(replicates as u64, "replicate")),
    }
}

/// Returns a note for a duet whose sides ran at the same time, on cores that the operating system
/// chose. Such ratios are less precise.
fn note_unpinned(run: &Run) -> Option<String> {
    let loose = run.options.mode == Mode::Duet && !takes_turns(run);
    loose.then(|| "connections not bound to cores: ratios are less precise than they could be".into())
}

fn describe_errors(run: &Run, result: &VariantResult) -> Option<String> {
    let kinds: Vec<String> = result.errors.iter().map(|(&code, &count)| describe_error(code, count)).collect();
    (!kinds.is_empty()).then(|| format!("{}: {}", full_variant_name(run, result.variant), kinds.join(", ")))
}

fn describe_error(code: u16, count: u64) -> String {
    let meaning = match code {
        // sysbench counts errors without their code.
        0 => return count_noun(count, "failed transaction"),
        1062 => " (duplicate key)",
        1205 => " (lock wait timeout)",
        1213 => " (deadlock)",
        _ => "",
    };
    format!("{} with error {code}{meaning}", count_noun(count, "failed transaction"))
}
