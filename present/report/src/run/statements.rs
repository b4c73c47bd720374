//! Results of a workload folder in addition to the tables: headlines, differences in results and
//! plans, and the statement classes.

use measure::{
    Analysis, ClassRecord, Comparison, ConditionResult, Estimate, ExcludedCalls, PairKind, Run, VariantResult, Verdict,
    WorkloadFolderRecord,
};
use result_diff::{ClassDifference, PlanChange};

use crate::format::number::{DASH, count_noun, format_decimals, format_difference, format_interval, format_percent};
use crate::format::table::{Column, ColumnKind, Highlight, Row, Table, column};
use crate::result_diff::lines::verdicts;
use crate::run::name::{on_server, server_label, variant_name};
use crate::run::verdict::cell::{Change, Figure};

/// Maximum number of classes that are listed. More are only counted.
const MAX_LISTED: usize = 4;

/// Returns a headline per number of connections and side that was compared with the baseline: the
/// cost of the mix and of single classes.
pub(crate) fn headlines(run: &Run, analysis: &Analysis, folder: &WorkloadFolderRecord) -> Vec<String> {
    let mixes = analysis.conditions.iter().filter(|one| is_mix(run, folder, one));
    let headlines_of_mix = |mix: &ConditionResult| -> Vec<String> {
        let own = mix.comparisons.iter().filter(|comparison| comparison.kind == PairKind::Collation);
        own.map(|comparison| headline(run, analysis, folder, mix, comparison)).collect()
    };
    mixes.flat_map(headlines_of_mix).collect()
}

fn headline(
    run: &Run,
    analysis: &Analysis,
    folder: &WorkloadFolderRecord,
    mix: &ConditionResult,
    comparison: &Comparison,
) -> String {
    let side = variant_name(run, comparison.variant) + &on_server(run, comparison.variant);
    let threads = run.conditions[mix.condition].threads;
    let several = run.conditions.iter().any(|other| other.threads != threads);
    let at = if several { format!(" at {threads} connections") } else { String::new() };
    let mut parts = vec![describe_mix(comparison)];
    parts.extend(describe_classes(run, analysis, folder, mix, comparison));
    format!("Under {side}{at}, the mix of {} {}.", folder.name, parts.join("; "))
}

/// Returns `takes 6.0 % ± 1.0 % more CPU per statement (throughput × 0.942)`.
fn describe_mix(comparison: &Comparison) -> String {
    let (ratio, verdict, figure, per_statement) = match (comparison.server_cpu, comparison.throughput) {
        (Some(cpu), _) => (cpu, comparison.cpu_verdict, "CPU", " per statement"),
        (None, Some(throughput)) => (throughput, comparison.verdict, "throughput", ""),
        (None, None) => return "was not measured, too few blocks".into(),
    };
    let throughput_note = match (comparison.server_cpu, comparison.throughput) {
        (Some(_), Some(throughput)) => format!(" (throughput × {:.3})", throughput.value),
        _ => String::new(),
    };
    let verb = if figure == "CPU" { "takes" } else { "has" };
    match verdict {
        Verdict::More => format!("{verb} {} more {figure}{per_statement}{throughput_note}", format_half_width(ratio)),
        Verdict::Less => format!("{verb} {} less {figure}{per_statement}{throughput_note}", format_half_width(ratio)),
        Verdict::NoDifference { less, more } => {
            let found = match Change::new(comparison, if figure == "CPU" { Figure::Cpu } else { Figure::Throughput }) {
                Change::Unclear(_) | Change::TooFew => "is unclear",
                _ => "shows no difference",
            };
            format!(
                "{found} in {figure}{per_statement}: from {} less to {} more is not excluded",
                format_percent(less),
                format_percent(more)
            )
        }
        Verdict::NotMeasured => "was not measured, too few blocks".into(),
    }
}

fn format_half_width(ratio: Estimate) -> String {
    format!("{} ± {}", format_percent((ratio.value - 1.0).abs()), format_percent((ratio.high - ratio.low) / 2.0))
}

