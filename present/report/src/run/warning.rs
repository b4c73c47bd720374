//! Warnings to read before the figures.

use measure::{Analysis, Comparison, PairKind, Run};

use crate::format::number::{count_noun, format_exact, format_given_percent, format_percent};
use crate::run::name::{condition_name, full_variant_name};

pub(crate) fn warnings(run: &Run, analysis: &Analysis) -> Vec<String> {
    [
        warn_imported(run),
        warn_rate_missed(run, analysis),
        warn_noise(run, analysis),
        warn_failure(run),
        warn_unfinished(run),
        warn_imprecise(run, analysis),
        warn_stolen_time(analysis),
        warn_unsteady_cpu(analysis),
        warn_single_replicate(run, analysis),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the warnings without which the figures would be misread. Other warnings tell how precise
/// a run is, as its quality does.
pub(crate) fn severe(run: &Run, analysis: &Analysis) -> Vec<String> {
    [warn_imported(run), warn_rate_missed(run, analysis), warn_failure(run), warn_unfinished(run)]
        .into_iter()
        .flatten()
        .collect()
}

/// Warns of imported logs, which are no duet and have no A/A pair.
fn warn_imported(run: &Run) -> Option<String> {
    let from = &run.imported.as_ref()?.from;
    Some(format!(
        "Imported from logs of {from}, measured one after the other: how much of a difference is noise is not known, and an interval \
         knows only what varied within the logs, not what changed between them."
    ))
}

/// Warns if a variant did not reach the rate of an open loop.
fn warn_rate_missed(run: &Run, analysis: &Analysis) -> Option<String> {
    let results = analysis.conditions.iter().flat_map(|condition| {
        condition.variants.iter().filter(|result| result.missed > 0).map(move |result| (condition.condition, result))
    });
    let late: Vec<String> = results
        .map(|(condition, result)| {
            let (name, condition_name) = (full_variant_name(run, result.variant), condition_name(run, condition));
            format!("{name} on {condition_name} ({} not begun)", count_noun(result.missed, "transaction"))
        })
        .collect();
    let rate = format_exact(run.options.rate?);
    (!late.is_empty()).then(|| {
        format!(
            "The rate of {rate} transactions/s was too much for {}: their latency is that of a queue that grows.",
            late.join(", ")
        )
    })
}

/// Warns if all comparisons have fewer than two replicates. Intervals over blocks of one replicate
/// are narrower than the variation between replicates.
fn warn_single_replicate(run: &Run, analysis: &Analysis) -> Option<String> {
    let all = || analysis.conditions.iter().flat_map(|condition| &condition.comparisons);
    let is_single = all().any(Comparison::is_measured) && all().all(|result| result.replicates.len() < 2);
    (is_single && run.imported.is_none()).then(|| {
        "Measured on one start of the servers and one load of the rows: intervals know what varied between blocks, and a fresh run may differ by \
         more."
            .into()
    })
}

/// Share of stolen time from which the report warns. Most virtual machines have less.
const MIN_STOLEN_SHARE: f64 = 0.05;

/// Warns of stolen CPU time. Other virtual machines then use the caches, too, and some collations
/// need caches more than others.
fn warn_stolen_time(analysis: &Analysis) -> Option<String> {
    let stolen = analysis.stolen.filter(|stolen| *stolen >= MIN_STOLEN_SHARE)?;
    Some(format!(
        "The hypervisor gave {} of this machine's time to others meanwhile: intervals hold for the machine as it was, and on one of its own a ratio \
         may be another.",
        format_percent(stolen)
    ))
}

/// Relative variation between blocks from which the report warns. Idle dedicated machines vary by
/// less.
const MIN_UNSTEADY: f64 = 0.1;

/// Warns if the baseline's CPU time per statement varied. Load on the machine slows some collations
/// down more than others.
fn warn_unsteady_cpu(analysis: &Analysis) -> Option<String> {
    let unsteady = analysis.cpu_spread.filter(|unsteady| *unsteady >= MIN_UNSTEADY)?;
    Some(format!(
        "The baseline's own server CPU time per statement varied by {} from block to block: something else uses this machine's cores or caches, or \
         its clock changes. Intervals hold for the machine as it was, and a fresh run may find another ratio.",
        format_percent(unsteady)
    ))
}

fn warn_failure(run: &Run) -> Option<String> {
    run.failure.as_ref().map(|failure| format!("This run ended early: {failure}"))
}

/// Warns that the run is still going on.
fn warn_unfinished(run: &Run) -> Option<String> {
    let is_running = run.finished.is_none() && run.failure.is_none() && run.imported.is_none();
    is_running.then(|| "This run is still being measured; these are its blocks so far.".into())
}

/// Warns if the A/A bound exceeds the requested precision.
fn warn_noise(run: &Run, analysis: &Analysis) -> Option<String> {
    let bounds = analysis.conditions.iter().filter_map(|condition| Some((condition.condition, condition.aa_bound?)));
    let (condition, bound) = bounds.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let requested = run.options.precision;
    (bound > requested).then(|| {
        format!(
            "This machine was too noisy for the asked precision of ± {}: identical variants differed by up to {} on {}.",
            format_given_percent(requested),
            format_percent(bound),
            condition_name(run, condition)
        )
    })
}

/// Warns if the time limit was reached before all ratios had the requested precision.
fn warn_imprecise(run: &Run, analysis: &Analysis) -> Option<String> {
    let requested = run.options.precision;
    if run.imported.is_some() || run.options.rate.is_some() {
        return None;
    }
    let all =
        analysis.conditions.iter().flat_map(|condition| &condition.comparisons).filter(|c| c.kind != PairKind::AA);
    let missed = all.clone().filter(|c| c.throughput.is_none_or(|ratio| ratio.precision() > requested)).count();
    (missed > 0 && run.failure.is_none() && run.finished.is_some()).then(|| {
        format!(
            "Time was up before {missed} of {} came within the asked ± {}; a longer --max-time brings them closer.",
            count_noun(all.count() as u64, "ratio"),
            format_given_percent(requested)
        )
    })
}
