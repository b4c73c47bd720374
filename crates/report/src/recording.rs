//! What a run of a workload's folder says beside the tables of its mix: a headline a side, what differs in results and plans, and its classes.

use measure::{
    Analysis, ClassRecord, Comparison, ConditionResult, Estimate, PairKind, RecordingRecord, Run, VariantResult,
    Verdict,
};
use parity::{ClassFinding, Difference, PlanChange};

use crate::findings::verdicts;
use crate::name::{on_server, server, variant};
use crate::number::{DASH, decimals, difference, interval, percent};
use crate::table::{Column, Kind, Mood, Row, Table, column};

/// More names than this are counted, not listed.
const LISTED: usize = 4;

/// A headline for each side that was held against the baseline: the mix, the classes that carry it, results and plans.
pub(crate) fn headlines(run: &Run, analysis: &Analysis, recording: &RecordingRecord) -> Vec<String> {
    let mixes = analysis.conditions.iter().filter(|one| is_mix(run, recording, one));
    let of_mix = |mix: &ConditionResult| -> Vec<String> {
        let own = mix.comparisons.iter().filter(|comparison| comparison.kind == PairKind::Collation);
        own.map(|comparison| headline(run, analysis, recording, mix, comparison)).collect()
    };
    mixes.flat_map(of_mix).collect()
}

fn headline(
    run: &Run,
    analysis: &Analysis,
    recording: &RecordingRecord,
    mix: &ConditionResult,
    comparison: &Comparison,
) -> String {
    let side = variant(run, comparison.variant) + &on_server(run, comparison.variant);
    let threads = run.conditions[mix.condition].threads;
    let several = run.conditions.iter().any(|other| other.threads != threads);
    let at = if several { format!(" at {threads} connections") } else { String::new() };
    let mut parts = vec![of_mix(comparison)];
    parts.extend(carried_by(run, analysis, recording, mix, comparison));
    let findings: Vec<&ClassFinding> = findings(run, recording, comparison.variant).collect();
    let count = |is: &dyn Fn(&ClassFinding) -> bool| findings.iter().filter(|finding| is(finding)).count();
    let differs = |is: fn(&Difference) -> bool| count(&|one| one.differences.iter().any(is));
    let told = [
        (differs(|what| matches!(what, Difference::Rows { .. })), "returns other rows", "return other rows"),
        (
            differs(|what| matches!(what, Difference::Order { .. })),
            "returns its rows in another order",
            "return their rows in another order",
        ),
        (differs(|what| matches!(what, Difference::Error { .. })), "fails", "fail"),
        (count(&|one| one.plan.iter().any(loses_index)), "loses an index", "lose an index"),
    ];
    let told = told.iter().filter(|(count, ..)| *count > 0);
    parts.extend(told.map(|(count, one, several)| format!("{count} {}", if *count == 1 { one } else { several })));
    format!("Under {side}{at}, the mix of {} {}.", recording.name, parts.join("; "))
}

/// `takes 6.0 % ± 1.0 % more CPU a statement (throughput × 0.942)`.
fn of_mix(comparison: &Comparison) -> String {
    let (ratio, verdict, of_what, a_statement) = match (comparison.server_cpu, comparison.throughput) {
        (Some(cpu), _) => (cpu, comparison.cpu_verdict, "CPU", " a statement"),
        (None, Some(throughput)) => (throughput, comparison.verdict, "throughput", ""),
        (None, None) => return "was not measured, too few blocks".into(),
    };
    let aside = match (comparison.server_cpu, comparison.throughput) {
        (Some(_), Some(throughput)) => format!(" (throughput × {:.3})", throughput.value),
        _ => String::new(),
    };
    let verb = if of_what == "CPU" { "takes" } else { "has" };
    match verdict {
        Verdict::More => format!("{verb} {} more {of_what}{a_statement}{aside}", with_half(ratio)),
        Verdict::Less => format!("{verb} {} less {of_what}{a_statement}{aside}", with_half(ratio)),
        Verdict::NoDifference { less, more } => format!(
            "shows no difference in {of_what}{a_statement}; from {} less to {} more is not excluded",
            percent(less),
            percent(more)
        ),
        Verdict::NotMeasured => "was not measured, too few blocks".into(),
    }
}

