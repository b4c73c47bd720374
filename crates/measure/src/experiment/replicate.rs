//! One replicate: rows are loaded for it alone, and every condition is measured once.

use std::ops::Range;
use std::time::{Duration, Instant};

use server::interrupt;
use workload::Text;

use super::{Experiment, Planned, Plans};
use crate::connecting::{Connecting, note_placement, read_plans};
use crate::error::Error;
use crate::executor::{Loads, MOST_RESTARTED, Placed, Real};
use crate::instances::Instances;
use crate::loading::{Loader, Rows};
use crate::model::{Block, Condition, Mode, Pair, Variant};
use crate::plan::Facts;
use crate::schedule::{self, Standing, Task};
use crate::subject::Subject;
use crate::turn;

/// One replicate, as far as it is done.
pub(super) struct Replicate<'r> {
    /// Its number, from 0.
    number: u32,
    instances: &'r Instances<'r>,
    facts: &'r [Facts],
    /// What starting servers and loading rows has taken.
    renewed: Duration,
    /// Shares ([`Subject::share`]) of the conditions that it still has to measure, and those of a whole replicate.
    left: usize,
    whole: usize,
}

impl<'r> Replicate<'r> {
    /// A replicate of which nothing is measured, of so many shares; its servers took `started` to start.
    pub(super) fn new(
        number: u32,
        instances: &'r Instances<'r>,
        facts: &'r [Facts],
        started: Duration,
        shares: usize,
    ) -> Self {
        Self { number, instances, facts, renewed: started, left: shares, whole: shares }
    }
}

/// A condition that is to be measured.
struct Due<'p> {
    /// Its index in the run.
    index: usize,
    subject: Subject,
    text: Text,
    threads: u32,
    /// The variants that are planned for its text.
    variants: &'p [Variant],
}