/// Counts and names the classes whose cost differs when each class is measured alone, beyond chance
/// over all classes. `None` if no class was measured.
fn describe_classes(
    run: &Run,
    analysis: &Analysis,
    folder: &WorkloadFolderRecord,
    mix: &ConditionResult,
    comparison: &Comparison,
) -> Option<String> {
    let threads = run.conditions[mix.condition].threads;
    let own = analysis.conditions.iter().filter(|one| run.conditions[one.condition].threads == threads);
    let classes: Vec<(&ClassRecord, &Comparison)> = own
        .filter_map(|one| {
            let class = folder.find_class(&run.conditions[one.condition].workload)?;
            let same =
                |other: &&Comparison| (other.variant, other.baseline) == (comparison.variant, comparison.baseline);
            Some((class, one.comparisons.iter().find(same)?))
        })
        .collect();
    let measured = classes.iter().filter(|(_, own)| own.throughput.is_some()).count();
    let class_names = |wanted: fn(&Comparison) -> bool| -> Vec<&str> {
        classes.iter().filter(|(_, own)| wanted(own)).map(|(class, _)| class.name.as_str()).collect()
    };
    let (dearer, cheaper) =
        (class_names(|own| compare_cost(own) == Cost::More), class_names(|own| compare_cost(own) == Cost::Less));
    if measured == 0 {
        return None;
    }
    let join_listed = |names: &[&str]| match names.len() {
        0..=MAX_LISTED => names.join(", "),
        many => format!("{}, and {} more", names[..MAX_LISTED].join(", "), many - MAX_LISTED),
    };
    let of = count_noun(measured as u64, "statement");
    let phrases = [(&dearer, "more"), (&cheaper, "less")];
    let phrases: Vec<String> = phrases
        .iter()
        .filter(|(names, _)| !names.is_empty())
        .map(|(names, what)| {
            let (cost, themselves) = match names.len() {
                1 => ("costs", "itself"),
                _ => ("cost", "themselves"),
            };
            format!("{} of {of} by {themselves} {cost} {what} ({})", names.len(), join_listed(names))
        })
        .collect();
    let is_unclear = |own: &Comparison| {
        own.throughput.is_some()
            && matches!(Change::new(own, Figure::of_run(analysis)), Change::Unclear(_) | Change::TooFew)
    };
    let unclear = classes.iter().filter(|(_, own)| is_unclear(own)).count();
    let found =
        if phrases.is_empty() { format!("none of {of} by itself is found to differ") } else { phrases.join(", ") };
    let rest = match unclear {
        0 => String::new(),
        unclear if unclear == measured => ": all are unclear, which a longer --max-time can change".into(),
        unclear => {
            let verb = message::agree(unclear, "is", "are");
            format!(", and {unclear} {verb} unclear, which a longer --max-time can change")
        }
    };
    Some(found + &rest)
}

/// Cost of a statement compared with the baseline.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cost {
    More,
    Less,
    Same,
}

fn compare_cost(comparison: &Comparison) -> Cost {
    let is_cpu = comparison.server_cpu.is_some();
    match if is_cpu { comparison.cpu_verdict } else { comparison.verdict } {
        Verdict::More if is_cpu => Cost::More,
        Verdict::Less if !is_cpu => Cost::More,
        Verdict::More | Verdict::Less => Cost::Less,
        Verdict::NoDifference { .. } | Verdict::NotMeasured => Cost::Same,
    }
}

fn is_mix(run: &Run, folder: &WorkloadFolderRecord, condition: &ConditionResult) -> bool {
    run.conditions[condition.condition].workload == folder.name
}

/// Returns the findings of the result diff for a variant.
fn findings_of_variant<'a>(
    run: &'a Run,
    folder: &'a WorkloadFolderRecord,
    index: usize,
) -> impl Iterator<Item = &'a ClassDifference> {
    let (label, side) = (server_label(run, index), run.variants[index].collation.as_str());
    let diffs = folder.result_diffs.iter().filter(move |diff| diff.server == label);
    diffs.flat_map(|diff| &diff.findings).filter(move |finding| finding.side == side)
}