fn with_half(ratio: Estimate) -> String {
    format!("{} ± {}", percent((ratio.value - 1.0).abs()), percent((ratio.high - ratio.low) / 2.0))
}

/// Which classes by themselves differ, as far as that holds for all of them together.
fn carried_by(
    run: &Run,
    analysis: &Analysis,
    recording: &RecordingRecord,
    mix: &ConditionResult,
    comparison: &Comparison,
) -> Option<String> {
    let threads = run.conditions[mix.condition].threads;
    let own = analysis.conditions.iter().filter(|one| run.conditions[one.condition].threads == threads);
    let classes: Vec<(&ClassRecord, &Comparison)> = own
        .filter_map(|one| {
            let class = recording.class_of(&run.conditions[one.condition].workload)?;
            let same =
                |other: &&Comparison| (other.variant, other.baseline) == (comparison.variant, comparison.baseline);
            Some((class, one.comparisons.iter().find(same)?))
        })
        .collect();
    let measured = classes.iter().filter(|(_, own)| own.throughput.is_some()).count();
    let of = |wanted: fn(&Comparison) -> bool| -> Vec<&str> {
        classes.iter().filter(|(_, own)| wanted(own)).map(|(class, _)| class.name.as_str()).collect()
    };
    let (dearer, cheaper) = (of(|own| cost(own) == Cost::More), of(|own| cost(own) == Cost::Less));
    if measured == 0 {
        return None;
    }
    let listed = |names: &[&str]| match names.len() {
        0..=LISTED => names.join(", "),
        many => format!("{}, and {} more", names[..LISTED].join(", "), many - LISTED),
    };
    let told = [(&dearer, "cost more"), (&cheaper, "cost less")];
    let told: Vec<String> = told
        .iter()
        .filter(|(names, _)| !names.is_empty())
        .map(|(names, what)| {
            format!("{} of {measured} statements by themselves {what} ({})", names.len(), listed(names))
        })
        .collect();
    Some(if told.is_empty() { format!("none of {measured} statements by themselves differs") } else { told.join(", ") })
}

/// What a statement costs under another collation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cost {
    More,
    Less,
    Same,
}

fn cost(comparison: &Comparison) -> Cost {
    let is_cpu = comparison.server_cpu.is_some();
    match if is_cpu { comparison.cpu_verdict } else { comparison.verdict } {
        Verdict::More if is_cpu => Cost::More,
        Verdict::Less if !is_cpu => Cost::More,
        Verdict::More | Verdict::Less => Cost::Less,
        Verdict::NoDifference { .. } | Verdict::NotMeasured => Cost::Same,
    }
}

fn is_mix(run: &Run, recording: &RecordingRecord, condition: &ConditionResult) -> bool {
    run.conditions[condition.condition].workload == recording.name
}

/// What differs for a variant, by the comparison on its server.
fn findings<'a>(run: &'a Run, recording: &'a RecordingRecord, index: usize) -> impl Iterator<Item = &'a ClassFinding> {
    let (label, side) = (server(run, index), run.variants[index].collation.as_str());
    let parity = recording.parity.iter().filter(move |parity| parity.server == label);
    parity.flat_map(|parity| &parity.findings).filter(move |finding| finding.side == side)
}

fn loses_index(change: &PlanChange) -> bool {
    matches!(change, PlanChange::Index { control: Some(_), .. })
}

/// What differs in results and plans, and what was left out of the load for it, a line each.
pub(crate) fn results(run: &Run) -> Vec<String> {
    let Some(recording) = &run.recording else { return Vec::new() };
    let mut lines: Vec<String> = recording.parity.iter().flat_map(verdicts).collect();
    lines.extend(recording.left_out.iter().map(|one| {
        let samples = if one.all { "wholly".to_owned() } else { format!("{} of its samples", one.samples) };
        format!("left out of the load on all sides: {} ({samples}): {}", one.class, one.reason)
    }));
    lines
}

/// The classes by themselves, those first that take the most of the mix's CPU; a table for each number of connections.
pub(crate) fn classes(run: &Run, analysis: &Analysis) -> Vec<Table> {
    let Some(recording) = &run.recording else { return Vec::new() };
    let mixes = analysis.conditions.iter().filter(|one| is_mix(run, recording, one));
    mixes.filter_map(|mix| table(run, analysis, recording, mix)).collect()
}

