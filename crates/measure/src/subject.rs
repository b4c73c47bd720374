//! What a condition puts under load, wherever it comes from.

use std::sync::Arc;

use drive::{SysbenchScript, SysbenchWork};
use workload::{Class, Script, Workload};

use crate::model::{Condition, Pair, PairKind, Variant};
use crate::plan::{self, Axes};
use crate::recording::RecordedLoad;

/// What a condition puts under load.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// A built-in workload.
    BuiltIn(Workload),
    /// Classes of a workload's folder.
    Recorded {
        /// The condition's workload.
        name: String,
        classes: Arc<Vec<Class>>,
        /// Whether it is one class of several by itself.
        is_part: bool,
    },
    /// A script of the user's for sysbench.
    Lua(SysbenchScript),
}

impl Subject {
    /// The name of the condition's workload.
    pub(crate) fn name(&self) -> String {
        match self {
            Subject::BuiltIn(workload) => workload.to_string(),
            Subject::Recorded { name, .. } => name.clone(),
            Subject::Lua(script) => script.name.clone(),
        }
    }

    /// Whether rows are no longer as they were loaded once it has been under load; what is recorded is rolled back, and what a script does nobody
    /// knows.
    pub(crate) fn leaves_changes(&self) -> bool {
        match self {
            Subject::BuiltIn(workload) => workload.writes(),
            Subject::Recorded { .. } => false,
            Subject::Lua(_) => true,
        }
    }

    /// What sysbench is told, where it can put it under load.
    pub(crate) fn for_sysbench(&self) -> Option<SysbenchWork> {
        match self {
            Subject::BuiltIn(workload) => Some(SysbenchWork::BuiltIn(*workload)),
            Subject::Recorded { .. } => None,
            Subject::Lua(script) => Some(SysbenchWork::Script(script.clone())),
        }
    }

    /// The pairs of a condition of it, which has this index. The A/A pairs of a mix stand for its classes as well, whose own would take as long
    /// again.
    pub(crate) fn pairs(&self, index: usize, condition: &Condition, variants: &[Variant], axes: &Axes) -> Vec<Pair> {
        let has_controls = !matches!(self, Subject::Recorded { is_part: true, .. });
        let mut pairs = plan::pairs(index, condition, variants, axes);
        pairs.retain(|pair| pair.kind != PairKind::AA || has_controls);
        pairs
    }

    /// How much of a replicate's time it has, beside a class by itself: a mix as much as all its classes together. It is what is asked about, has A/A pairs
    /// that stand for the classes, and a class that is called seldom and takes long makes its blocks differ more than any class's.
    pub(crate) fn share(&self) -> usize {
        match self {
            Subject::BuiltIn(_) | Subject::Recorded { is_part: true, .. } | Subject::Lua(_) => 1,
            Subject::Recorded { classes, .. } => classes.len().max(1),
        }
    }

    /// Its statements; those of a script are sysbench's to know.
    pub(crate) fn script(&self, rows: &workload::Options) -> Script {
        match self {
            Subject::BuiltIn(workload) => workload.script(rows),
            Subject::Recorded { classes, .. } => Script::recorded(classes, rows.seed),
            Subject::Lua(_) => Script::recorded(&[], rows.seed),
        }
    }
}

impl From<&RecordedLoad> for Subject {
    fn from(load: &RecordedLoad) -> Self {
        let RecordedLoad { name, classes, is_part } = load;
        Subject::Recorded { name: name.clone(), classes: Arc::clone(classes), is_part: *is_part }
    }
}
