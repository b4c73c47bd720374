//! The workload of a condition: built-in, from a workload folder, or a script.

use std::sync::Arc;

use load::{SysbenchScript, SysbenchWorkload};
use workload::{Class, Script, Workload};

use super::ClassMix;

#[derive(Clone, Debug)]
pub(crate) enum WorkloadSource {
    BuiltIn(Workload),
    /// Statement classes of a workload folder.
    Folder {
        name: String,
        classes: Arc<Vec<Class>>,
        /// Whether this is one of several classes, measured alone.
        is_single_class: bool,
    },
    /// A custom sysbench script.
    Lua(SysbenchScript),
}

impl WorkloadSource {
    pub(crate) fn name(&self) -> String {
        match self {
            WorkloadSource::BuiltIn(workload) => workload.to_string(),
            WorkloadSource::Folder { name, .. } => name.clone(),
            WorkloadSource::Lua(script) => script.name.clone(),
        }
    }

    /// Whether the workload leaves changed rows behind. Writes of a workload folder are rolled
    /// back. A script is assumed to leave changes.
    pub(crate) fn leaves_changes(&self) -> bool {
        match self {
            WorkloadSource::BuiltIn(workload) => workload.writes(),
            WorkloadSource::Folder { .. } => false,
            WorkloadSource::Lua(_) => true,
        }
    }

    /// Returns the workload as an argument for sysbench. `None` for a workload folder, which
    /// sysbench cannot run. sysbench also lacks some of the built-in workloads.
    pub(crate) fn for_sysbench(&self) -> Option<SysbenchWorkload> {
        match self {
            WorkloadSource::BuiltIn(workload) => Some(SysbenchWorkload::BuiltIn(*workload)),
            WorkloadSource::Folder { .. } => None,
            WorkloadSource::Lua(script) => Some(SysbenchWorkload::Script(script.clone())),
        }
    }

    /// Whether the conditions of this source have A/A pairs. Single classes use the A/A pairs of
    /// their mix; separate ones would double the measuring time.
    pub(crate) fn has_aa_pairs(&self) -> bool {
        !matches!(self, WorkloadSource::Folder { is_single_class: true, .. })
    }

    /// Number of shares that the condition gets of a replicate's time. A mix weighs as much as all
    /// its classes together: it has the A/A pairs, and rare slow calls make its blocks vary more
    /// than those of any class.
    pub(crate) fn share(&self) -> usize {
        match self {
            WorkloadSource::BuiltIn(_)
            | WorkloadSource::Folder { is_single_class: true, .. }
            | WorkloadSource::Lua(_) => 1,
            WorkloadSource::Folder { classes, .. } => classes.len().max(1),
        }
    }

    /// Returns the statements. Empty for a script, whose statements only sysbench knows.
    pub(crate) fn script(&self, rows: &workload::Options) -> Script {
        match self {
            WorkloadSource::BuiltIn(workload) => workload.script(rows),
            WorkloadSource::Folder { classes, .. } => Script::from_classes(classes, rows.seed),
            WorkloadSource::Lua(_) => Script::from_classes(&[], rows.seed),
        }
    }
}

impl From<&ClassMix> for WorkloadSource {
    fn from(load: &ClassMix) -> Self {
        let ClassMix { name, classes, is_single_class } = load;
        WorkloadSource::Folder { name: name.clone(), classes: Arc::clone(classes), is_single_class: *is_single_class }
    }
}
