//! The tables of a report as plain strings, before a renderer lines them up.

use measure::{CellResult, Comparison, PairKind, Run, VariantResult, Verdict};

use crate::Report;
use crate::number::{grouped, interval, or_dash, percent, significant};
use crate::sentence::{condition, load, variant_name};

/// A table with its title and what is to be said below it.
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) foot: Vec<String>,
}

/// A line of a table.
pub(crate) struct Row {
    pub(crate) fields: Vec<String>,
    pub(crate) mood: Mood,
}

/// What a line means, for its colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Plain,
    Good,
    Bad,
}

/// Fields of a table that hold words and are set flush left; the others hold figures.
pub(crate) const WORDS: [&str; 2] = ["collation", "server"];

/// One table a cell, and one more where servers are held against each other.
pub(crate) fn tables(report: &Report) -> Vec<Table> {
    let mut tables = Vec::new();
    for cell in &report.analysis.cells {
        tables.extend(collations(&report.run, cell));
        tables.extend(servers(&report.run, cell));
    }
    tables
}

fn collations(run: &Run, cell: &CellResult) -> Option<Table> {
    let several = run.servers.len() > 1;
    let shown = |result: &&VariantResult| !run.variants[result.variant].copy;
    let rows: Vec<Row> = cell.variants.iter().filter(shown).map(|result| row(run, cell, result, several)).collect();
    if rows.is_empty() {
        return None;
    }
    let mut head = vec!["collation".to_string()];
    if several {
        head.push("server".into());
    }
    head.extend(["queries/s", "p50 ms", "p95 ms", "p99 ms", "CPU µs/query"].map(String::from));
    head.push(format!("throughput × {}", baseline_name(run, cell)));
    head.push("CPU ×".into());
    let title = format!("{} ({})", condition(run, cell.cell), load(run, cell.cell));
    Some(Table { title, head, rows, foot: foot(run, cell) })
}

fn baseline_name(run: &Run, cell: &CellResult) -> String {
    let baseline = cell.comparisons.iter().find(|comparison| comparison.kind != PairKind::Server);
    baseline.map_or("baseline".into(), |comparison| variant_name(run, comparison.baseline))
}

fn row(run: &Run, cell: &CellResult, result: &VariantResult, several: bool) -> Row {
    let own = |c: &&Comparison| c.variant == result.variant && c.kind == PairKind::Collation;
    let comparison = cell.comparisons.iter().find(own);
    let mut fields = vec![variant_name(run, result.variant)];
    if several {
        fields.push(run.servers[run.variants[result.variant].server].label.clone());
    }
    fields.push(grouped(result.queries_per_s));
    fields.extend([result.p50_ms, result.p95_ms, result.p99_ms].map(|ms| or_dash(ms.map(significant))));
    fields.push(or_dash(result.server_cpu_us.map(significant)));
    match comparison {
        Some(comparison) => {
            fields.push(or_dash(comparison.throughput.map(interval)));
            fields.push(or_dash(comparison.server_cpu.map(interval)));
        }
        None => fields.extend(["1".to_string(), "1".to_string()]),
    }
    Row { fields, mood: comparison.map_or(Mood::Plain, mood) }
}

fn mood(comparison: &Comparison) -> Mood {
    match comparison.verdict {
        Verdict::Slower => Mood::Bad,
        Verdict::Faster => Mood::Good,
        Verdict::NoDifference { .. } | Verdict::NotMeasured => Mood::Plain,
    }
}

fn foot(run: &Run, cell: &CellResult) -> Vec<String> {
    let mut foot = Vec::new();
    for control in cell.comparisons.iter().filter(|comparison| comparison.kind == PairKind::AA) {
        let baseline = variant_name(run, control.baseline);
        foot.push(match control.throughput {
            Some(ratio) => format!("A/A: {baseline} × its own copy {}, {} blocks", interval(ratio), control.blocks),
            None => format!("A/A: {baseline} was not held against its own copy: no time"),
        });
    }
    if let Some(floor) = cell.noise_floor {
        foot.push(format!("noise floor {}: a smaller difference is not told apart from none", percent(floor)));
    }
    for result in cell.variants.iter().filter(|result| !result.errors.is_empty()) {
        let kinds: Vec<String> = result.errors.iter().map(|(code, count)| format!("{count} × error {code}")).collect();
        foot.push(format!("{}: {}", variant_name(run, result.variant), kinds.join(", ")));
    }
    foot
}

fn servers(run: &Run, cell: &CellResult) -> Option<Table> {
    let rows: Vec<Row> = cell
        .comparisons
        .iter()
        .filter(|comparison| comparison.kind == PairKind::Server)
        .map(|comparison| Row {
            fields: vec![
                variant_name(run, comparison.variant),
                run.servers[run.variants[comparison.variant].server].label.clone(),
                or_dash(comparison.throughput.map(interval)),
                or_dash(comparison.server_cpu.map(interval)),
            ],
            mood: mood(comparison),
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let first = &run.servers[0].label;
    let head = vec!["collation".into(), "server".into(), format!("throughput × {first}"), "CPU ×".into()];
    let title = format!("{}, server against server ({})", condition(run, cell.cell), load(run, cell.cell));
    Some(Table { title, head, rows, foot: Vec::new() })
}
