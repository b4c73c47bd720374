//! What a reader must know before the figures.

use measure::{Analysis, PairKind, Run};

use crate::name::condition;
use crate::number::{counted, percent, set_percent};

/// The warnings of a run. How much is noise comes first: nothing below it can be read without.
pub(crate) fn warnings(run: &Run, analysis: &Analysis) -> Vec<String> {
    [one_after_the_other(run), too_noisy(run, analysis), ended_early(run), imprecise(run, analysis)]
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

fn ended_early(run: &Run) -> Option<String> {
    run.failure.as_ref().map(|failure| format!("This run ended early: {failure}"))
}

/// The noise floor is above the asked precision.
fn too_noisy(run: &Run, analysis: &Analysis) -> Option<String> {
    let floors = analysis.cells.iter().filter_map(|cell| Some((cell.cell, cell.noise_floor?)));
    let (cell, floor) = floors.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let asked = run.options.precision;
    (floor > asked).then(|| {
        format!(
            "This machine was too noisy for the asked precision of ± {}: identical variants differed by up to {} on {}.",
            set_percent(asked),
            percent(floor),
            condition(run, cell)
        )
    })
}

/// Time was up before all ratios were precise enough.
fn imprecise(run: &Run, analysis: &Analysis) -> Option<String> {
    let asked = run.options.precision;
    if run.imported.is_some() {
        return None;
    }
    let all = analysis.cells.iter().flat_map(|cell| &cell.comparisons).filter(|c| c.kind != PairKind::AA);
    let missed = all.clone().filter(|c| c.throughput.is_none_or(|ratio| ratio.precision() > asked)).count();
    (missed > 0 && run.failure.is_none()).then(|| {
        format!(
            "Time was up before {missed} of {} came within the asked ± {}; a longer --max-time brings them closer.",
            counted(all.count() as u64, "ratio"),
            set_percent(asked)
        )
    })
}
