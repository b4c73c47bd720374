//! Report of `weigh compare`: changes between two runs, as text, Markdown, CSV and JSON.

pub(crate) mod csv_rows;
pub(crate) mod page;

use std::collections::BTreeSet;

use measure::{EnvironmentDifference, Estimate, RatioChange, RunComparison, ThroughputChange, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::format::json::to_json;
use crate::format::markdown;
use crate::format::number::{
    DASH, count_noun, format_difference, format_given_percent, format_interval, format_percent, group_thousands,
};
use crate::format::table::{ColumnKind, Row, Table, column};
use crate::format::text::{self, RED, Style, YELLOW};

/// Name and version of the JSON format that this version of `weigh` writes.
const FORMAT: &str = "weighbridge-compare/1";

/// Comparison of two runs, and the content of all formats of `weigh compare`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Name and version of the format.
    pub format: String,
    /// Label of the earlier run.
    pub before: String,
    /// Label of the later run.
    pub after: String,
    /// A figure fails if it is slower by more than this fraction, beyond its interval.
    pub fail_over: f64,
    /// Warnings to read before the figures.
    pub warnings: Vec<String>,
    /// Figures that are slower beyond interval, A/A bound and `fail_over`, one sentence per figure.
    pub slower: Vec<String>,
    /// All changes between the runs.
    pub change: RunComparison,
}

impl Comparison {
    /// Finds the figures that are slower by more than `fail_over`.
    pub fn new(before: String, after: String, change: RunComparison, fail_over: f64) -> Self {
        let warnings = warnings(&change);
        let format = FORMAT.into();
        let comparison = Self { format, before, after, fail_over, warnings, slower: Vec::new(), change };
        Self { slower: comparison.find_slower(), ..comparison }
    }

    fn find_slower(&self) -> Vec<String> {
        let throughputs = self.change.throughputs.iter().filter(|figure| self.is_throughput_lower(figure));
        let of_throughput = throughputs.map(|figure| {
            let by = format_percent(1.0 - figure.throughput.value);
            format!("{} on {}, {}: throughput is {by} lower", figure.collation, figure.server, figure.condition)
        });
        let ratios = self.change.ratios.iter().filter(|figure| self.is_ratio_lower(figure));
        let of_ratio = ratios.map(|figure| {
            let by = format_percent(1.0 - figure.change.value);
            format!(
                "{} on {}, {}: the ratio to {} is {by} lower",
                figure.collation, figure.server, figure.condition, figure.baseline
            )
        });
        of_throughput.chain(of_ratio).collect()
    }

    /// True if a throughput fell by more than `fail_over`, beyond its interval and A/A bound. False
    /// between different machines.
    fn is_throughput_lower(&self, figure: &ThroughputChange) -> bool {
        self.change.same_machine && self.exceeds_tolerance(figure.verdict, figure.throughput)
    }

    /// True if a ratio fell by more than `fail_over`, beyond its interval and A/A bound.
    fn is_ratio_lower(&self, figure: &RatioChange) -> bool {
        self.exceeds_tolerance(figure.verdict, figure.change)
    }

    fn exceeds_tolerance(&self, verdict: Verdict, change: Estimate) -> bool {
        verdict == Verdict::Less && 1.0 - change.value > self.fail_over
    }

    /// Returns the verdict as a sentence.
    fn verdict(&self) -> String {
        let compared = self.change.throughputs.len() + self.change.ratios.len();
        if compared == 0 {
            return "The runs have nothing in common that could be compared.".into();
        }
        let beyond = match self.fail_over {
            0.0 => "beyond the interval".to_owned(),
            tolerated => format!("beyond the interval and {}", format_given_percent(tolerated)),
        };
        match self.slower.len() {
            0 => format!("Nothing got slower {beyond}, of {} compared.", count_noun(compared as u64, "figure")),
            count => format!("{} got slower {beyond}:", count_noun(count as u64, "figure")),
        }
    }
}

fn warnings(change: &RunComparison) -> Vec<String> {
    let mut warnings = vec![
        "The runs are not paired: what moved the machine between them is in their throughput, and no interval knows of it. Ratios to a \
         baseline are of one run each, so it cancels in them."
            .to_owned(),
    ];
    if !change.same_machine {
        warnings.push("The machines differ, so throughput is told but not judged; ratios are judged.".into());
    }
    warnings
}

/// Returns the comparison for a terminal.
pub fn compare_text(comparison: &Comparison, style: Style) -> String {
    let mut out = String::new();
    let (mark, color) = if comparison.slower.is_empty() { ("✓ ", None) } else { ("✗ ", Some(RED)) };
    style.push_wrapped_marked(mark, color, "  ", &comparison.verdict(), &mut out);
    comparison.slower.iter().for_each(|line| style.push_wrapped("    ", "      ", line, &mut out));
    style.push_wrapped("", "  ", &format!("{} → {}", comparison.before, comparison.after), &mut out);
    if let Some(line) = not_alike(&comparison.change.environment) {
        style.push_wrapped_marked("! ", Some(YELLOW), "  ", &line, &mut out);
    }
    text::push_tables(&tables(&comparison.change), style, &mut out);
    text::push_lines(&only_in_one_run(comparison), style, &mut out);
    text::push_lines(&comparison.warnings, style, &mut out);
    out
}

