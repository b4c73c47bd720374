//! A run that ended before it was done goes on after its whole replicates.

use std::time::Duration;

use server::Server;

use super::{Experiment, Planned, new_run, now, read_servers};
use crate::change::{Difference, differences};
use crate::error::Error;
use crate::folder::{Begun, Folder};
use crate::model::{Block, Condition, Pair, Progress, Run, ScriptRecord, Variant};
use crate::preview;
use crate::recording::RecordingRecord;
use crate::request::Request;

/// What is not read back as it was asked for, or changes with an update of the kernel by a few pages.
const NOT_COMPARED: [&str; 2] = ["options: pinned", "machine: memory_bytes"];

/// What is not as it was when the run that the folder holds began: where there is anything, it can't be resumed. Asks the servers and
/// writes nothing.
pub fn changes(request: &Request, servers: &[Server], folder: &Folder, weigh: &str) -> Result<Vec<Difference>, Error> {
    let Some(Begun { run: before, .. }) = folder.begun() else { return Ok(Vec::new()) };
    let now = Run { servers: read_servers(servers)?, ..new_run(request, servers, weigh) };
    let places: Vec<Option<usize>> = (0..before.servers.len()).map(|at| (at < servers.len()).then_some(at)).collect();
    let mut found = differences(before, &now, &places);
    found.retain(|difference| !NOT_COMPARED.contains(&difference.what.as_str()));
    if request.buffer_pool.is_some() {
        // It has the size that was asked for once the tables' size is known.
        found.retain(|difference| !difference.what.ends_with("innodb_buffer_pool_size"));
    }
    let variants = preview::preview(request, servers)?.variants;
    found.extend(changes_of_plan(request, before, &variants));
    Ok(found)
}

/// Where what is asked for would be measured by another plan.
fn changes_of_plan(request: &Request, before: &Run, variants: &[Variant]) -> Vec<Difference> {
    let all = |values: Vec<String>| Some(values.join("; "));
    let difference = |what: &str, before, after| Difference { what: what.into(), before, after };
    let mut found = Vec::new();
    if before.recipe != request.recipe {
        found.push(difference("recipe", Some("as recorded".into()), Some("edited".into())));
    }
    let digest = |recording: Option<&RecordingRecord>| recording.map(|recording| recording.digest.clone());
    let own = request.recording.as_ref().map(|recording| &recording.record);
    if digest(before.recording.as_ref()) != digest(own) {
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
    let subjects = request.subjects();
    let pairs = |(index, condition): (usize, &Condition)| {
        let subject = subjects.iter().find(|subject| subject.name() == condition.workload);
        subject.map(|subject| subject.pairs(index, condition, &before.variants, &request.axes)).unwrap_or_default()
    };
    let pairs: Vec<Pair> = before.conditions.iter().enumerate().flat_map(pairs).collect();
    // Later texts bring variants, and those pairs, that the run may not have had when it ended in its first replicate.
    let has_replicates = before.progress.is_some_and(|progress| progress.replicates > 0);
    if has_replicates && pairs != before.pairs {
        let count = |pairs: &[Pair]| Some(pairs.len().to_string());
        found.push(difference("pairs", count(&before.pairs), count(&pairs)));
    }
    found
}

impl Experiment<'_> {
    /// Takes up the run that the folder holds, where it holds one.
    pub(super) fn take_up(&mut self) -> Result<(), Error> {
        let Some(Begun { run, blocks }) = self.folder.take_up()? else { return Ok(()) };
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
        self.time.renewal = Duration::from_secs_f64(renewal_s);
        self.clock.before = Duration::from_secs_f64(kept.last().map_or(0.0, |block| block.at_s));
        self.run = Run { finished: None, failure: None, ..run };
        let old: Vec<Planned> = self.planned(&blocks.iter().collect::<Vec<_>>());
        let left_out: Vec<String> =
            old.iter().zip(&self.run.conditions).flat_map(|(planned, condition)| planned.notes(condition)).collect();
        self.run.notes.retain(|note| !left_out.contains(note));
        self.run.notes.push(note);
        self.conditions = self.planned(&kept);
        for (index, planned) in self.conditions.iter().enumerate() {
            let pairs: Vec<(usize, &Pair)> = planned.pairs.clone().map(|at| (at, &self.run.pairs[at])).collect();
            let own: Vec<&Block> =
                kept.iter().copied().filter(|block| block.condition == index && !block.warm_up).collect();
            self.ledger.refill(self.request.mode, &pairs, &own);
        }
        Ok(())
    }

    /// The run's conditions with what these blocks count.
    fn planned(&self, blocks: &[&Block]) -> Vec<Planned> {
        let subjects = self.request.subjects();
        let planned = |(index, condition): (usize, &Condition)| {
            let first = self.run.pairs.partition_point(|pair| pair.condition < index);
            let end = self.run.pairs.partition_point(|pair| pair.condition <= index);
            let subject = subjects.iter().find(|subject| subject.name() == condition.workload);
            let subject = subject.expect("conditions that are not asked for are refused before").clone();
            let mut planned = Planned::new(subject, first..end);
            blocks.iter().filter(|block| block.condition == index).for_each(|block| planned.count(block));
            planned
        };
        self.run.conditions.iter().enumerate().map(planned).collect()
    }
}
