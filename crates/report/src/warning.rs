//! What a reader must know before the figures.

use measure::{Analysis, Comparison, PairKind, Run};

use crate::name::{in_words, with_copy};
use crate::number::{counted, percent, plain, set_percent};

/// The warnings of a run. How much is noise comes first: nothing below it can be read without.
pub(crate) fn warnings(run: &Run, analysis: &Analysis) -> Vec<String> {
    [
        one_after_the_other(run),
        behind(run, analysis),
        too_noisy(run, analysis),
        ended_early(run),
        unfinished(run),
        imprecise(run, analysis),
        shared_machine(analysis),
        unsteady_machine(analysis),
        one_replicate(run, analysis),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What another program measured was no duet, and had no copy to tell the noise by.
fn one_after_the_other(run: &Run) -> Option<String> {
    let from = &run.imported.as_ref()?.from;
    Some(format!(
        "Imported from logs of {from}, measured one after the other: how much of a difference is noise is not known, and an interval \
         knows only what varied within the logs, not what changed between them."
    ))
}

/// A variant could not keep the rate of an open loop.
fn behind(run: &Run, analysis: &Analysis) -> Option<String> {
    let results = analysis.conditions.iter().flat_map(|condition| {
        condition.variants.iter().filter(|own| own.missed > 0).map(move |own| (condition.condition, own))
    });
    let late: Vec<String> = results
        .map(|(condition, own)| {
            let (name, place) = (with_copy(run, own.variant), in_words(run, condition));
            format!("{name} on {place} ({} not begun)", counted(own.missed, "transaction"))
        })
        .collect();
    let rate = plain(run.options.rate?);
    (!late.is_empty()).then(|| {
        format!(
            "The rate of {rate} transactions/s was too much for {}: their latency is that of a queue that grows.",
            late.join(", ")
        )
    })
}

/// Intervals over the blocks of one start and load are too narrow for what the next ones will show.
fn one_replicate(run: &Run, analysis: &Analysis) -> Option<String> {
    let all = || analysis.conditions.iter().flat_map(|condition| &condition.comparisons);
    let is_single = all().any(Comparison::is_measured) && all().all(|own| own.replicates.len() < 2);
    (is_single && run.imported.is_none()).then(|| {
        "Measured on one start of the servers and one load of the rows: intervals know what varied between blocks, and a fresh run may differ by \
         more."
            .into()
    })
}

/// A smaller share of the machine's time than this is taken by others on most virtual machines.
const STOLEN: f64 = 0.05;

/// A hypervisor that gives cores to others lets them use the caches, too, and some collations need these more than others.
fn shared_machine(analysis: &Analysis) -> Option<String> {
    let stolen = analysis.stolen.filter(|stolen| *stolen >= STOLEN)?;
    Some(format!(
        "The hypervisor gave {} of this machine's time to others meanwhile: intervals hold for the machine as it was, and on one of its own a ratio \
         may be another.",
        percent(stolen)
    ))
}

/// Blocks of a machine of its own differ by less.
const UNSTEADY: f64 = 0.1;

/// What slows a machine down does so to some collations more than to others.
fn unsteady_machine(analysis: &Analysis) -> Option<String> {
    let unsteady = analysis.unsteady.filter(|unsteady| *unsteady >= UNSTEADY)?;
    Some(format!(
        "The baseline's own server CPU time a statement varied by {} from block to block: something else uses this machine's cores or caches, or \
         its clock changes. Intervals hold for the machine as it was, and a fresh run may find another ratio.",
        percent(unsteady)
    ))
}

fn ended_early(run: &Run) -> Option<String> {
    run.failure.as_ref().map(|failure| format!("This run ended early: {failure}"))
}

/// Nothing ended it: somebody measures it still.
fn unfinished(run: &Run) -> Option<String> {
    let goes_on = run.finished.is_none() && run.failure.is_none() && run.imported.is_none();
    goes_on.then(|| "This run is still being measured; these are its blocks so far.".into())
}

/// The A/A bound is above the asked precision.
fn too_noisy(run: &Run, analysis: &Analysis) -> Option<String> {
    let floors = analysis.conditions.iter().filter_map(|condition| Some((condition.condition, condition.aa_bound?)));
    let (condition, floor) = floors.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let asked = run.options.precision;
    (floor > asked).then(|| {
        format!(
            "This machine was too noisy for the asked precision of ± {}: identical variants differed by up to {} on {}.",
            set_percent(asked),
            percent(floor),
            in_words(run, condition)
        )
    })
}

/// Time was up before all ratios were precise enough.
fn imprecise(run: &Run, analysis: &Analysis) -> Option<String> {
    let asked = run.options.precision;
    if run.imported.is_some() || run.options.rate.is_some() {
        return None;
    }
    let all =
        analysis.conditions.iter().flat_map(|condition| &condition.comparisons).filter(|c| c.kind != PairKind::AA);
    let missed = all.clone().filter(|c| c.throughput.is_none_or(|ratio| ratio.precision() > asked)).count();
    (missed > 0 && run.failure.is_none() && run.finished.is_some()).then(|| {
        format!(
            "Time was up before {missed} of {} came within the asked ± {}; a longer --max-time brings them closer.",
            counted(all.count() as u64, "ratio"),
            set_percent(asked)
        )
    })
}