/// Names the first differences of the runs' settings: `The runs are not alike in table_size: 1000 →
/// 500`.
fn not_alike(differences: &[EnvironmentDifference]) -> Option<String> {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| DASH.into());
    let named = differences
        .iter()
        .take(MAX_NAMED)
        .map(|one| format!("{}: {} → {}", one.what, value(&one.before), value(&one.after)));
    let more = differences.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!("; {more} more below") } else { String::new() };
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("The runs are not alike in {}{more}", named.join("; ")))
}

/// Maximum number of differences that the top of a comparison names.
const MAX_NAMED: usize = 3;

/// Returns the comparison as Markdown.
pub fn compare_markdown(comparison: &Comparison) -> String {
    let title = format!("{} → {}", comparison.before, comparison.after);
    let mut sentences = vec![comparison.verdict()];
    sentences.extend(comparison.slower.iter().cloned());
    markdown::render_document(
        &title,
        &comparison.warnings,
        &tables(&comparison.change),
        &[sentences, only_in_one_run(comparison)],
    )
}

/// Returns the comparison as JSON (`schemas/compare.schema.json`).
pub fn compare_json(comparison: &Comparison) -> String {
    to_json(comparison)
}

fn only_in_one_run(comparison: &Comparison) -> Vec<String> {
    let only =
        |run: &str, what: &[String]| what.iter().map(|what| format!("only in {run}: {what}")).collect::<Vec<_>>();
    let change = &comparison.change;
    [only(&comparison.before, &change.only_before), only(&comparison.after, &change.only_after)].concat()
}

fn tables(change: &RunComparison) -> Vec<Table> {
    let all =
        [throughput_table(&change.throughputs), ratio_table(&change.ratios), environment_table(&change.environment)];
    all.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn throughput_table(changes: &[ThroughputChange]) -> Table {
    let on = on_server(changes.iter().map(|figure| figure.server.as_str()));
    let row = |figure: &ThroughputChange| Row {
        fields: vec![
            figure.condition.to_string(),
            variant(&figure.collation, &figure.connection_charset) + &on(&figure.server),
            group_thousands(figure.queries_per_s[0]),
            group_thousands(figure.queries_per_s[1]),
            format_interval(figure.throughput),
            figure.server_cpu.map_or_else(|| DASH.into(), format_interval),
        ],
        highlight: figure.verdict.into(),
    };
    let columns = vec![
        column("", "condition", ColumnKind::Left),
        column("", "collation", ColumnKind::Left),
        column("queries/s", "before", ColumnKind::Right),
        column("queries/s", "after", ColumnKind::Right),
        column("throughput", "×", ColumnKind::Colored),
        column("CPU µs/query", "×", ColumnKind::Optional),
    ];
    Table::new("Throughput, after for each unit before", columns, changes.iter().map(row))
}

fn ratio_table(changes: &[RatioChange]) -> Table {
    let on = on_server(changes.iter().map(|figure| figure.server.as_str()));
    let more = |estimate: Option<Estimate>| estimate.map_or_else(|| DASH.into(), format_difference);
    let row = |figure: &RatioChange| Row {
        fields: vec![
            figure.condition.to_string(),
            variant(&figure.collation, &figure.connection_charset) + &on(&figure.server),
            figure.baseline.clone(),
            format_interval(figure.before),
            format_interval(figure.after),
            format_interval(figure.change),
            more(figure.server_cpu_more_us[0]),
            more(figure.server_cpu_more_us[1]),
        ],
        highlight: figure.verdict.into(),
    };
    let columns = vec![
        column("", "condition", ColumnKind::Left),
        column("", "collation", ColumnKind::Left),
        column("", "baseline", ColumnKind::Optional),
        column("", "before", ColumnKind::Left),
        column("", "after", ColumnKind::Left),
        column("", "change ×", ColumnKind::Colored),
        column("CPU more, µs/query,", "before", ColumnKind::OptionalLast),
        column("CPU more, µs/query,", "after", ColumnKind::OptionalLast),
    ];
    Table::new("Ratios to the baseline", columns, changes.iter().map(row))
}

/// Returns a function from a server to ` on mysql@8.0`, or to an empty text if there is only one
/// server.
fn on_server<'a>(servers: impl Iterator<Item = &'a str>) -> impl Fn(&str) -> String {
    let several = servers.collect::<BTreeSet<&str>>().len() > 1;
    move |server| if several { format!(" on {server}") } else { String::new() }
}

/// Returns the collation, with the connection charset if the collation has a different charset.
fn variant(collation: &str, connection: &str) -> String {
    let has_own_charset = collation.split('_').next() == Some(connection);
    if has_own_charset { collation.into() } else { format!("{collation} over {connection}") }
}

fn environment_table(differences: &[EnvironmentDifference]) -> Table {
    let value_or_dash = |value: &Option<String>| value.clone().unwrap_or_else(|| DASH.into());
    let row = |difference: &EnvironmentDifference| {
        Row::new(vec![difference.what.clone(), value_or_dash(&difference.before), value_or_dash(&difference.after)])
    };
    let heads = ["what", "before", "after"].map(|head| column("", head, ColumnKind::Left));
    Table::new("What else is not as it was", heads.into(), differences.iter().map(row))
}
