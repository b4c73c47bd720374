//! How far to trust a run.

use measure::{Analysis, Comparison, PairKind, Run, Verdict};

use super::cell::{Figure, compared, percent};
use crate::format::number::{count_noun, format_given_percent, format_percent};
use crate::run::name::condition_name;

/// Difference of identical copies above which a run can't tell anything, unless the requested
/// precision is even coarser.
const MAX_COPIES_DIFFER: f64 = 0.2;
/// A/A bounds up to which a run is good, and fair.
const GOOD: f64 = 0.02;
const FAIR: f64 = 0.05;
/// Share of stolen time, and variation of the baseline's CPU, from which the reasons name them.
const MIN_STOLEN: f64 = 0.05;
const MIN_UNSTEADY: f64 = 0.1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Good,
    Fair,
    Poor,
    /// Identical copies differ so much that no difference means anything.
    CannotTell,
}

impl Level {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Fair => "fair",
            Self::Poor => "poor",
            Self::CannotTell => "useless",
        }
    }
}

pub(crate) struct Quality {
    pub(crate) level: Level,
    /// Reasons: `identical copies differ by at most 1 %`, `5 fresh starts`.
    pub(crate) reasons: Vec<String>,
}

impl Quality {
    pub(crate) fn line(&self) -> String {
        format!("Quality: {} ({}).", self.level.name(), self.reasons.join("; "))
    }
}

/// Judges a run. `None` for imported runs, which have no copies, and if nothing was compared.
pub(crate) fn quality(run: &Run, analysis: &Analysis) -> Option<Quality> {
    if run.imported.is_some() || compared(analysis).next().is_none() {
        return None;
    }
    let figure = Figure::of_run(analysis);
    let mut reasons = Vec::new();
    let copies = copies(analysis, figure);
    let mut level = match &copies {
        None => {
            reasons.push("no identical copies were measured, so noise is unknown".to_owned());
            Level::Poor
        }
        Some(copies) => {
            reasons.push(copies.describe(run, analysis));
            copies.level(run)
        }
    };
    let starts = compared(analysis).map(|comparison| comparison.replicates.len()).max().unwrap_or(0);
    match starts {
        0 | 1 => reasons.push("one start only: a fresh run may differ by more".to_owned()),
        2 => reasons.push("2 fresh starts, too few to tell how much starts differ".to_owned()),
        many => reasons.push(count_noun(many as u64, "fresh start")),
    }
    if starts <= 2 {
        level = level.max(Level::Fair);
    }
    reasons.extend(describe_wide_intervals(run, analysis, figure));
    reasons.extend(
        analysis
            .stolen
            .filter(|stolen| *stolen >= MIN_STOLEN)
            .map(|stolen| format!("the hypervisor took {} of the machine's time", format_percent(stolen))),
    );
    reasons.extend(
        analysis
            .cpu_spread
            .filter(|spread| *spread >= MIN_UNSTEADY)
            .map(|spread| format!("the machine's speed varied by {}", format_percent(spread))),
    );
    Some(Quality { level, reasons })
}

/// Identical copies of the baselines.
struct Copies {
    /// Largest difference.
    difference: f64,
    /// Largest difference that is not excluded.
    bound: f64,
    /// Condition with the largest bound.
    condition: usize,
}

fn copies(analysis: &Analysis, figure: Figure) -> Option<Copies> {
    let mut worst: Option<Copies> = None;
    for condition in &analysis.conditions {
        let own = condition.comparisons.iter().filter(|comparison| comparison.kind == PairKind::AA);
        for ratio in own.filter_map(|comparison| figure.ratio(comparison)) {
            let difference = (ratio.value - 1.0).abs();
            let bound = (1.0 - ratio.low).abs().max((ratio.high - 1.0).abs());
            let before = worst.get_or_insert(Copies { difference, bound, condition: condition.condition });
            before.difference = before.difference.max(difference);
            if bound > before.bound {
                (before.bound, before.condition) = (bound, condition.condition);
            }
        }
    }
    worst
}

impl Copies {
    fn describe(&self, run: &Run, analysis: &Analysis) -> String {
        let on = if analysis.conditions.len() > 1 && self.bound > GOOD {
            format!(" on {}", condition_name(run, self.condition))
        } else {
            String::new()
        };
        format!("identical copies differ by at most {}{on}", percent(self.bound))
    }

    fn level(&self, run: &Run) -> Level {
        if self.difference > MAX_COPIES_DIFFER.max(run.options.precision) {
            Level::CannotTell
        } else if self.bound <= GOOD {
            Level::Good
        } else if self.bound <= FAIR {
            Level::Fair
        } else {
            Level::Poor
        }
    }
}

/// Counts the intervals that are missing or wider than asked for. A decided difference needs no
/// narrower interval. `None` for open loops, and for runs that are being measured or were killed.
fn describe_wide_intervals(run: &Run, analysis: &Analysis, figure: Figure) -> Option<String> {
    let asked = run.options.precision;
    let is_open = |comparison: &&Comparison| {
        let is_decided = matches!(figure.verdict(comparison), Verdict::More | Verdict::Less);
        figure.ratio(comparison).is_none_or(|ratio| ratio.precision() > asked) && !is_decided
    };
    let open = compared(analysis).filter(is_open).count();
    (open > 0 && run.options.rate.is_none() && run.finished.is_some()).then(|| {
        format!(
            "{open} of {} within ± {} not reached: raise --max-time",
            count_noun(compared(analysis).count() as u64, "interval"),
            format_given_percent(asked)
        )
    })
}

/// Returns what to do if identical copies differ too much to tell anything.
pub(crate) fn cannot_tell(run: &Run, analysis: &Analysis) -> Option<String> {
    let quality = quality(run, analysis).filter(|quality| quality.level == Level::CannotTell)?;
    let reason = quality.reasons.first().cloned().unwrap_or_default();
    Some(format!(
        "This run can't tell: {reason}. Something else used the machine. Measure again when it is quiet, or longer \
         (--max-time 10m); docs/how-to/measure-on-a-noisy-machine.md has more."
    ))
}