fn table(run: &Run, analysis: &Analysis, recording: &RecordingRecord, mix: &ConditionResult) -> Option<Table> {
    let threads = run.conditions[mix.condition].threads;
    let mut rows: Vec<(f64, Row)> = Vec::new();
    for condition in &analysis.conditions {
        let own = &run.conditions[condition.condition];
        let Some(class) = recording.class_of(&own.workload).filter(|_| own.threads == threads) else { continue };
        for comparison in condition.comparisons.iter().filter(|comparison| comparison.kind == PairKind::Collation) {
            rows.push(row(run, recording, mix, condition, class, comparison));
        }
    }
    rows.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let columns: Vec<Column> = vec![
        column("", "class", Kind::Left),
        column("of", "calls", Kind::Right),
        column("of", "CPU", Kind::Right),
        column("", "collation", Kind::Left),
        column("CPU", "µs/call", Kind::Right),
        column("CPU more,", "µs/call", Kind::SpareLast),
        column("", "CPU ×", Kind::Left),
        column("", "throughput ×", Kind::Judged),
        column("", "found", Kind::Left),
    ];
    let at = if run.conditions.iter().any(|other| other.threads != threads) {
        format!(", {threads} connections")
    } else {
        String::new()
    };
    (!rows.is_empty()).then(|| Table {
        title: format!("{}, class by class{at}", recording.name),
        columns,
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        foot: vec![
            "of calls, of CPU: a class's share of the mix, under the baseline; µs/call: a call with BEGIN and ROLLBACK where it writes."
                .into(),
            "costs more, costs less: beyond chance over all classes together (Holm, 5 %), and beyond the mix's A/A bound.".into(),
        ],
    })
}

fn row(
    run: &Run,
    recording: &RecordingRecord,
    mix: &ConditionResult,
    condition: &ConditionResult,
    class: &ClassRecord,
    comparison: &Comparison,
) -> (f64, Row) {
    let of = |condition: &ConditionResult| -> Option<f64> {
        per_call(condition.variants.iter().find(|result| result.variant == comparison.baseline)?)
    };
    let baseline = condition.variants.iter().find(|result| result.variant == comparison.baseline);
    let (own, all) = (of(condition), of(mix));
    let share = own.zip(all).map(|(own, all)| class.share * own / all);
    let statements = baseline.map_or(1.0, |result| result.queries_per_s / result.transactions_per_s);
    let more = comparison.server_cpu_difference_us.map(|more| Estimate {
        value: more.value * statements,
        low: more.low * statements,
        high: more.high * statements,
    });
    let mut found: Vec<String> = Vec::new();
    match cost(comparison) {
        Cost::More => found.push("costs more".into()),
        Cost::Less => found.push("costs less".into()),
        Cost::Same => {}
    }
    for finding in findings(run, recording, comparison.variant).filter(|finding| finding.class == class.name) {
        found.extend(finding.differences.iter().map(|difference| difference.name().to_owned()));
        found.extend(finding.plan.iter().map(PlanChange::sentence));
    }
    let or_dash = |ratio: Option<Estimate>| ratio.map_or_else(|| DASH.into(), interval);
    let fields = vec![
        class.name.clone(),
        percent(class.share),
        share.map_or_else(|| DASH.into(), percent),
        variant(run, comparison.variant) + &on_server(run, comparison.variant),
        decimals(own, 1),
        more.map_or_else(|| DASH.into(), difference),
        or_dash(comparison.server_cpu),
        or_dash(comparison.throughput),
        found.join("; "),
    ];
    let mood = match cost(comparison) {
        Cost::More => Mood::Bad,
        Cost::Less => Mood::Good,
        Cost::Same => Mood::Plain,
    };
    // Where CPU is not told, the class that is called most comes first.
    (share.unwrap_or(class.share), Row { fields, mood })
}

/// Server CPU of a call in µs.
fn per_call(result: &VariantResult) -> Option<f64> {
    Some(result.server_cpu_us? * result.queries_per_s / result.transactions_per_s)
}
