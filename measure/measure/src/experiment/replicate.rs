//! A replicate: loads fresh rows and measures every condition that isn't precise enough yet.
//!
//! ```text
//! workload leaves no changes:  load rows ─▶ all pairs of all conditions of the text ─▶ drop rows
//! workload leaves changes:     duet: per pair,      load rows ─▶ the pair ─▶ drop rows
//!                              solo: per condition, load rows ─▶ all variants ─▶ drop rows
//! ```
//!
//! A workload folder leaves no changes, since its writes are rolled back. A Lua script counts as
//! leaving changes.

use std::ops::Range;
use std::time::{Duration, Instant};

use lifecycle::interrupt;
use workload::Text;

use super::connecting::{LoadConnector, note_placement, read_plans};
use super::executor::{LoadExecutor, Loads, MAX_RESTARTED_CONNECTIONS, ThreadPlacement};
use super::instances::Instances;
use super::rows::{LoadedRows, RowLoader};
use super::{ConditionState, Error, Experiment, TextPlans};
use crate::model::{Block, Condition, Mode, Pair, Variant};
use crate::plan::ServerCollations;
use crate::plan::form_pairs_of_source;
use crate::request::WorkloadSource;
use crate::schedule::{self, ConditionTask, PairProgress, rotation};

/// A replicate in progress.
pub(super) struct Replicate<'r> {
    /// Number of the replicate, from 0.
    number: u32,
    instances: &'r Instances<'r>,
    facts: &'r [ServerCollations],
    /// Time spent on starting servers and loading rows, except rows that are loaded only to
    /// determine variants.
    renewal_time: Duration,
    /// Sum of the shares ([`WorkloadSource::share`]) of the conditions still to be measured.
    open_shares: usize,
    /// `open_shares` at the start of the replicate.
    total_shares: usize,
}

impl<'r> Replicate<'r> {
    /// Starts a replicate. `started` is the time that starting the servers took.
    pub(super) fn new(
        number: u32,
        instances: &'r Instances<'r>,
        facts: &'r [ServerCollations],
        started: Duration,
        shares: usize,
    ) -> Self {
        Self { number, instances, facts, renewal_time: started, open_shares: shares, total_shares: shares }
    }
}

struct PendingCondition<'p> {
    /// Index in the run.
    index: usize,
    source: WorkloadSource,
    text: Text,
    threads: u32,
    /// Planned variants of `text`.
    variants: &'p [Variant],
}

