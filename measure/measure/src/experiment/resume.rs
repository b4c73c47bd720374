//! Resuming a run that ended early, after its complete replicates.

use std::time::Duration;

use server::Server;

use super::{ConditionState, Error, Experiment, new_run, now, read_servers};
use crate::environment::{EnvironmentDifference, differences};
use crate::folder::{RunFolder, UnfinishedRun};
use crate::model::{Block, Condition, Pair, Progress, Run, ScriptRecord, Variant, WorkloadFolderRecord};
use crate::plan::{form_pairs_of_source, preview};
use crate::request::Request;

/// Differences that do not prevent resuming. `pinned`: the run records `false` if it could not bind
/// threads. `memory_bytes`: a kernel update changes the memory size by a few pages.
const IGNORED_DIFFERENCES: [&str; 2] = ["options: pinned", "machine: memory_bytes"];

/// Returns the differences between the request and the unfinished run in the folder. If there are
/// any, the run cannot be resumed. Queries the servers, writes nothing.
pub fn find_changes(
    request: &Request,
    servers: &[Server],
    folder: &RunFolder,
    weigh: &str,
) -> Result<Vec<EnvironmentDifference>, Error> {
    let Some(UnfinishedRun { run: before, .. }) = folder.unfinished() else { return Ok(Vec::new()) };
    let now = Run { servers: read_servers(servers)?, ..new_run(request, servers, weigh) };
    let places: Vec<Option<usize>> = (0..before.servers.len()).map(|at| (at < servers.len()).then_some(at)).collect();
    let mut found = differences(before, &now, &places);
    found.retain(|difference| !IGNORED_DIFFERENCES.contains(&difference.what.as_str()));
    if request.buffer_pool.is_some() {
        // The run computed the size from its tables; before loading, the servers have another.
        found.retain(|difference| !difference.what.ends_with("innodb_buffer_pool_size"));
    }
    let variants = preview::preview(request, servers)?.variants;
    found.extend(find_plan_changes(request, before, &variants));
    Ok(found)
}

/// Returns the differences in variants, conditions, pairs and inputs.
fn find_plan_changes(request: &Request, before: &Run, variants: &[Variant]) -> Vec<EnvironmentDifference> {
    let all = |values: Vec<String>| Some(values.join("; "));
    let difference = |what: &str, before, after| EnvironmentDifference { what: what.into(), before, after };
    let mut found = Vec::new();
    if before.recipe != request.recipe {
        found.push(difference("recipe", Some("as recorded".into()), Some("edited".into())));
    }
    let digest = |folder: Option<&WorkloadFolderRecord>| folder.map(|folder| folder.digest.clone());
    let own = request.workload_folder.as_ref().map(|folder| &folder.record);
    if digest(before.workload_folder.as_ref()) != digest(own) {
        found.push(difference("the workload's folder", Some("as recorded".into()), Some("edited".into())));
    }
    if before.script != request.script.as_ref().map(ScriptRecord::from) {
        found.push(difference("the script", Some("as recorded".into()), Some("edited".into())));
    }
    let conditions = request.conditions();
    if !conditions.starts_with(&before.conditions) {
        let names = |conditions: &[Condition]| all(conditions.iter().map(ToString::to_string).collect());
        found.push(difference("conditions", names(&before.conditions), names(&conditions)));
    }
    let is_planned = |known: &&Variant| variants.contains(&Variant { layers: None, ..(*known).clone() });
    let gone: Vec<String> =
        before.variants.iter().filter(|known| !is_planned(known)).map(ToString::to_string).collect();
    if !gone.is_empty() {
        found.push(difference("variants", all(gone), None));
    }
    let workload_sources = request.workload_sources();
    let pairs = |(index, condition): (usize, &Condition)| {
        let source = workload_sources.iter().find(|source| source.name() == condition.workload);
        source
            .map(|source| form_pairs_of_source(source, index, condition, &before.variants, &request.axes))
            .unwrap_or_default()
    };
    let pairs: Vec<Pair> = before.conditions.iter().enumerate().flat_map(pairs).collect();
    // A run that ended in its first replicate may lack the variants and pairs of later texts.
    let has_replicates = before.progress.is_some_and(|progress| progress.replicates > 0);
    if has_replicates && pairs != before.pairs {
        let count = |pairs: &[Pair]| Some(pairs.len().to_string());
        found.push(difference("pairs", count(&before.pairs), count(&pairs)));
    }
    found
}

impl Experiment<'_> {
    /// Loads the state of the unfinished run, if the folder holds one.
    pub(super) fn resume_run(&mut self) -> Result<(), Error> {
        let Some(UnfinishedRun { run, blocks }) = self.folder.start_resuming()? else { return Ok(()) };
        let progress = run.progress.unwrap_or_default();
        let Progress { replicates, load_s, renewal_s } = progress;
        let is_kept = |block: &&Block| block.replicate < Some(replicates);
        let kept: Vec<&Block> = blocks.iter().filter(is_kept).collect();
        let note = format!("resumed {} after {progress}", now());
        if replicates == 0 {
            let Run { started, command, .. } = run;
            self.run = Run { started, command, notes: vec![note], ..self.run.clone() };
            return Ok(());
        }
        self.first = replicates;
        self.time.spent = Duration::from_secs_f64(load_s);
        self.time.renewal_time = Duration::from_secs_f64(renewal_s);
        self.clock.earlier = Duration::from_secs_f64(kept.last().map_or(0.0, |block| block.at_s));
        self.run = Run { finished: None, failure: None, ..run };
        let old: Vec<ConditionState> = self.condition_states(&blocks.iter().collect::<Vec<_>>());
        let left_out: Vec<String> =
            old.iter().zip(&self.run.conditions).flat_map(|(state, condition)| state.notes(condition)).collect();
        self.run.notes.retain(|note| !left_out.contains(note));
        self.run.notes.push(note);
        self.conditions = self.condition_states(&kept);
        for (index, state) in self.conditions.iter().enumerate() {
            let pairs: Vec<(usize, &Pair)> = state.pairs.clone().map(|at| (at, &self.run.pairs[at])).collect();
            let own: Vec<&Block> =
                kept.iter().copied().filter(|block| block.condition == index && !block.warm_up).collect();
            self.ledger.add_blocks(self.request.mode, &pairs, &own);
        }
        Ok(())
    }

    /// Returns the states of the run's conditions after these blocks.
    fn condition_states(&self, blocks: &[&Block]) -> Vec<ConditionState> {
        let workload_sources = self.request.workload_sources();
        let state = |(index, condition): (usize, &Condition)| {
            let first = self.run.pairs.partition_point(|pair| pair.condition < index);
            let end = self.run.pairs.partition_point(|pair| pair.condition <= index);
            let source = workload_sources.iter().find(|source| source.name() == condition.workload);
            let source = source.expect("conditions that are not asked for are refused before").clone();
            let mut state = ConditionState::new(source, first..end);
            blocks.iter().filter(|block| block.condition == index).for_each(|block| state.count(block));
            state
        };
        self.run.conditions.iter().enumerate().map(state).collect()
    }
}
