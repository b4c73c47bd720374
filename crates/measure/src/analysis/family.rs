//! Many classes of statements judged together. Of a hundred that are the same on both sides, five have an interval that misses 1; so one is
//! said to differ only where that holds for all classes of the run together (Holm's step-down procedure).

use super::{Comparison, ConditionResult};
use crate::model::{PairKind, Run};
use crate::stats::{Estimate, holm};
use crate::verdict::Verdict;

/// Takes back verdicts on classes by themselves that chance may have made, throughput and CPU together. The mix, which is one, and runs of
/// built-in workloads are left as they are.
pub(crate) fn hold(run: &Run, conditions: &mut [ConditionResult]) {
    let Some(recording) = &run.recording else { return };
    let is_class =
        |condition: &ConditionResult| recording.class_of(&run.conditions[condition.condition].workload).is_some();
    let classes = conditions.iter_mut().filter(|condition| is_class(condition));
    let mut judged: Vec<(Estimate, Option<f64>, &mut Verdict)> = Vec::new();
    for comparison in classes.flat_map(|condition| &mut condition.comparisons) {
        if comparison.kind == PairKind::AA {
            continue;
        }
        let Comparison { replicates, throughput, server_cpu, verdict, cpu_verdict, .. } = comparison;
        let freedom = (replicates.len() >= 2).then_some(replicates.len() as f64 - 1.0);
        for (ratio, verdict) in [(throughput, verdict), (server_cpu, cpu_verdict)] {
            judged.extend(ratio.map(|ratio| (ratio, freedom, verdict)));
        }
    }
    let p_values: Vec<f64> = judged.iter().map(|(ratio, freedom, _)| ratio.p_value(1.0, *freedom)).collect();
    for ((ratio, _, verdict), is_beyond_chance) in judged.into_iter().zip(holm(&p_values)) {
        if matches!(verdict, Verdict::Less | Verdict::More) && !is_beyond_chance {
            *verdict = Verdict::NoDifference { less: (1.0 - ratio.low).max(0.0), more: (ratio.high - 1.0).max(0.0) };
        }
    }
}
