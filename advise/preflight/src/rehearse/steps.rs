//! Runs the plan's steps, and records how the server runs each ALTER.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use check::table_name;
use facts::{Facts, ServerFacts};
use rehearsal::{Outcome, Rehearsal};
use server::error_code;

use super::sample::Sample;
use crate::Error;
use crate::model::{Algorithm, AlterTime, Phase, Plan, Step};
use crate::trial::{clauses_to_try, display_seconds, is_unsupported_algorithm};

/// A statement that the server refused.
pub struct Refusal {
    /// Object of the step.
    pub object: String,
    pub sql: String,
    pub code: u16,
    pub message: String,
}

/// Runs the steps that are not blocked. Skips further steps of an object that was refused, of the
/// tables that foreign keys tie to it, and of objects in `missing`.
pub fn run_steps(
    rehearsal: &mut Rehearsal<'_>,
    facts: &Facts,
    plan: &mut Plan,
    samples: &BTreeMap<String, Sample>,
    missing: &BTreeSet<String>,
) -> Result<Vec<Refusal>, Error> {
    let mut refusals: Vec<Refusal> = Vec::new();
    let mut skipped = missing.clone();
    for step in plan.steps.iter_mut().filter(|step| !step.blocked) {
        let owner = step.object.clone();
        let is_skipped = skipped.iter().any(|name| owner == *name || owner.starts_with(&format!("{name}.")));
        if is_skipped {
            continue;
        }
        let outcome = match is_alter(step) {
            true => run_alter(rehearsal, &facts.server, step, samples.get(&owner))?,
            false => rehearsal.apply(&step.sql)?,
        };
        if let Outcome::Refused { code, message } = outcome {
            // A private server has no tables of time zones, and the sample is read and written in
            // one zone.
            if code == error_code::UNKNOWN_TIME_ZONE && step.object == "session" {
                continue;
            }
            refusals.push(Refusal { object: owner.clone(), sql: step.sql.clone(), code, message });
            skipped.extend(tied_tables(facts, &owner));
        }
    }
    Ok(refusals)
}

fn is_alter(step: &Step) -> bool {
    matches!(step.phase, Phase::DropForeignKeys | Phase::Convert | Phase::Defaults | Phase::AddForeignKeys)
        && step.sql.starts_with("ALTER TABLE")
}

/// Returns a table and the tables that foreign keys tie to it.
fn tied_tables(facts: &Facts, name: &str) -> BTreeSet<String> {
    let mut tied = BTreeSet::from([name.to_owned()]);
    loop {
        let before = tied.len();
        for key in facts.tables().flat_map(|table| &table.foreign_keys) {
            let ends = [table_name(&key.schema, &key.table), table_name(&key.parent_schema, &key.parent_table)];
            if ends.iter().any(|end| tied.contains(end)) {
                tied.extend(ends);
            }
        }
        if tied.len() == before {
            return tied;
        }
    }
}

/// Runs an ALTER by the first algorithm that the private server takes and the source has.
fn run_alter(
    rehearsal: &mut Rehearsal<'_>,
    source: &ServerFacts,
    step: &mut Step,
    sample: Option<&Sample>,
) -> Result<Outcome, Error> {
    for (clause, algorithm) in clauses_to_try(&step.sql, source) {
        match rehearsal.apply(&format!("{}{clause}", step.sql))? {
            Outcome::Done { took } => {
                step.algorithm = Some(algorithm);
                step.time = sample.and_then(|sample| alter_time(step, sample, took));
                return Ok(Outcome::Done { took });
            }
            Outcome::Refused { code, .. } if is_unsupported_algorithm(code) && algorithm != Algorithm::Copy => {}
            Outcome::Refused { code, message } => {
                step.algorithm = Some(Algorithm::Refused);
                step.note = Some(format!("error {code}: {message}"));
                return Ok(Outcome::Refused { code, message });
            }
        }
    }
    Ok(Outcome::Refused { code: 0, message: "no algorithm is supported".into() })
}

/// Returns the estimated time for all rows. `None` for an instant ALTER, and if no row was copied
/// from a table that has rows.
fn alter_time(step: &Step, sample: &Sample, took: Duration) -> Option<AlterTime> {
    let lacks_rows = sample.rows == 0 && sample.table_rows > 0;
    if lacks_rows || step.algorithm == Some(Algorithm::Instant) {
        return None;
    }
    let rows = sample.table_rows.max(sample.rows);
    let sample_seconds = took.as_secs_f64();
    let seconds = sample_seconds * rows.max(1) as f64 / sample.rows.max(1) as f64;
    Some(AlterTime { seconds, rows, sample_rows: sample.rows, sample_seconds })
}

/// Describes how long the plan blocks writes, and how long it copies while writes go on. `None` if
/// no such step was timed.
pub fn describe_time(plan: &Plan) -> Option<String> {
    let totals: Vec<String> = [
        describe_total(plan, "block writes", Algorithm::blocks_writes),
        describe_total(plan, "copy while writes go on", |algorithm| algorithm == Algorithm::CopyOnline),
    ]
    .into_iter()
    .flatten()
    .collect();
    let describe = || {
        format!(
            "Time: {}. That is how long a sample of rows took on a private server of \
             this machine, times their number: with another disk, or with indexes larger than the buffer pool, it can be several times as long.",
            totals.join("; ")
        )
    };
    (!totals.is_empty()).then(describe)
}

fn describe_total(plan: &Plan, what: &str, is_chosen: fn(Algorithm) -> bool) -> Option<String> {
    let chosen = plan.steps.iter().filter(|step| step.algorithm.is_some_and(is_chosen));
    let timed = chosen.filter_map(|step| Some((step, step.time?)));
    let (longest, time) = timed.clone().max_by(|(_, a), (_, b)| a.seconds.total_cmp(&b.seconds))?;
    let sum: f64 = timed.map(|(_, time)| time.seconds).sum();
    let (sum, seconds) = (display_seconds(sum), display_seconds(time.seconds));
    Some(format!("ALTERs that {what} take {sum} together, the longest {seconds} ({})", longest.object))
}