/// Returns a line per side of the result diff, and a line per class that was left out of the load.
pub(crate) fn result_lines(run: &Run) -> Vec<String> {
    let mut lines = result_verdicts(run);
    lines.extend(left_out_classes(run));
    lines
}

/// Returns a line per side of the result diff.
pub(crate) fn result_verdicts(run: &Run) -> Vec<String> {
    run.workload_folder.iter().flat_map(|folder| &folder.result_diffs).flat_map(verdicts).collect()
}

/// Returns a line per class that was left out of the load.
pub(crate) fn left_out_classes(run: &Run) -> Vec<String> {
    let describe = |one: &ExcludedCalls| {
        let samples = if one.all { "wholly".to_owned() } else { format!("{} of its samples", one.samples) };
        format!("left out of the load on all sides: {} ({samples}): {}", one.class, one.reason)
    };
    run.workload_folder.iter().flat_map(|folder| &folder.excluded).map(describe).collect()
}

/// Builds a table of classes per number of connections. Classes with most of the mix's CPU come
/// first.
pub(crate) fn class_tables(run: &Run, analysis: &Analysis) -> Vec<Table> {
    let Some(folder) = &run.workload_folder else { return Vec::new() };
    let mixes = analysis.conditions.iter().filter(|one| is_mix(run, folder, one));
    mixes.filter_map(|mix| table(run, analysis, folder, mix)).collect()
}

fn table(run: &Run, analysis: &Analysis, folder: &WorkloadFolderRecord, mix: &ConditionResult) -> Option<Table> {
    let threads = run.conditions[mix.condition].threads;
    let cpu_shares = CpuShares { run, analysis, folder, mix };
    let mut rows: Vec<(f64, Row)> = Vec::new();
    for condition in &analysis.conditions {
        let own = &run.conditions[condition.condition];
        let Some(class) = folder.find_class(&own.workload).filter(|_| own.threads == threads) else { continue };
        for comparison in condition.comparisons.iter().filter(|comparison| comparison.kind == PairKind::Collation) {
            let share = cpu_shares.of(condition, class, comparison.baseline);
            rows.push(row(run, analysis, folder, (condition, share), class, comparison));
        }
    }
    rows.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    // On a narrow terminal the last columns are left out.
    let columns: Vec<Column> = vec![
        column("", "class", ColumnKind::Left),
        column("", figure_head(analysis), ColumnKind::Colored),
        column("of", "calls", ColumnKind::Right),
        column("of", "CPU", ColumnKind::Right),
        column("", "collation", ColumnKind::Left),
        column("baseline", "µs/call", ColumnKind::Right),
        column("CPU more,", "µs/call", ColumnKind::OptionalLast),
        column("", "CPU ×", ColumnKind::Optional),
        column("", "throughput ×", ColumnKind::Colored),
        column("", "found", ColumnKind::Left),
    ];
    let at = if run.conditions.iter().any(|other| other.threads != threads) {
        format!(", {threads} connections")
    } else {
        String::new()
    };
    (!rows.is_empty()).then(|| Table {
        title: format!("{}, class by class{at}", folder.name),
        columns,
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        footer: vec![
            "of calls, of CPU: a class's share of the mix, under the baseline; µs/call: server CPU of a call, with BEGIN and ROLLBACK where it writes."
                .into(),
            "unclear ± 20 %: a difference of up to 20 % either way is not excluded; ?: too few measurements.".into(),
            "costs more, costs less: beyond chance over all classes together (Holm, 5 %), and beyond the mix's A/A bound.".into(),
        ],
    })
}

/// Head of the column with the change of a class.
fn figure_head(analysis: &Analysis) -> &'static str {
    match Figure::of_run(analysis) {
        Figure::Cpu => "CPU",
        Figure::Throughput => "throughput",
        Figure::Latency => "p95 latency",
    }
}