impl Experiment<'_> {
    pub(super) fn measure_replicate(&mut self, mut replicate: Replicate<'_>, plans: &TextPlans) -> Result<(), Error> {
        let mut index = 0;
        for (text, variants) in plans {
            let mut rows: Option<LoadedRows<'_>> = None;
            for source in self.request.workload_sources() {
                for &threads in &self.request.threads {
                    let pending = PendingCondition { index, source: source.clone(), text: *text, threads, variants };
                    index += 1;
                    if self.conditions.get(pending.index).is_some_and(|state| self.is_done(state)) {
                        continue;
                    }
                    if self.needs_rows_per_pair(&pending.source) {
                        rows.take().map_or(Ok(()), LoadedRows::remove)?;
                        self.measure_on_rows_per_pair(&pending, &mut replicate)?;
                    } else {
                        let loaded = match rows.take() {
                            Some(rows) => rows,
                            None => self.load(&mut replicate, *text, variants)?,
                        };
                        self.measure_on_shared_rows(&pending, &mut replicate, &loaded)?;
                        // Rows changed by a workload are not reused.
                        if source.leaves_changes() { loaded.remove()? } else { rows = Some(loaded) }
                    }
                }
            }
            rows.map_or(Ok(()), LoadedRows::remove)?;
        }
        self.time.renewal_time = self.time.renewal_time.max(replicate.renewal_time);
        Ok(())
    }

    /// Whether each pair gets its own rows. A write costs more on freshly loaded rows than on rows
    /// with many earlier writes. The baseline is in more pairs than any other variant, so on shared
    /// rows it would have more earlier writes: the baseline's copy appeared 2 % slower
    /// (docs/decisions/006-pairs-that-write-have-rows-of-their-own.md). In solo mode all variants
    /// have the same number of earlier writes.
    fn needs_rows_per_pair(&self, source: &WorkloadSource) -> bool {
        self.request.mode == Mode::Duet && self.request.ratios && source.leaves_changes()
    }

    /// Measures all pairs of a condition on shared rows.
    fn measure_on_shared_rows(
        &mut self,
        pending: &PendingCondition<'_>,
        replicate: &mut Replicate<'_>,
        rows: &LoadedRows<'_>,
    ) -> Result<(), Error> {
        self.add_condition(pending);
        let time = self.allot_time(&pending.source, replicate);
        let pairs = self.conditions[pending.index].pairs.clone();
        let loads = self.measure_pairs(pending.index, pairs, replicate, rows, time)?;
        if replicate.number == self.first { self.probe(pending.index, &loads) } else { Ok(()) }
    }

    /// Measures each pair of a condition on rows loaded for this pair alone.
    fn measure_on_rows_per_pair(
        &mut self,
        pending: &PendingCondition<'_>,
        replicate: &mut Replicate<'_>,
    ) -> Result<(), Error> {
        self.determine_variants(pending, replicate)?;
        let time = self.allot_time(&pending.source, replicate);
        let end = self.time.spent + time;
        let shortest = self.request.warmup + self.request.block;
        let mut open: Vec<usize> =
            self.conditions[pending.index].pairs.clone().filter(|pair| !self.ledger.is_done(*pair)).collect();
        // As in `schedule::measure_condition`: if time is short, a different pair is skipped in
        // each replicate.
        rotation::rotate_for_replicate(&mut open, replicate.number);
        for (done, &pair) in open.iter().enumerate() {
            let left = end.saturating_sub(self.time.spent);
            let fit = (left.as_secs_f64() / shortest.as_secs_f64()) as usize;
            if fit == 0 {
                break;
            }
            let time = left / fit.min(open.len() - done) as u32;
            let rows = self.load(replicate, pending.text, &self.pair_variants(pair))?;
            self.measure_pairs(pending.index, pair..pair + 1, replicate, &rows, time)?;
            rows.remove()?;
        }
        Ok(())
    }

    /// Adds the condition to the run. Before that, loads rows for all variants if it is unknown
    /// which variants can hold the text, or if the probe is to be called on the rows.
    fn determine_variants(&mut self, pending: &PendingCondition<'_>, replicate: &Replicate<'_>) -> Result<(), Error> {
        let text = self.request.text_name(pending.text);
        let is_known = self.run.variants.iter().any(|variant| variant.text == text);
        let is_probed = self.probe.is_some() && replicate.number == self.first;
        if is_known && !is_probed {
            self.add_condition(pending);
            return Ok(());
        }
        let rows = self.load_rows(replicate, pending.text, pending.variants)?;
        self.add_condition(pending);
        if is_probed {
            let loads = self.connect(pending.index, replicate, &rows)?;
            self.probe(pending.index, &loads)?;
        }
        rows.remove()
    }

    /// Returns the two variants of a pair as planned.
    fn pair_variants(&self, pair: usize) -> [Variant; 2] {
        let Pair { baseline, variant, .. } = self.run.pairs[pair];
        [baseline, variant].map(|side| Variant { layers: None, ..self.run.variants[side].clone() })
    }

    /// Loads rows and adds the time to the replicate's renewal time.
    fn load<'s>(
        &mut self,
        replicate: &mut Replicate<'s>,
        text: Text,
        variants: &[Variant],
    ) -> Result<LoadedRows<'s>, Error> {
        let begun = Instant::now();
        let rows = self.load_rows(replicate, text, variants)?;
        replicate.renewal_time += begun.elapsed();
        Ok(rows)
    }

    fn load_rows<'s>(
        &mut self,
        replicate: &Replicate<'s>,
        text: Text,
        variants: &[Variant],
    ) -> Result<LoadedRows<'s>, Error> {
        let Self { request, observer, run, .. } = self;
        let loader = RowLoader { request, observer: *observer, run, replicate: replicate.number };
        loader.load(replicate.instances, text, variants)
    }

    /// Adds a condition and its pairs to the run if they are new.
    fn add_condition(&mut self, pending: &PendingCondition<'_>) {
        let PendingCondition { index, source, text, threads, .. } = pending;
        if *index < self.conditions.len() {
            return;
        }
        let condition = Condition { workload: source.name(), text: self.request.text_name(*text), threads: *threads };
        let first_pair = self.run.pairs.len();
        if self.request.ratios {
            let pairs = form_pairs_of_source(source, *index, &condition, &self.run.variants, &self.request.axes);
            self.run.pairs.extend(pairs);
        }
        let pairs = first_pair..self.run.pairs.len();
        self.run.conditions.push(condition);
        self.conditions.push(ConditionState::new(source.clone(), pairs));
    }

    /// Returns the measuring time of the replicate's next condition, which has this workload
    /// source.
    fn allot_time(&mut self, source: &WorkloadSource, replicate: &mut Replicate<'_>) -> Duration {
        // The time so far, the servers' start and the first text's rows, predicts the total. With
        // rows per pair, no rows are loaded yet.
        let texts = self.request.axes.texts.len() as u32;
        if replicate.open_shares == replicate.total_shares {
            self.time.renewal_time = self.time.renewal_time.max(replicate.renewal_time * texts);
        }
        let after_this = self.time.replicates().saturating_sub(replicate.number + 1) as usize;
        let time = self.time.time_per_share(after_this * replicate.total_shares + replicate.open_shares)
            * source.share() as u32;
        replicate.open_shares -= source.share();
        time
    }

    /// Connects the loads of a condition to the loaded rows.
    fn connect(&mut self, index: usize, replicate: &Replicate<'_>, rows: &LoadedRows<'_>) -> Result<Loads, Error> {
        let Replicate { instances, facts, .. } = *replicate;
        let condition = self.run.conditions[index].clone();
        self.observer.stage(&format!("{condition}: connecting"));
        let connecting = LoadConnector {
            request: self.request,
            source: &self.conditions[index].source,
            condition: &condition,
            instances,
            facts,
            locations: &rows.locations,
            replicate: replicate.number,
        };
        let loads = connecting.connect_bound_or_unbound(&mut self.run)?;
        note_placement(self.request, &mut self.run, instances.servers(), &condition);
        read_plans(&mut self.run, instances, &rows.locations, index, &loads);
        self.folder.write_run(&self.run)?;
        Ok(loads)
    }

    /// Measures pairs of a condition for `time` and appends each block to the run folder. Returns
    /// the loads, still connected.
    fn measure_pairs(
        &mut self,
        index: usize,
        pairs: Range<usize>,
        replicate: &Replicate<'_>,
        rows: &LoadedRows<'_>,
        time: Duration,
    ) -> Result<Loads, Error> {
        let loads = self.connect(index, replicate, rows)?;
        let placement = ThreadPlacement::from_loads(&loads);
        let restarts = self.run.options.pinned && self.run.conditions[index].threads <= MAX_RESTARTED_CONNECTIONS;
        let mut executor =
            LoadExecutor { loads, restarts, placement, clock: self.clock, consecutive_losses: 0, stolen: None };
        let begun = self.clock.elapsed();
        self.observer.measuring(self.request.max_time, replicate.number + 1, self.time.replicates());

        let Self { run, folder, observer, time: spending, ledger, conditions, clock, request, .. } = self;
        let state = &mut conditions[index];
        // A variant may fail to load in a later replicate; its pairs are skipped.
        let is_loaded = |side: usize| rows.locations.contains_key(&side);
        let pairs: Vec<(usize, &Pair)> = pairs
            .map(|at| (at, &run.pairs[at]))
            .filter(|(_, pair)| is_loaded(pair.variant) && is_loaded(pair.baseline))
            .collect();
        let deadline = begun + time;
        let task = ConditionTask {
            condition: index,
            pairs: &pairs,
            mode: request.mode,
            replicate: replicate.number,
            deadline,
        };
        let mut sink = |block: &Block, standings: &[PairProgress]| -> Result<(), Error> {
            folder.append(block)?;
            state.count(block);
            observer.block(run, block, standings, spending.spent + clock.elapsed() - begun);
            Ok(())
        };
        let measured = schedule::measure_condition(&mut executor, task, ledger, &mut sink);
        self.time.spent += self.clock.elapsed() - begun;
        measured?;
        Ok(executor.loads)
    }

    fn probe(&mut self, condition: usize, loads: &Loads) -> Result<(), Error> {
        let Some(probe) = self.probe.as_mut() else { return Ok(()) };
        let Loads::Native(loads) = loads else { return Ok(()) };
        if probe.condition(&self.run, condition, loads, self.observer)? {
            self.folder.keep();
        }
        if interrupt::is_pending() { Err(Error::Interrupted) } else { Ok(()) }
    }
}