impl Experiment<'_> {
    /// Measures all conditions once.
    pub(super) fn replicate(&mut self, mut replicate: Replicate<'_>, plans: &Plans) -> Result<(), Error> {
        let mut index = 0;
        for (text, variants) in plans {
            let mut rows: Option<Rows<'_>> = None;
            for subject in self.request.subjects() {
                for &threads in &self.request.threads {
                    let due = Due { index, subject: subject.clone(), text: *text, threads, variants };
                    index += 1;
                    if self.conditions.get(due.index).is_some_and(|planned| self.is_done(planned)) {
                        continue;
                    }
                    if self.loads_by_pair(&due.subject) {
                        rows.take().map_or(Ok(()), Rows::remove)?;
                        self.over_rows_by_pair(&due, &mut replicate)?;
                    } else {
                        let loaded = match rows.take() {
                            Some(rows) => rows,
                            None => self.load(&mut replicate, *text, variants)?,
                        };
                        self.over_the_same_rows(&due, &mut replicate, &loaded)?;
                        // What a workload has written is in nobody else's way.
                        if subject.leaves_changes() { loaded.remove()? } else { rows = Some(loaded) }
                    }
                }
            }
            rows.map_or(Ok(()), Rows::remove)?;
        }
        self.time.renewal = self.time.renewal.max(replicate.renewed);
        Ok(())
    }

    /// Whether each pair has rows of its own. Rows cost more to write the less has been written since they were loaded, and a baseline that is in every
    /// pair would have more behind it than what it is compared with: its copy seemed 2 % slower (docs/measurement.md). In solos each variant
    /// has as much behind it as the others.
    fn loads_by_pair(&self, subject: &Subject) -> bool {
        self.request.mode == Mode::Duet && self.request.ratios && subject.leaves_changes()
    }

    /// Measures all pairs of a condition over rows that they share.
    fn over_the_same_rows(
        &mut self,
        due: &Due<'_>,
        replicate: &mut Replicate<'_>,
        rows: &Rows<'_>,
    ) -> Result<(), Error> {
        self.plan_condition(due);
        let time = self.time_for(&due.subject, replicate);
        let pairs = self.conditions[due.index].pairs.clone();
        let loads = self.measure_pairs(due.index, pairs, replicate, rows, time)?;
        if replicate.number == self.first { self.probe(due.index, &loads) } else { Ok(()) }
    }

    /// Measures each pair of a condition over rows that are loaded for it alone.
    fn over_rows_by_pair(&mut self, due: &Due<'_>, replicate: &mut Replicate<'_>) -> Result<(), Error> {
        self.survey(due, replicate)?;
        let time = self.time_for(&due.subject, replicate);
        let end = self.time.spent + time;
        let shortest = self.request.warmup + self.request.block;
        let mut open: Vec<usize> =
            self.conditions[due.index].pairs.clone().filter(|pair| !self.ledger.is_done(*pair)).collect();
        // As in `schedule::measure`: where time is short it is not always the same that goes without.
        turn::rotate(&mut open, replicate.number);
        for (done, &pair) in open.iter().enumerate() {
            let left = end.saturating_sub(self.time.spent);
            let fit = (left.as_secs_f64() / shortest.as_secs_f64()) as usize;
            if fit == 0 {
                break;
            }
            let time = left / fit.min(open.len() - done) as u32;
            let rows = self.load(replicate, due.text, &self.sides(pair))?;
            self.measure_pairs(due.index, pair..pair + 1, replicate, &rows, time)?;
            rows.remove()?;
        }
        Ok(())
    }

    /// Loads rows for all variants, once, to see which of them can hold the text, and has the probe look at the load over them.
    fn survey(&mut self, due: &Due<'_>, replicate: &Replicate<'_>) -> Result<(), Error> {
        let text = self.request.text_name(due.text);
        let is_known = self.run.variants.iter().any(|variant| variant.text == text);
        let is_probed = self.probe.is_some() && replicate.number == self.first;
        if is_known && !is_probed {
            self.plan_condition(due);
            return Ok(());
        }
        let rows = self.load_rows(replicate, due.text, due.variants)?;
        self.plan_condition(due);
        if is_probed {
            let loads = self.connect(due.index, replicate, &rows)?;
            self.probe(due.index, &loads)?;
        }
        rows.remove()
    }

    /// The variants of a pair, as they are planned.
    fn sides(&self, pair: usize) -> [Variant; 2] {
        let Pair { baseline, variant, .. } = self.run.pairs[pair];
        [baseline, variant].map(|side| Variant { layers: None, ..self.run.variants[side].clone() })
    }

    /// Loads rows, in time that counts as the replicate's.
    fn load<'s>(&mut self, replicate: &mut Replicate<'s>, text: Text, variants: &[Variant]) -> Result<Rows<'s>, Error> {
        let begun = Instant::now();
        let rows = self.load_rows(replicate, text, variants)?;
        replicate.renewed += begun.elapsed();
        Ok(rows)
    }

    fn load_rows<'s>(
        &mut self,
        replicate: &Replicate<'s>,
        text: Text,
        variants: &[Variant],
    ) -> Result<Rows<'s>, Error> {
        let Self { request, observer, run, .. } = self;
        let loader = Loader { request, observer: *observer, run, replicate: replicate.number };
        loader.load(replicate.instances, text, variants)
    }

    /// Adds a condition and its pairs to the run, where it is new.
    fn plan_condition(&mut self, due: &Due<'_>) {
        let Due { index, subject, text, threads, .. } = due;
        if *index < self.conditions.len() {
            return;
        }
        let condition = Condition { workload: subject.name(), text: self.request.text_name(*text), threads: *threads };
        let first_pair = self.run.pairs.len();
        if self.request.ratios {
            let pairs = subject.pairs(*index, &condition, &self.run.variants, &self.request.axes);
            self.run.pairs.extend(pairs);
        }
        let pairs = first_pair..self.run.pairs.len();
        self.run.conditions.push(condition);
        self.conditions.push(Planned::new(subject.clone(), pairs));
    }

    /// The time for load that a condition of this subject has, which is the next one of the replicate.
    fn time_for(&mut self, subject: &Subject, replicate: &mut Replicate<'_>) -> Duration {
        // Where there are several texts, each is loaded by itself, and the first tells how long all will take.
        let texts = self.request.axes.texts.len() as u32;
        if replicate.left == replicate.whole {
            self.time.renewal = self.time.renewal.max(replicate.renewed * texts);
        }
        let after_this = self.time.replicates().saturating_sub(replicate.number + 1) as usize;
        let time = self.time.share(after_this * replicate.whole + replicate.left) * subject.share() as u32;
        replicate.left -= subject.share();
        time
    }

    /// Connects the load of a condition to rows.
    fn connect(&mut self, index: usize, replicate: &Replicate<'_>, rows: &Rows<'_>) -> Result<Loads, Error> {
        let Replicate { instances, facts, .. } = *replicate;
        let condition = self.run.conditions[index].clone();
        self.observer.stage(&format!("{condition}: connecting"));
        let connecting = Connecting {
            request: self.request,
            subject: &self.conditions[index].subject,
            condition: &condition,
            instances,
            facts,
            homes: &rows.homes,
            replicate: replicate.number,
        };
        let loads = connecting.connect_placed(&mut self.run)?;
        note_placement(self.request, &mut self.run, instances.servers(), &condition);
        read_plans(&mut self.run, instances, &rows.homes, index, &loads);
        self.folder.write_run(&self.run)?;
        Ok(loads)
    }

    /// Measures pairs of a condition over these rows, for so long, and writes each block down. Gives the load back, still connected.
    fn measure_pairs(
        &mut self,
        index: usize,
        pairs: Range<usize>,
        replicate: &Replicate<'_>,
        rows: &Rows<'_>,
        time: Duration,
    ) -> Result<Loads, Error> {
        let loads = self.connect(index, replicate, rows)?;
        let placed = Placed::of(&loads);
        let restarts = self.run.options.pinned && self.run.conditions[index].threads <= MOST_RESTARTED;
        let mut executor = Real { loads, restarts, placed, clock: self.clock, lost_in_a_row: 0, stolen: None };
        let begun = self.clock.elapsed();
        self.observer.measuring(self.request.max_time, replicate.number + 1, self.time.replicates());

        let Self { run, folder, observer, time: spending, ledger, conditions, clock, request, .. } = self;
        let planned = &mut conditions[index];
        // A variant that could be loaded before and can't now has nothing to be put under load.
        let is_loaded = |side: usize| rows.homes.contains_key(&side);
        let pairs: Vec<(usize, &Pair)> = pairs
            .map(|at| (at, &run.pairs[at]))
            .filter(|(_, pair)| is_loaded(pair.variant) && is_loaded(pair.baseline))
            .collect();
        let deadline = begun + time;
        let task = Task { condition: index, pairs: &pairs, mode: request.mode, replicate: replicate.number, deadline };
        let mut sink = |block: &Block, standings: &[Standing]| -> Result<(), Error> {
            folder.append(block)?;
            planned.count(block);
            observer.block(run, block, standings, spending.spent + clock.elapsed() - begun);
            Ok(())
        };
        let measured = schedule::measure(&mut executor, task, ledger, &mut sink);
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
        if interrupt::interrupted() { Err(Error::Interrupted) } else { Ok(()) }
    }
}