fn row(
    run: &Run,
    analysis: &Analysis,
    folder: &WorkloadFolderRecord,
    (condition, share): (&ConditionResult, Option<f64>),
    class: &ClassRecord,
    comparison: &Comparison,
) -> (f64, Row) {
    let baseline = find_variant(condition, comparison.baseline);
    let own = baseline.and_then(cpu_per_call);
    let statements = baseline.map_or(1.0, |result| result.queries_per_s / result.transactions_per_s);
    let more = comparison.server_cpu_difference_us.map(|more| Estimate {
        value: more.value * statements,
        low: more.low * statements,
        high: more.high * statements,
    });
    let mut found: Vec<String> = Vec::new();
    match compare_cost(comparison) {
        Cost::More => found.push("costs more".into()),
        Cost::Less => found.push("costs less".into()),
        Cost::Same => {}
    }
    for finding in findings_of_variant(run, folder, comparison.variant).filter(|finding| finding.class == class.name) {
        found.extend(finding.differences.iter().map(|difference| difference.describe().to_owned()));
        found.extend(finding.plan.iter().map(PlanChange::sentence));
    }
    let or_dash = |ratio: Option<Estimate>| ratio.map_or_else(|| DASH.into(), format_interval);
    let fields = vec![
        class.name.clone(),
        Change::new(comparison, Figure::of_run(analysis)).text(),
        format_percent(class.share),
        share.map_or_else(|| DASH.into(), format_percent),
        variant_name(run, comparison.variant) + &on_server(run, comparison.variant),
        format_decimals(own, 1),
        more.map_or_else(|| DASH.into(), format_difference),
        or_dash(comparison.server_cpu),
        or_dash(comparison.throughput),
        found.join("; "),
    ];
    let highlight = match compare_cost(comparison) {
        Cost::More => Highlight::Worse,
        Cost::Less => Highlight::Better,
        Cost::Same => Highlight::None,
    };
    // Without CPU times, the most frequent class comes first.
    (share.unwrap_or(class.share), Row { fields, highlight })
}

/// Shares of the classes in the CPU of a mix. Each class was measured alone, and the mix by itself:
/// in the mix a call can take more or less, so shares are of the sum over the classes.
struct CpuShares<'a> {
    run: &'a Run,
    analysis: &'a Analysis,
    folder: &'a WorkloadFolderRecord,
    mix: &'a ConditionResult,
}

impl CpuShares<'_> {
    /// Returns the share of a class under a variant. `None` without CPU times.
    fn of(&self, condition: &ConditionResult, class: &ClassRecord, variant: usize) -> Option<f64> {
        let own = find_variant(condition, variant).and_then(cpu_per_call)?;
        Some(class.share * own / self.cpu_per_call(variant)?)
    }

    /// Returns the CPU per call of the mix: the sum over its classes. If some of them were not
    /// measured alone, returns the figure that was measured for the mix, or the sum if that is
    /// larger.
    fn cpu_per_call(&self, variant: usize) -> Option<f64> {
        let threads = self.run.conditions[self.mix.condition].threads;
        let mut shares = 0.0;
        let mut sum = 0.0;
        for condition in &self.analysis.conditions {
            let own = &self.run.conditions[condition.condition];
            let Some(class) = self.folder.find_class(&own.workload).filter(|_| own.threads == threads) else {
                continue;
            };
            if let Some(cpu) = find_variant(condition, variant).and_then(cpu_per_call) {
                shares += class.share;
                sum += class.share * cpu;
            }
        }
        let has_all = shares > 1.0 - 1e-6;
        if has_all { Some(sum) } else { Some(find_variant(self.mix, variant).and_then(cpu_per_call)?.max(sum)) }
    }
}

fn find_variant(condition: &ConditionResult, variant: usize) -> Option<&VariantResult> {
    condition.variants.iter().find(|result| result.variant == variant)
}

/// Returns the server CPU time per call in µs.
fn cpu_per_call(result: &VariantResult) -> Option<f64> {
    Some(result.server_cpu_us? * result.queries_per_s / result.transactions_per_s)
}
